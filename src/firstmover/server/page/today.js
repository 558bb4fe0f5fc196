// What to do today, what to expect of it, and what came of it.

import { pathOf } from "./api.js";
import { reach, levelsOf } from "./checks.js";
import { correct, makeVoid } from "./dialogs.js";
import { announce, complain, complaint, figure, freshId, h, moment, percent, said } from "./dom.js";
import { expectations } from "./expected.js";
import { outcomeFields } from "./fields.js";
import { opponentBar } from "./opponent.js";

export async function render(root, context) {
  const view = new Today(root, context);
  await view.refresh();
  context.onChange(() => view.refresh());
}

class Today {
  constructor(root, context) {
    Object.assign(this, { context, chosen: null, formOf: undefined, shown: {} });
    this.places = Object.fromEntries(["action", "form", "expected", "last", "status"].map((name) => [name, h("div", { class: `place-${name}` })]));
    const { action, form, expected, last, status } = this.places;
    const demo = context.match.demo && context.role === "owner" ? opponentBar(context) : null;
    root.replaceChildren(demo || "", h("div", { class: "today" }, h("div", { class: "column" }, action, expected), h("div", { class: "column" }, form, last, status)));
  }

  async refresh() {
    const { match, api } = this.context;
    const asked = this.chosen ? `?round=${encodeURIComponent(this.chosen)}` : "";
    const today = await api(pathOf(match.name, "views", "today") + asked);
    const { round, pending, expected, last, status_lines: lines } = today;
    this.show("action", [round, pending], () => this.action(today));
    this.show("expected", [round, expected], () => expectations(today, match));
    this.show("last", last, () => (last ? this.last(last) : null));
    this.show("status", lines, () => this.status(today));
    this.form(today);
    document.title = `${today.title} · ${match.name}`;
  }

