// Ask for an action: what is known before it, what is not available today, and perhaps a name of the round.

import { pathOf } from "./api.js";
import { announce } from "./dom.js";
import { contextEntries, Fields } from "./fields.js";
import { complaint, html, live, nothing } from "./html.js";

/** The form that asks, for the next round or, `another`, for one beside those that are pending, which needs a name. */
export class Asking {
  constructor(view, { another }) {
    this.view = view;
    this.another = another;
    this.fields = new Fields(contextEntries(view.context.match), () => view.draw());
    this.menu = null;
    this.without = new Set();
    this.name = "";
    this.wrong = "";
    this.busy = false;
  }

  ask = async (event) => {
    event.preventDefault();
    const { view } = this;
    this.wrong = this.another && !this.name.trim() ? "Give the round a name." : "";
    const known = this.fields.read();
    if (this.wrong || !known) return view.draw();
    const body = { ...known, ...(this.without.size ? { without: [...this.without] } : {}) };
    this.busy = true;
    view.draw();
    try {
      const id = this.name.trim();
      const { match, api } = view.context;
      const [path, method] = id ? [pathOf(match.name, "rounds", id), "PUT"] : [pathOf(match.name, "ask"), "POST"];
      const round = await api(path, { method, body: Object.keys(body).length ? body : undefined });
      this.without.clear();
      this.name = "";
      view.chosen = round.round_id;
      await view.refresh();
      announce(`Round ${round.round_id}: ${round.label}`);
      document.getElementById("do")?.focus();
    } catch (error) {
      if (!this.fields.point(error)) this.wrong = error.message;
    }
    this.busy = false;
    return view.draw();
  };

  /** The menu, the first time that somebody looks for what is not available. */
  look = async (event) => {
    if (!event.target.open || this.menu) return;
    this.menu = await wholeMenu(this.view.context);
    this.view.draw();
  };

  template() {
    return this.another ? this.beside() : this.ready();
  }

  parts() {
    const toggle = (label) => (event) => {
      if (event.target.checked) this.without.add(label);
      else this.without.delete(label);
      this.view.draw();
    };
    const closed = this.without.size ? `: ${this.without.size} not available` : "";
    return html`<details class="more" @toggle=${this.look}>
        <summary>Not available today${closed}</summary>
        <div class="checks">
          ${(this.menu ?? []).filter(({ retired }) => !retired).map(
            ({ label }) =>
              html`<label class="check"
                ><input type="checkbox" .checked=${live(this.without.has(label))} @change=${toggle(label)} />${label}</label
              >`,
          )}
        </div>
      </details>`;
  }

  known() {
    if (!this.fields.fields.length) return nothing;
    return html`<p class="soft">What is known already?</p>${this.fields.template()}`;
  }

  named(words) {
    const typed = (event) => {
      this.name = event.target.value;
    };
    const id = this.another ? "name-of-another" : "name-of-round";
    return html`<label for=${id}>${words}</label>
      <input id=${id} type="text" autocomplete="off" maxlength="80" .value=${live(this.name)} @input=${typed} />`;
  }

  ready() {
    return html`<form class="card hero" novalidate @submit=${this.ask}>
      <p class="eyebrow">No round is pending</p>
      <h1 tabindex="-1">Ready for the next round</h1>
      <p class="lead">The action is drawn and recorded before it is shown; asking again returns the same action.</p>
      ${this.known()}
      <div class="buttons"><button class="primary big" ?disabled=${this.busy}>Ask for the next action</button></div>
      ${complaint(this.wrong)} ${this.parts()}
      <details class="more"><summary>Name the round yourself</summary><div>${this.named("Name, such as a date")}</div></details>
    </form>`;
  }

  beside() {
    return html`<details class="more screen">
      <summary>Begin another round before this one is recorded</summary>
      <form novalidate @submit=${this.ask}>
        ${this.named("Name of the other round")} ${this.known()} ${this.parts()}
        <div class="buttons"><button ?disabled=${this.busy}>Begin it</button></div>
        ${complaint(this.wrong)}
      </form>
    </details>`;
  }
}

/** All actions of a menu, read page by page. */
export async function wholeMenu({ match, api }) {
  const found = [];
  for (;;) {
    const { rows, total } = await api(`${pathOf(match.name, "menu")}?offset=${found.length}&limit=1000`);
    found.push(...rows);
    if (found.length >= total || !rows.length) return found;
  }
}

/** What readers see: that a round is pending, never its action. */
export function watching(pending) {
  const names = pending.map(({ round_id: id }) => id).join(", ");
  const [head, words] = pending.length
    ? [`Round ${names} is being played`, "Its action is shown when the round is told or void."]
    : ["No round is being played now", "The next one is shown as soon as it begins."];
  return html`<section class="card hero">
    <p class="eyebrow">Watching</p>
    <h1 tabindex="-1">${head}</h1>
    <p class="lead">${words}</p>
  </section>`;
}
