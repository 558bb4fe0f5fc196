// The map of a match: panels of marks on two axes, drawn from the record that its game makes.

import { pathOf } from "./api.js";
import { glossary } from "./glossary.js";
import { html, live, nothing, render as draw } from "./html.js";
import { legend } from "./legend.js";
import { MapPanel } from "./map_panel.js";
import { opponentBar } from "./opponent.js";

const LATER = "The posterior is being computed from all rounds; predictions are shown when it is ready.";

export async function render(root, context) {
  const { signal, onChange, later } = context;
  const view = new MapView(root, context);
  await view.refresh();
  if (view.record.partial) later(() => view.refresh());
  const again = () => view.show();
  window.addEventListener("firstmover-theme", again, { signal });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal });
  onChange(() => view.refresh());
}

class MapView {
  constructor(root, context) {
    this.root = root;
    this.context = context;
    this.demo = context.match.demo ? opponentBar(context) : nothing;
    this.record = null;
    this.tab = "";
    this.chosen = {};
    /** @type {MapPanel[]} */
    this.panels = [];
  }

  /** Read the record; the brief one first, which is there also while the posterior is being computed. */
  async refresh() {
    const path = pathOf(this.context.match.name, "views", "map");
    const partial = this.record?.partial;
    const query = (more) => new URLSearchParams({ ...this.chosen, ...more }).toString();
    this.record = await this.context.api(`${path}?${query({ brief: "true" })}`);
    if (partial && this.record.partial) this.record = await this.context.api(`${path}?${query({})}`);
    this.show();
  }

  /** The panels of the record that are shown now. */
  shown() {
    const tabs = this.tabs();
    if (!tabs.includes(this.tab)) this.tab = tabs[0] ?? "";
    return this.record.panels.filter(({ tab }) => !tab || tab === this.tab);
  }

  tabs() {
    return [...new Set(this.record.panels.map(({ tab }) => tab).filter(Boolean))];
  }

  show() {
    const { record } = this;
    const shown = this.shown();
    this.panels.length = Math.min(this.panels.length, shown.length);
    while (this.panels.length < shown.length) this.panels.push(new MapPanel(this.context.signal));
    draw(
      html`<h1 tabindex="-1">${record.heading}</h1>
        ${this.demo}
        <p class="soft" role="status" ?hidden=${!record.partial}>${record.partial ? LATER : ""}</p>
        ${record.title ? html`<h2>${record.title}</h2>` : nothing}
        <div class="filters">${this.switch()} ${record.choices.map((choice) => this.select(choice))}</div>
        ${shown.length ? legend(shown) : nothing} ${this.groups(shown)}
        <p class="soft">${record.note}</p>
        ${record.terms.length ? glossary(...record.terms) : nothing}`,
      this.root,
    );
    shown.forEach((panel, i) => this.panels[i].update(panel, record.terms));
  }

  /** Panels that follow each other under the same heading stand side by side. */
  groups(shown) {
    const groups = [];
    shown.forEach(({ group }, i) => {
      if (groups.at(-1)?.group !== group) groups.push({ group, elements: [] });
      groups.at(-1).elements.push(this.panels[i].element);
    });
    return groups.map(
      ({ group, elements }) =>
        html`${group ? html`<h2>${group}</h2>` : nothing}
          <div class=${group ? "panels many" : "panels"}>${elements}</div>`,
    );
  }

  switch() {
    const tabs = this.tabs();
    if (tabs.length < 2) return nothing;
    const choose = (tab) => {
      this.tab = tab;
      this.show();
    };
    return html`<fieldset class="segments">
      <legend class="hidden">Show</legend>
      ${tabs.map(
        (tab) =>
          html`<label>
            <input type="radio" name="map-tab" .checked=${live(tab === this.tab)} @change=${() => choose(tab)} />
            <span>${tab}</span>
          </label>`,
      )}
    </fieldset>`;
  }

  select({ name, options, chosen }) {
    const choose = (event) => {
      this.chosen[name] = event.target.value;
      this.context.later(() => this.refresh());
    };
    return html`<label class="map-choice">
      <span>${name[0].toUpperCase()}${name.slice(1)}</span>
      <select @change=${choose}>
        ${options.map((option) => html`<option value=${option} ?selected=${option === chosen}>${option}</option>`)}
      </select>
    </label>`;
  }
}