  /** Draw a part again only when what it shows has changed: a button keeps its focus, a list stays open. */
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
    const { round, sheet, pending } = today;
    if (!round) return this.nothing(pending);
    return h("section", { class: "card hero", "aria-labelledby": "do" },
      h("p", { class: "eyebrow" }, h("span", { class: "step" }, "Do this"), `Round ${round.round_id}`, this.switcher(round, pending)),
      h("h1", { id: "do", tabindex: "-1" }, sheet.headline),
      sheet.words ? h("p", { class: "lead" }, sheet.words) : null,
      sheet.grid ? grid(sheet.grid) : rows(sheet.rows),
      h("p", { class: "chance" }, h("span", { class: "value" }, percent(round.probability)),
        ` was the probability of this action, no. ${round.action + 1} of ${this.context.match.actions}: it was drawn by chance, so that nobody can foresee it.`),
      h("div", { class: "buttons screen" }, h("button", { onclick: () => window.print() }, "Print this sheet")),
      this.paper(today));
  }

  switcher(round, pending) {
    if (pending.length < 2) return null;
    const change = (event) => {
      this.chosen = event.target.value;
      this.refresh();
    };
    return h("label", { class: "switch screen" }, `${pending.length} rounds wait: `,
      h("select", { onchange: change }, pending.map((id) => h("option", { value: id, selected: id === round.round_id }, id))));
  }

  nothing(pending) {
    if (!this.owner()) {
      const words = pending.length
        ? `Round ${pending.join(", ")} is being played. Its action shows here once the round is told or void.`
        : "No round is being played now.";
      return h("section", { class: "card hero" }, h("p", { class: "eyebrow" }, "Watching"), h("h1", { tabindex: "-1" }, words));
    }
    const wrong = complaint(freshId("wrong"));
    const button = h("button", { class: "primary big" }, "Ask for the next action");
    const name = h("input", { id: freshId("field"), type: "text", autocomplete: "off", maxlength: 80, placeholder: "the next number" });
    const ask = async (event) => {
      event.preventDefault();
      button.disabled = true;
      try {
        const id = name.value.trim();
        const { match, api } = this.context;
        const round = id ? await api(pathOf(match.name, "rounds", id), { method: "PUT" }) : await api(pathOf(match.name, "ask"), { method: "POST" });
        this.chosen = null;
        await this.refresh();
        announce(`Round ${round.round_id}: ${round.label}`);
        document.getElementById("do")?.focus();
      } catch (error) {
        complain(wrong, error.message);
      } finally {
        button.disabled = false;
      }
    };
    return h("form", { class: "card hero", onsubmit: ask, novalidate: true },
      h("p", { class: "eyebrow" }, "No round waits"), h("h1", { tabindex: "-1" }, "Ready for the next round"),
      h("p", { class: "lead" }, "The action is drawn and recorded before you see it; asking again never draws again."),
      h("div", { class: "buttons" }, button),
      h("details", {}, h("summary", {}, "Name the round yourself"), h("label", { for: name.id }, "Name, such as a date"), name), wrong);
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
        complain(wrong, error.message);
        button.disabled = false;
      }
    };
    return h("form", { class: "card screen", onsubmit: tell, novalidate: true, "aria-labelledby": "happened" },
      h("p", { class: "eyebrow" }, h("span", { class: "step" }, "Then tell"), `Round ${id}`),
      h("h2", { id: "happened" }, "What happened?"), fields.element, wrong,
      h("div", { class: "buttons" }, button,
        h("button", { type: "button", class: "quiet", onclick: () => this.after(makeVoid(this.context, id)) }, "Nothing can be told: declare it void …")));
  }

  async after(dialog) {
    if (await dialog) await this.refresh();
  }

  last(round) {
    const told = round.status === "told";
    return h("section", { class: "card screen", "aria-labelledby": "last" }, h("h2", { id: "last" }, `Last closed: round ${round.round_id}`),
      h("p", {}, h("strong", {}, /^\d+$/.test(round.label) ? `action ${round.label}` : round.label), told ? ` → ${said({ ...round.opponent_type, ...round.response })}` : " → void"),
      told ? h("p", { class: "soft" }, `Reward ${figure(round.reward)}; asked ${moment(round.asked_at)}.`) : h("p", { class: "soft" }, round.reason),
      this.owner() ? h("div", { class: "buttons" }, h("button", { onclick: () => this.after(correct(this.context, round)) }, "Undo or correct …")) : null);
  }

  status(today) {
    const cautions = today.status_lines.filter((line) => line.startsWith("Caution"));
    return h("details", { class: "card screen" }, h("summary", {}, `How the match is doing${cautions.length ? `: ${cautions.length} caution${cautions.length > 1 ? "s" : ""}` : ""}`),
      h("ul", {}, today.status_lines.map((line) => h("li", {}, line))));
  }

  /** Lines to be filled in by hand, on paper only. */
  paper(today) {
    const { match } = this.context;
    const blank = (spec) => {
      const levels = levelsOf(spec);
      return h("tr", {}, h("th", { scope: "row" }, spec.name), h("td", {}, levels ? levels.map((level) => `☐ ${level}`).join("    ") : `____________ ${spec.unit || ""}`), h("td", {}, levels ? "" : reach(spec)));
    };
    return h("section", { class: "paper" }, h("h2", {}, "What happened"), h("table", {}, h("tbody", {}, match.types.filter((t) => !t.numbers).map(blank), match.responses.map(blank))),
      h("p", {}, `Match ${match.name}, ${today.title}. Noted by ____________________ on ____________________`));
  }
}

function rows(entries) {
  return h("dl", { class: "figures" }, entries.map(({ name, value, unit, words }) => h("div", { class: value === 0 ? "none" : null }, h("dt", {}, name),
    h("dd", {}, h("span", { class: "value" }, typeof value === "number" ? figure(value) : value), unit ? ` ${unit}` : "", words ? h("span", { class: "soft words" }, words) : null))));
}

/** A patrol sheet: the park from above, north at the top, darker where one is to be more often. */
function grid({ caption, columns, rows: names, values }) {
  const largest = Math.max(...values.flat());
  const cell = (value) => {
    const td = h("td", { class: value === largest ? "most" : null }, h("span", {}, value < 0.0005 ? "·" : percent(value)));
    td.style.setProperty("--share", String(largest ? Math.round((100 * value) / largest) : 0));
    return td;
  };
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, h("table", { class: "grid" }, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, h("td", {}), columns.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, names.map((name, i) => h("tr", {}, h("th", { scope: "row" }, name), values[i].map(cell))))));
}
