// All rounds as a table: actions, observations, corrections.

import { pathOf } from "./api.js";
import { correct, makeVoid } from "./dialogs.js";
import { announce, complain, complaint, freshId, h } from "./dom.js";
import { figure, moment, percent, whole } from "./format.js";
import { changes, importer, tools } from "./journal.js";

const PAGE = 50;

export async function render(root, context) {
  const view = new Rounds(root, context);
  await Promise.all([view.refresh(), view.changes.refresh()]);
  context.onChange(() => view.refresh());
}

class Rounds {
  constructor(root, context) {
    this.context = context;
    this.offset = 0;
    this.only = null;
    this.total = 0;
    this.shown = "";
    this.table = h("div", {});
    this.wrong = complaint(freshId("wrong"));
    this.pager = h("nav", { class: "pager", "aria-label": "Pages of rounds" });
    this.changes = changes(context);
    root.replaceChildren(
      h("h1", { tabindex: "-1" }, "Rounds"),
      this.finder(),
      this.wrong,
      this.table,
      this.pager,
      this.changes.root,
      tools(context),
      ...(context.role !== "reader" ? [importer(context)] : []),
    );
  }

  path(...rest) {
    return pathOf(this.context.match.name, ...rest);
  }

  async refresh() {
    const { api } = this.context;
    if (this.only !== null) {
      this.show([await api(this.path("rounds", this.only))]);
      return;
    }
    const { rounds, total } = await api(`${this.path("rounds")}?offset=${this.offset}&limit=${PAGE}&newest=true`);
    this.total = total;
    this.show(rounds);
  }

  async guarded(act) {
    complain(this.wrong, "");
    try {
      await act();
    } catch (error) {
      complain(this.wrong, error.message);
    }
  }

  finder() {
    const id = freshId("field");
    const input = h("input", { id, type: "search", autocomplete: "off", maxlength: 80 });
    const look = (only) =>
      this.guarded(async () => {
        const before = this.only;
        this.only = only;
        await this.refresh().catch((error) => {
          this.only = before;
          throw error;
        });
      });
    const find = (event) => {
      event.preventDefault();
      look(input.value.trim() || null);
    };
    return h(
      "form",
      { class: "finder", onsubmit: find, role: "search" },
      h("label", { for: id }, "Round"),
      input,
      h("button", {}, "Find"),
      h(
        "button",
        {
          type: "button",
          onclick: () => {
            input.value = "";
            look(null);
          },
        },
        "All",
      ),
    );
  }

  show(rounds) {
    const now = JSON.stringify([rounds, this.total, this.only]);
    if (now === this.shown) return; // a button keeps its focus
    this.shown = now;
    const { match } = this.context;
    const heads = [
      "round",
      "status",
      "action",
      "probability",
      ...match.types.map((t) => t.name),
      ...match.responses.map(named),
      "reward",
      "asked",
      "",
    ];
    const numeric = (i) =>
      i === 3 || (i >= 4 + match.types.length && i <= 4 + match.types.length + match.responses.length);
    const body = rounds.map((round) => this.row(round, heads, numeric));
    this.table.replaceChildren(
      rounds.length === 0
        ? h("p", { class: "soft" }, "No round has been asked yet.")
        : h(
            "div",
            { class: "scroll", tabindex: "0", role: "group", "aria-label": "The rounds" },
            h(
              "table",
              { class: "rounds", role: "table" },
              h(
                "thead",
                { role: "rowgroup" },
                h(
                  "tr",
                  { role: "row" },
                  heads.map((head, i) =>
                    h(
                      "th",
                      { scope: "col", role: "columnheader", class: numeric(i) ? "number" : null },
                      head || h("span", { class: "hidden" }, "change"),
                    ),
                  ),
                ),
              ),
              h("tbody", { role: "rowgroup" }, body),
            ),
          ),
    );
    this.page(rounds.length);
  }

  row(round, heads, numeric) {
    const { match, role } = this.context;
    const values = [
      h("strong", {}, round.round_id),
      badges(round),
      round.label ?? h("span", { class: "soft" }, "shows when closed"),
      percent(round.probability),
      ...match.types.map(({ name }) => shown(round.opponent_type?.[name])),
      ...match.responses.map(({ name }) => shown(round.response?.[name])),
      figure(round.reward),
      h("span", { class: "when" }, moment(round.asked_at)),
      role !== "reader" ? this.change(round) : "",
    ];
    return h(
      "tr",
      { role: "row", class: `is-${round.status}` },
      values.map((value, i) =>
        h("td", { role: "cell", "data-label": heads[i], class: numeric(i) ? "number" : null }, value),
      ),
    );
  }

  change(round) {
    const waits = round.status === "pending";
    const act = async () => {
      if (await (waits ? makeVoid(this.context, round.round_id) : correct(this.context, round))) await this.refresh();
    };
    return h(
      "button",
      { class: "small", onclick: act, "aria-label": `${waits ? "Declare void" : "Correct"} round ${round.round_id}` },
      waits ? "Void …" : "Correct …",
    );
  }

  page(count) {
    const [first, last] = [this.offset + 1, this.offset + count];
    const go = (offset) =>
      this.guarded(async () => {
        this.offset = Math.max(0, offset);
        await this.refresh();
        announce(`Rounds ${this.offset + 1} and on, of ${this.total}`);
      });
    const end = Math.max(0, PAGE * Math.floor((this.total - 1) / PAGE));
    const button = (words, offset, off) => h("button", { onclick: () => go(offset), disabled: off }, words);
    const many = this.only === null && this.total > PAGE;
    this.pager.hidden = !many;
    if (!many) return;
    this.pager.replaceChildren(
      button("Newest", 0, this.offset === 0),
      button("Newer", this.offset - PAGE, this.offset === 0),
      h("span", {}, `${whole(first)}–${whole(last)} of ${whole(this.total)}, newest first`),
      button("Older", this.offset + PAGE, last >= this.total),
      button("Oldest", end, last >= this.total),
    );
  }
}

function named({ name, unit }) {
  return unit ? `${name} (${unit})` : name;
}

function shown(value) {
  if (value === undefined || value === null) return "–";
  if (Array.isArray(value)) return `${value.length} numbers`;
  return typeof value === "number" ? figure(value) : value;
}

function badges({ status, delay, corrections, reason }) {
  const badge = (kind, words, title) => h("span", { class: `badge ${kind}`, title }, words);
  return h(
    "div",
    {},
    h(
      "span",
      { class: "badges" },
      badge(status, status, null),
      delay > 0 ? badge("late", `late by ${delay}`, "rounds asked before this one was closed") : null,
      corrections > 0 ? badge("corrected", corrections > 1 ? `corrected ${corrections}×` : "corrected", null) : null,
    ),
    reason ? h("span", { class: "soft why" }, reason) : null,
  );
}
