// One panel of a map: its drawing, which can be zoomed, and its table; pointing at one highlights the other.

import { d3library } from "./d3.js";
import { announce, freshId } from "./dom.js";
import { figure } from "./format.js";
import { html, nothing, render, svg } from "./html.js";
import { cellText, mapTable } from "./map_table.js";
import { marksOf } from "./marks.js";

const [LEFT, BOTTOM, EDGE] = [48, 42, 12]; // pixels around the plotting area for the axes
const HIGHEST = 640;
const HIGHEST_OF_MANY = 260;
const WIDEST = 1600;
const MOST_ZOOM = 8;
const STEP = 1.5; // of a button
const PAN = 60; // pixels
const NARROW = "(max-width: 60rem)"; // tables begin closed
const HELP_OF_CHART = "Arrow keys go from mark to mark.";
const HELP = "Arrow keys go from mark to mark, with Shift they move the map; plus, minus and 0 zoom.";

export class MapPanel {
  /** @param {AbortSignal} signal that ends the view */
  constructor(signal) {
    this.element = document.createElement("figure");
    /** @type {any} */
    this.panel = null;
    /** @type {any} the element of the drawing */
    this.stage = null;
    this.zoomed = { k: 1, x: 0, y: 0 };
    this.clip = freshId("clip");
    this.open = !window.matchMedia(NARROW).matches;
    this.state = { terms: [] };
    /** @type {import("./marks.js").Mark[]} */
    this.marks = [];
    /** @type {number | null} */
    this.row = null;
    this.width = 0;
    const resized = new ResizeObserver(() => this.stage && this.stage.clientWidth !== this.width && this.draw());
    resized.observe(this.element);
    signal.addEventListener("abort", () => resized.disconnect());
    this.signal = signal;
  }

  /** Show a panel of a record; the element must be in the page, since its width matters. */
  update(panel, terms) {
    const first = this.panel === null;
    this.panel = panel;
    this.state.terms = terms;
    this.element.className = `picture map${panel.table.always_open ? " wide" : ""}`;
    this.frame();
    this.stage = this.element.querySelector(".stage");
    if ((this.row ?? 0) >= panel.table.rows.length) this.row = null;
    this.draw();
    if (first && this.isPlace()) this.letZoom();
  }

  /** Whether the panel is a map of a place, which can be zoomed; others are charts. */
  isPlace() {
    return !this.panel.group && !this.panel.stretch;
  }

  frame() {
    const { panel } = this;
    const table = mapTable(panel.table, this.state, {
      again: () => this.frame(),
      point: (row) => this.point(row),
    });
    const below = panel.table.always_open
      ? table
      : html`<details ?open=${this.open && !panel.group}><summary>As a table</summary>${table}</details>`;
    render(
      html`<figcaption><span>${panel.title}</span><span class="soft">${panel.subtitle}</span></figcaption>
        <div class="drawing">
          <div
            class=${panel.stretch ? "stage scroll" : "stage"}
            tabindex="0"
            role="group"
            aria-label=${`${panel.title}: drawing`}
            aria-description=${this.isPlace() ? HELP : HELP_OF_CHART}
            @keydown=${(event) => this.key(event)}
            @blur=${() => this.point(null)}
            @pointermove=${(event) => this.hover(event)}
            @pointerleave=${() => this.point(null)}
          ></div>
          ${this.isPlace() ? this.buttons() : nothing}
        </div>
        ${below}`,
      this.element,
    );
  }

  buttons() {
    const button = (words, name, act) =>
      html`<button class="small" aria-label=${`${name}: ${this.panel.title}`} title=${name} @click=${act}>${words}</button>`;
    return html`<div class="zoom screen">
      ${button("+", "Zoom in", () => this.zoomBy(STEP))} ${button("−", "Zoom out", () => this.zoomBy(1 / STEP))}
      ${button("Reset", "Reset the zoom", () => this.reset())}
    </div>`;
  }

  /** Left and top of the plotting area, and its size, in pixels. */
  geometry() {
    const { panel } = this;
    this.width = this.stage.clientWidth;
    const [left, bottom] = [panel.y.ticks.length ? LEFT : 0, panel.x.ticks.length ? BOTTOM : 0];
    const top = left || bottom ? EDGE : 0;
    const room = this.width - left - top;
    const [usual, high] = panel.size;
    if (panel.stretch) return { left, top, bottom, width: Math.max(0.75 * usual, Math.min(WIDEST, room)), height: high };
    if (panel.group)
      return { left, top, bottom, width: room, height: Math.min(HIGHEST_OF_MANY, (room * high) / usual) };
    if (!left) return { left, top, bottom, width: room, height: Math.min(HIGHEST, (room * high) / usual) };
    const width = Math.min(room, (HIGHEST * usual) / high);
    return { left, top, bottom, width, height: (width * high) / usual };
  }

