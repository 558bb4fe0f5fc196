// Views that change something on a click, then look again.

/** A view with `refresh()`, which reads and draws, and `draw()`; it shows the error of the last action. */
export class Acting {
  constructor(root, context) {
    this.root = root;
    this.context = context;
    this.wrong = "";
  }

  act = async (action) => {
    this.wrong = "";
    try {
      await action();
      await this.refresh();
    } catch (error) {
      this.wrong = error.message;
      this.draw();
    }
  };

  /** @returns {Promise<void>} */
  async refresh() {}

  draw() {}
}
