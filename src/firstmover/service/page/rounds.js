// All rounds: a table of which only the rows in sight are drawn, filters, search, and corrections in the row.

import { pathOf } from "./api.js";
import { correction, SentForm, voiding } from "./dialogs.js";
import { announce } from "./dom.js";
import { counted, whole } from "./format.js";
import { complaint, html, live, nothing, render as draw, repeat } from "./html.js";
import { importer, tools, Changes } from "./journal.js";
import { columnsFor, details, isCards } from "./round_table.js";
import { Geometry } from "./virtual.js";

const PAGE = 100;
const [ROW, CARD] = [3.75, 9]; // heights in rem
const FEW = 5; // surprising rounds that are named above the table
const STATUSES = { "": "all", pending: "pending", told: "told", void: "void" };
const MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

export async function render(root, context) {
  const view = new Rounds(root, context);
  await Promise.all([view.refresh(), view.changes.refresh()]);
  context.onChange(() => Promise.all([view.refresh(), view.changes.refresh(), view.compare()]));
  context.later(() => view.compare());
}

class Rounds {
  constructor(root, context) {
    this.root = root;
    this.context = context;
    this.status = "";
    this.search = "";
    this.wrong = "";
    this.total = 0;
    /** @type {Map<number, any[]>} */
    this.pages = new Map();
    this.loading = new Set();
    this.turn = 0;
    this.active = 0;
    /** @type {Map<string, {form: SentForm | null, height: number}>} */
    this.open = new Map();
    /** @type {Record<string, Record<string, string>>} */
    this.surprises = {};
    /** @type {[number, number] | null} */
    this.printed = null; // the rows in sight when printing began
    this.width = 0;
    this.changes = new Changes(context, () => this.draw());
    this.tools = tools(context, () => this.draw());
    this.importer = importer(context, () => this.draw());
    this.sizes = new ResizeObserver((entries) => this.resized(entries));
    this.sizes.observe(root);
    this.drawSoon = soon(() => this.draw());
    for (const [event, printing] of Object.entries({ beforeprint: true, afterprint: false }))
      window.addEventListener(event, () => this.print(printing), { signal: context.signal });
    context.signal.addEventListener("abort", () => this.sizes.disconnect());
  }

  get rem() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  get scroller() {
    return this.root.querySelector(".rounds");
  }

  get geometry() {
    const extra = [];
    for (const [number, rows] of this.pages)
      rows.forEach(({ round }, i) => {
        const height = this.open.get(round.round_id)?.height;
        if (height) extra.push([number * PAGE + i, height]);
      });
    extra.sort(([a], [b]) => a - b);
    return new Geometry(this.total, this.rem * (isCards(this.width) ? CARD : ROW), extra);
  }