  /** Where values lie in pixels; a place keeps its proportions, in the middle of the plotting area. */
  place({ width, height }) {
    const { panel, zoomed } = this;
    const [usual, high] = panel.size;
    const [across, upward] = [width / usual, height / high];
    const shared = this.isPlace() ? [Math.min(across, upward), Math.min(across, upward)] : [across, upward];
    const along = ({ low, high: end }, length) => (value) => ((value - low) / (end - low)) * length;
    const [right, up] = [along(panel.x, usual * shared[0]), along(panel.y, high * shared[1])];
    const [left, below] = [(width - usual * shared[0]) / 2, (height + high * shared[1]) / 2];
    return {
      x: (value) => zoomed.k * (left + right(value)) + zoomed.x,
      y: (value) => zoomed.k * (below - up(value)) + zoomed.y,
      grow: Math.max(0.7, Math.min(1.15, shared[0])) * Math.sqrt(zoomed.k),
    };
  }

  draw() {
    const { panel, zoomed } = this;
    const size = this.geometry();
    const { left, top, bottom, width, height } = size;
    if (width <= 0) return;
    const place = this.place(size);
    const { ground, above } = marksOf(panel.layers, place);
    this.marks = [...ground, ...above].filter((mark) => mark.row !== undefined);
    const outer = [left + width + top, top + height + bottom];
    render(
      html`<svg class="marks" role="img" aria-label=${panel.summary} width=${outer[0]} height=${outer[1]}
          viewBox=${`0 0 ${outer.join(" ")}`}>
          <clipPath id=${this.clip}><rect width=${width} height=${height} rx="6" /></clipPath>
          <g class="plot" transform=${`translate(${left} ${top})`}>
            <g clip-path=${`url(#${this.clip})`}>
              <rect class="ground" width=${width} height=${height} />
              <g>${ground.map(({ body }) => body)}</g>
              ${rules(panel, place, size)}
              <g class="above">${above.map(({ body }) => body)}</g>
              <g class="pointed"></g>
            </g>
          </g>
          ${axes(panel, place, size)}
        </svg>
        <div class="tip" hidden></div>`,
      this.stage,
    );
    this.stage.classList.toggle("zoomed", zoomed.k > 1);
    this.zoom?.extent([[0, 0], [width, height]]).translateExtent([[0, 0], [width, height]]);
    this.show(this.row);
  }

  /** Zoom and move by wheel, drag and touch; the wheel only with Ctrl or focus, so that the page still scrolls. */
  async letZoom() {
    const d3 = await d3library().catch(() => null);
    if (!d3 || this.signal.aborted) return;
    const allowed = (event) => {
      if (event.type === "wheel") return event.ctrlKey || this.stage === document.activeElement;
      if (event.type === "touchstart") return event.touches.length > 1 || this.zoomed.k > 1;
      return !event.button && !event.ctrlKey;
    };
    this.zoom = d3
      .zoom()
      .scaleExtent([1, MOST_ZOOM])
      .filter(allowed)
      .on("zoom", ({ transform }) => {
        this.zoomed = transform;
        this.draw();
      });
    this.plot = d3.select(this.stage.querySelector(".plot")).call(this.zoom);
    this.draw();
  }

  zoomBy(factor) {
    this.plot?.call(this.zoom.scaleBy, factor);
  }

  moveBy(x, y) {
    this.plot?.call(this.zoom.translateBy, x / this.zoomed.k, y / this.zoomed.k);
  }

  reset() {
    this.plot?.call(this.zoom.scaleTo, 1);
  }

  /** The keys of the drawing. */
  key(event) {
    const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    const step = steps[event.key];
    const acts = {
      "+": () => this.zoomBy(STEP),
      "=": () => this.zoomBy(STEP),
      "-": () => this.zoomBy(1 / STEP),
      0: () => this.reset(),
      Escape: () => this.point(null),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(step || acts[event.key])) return;
    event.preventDefault();
    if (!step) acts[event.key]();
    else if (event.shiftKey) this.moveBy(-PAN * step[0], -PAN * step[1]);
    else this.next(step[0] + step[1]);
  }

  /** Point at the mark of the next row. */
  next(step) {
    const rows = [...new Set(this.marks.map(({ row }) => Number(row)))].sort((a, b) => a - b);
    if (!rows.length) return;
    const here = this.row === null ? (step > 0 ? -1 : 0) : rows.indexOf(this.row);
    this.point(rows[(here + step + rows.length) % rows.length], { scroll: true });
    announce(this.cells(this.row).map(([name, value]) => `${name} ${value}`).join(", "));
  }

  hover(event) {
    const row = event.target.closest("[data-row]")?.dataset.row;
    const [x, y] = [event.clientX, event.clientY];
    const box = this.stage.getBoundingClientRect();
    this.point(row === undefined ? null : Number(row), { scroll: true, at: [x - box.left, y - box.top] });
  }

  /**
   * Highlight a row and its marks.
   * @param {number | null} row
   * @param {{scroll?: boolean, at?: number[]}} [options] bring the row of the table into view; where the pointer is
   */
  point(row, { scroll = false, at } = {}) {
    if (row !== this.row) {
      this.row = row;
      for (const each of /** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll("tr[data-row]")))
        each.toggleAttribute("data-pointed", Number(each.dataset.row) === row);
      if (scroll) reveal(this.element.querySelector("tr[data-pointed]"));
    }
    this.show(row, at);
  }

  /** Draw the outline of the marks of a row, and its numbers beside them. */
  show(row, at) {
    const [outlines, tip] = [".pointed", ".tip"].map((name) => this.stage.querySelector(name));
    const marks = row === null ? [] : this.marks.filter((mark) => mark.row === row);
    render(svg`${marks.map((mark) => mark.outline?.())}`, outlines);
    tip.hidden = !marks.length;
    if (!marks.length) return;
    const [[, title], ...cells] = this.cells(row);
    render(
      html`<strong>${title}</strong>
        <dl>${cells.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`,
      tip,
    );
    const { left, top } = this.geometry();
    const [x, y] = at ?? [(marks[0].at?.[0] ?? 0) + left, (marks[0].at?.[1] ?? 0) + top];
    const [wide, high] = [this.width - tip.offsetWidth, this.stage.clientHeight - tip.offsetHeight];
    const beside = x + 14 > wide ? x - 14 - tip.offsetWidth : x + 14;
    const within = (value, most) => Math.max(0, Math.min(value, most));
    const corner = [x > this.width / 2 ? 0 : wide, 0]; // of a small chart, where the card hides no more than it must
    const [to, down] = this.panel.group ? corner : [within(beside, wide), within(y + 14, high)];
    tip.style.translate = `${to}px ${down}px`;
  }

  /** The names and texts of the cells of a row; a number that comes first is said with its name. */
  cells(row) {
    const { table } = this.panel;
    return table.rows[row].map((entry, j) => {
      const text = cellText(table, j, entry);
      return [table.columns[j], j === 0 && typeof entry !== "string" ? `${table.columns[0]}: ${text}` : text];
    });
  }
}

/** Scroll a row into view within its table, not within the page. */
function reveal(row) {
  const box = row?.closest(".scroll");
  if (!box || box.scrollHeight <= box.clientHeight) return;
  const head = box.querySelector("thead").offsetHeight;
  const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
  if (top - head < box.scrollTop) box.scrollTop = top - head;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

function rules({ x, y }, place, { width, height }) {
  return svg`<g class="axes">
    ${y.rules ? y.ticks.map((tick) => svg`<line class="rule" x1="0" x2=${width} y1=${place.y(tick)} y2=${place.y(tick)} />`) : nothing}
    ${x.rules ? x.ticks.map((tick) => svg`<line class="rule" x1=${place.x(tick)} x2=${place.x(tick)} y1="0" y2=${height} />`) : nothing}
  </g>`;
}

function axes({ x, y, group }, place, { left, top, width, height }) {
  const inside = (at, length) => at >= -1 && at <= length + 1;
  const words = (at, text, more = "") => svg`<text x=${at[0]} y=${at[1]} text-anchor="middle" class=${more}>${text}</text>`;
  const across = x.ticks.map((tick) => [tick, place.x(tick)]).filter(([, at]) => inside(at, width));
  const upward = y.ticks.map((tick) => [tick, place.y(tick)]).filter(([, at]) => inside(at, height));
  return svg`<g class="axes" transform=${`translate(${left} ${top})`}>
    ${upward.map(([tick, at]) => svg`<text x="-6" y=${at + 4} text-anchor="end">${figure(tick)}</text>`)}
    ${across.map(([tick, at]) => words([at, height + 16], figure(tick)))}
    ${x.ticks.length ? svg`<line x1="0" x2=${width} y1=${height} y2=${height} />` : nothing}
    ${x.ticks.length ? words([width / 2, height + 35], x.label, "name") : nothing}
    ${
      y.ticks.length && !group
        ? svg`<text class="name" text-anchor="middle" transform=${`translate(${14 - left} ${height / 2}) rotate(-90)`}>${y.label}</text>`
        : nothing
    }
  </g>`;
}
