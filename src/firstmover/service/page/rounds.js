// All rounds as a table that fits: filters, search, what was observed, corrections in place.

import { pathOf } from "./api.js";
import { correct, makeVoid } from "./dialogs.js";
import { announce } from "./dom.js";
import { figure, moment, percent, whole } from "./format.js";
import { html, live, nothing, render as draw, repeat } from "./html.js";
import { changes, importer, tools } from "./journal.js";

const PAGE = 50;
const STATUSES = { "": "all", pending: "pending", told: "told", void: "void" };

export async function render(root, context) {
  const view = new Rounds(root, context);
  await Promise.all([view.refresh(), view.changes.refresh()]);
  context.onChange(() => view.refresh());
}

class Rounds {
  constructor(root, context) {
    this.root = root;
    this.context = context;
    this.offset = 0;
    this.status = "";
    this.search = "";
    this.wrong = "";
    /** @type {import("../../../../web/api").components["schemas"]["RoundList"]} */
    this.record = { rounds: [], total: 0 };
    this.changes = changes(context);
    this.below = [this.changes.root, tools(context), ...(context.mayPlay() ? [importer(context)] : [])];
  }

  async refresh() {
    const { api, match } = this.context;
    const filters = `${this.status ? `&status=${this.status}` : ""}${this.search ? `&search=${encodeURIComponent(this.search)}` : ""}`;
    const path = `${pathOf(match.name, "rounds")}?offset=${this.offset}&limit=${PAGE}&newest=true${filters}`;
    this.record = await api(path);
    this.draw();
  }

  /** Look elsewhere; an error is shown. */
  async look(change) {
    Object.assign(this, { wrong: "", offset: 0 }, change);
    try {
      await this.refresh();
      announce(`${whole(this.record.total)} rounds found.`);
    } catch (error) {
      this.wrong = error.message;
      this.draw();
    }
  }

  draw() {
    draw(
      html`<h1 tabindex="-1">Rounds</h1>
        ${this.finder()}
        <p class="complaint" role="alert" ?hidden=${!this.wrong}>${this.wrong}</p>
        ${this.record.rounds.length ? this.table() : html`<p class="soft">${this.nothing()}</p>`} ${this.pager()} ${this.below}`,
      this.root,
    );
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
      <input id="round-search" name="search" type="search" autocomplete="off" maxlength="80" .value=${live(this.search)} />
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
    </form>`;
  }

  columns() {
    const { match } = this.context;
    const of = (place) => (spec) => ({
      name: spec.unit && place === "response" ? `${spec.name} (${spec.unit})` : spec.name,
      number: place === "response" && !spec.levels,
      cell: (round) => shown(round[place]?.[spec.name]),
    });
    return [
      { name: "round", cell: (round) => html`<strong>${round.round_id}</strong>` },
      { name: "status", cell: badges },
      { name: "action", cell: action, wide: true },
      { name: "probability", number: true, cell: (round) => percent(round.probability) },
      ...match.types.map(of("opponent_type")),
      ...match.responses.map(of("response")),
      { name: "reward", number: true, cell: (round) => figure(round.reward) },
      { name: "asked", cell: (round) => html`<span class="when">${moment(round.asked_at)}</span>` },
    ];
  }

  table() {
    const columns = this.columns();
    const kind = ({ number, wide }) => (number ? "number" : wide ? "label" : "");
    const may = this.context.mayPlay();
    return html`<div class="scroll framed" tabindex="0" role="group" aria-label="The rounds">
      <table class="rounds" role="table">
        <thead role="rowgroup">
          <tr role="row">
            ${columns.map((column) => html`<th scope="col" role="columnheader" class=${kind(column)}>${column.name}</th>`)}
            <th scope="col" role="columnheader" class="edge"><span class="hidden">change</span></th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${repeat(
            this.record.rounds,
            (round) => round.round_id,
            (round) =>
              html`<tr role="row" class="is-${round.status}">
                ${columns.map(
                  (column) => html`<td role="cell" data-label=${column.name} class=${kind(column)}>${column.cell(round)}</td>`,
                )}
                <td role="cell" class="edge">${may ? this.change(round) : nothing}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  change(round) {
    const waits = round.status === "pending";
    const act = async () => {
      if (await (waits ? makeVoid(this.context, round.round_id) : correct(this.context, round))) await this.refresh();
    };
    const label = `${waits ? "Declare void" : "Correct"} round ${round.round_id}`;
    return html`<button class="small" aria-label=${label} @click=${act}>${waits ? "Void …" : "Correct …"}</button>`;
  }

  pager() {
    const { total, rounds } = this.record;
    if (total <= PAGE) return nothing;
    const last = this.offset + rounds.length;
    const end = Math.max(0, PAGE * Math.floor((total - 1) / PAGE));
    const button = (words, offset, off) =>
      html`<button ?disabled=${off} @click=${() => this.look({ offset: Math.max(0, offset) })}>${words}</button>`;
    return html`<nav class="pager" aria-label="Pages of rounds">
      ${button("Newest", 0, this.offset === 0)} ${button("Newer", this.offset - PAGE, this.offset === 0)}
      <span>${whole(this.offset + 1)}–${whole(last)} of ${whole(total)}, newest first</span>
      ${button("Older", this.offset + PAGE, last >= total)} ${button("Oldest", end, last >= total)}
    </nav>`;
  }
}

function shown(value) {
  if (value === undefined || value === null) return "–";
  if (Array.isArray(value)) return `${value.length} numbers`;
  return typeof value === "number" ? figure(value) : value;
}

function action({ label, played_label: other }) {
  if (label === null) return html`<span class="soft">shows when closed</span>`;
  return other ? html`${other}<span class="soft why">instead of ${label}</span>` : html`<span title=${label}>${label}</span>`;
}

function badges({ status, delay, corrections, reason }) {
  const badge = (kind, words, title = "") => html`<span class="badge ${kind}" title=${title}>${words}</span>`;
  return html`<div>
    <span class="badges"
      >${badge(status, status)} ${delay > 0 ? badge("late", `late by ${delay}`, "rounds asked before this one was closed") : nothing}
      ${corrections > 0 ? badge("corrected", corrections > 1 ? `corrected ${corrections}×` : "corrected") : nothing}</span
    >
    ${reason ? html`<span class="soft why">${reason}</span>` : nothing}
  </div>`;
}