  rowAt(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  span() {
    if (this.printed) return this.printed;
    const { scroller } = this;
    return this.geometry.span(scroller?.scrollTop ?? 0, scroller?.clientHeight || 900);
  }

  fetch(number) {
    const { api, match } = this.context;
    const filters = `${this.status ? `&status=${this.status}` : ""}${this.search ? `&search=${encodeURIComponent(this.search)}` : ""}`;
    return api(`${pathOf(match.name, "views", "rounds")}?offset=${number * PAGE}&limit=${PAGE}&newest=true${filters}`);
  }

  /** Load the pages in sight again; others when they come into sight. */
  async refresh() {
    const turn = (this.turn += 1);
    const [first, last] = this.span();
    const open = [...this.pages].filter(([, rows]) => rows.some(({ round }) => this.open.has(round.round_id)));
    const numbers = new Set([...pagesOf(first, last), ...open.map(([number]) => number), ...(this.total ? [] : [0])]);
    const found = await Promise.all([...numbers].map(async (number) => /** @type {[number, any]} */ ([number, await this.fetch(number)])));
    if (turn !== this.turn) return;
    const { total } = found[0][1];
    const more = this.total && this.scroller?.scrollTop > this.geometry.row ? total - this.total : 0;
    this.pages = new Map(found.map(([number, { rows }]) => [number, rows]));
    this.loading.clear();
    this.total = total;
    this.draw();
    if (more && this.scroller) this.scroller.scrollTop += more * this.geometry.row; // what was in sight stays there
  }

  /** Load the pages in sight that are missing. */
  async load() {
    const { turn } = this;
    const missing = pagesOf(...this.span()).filter((number) => !this.pages.has(number) && !this.loading.has(number));
    for (const number of missing) this.loading.add(number);
    await Promise.all(
      missing.map(async (number) => {
        try {
          const { rows } = await this.fetch(number);
          if (turn !== this.turn) return;
          this.pages.set(number, rows);
        } catch (error) {
          if (error.name === "AbortError" || turn !== this.turn) return;
          this.wrong = error.message;
        }
        this.loading.delete(number);
        this.draw();
      }),
    );
  }

  async compare() {
    this.surprises = (await this.context.api(pathOf(this.context.match.name, "views", "surprises"))).rounds;
    this.draw();
  }

  /** Look for other rounds; an error is shown. */
  async look(change) {
    Object.assign(this, { wrong: "", total: 0, active: 0 }, change);
    this.pages.clear();
    if (this.scroller) this.scroller.scrollTop = 0;
    try {
      await this.refresh();
      announce(`${counted(this.total, "round")} found.`);
    } catch (error) {
      this.wrong = error.message;
      this.draw();
    }
  }

  resized(entries) {
    const before = [this.width, ...[...this.open.values()].map(({ height }) => height)].join();
    for (const { target } of entries) {
      if (target === this.root) this.width = target.clientWidth / this.rem;
      const open = this.open.get(target.dataset.round);
      if (open) open.height = target.offsetHeight;
    }
    if ([this.width, ...[...this.open.values()].map(({ height }) => height)].join() !== before) this.drawSoon();
  }

  print(printing) {
    this.printed = printing ? this.span() : null;
    this.draw();
  }

  draw() {
    this.width ||= this.root.clientWidth / this.rem;
    const focused = this.scroller?.contains(document.activeElement) && document.activeElement !== this.scroller;
    draw(
      html`<h1 tabindex="-1">Rounds</h1>
        ${this.finder()}
        ${complaint(this.wrong)}
        ${this.surprising()} ${this.total ? this.table() : html`<p class="soft">${this.nothing()}</p>`}
        <section class="card" aria-label="Changes of this match" ?hidden=${!this.changes.lines.length}>${this.changes.template()}</section>
        ${this.tools.template()} ${this.context.mayPlay() ? this.importer.template() : nothing}`,
      this.root,
    );
    for (const element of this.root.querySelectorAll(".row-details")) this.sizes.observe(element);
    if (focused && document.activeElement === document.body) this.toggleOf(this.active)?.focus({ preventScroll: true });
    this.load();
  }

  nothing() {
    return this.status || this.search ? "No round fits." : "No round has been asked yet.";
  }

  finder() {
    const find = (event) => {
      event.preventDefault();
      this.look({ search: event.target.elements.search.value.trim() });
    };
    return html`<form class="finder" role="search" @submit=${find}>
      <label for="round-search">Search</label>
      <input id="round-search" name="search" type="search" autocomplete="off" maxlength="80" .value=${this.search} />
      <button>Find</button>
      <label for="round-status">Status</label>
      <select id="round-status" @change=${(event) => this.look({ status: event.target.value })}>
        ${Object.entries(STATUSES).map(
          ([status, words]) => html`<option value=${status} .selected=${live(status === this.status)}>${words}</option>`,
        )}
      </select>
      ${this.search || this.status
        ? html`<button type="button" @click=${() => this.look({ search: "", status: "" })}>All</button>`
        : nothing}
      <span class="soft count">${counted(this.total, "round")}, newest first</span>
    </form>`;
  }

  surprising() {
    const found = Object.entries(this.surprises);
    if (!found.length) return nothing;
    const words = (marks) => Object.entries(marks).map(([name, mark]) => `${name} ${mark}`).join("; ");
    return html`<details class="card surprising">
      <summary>${counted(found.length, "round")} with a response far outside of what was expected</summary>
      <ul>
        ${found.slice(0, FEW).map(
          ([id, marks]) =>
            html`<li><button class="small" aria-label="Show round ${id}" @click=${() => this.look({ search: id, status: "" })}>${id}</button> ${words(marks)}</li>`,
        )}
      </ul>
      ${found.length > FEW ? html`<p class="soft">These are the ${FEW} that were recorded last.</p>` : nothing}
    </details>`;
  }

  table() {
    const columns = columnsFor(this.context.match, this.width);
    const { geometry } = this;
    const [first, last] = this.span();
    let indices = Array.from({ length: last - first }, (_, i) => first + i);
    if (this.printed) indices = pagesOf(first, last).flatMap((n) => (this.pages.get(n) ?? []).map((_, i) => n * PAGE + i));
    else if (this.scroller?.contains(document.activeElement) && this.active < this.total)
      indices = [...new Set([...indices, this.active])].sort((a, b) => a - b); // what has the focus stays
    const look = `--columns: ${columns.map(({ track }) => track).join(" ")} 3rem; --row: ${geometry.row}px`;
    return html`<div
        class="rounds framed ${isCards(this.width) ? "cards" : ""} ${this.printed ? "printing" : ""}"
        style=${look} tabindex="0" role="table" aria-label="The rounds" aria-rowcount=${this.total + 1}
        @scroll=${this.drawSoon}
      >
        <div role="rowgroup" class="head">
          <div role="row" aria-rowindex="1" class="line">
            ${columns.map(({ name, number }) => html`<span role="columnheader" class=${number ? "number" : ""}>${name}</span>`)}
            <span role="columnheader"><span class="hidden">details</span></span>
          </div>
        </div>
        <div role="rowgroup" class="body" style="height: ${geometry.height}px">
          ${repeat(
            indices,
            (index) => this.rowAt(index)?.round.round_id ?? index,
            (index) => this.row(index, columns, geometry.top(index)),
          )}
        </div>
      </div>
      ${this.printed && this.total > indices.length
        ? html`<p class="soft">Rounds ${whole(indices[0] + 1)} to ${whole((indices.at(-1) ?? 0) + 1)} of ${whole(this.total)}, newest first; the export has all.</p>`
        : nothing}`;
  }

  row(index, columns, top) {
    const row = this.rowAt(index);
    const id = row?.round.round_id;
    const open = row && this.open.get(id);
    const cell = ({ name, number, lines, cell: content }) =>
      html`<span role="cell" data-label=${name} class="cell-${name === "what happened" ? "happened" : name} ${number ? "number" : ""} ${lines ? "lines" : ""}"
        >${row ? content(row, this.surprises[id]) : "…"}</span
      >`;
    return html`<div role="none" class="place" style="top: ${top}px">
      <div role="row" class="line is-${row?.round.status ?? "loading"} ${this.surprises[id] ? "far" : ""} ${open ? "opened" : ""}"
        aria-rowindex=${index + 2} @click=${(event) => row && !event.target.closest("button") && !String(getSelection()) && this.toggle(index, id)}>
        ${columns.map(cell)}
        <span role="cell" class="edge">
          <button class="quiet toggle" data-index=${index} tabindex=${index === this.active ? "0" : "-1"}
            aria-expanded=${open ? "true" : "false"} aria-label="Details of round ${id ?? index + 1}"
            @click=${() => row && this.toggle(index, id)} @keydown=${(event) => this.move(event, index)}
            @focus=${() => (this.active = index)}></button>
        </span>
      </div>
      ${open ? this.opened(index, row, open, columns.length + 1) : nothing}
    </div>`;
  }

  opened(index, row, open, span) {
    return html`<div role="row" aria-rowindex=${index + 2}>
      <div role="cell" aria-colspan=${span} class="row-details" data-round=${row.round.round_id}>
        ${details(row, this.context.match, this.surprises[row.round.round_id])}
        ${open.form ? open.form.template() : this.context.mayPlay() ? this.change(row.round, open) : nothing}
      </div>
    </div>`;
  }

  change(round, open) {
    const waits = round.status === "pending";
    const redraw = () => this.draw();
    const begin = () => {
      const asked = waits ? voiding(this.context, round.round_id, redraw) : correction(this.context, round, redraw);
      open.form = new SentForm(asked, redraw, async (done) => {
        open.form = null;
        this.draw();
        if (done) await this.refresh();
        this.toggleOf(this.active)?.focus({ preventScroll: true });
      });
      this.draw();
      this.root.querySelector(`#${open.form.id}`)?.closest("form").querySelector("input, select, textarea")?.focus();
    };
    const label = `${waits ? "Declare void" : "Correct"} round ${round.round_id}`;
    return html`<div class="buttons screen"><button class="small" aria-label=${label} @click=${begin}>${waits ? "Declare void …" : "Correct …"}</button></div>`;
  }

  toggle(index, id) {
    this.active = index;
    if (!this.open.delete(id)) this.open.set(id, { form: null, height: 0 });
    this.draw();
  }

  toggleOf(index) {
    return this.root.querySelector(`.toggle[data-index="${index}"]`);
  }

  /** From row to row by the keyboard. */
  move(event, index) {
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    this.active = Math.max(0, Math.min(this.total - 1, index + by));
    const { scroller, geometry } = this;
    const [top, room] = [geometry.top(this.active), scroller.clientHeight - 2 * geometry.row];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    this.draw();
    this.toggleOf(this.active)?.focus({ preventScroll: true });
  }
}

function pagesOf(first, last) {
  const from = Math.floor(first / PAGE);
  return Array.from({ length: Math.max(0, Math.ceil(last / PAGE) - from) }, (_, i) => from + i);
}

/** A function that acts once, when the browser draws next, however often it is called. */
function soon(act) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    window.requestAnimationFrame(() => {
      waits = false;
      act();
    });
  };
}
