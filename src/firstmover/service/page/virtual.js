// The geometry of a long list of which only the rows in sight are drawn: rows are equally high, plus what open ones show.

const SPARE = 6; // rows that are drawn beyond each edge, so that the keyboard always finds a next one

/** The places of rows in pixels; `extra` has the further height of open rows by index, in ascending order. */
export class Geometry {
  /**
   * @param {number} total
   * @param {number} row
   * @param {[number, number][]} extra
   */
  constructor(total, row, extra = []) {
    this.total = total;
    this.row = row;
    this.extra = extra;
  }

  get height() {
    return this.top(this.total);
  }

  /** The distance of a row from the top of the list. */
  top(index) {
    return index * this.row + this.extra.reduce((sum, [at, more]) => sum + (at < index ? more : 0), 0);
  }

  /** The row at a distance from the top. */
  at(y) {
    let index = Math.floor(y / this.row);
    for (const [at, more] of this.extra) {
      if (at >= index) break;
      index = Math.max(at, Math.floor((y - more) / this.row));
      y -= more;
    }
    return Math.max(0, Math.min(this.total - 1, index));
  }

  /**
   * The rows to draw, from the first to before the last, for a window of so many pixels from y on.
   * @returns {[number, number]}
   */
  span(y, pixels) {
    return [Math.max(0, this.at(y) - SPARE), Math.min(this.total, this.at(y + pixels) + 1 + SPARE)];
  }
}
