// The action of the round, its forecast, and the form of the observation.

import { pathOf } from "./api.js";
import { asking, watching } from "./asking.js";
import { correct, makeVoid } from "./dialogs.js";
import { announce, complain, complaint, figure, freshId, h, moment, happened } from "./dom.js";
import { expectations } from "./expected.js";
import { outcomeFields } from "./fields.js";
import { opponentBar } from "./opponent.js";
import { paper, sheetParts } from "./sheet.js";

export async function render(root, context) {
  const view = new Today(root, context);
  await view.refresh({ brief: true }); // the action at once; the learner may have to be rebuilt for the rest
  context.onChange(() => view.refresh());
  context.later(() => view.refresh());
}

class Today {
  constructor(root, context) {
    this.context = context;
    this.chosen = null;
    this.formOf = undefined;
    this.shown = {};
    this.turns = 0;
    this.latest = 0;
    this.places = Object.fromEntries(
      ["alarms", "action", "form", "expected", "last", "status"].map((name) => [name, h("div", { class: `place-${name}` })]),
    );
    const { alarms, action, form, expected, last, status } = this.places;
    const demo = context.match.demo ? opponentBar(context) : "";
    root.replaceChildren(
      demo,
      alarms,
      h(
        "div",
        { class: "today" },
        h("div", { class: "column" }, action, expected),
        h("div", { class: "column" }, form, last, status),
      ),
    );
  }

  async refresh({ brief = false } = {}) {
    const { match, api } = this.context;
    const turn = (this.turns += 1);
    const asked = this.chosen ? `&round=${encodeURIComponent(this.chosen)}` : "";
    const today = await api(`${pathOf(match.name, "views", "today")}?brief=${brief}${asked}`);
    if (turn < this.latest) return; // a later answer is shown already
    this.latest = turn;
    const { round, pending, expected, last, alarms, status_lines: lines } = today;
    this.show("action", [round, pending], () => this.action(today));
    this.show("last", last, () => (last ? this.last(last) : null));
    if (!brief) this.show("alarms", alarms, () => this.alarms(alarms));
    if (!brief) this.show("expected", [round, expected], () => expectations(today, match));
    if (!brief) this.show("status", lines, () => this.status(today));
    this.form(today);
    document.title = `${today.title} · ${match.name}`;
  }

  /** Draw a part again only if its record changed: a button keeps its focus, a list stays open. */
  show(name, record, build) {
    const now = JSON.stringify(record);
    if (this.shown[name] === now) return;
    this.shown[name] = now;
    const open = this.places[name].querySelector("details")?.open;
    this.places[name].replaceChildren(...[build()].filter(Boolean));
    if (open) this.places[name].querySelector("details")?.setAttribute("open", "");
  }

  owner() {
    return this.context.role === "owner";
  }

  action(today) {
    const { round, pending } = today;
    const { match } = this.context;
    if (!round) return this.owner() ? asking(this, { another: false }) : watching(pending);
    return h(
      "section",
      { class: "card hero", "aria-labelledby": "do" },
      h(
        "p",
        { class: "eyebrow" },
        h("span", { class: "step" }, "Do this"),
        `Round ${round.round_id}`,
        this.switcher(round, pending),
      ),
      sheetParts(today, match),
      h("div", { class: "buttons screen" }, h("button", { onclick: () => window.print() }, "Print this sheet")),
      asking(this, { another: true }),
      paper(match, today.title),
    );
  }

  switcher(round, pending) {
    if (pending.length < 2) return null;
    const change = (event) => {
      this.chosen = event.target.value;
      this.refresh();
    };
    return h(
      "label",
      { class: "switch screen" },
      `${pending.length} rounds are pending: `,
      h(
        "select",
        { onchange: change },
        pending.map((id) => h("option", { value: id, selected: id === round.round_id }, id)),
      ),
    );
  }

  form(today) {
    const { round } = today;
    const id = round && this.owner() ? round.round_id : null;
    if (id === this.formOf) return; // what is being typed stays
    this.formOf = id;
    this.places.form.replaceChildren(id === null ? "" : this.outcome(id));
  }

  outcome(id) {
    const fields = outcomeFields(this.context.match);
    const wrong = complaint(freshId("wrong"));
    const button = h("button", { class: "primary", type: "submit" }, "Record what happened");
    const tell = async (event) => {
      event.preventDefault();
      complain(wrong, "");
      const body = fields.read();
      if (!body) return;
      button.disabled = true;
      try {
        await this.context.api(pathOf(this.context.match.name, "rounds", id, "outcome"), { method: "PUT", body });
        this.chosen = null;
        await this.refresh();
        announce(`Round ${id} is recorded.`);
        this.places.action.querySelector("h1")?.focus();
      } catch (error) {
        if (!fields.point(error.message)) complain(wrong, error.message);
        button.disabled = false;
      }
    };
    return h(
      "form",
      { class: "card screen", onsubmit: tell, novalidate: true, "aria-labelledby": "happened" },
      h("p", { class: "eyebrow" }, h("span", { class: "step" }, "Then record"), `Round ${id}`),
      h("h2", { id: "happened" }, "What happened?"),
      fields.element,
      wrong,
      h(
        "div",
        { class: "buttons" },
        button,
        h(
          "button",
          { type: "button", class: "quiet", onclick: () => this.after(makeVoid(this.context, id)) },
          "Nothing was observed: declare it void …",
        ),
      ),
    );
  }

  async after(dialog) {
    if (await dialog) await this.refresh();
  }

  last(round) {
    const told = round.status === "told";
    return h(
      "section",
      { class: "card screen", "aria-labelledby": "last" },
      h("h2", { id: "last" }, `Last closed: round ${round.round_id}`),
      h(
        "p",
        {},
        h("strong", {}, /^\d+$/.test(round.label) ? `action ${round.label}` : round.label),
        told ? ` → ${happened(round, this.context.match)}` : " → void",
      ),
      told
        ? h("p", { class: "soft" }, `Reward ${figure(round.reward)}; asked ${moment(round.asked_at)}.`)
        : h("p", { class: "soft" }, round.reason),
      this.owner()
        ? h(
            "div",
            { class: "buttons" },
            h("button", { onclick: () => this.after(correct(this.context, round)) }, "Undo or correct …"),
          )
        : null,
    );
  }

  /** Signs that the learner is not learning, or that a response is wrong: what was measured, and a remedy. */
  alarms(alarms) {
    if (!alarms.length) return null;
    const title = alarms.length === 1 ? "This match needs attention: 1 alarm" : `This match needs attention: ${alarms.length} alarms`;
    return h(
      "section",
      { class: "card alarm screen", "aria-labelledby": "alarms" },
      h("h2", { id: "alarms" }, title),
      h(
        "ul",
        {},
        alarms.map(({ name, measured, remedy, since }) =>
          h("li", {}, h("strong", {}, `${name}, since round ${since}. `), `${measured} `, h("em", {}, remedy)),
        ),
      ),
    );
  }

  status(today) {
    const lines = today.status_lines.filter((line) => !line.startsWith("Alarm:")); // these have a card of their own
    const cautions = lines.filter((line) => line.startsWith("Caution"));
    return h(
      "details",
      { class: "card screen" },
      h(
        "summary",
        {},
        `Status of the match${cautions.length ? `: ${cautions.length} caution${cautions.length > 1 ? "s" : ""}` : ""}`,
      ),
      h(
        "ul",
        {},
        lines.map((line) => h("li", {}, line)),
      ),
    );
  }
}
