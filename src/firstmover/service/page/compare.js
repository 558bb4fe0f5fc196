// Compare: matches with each other, a match before and after something, and stored runs.

import { pathOf } from "./api.js";
import { counted, difference, figure, percent } from "./format.js";
import { complaint, html, nothing, render as draw } from "./html.js";
import { storedRuns } from "./stored_runs.js";

export async function render(root, context) {
  const view = new Compare(context);
  const runs = document.createElement("section");
  await Promise.all([view.read(), storedRuns(runs, context)]);
  view.show = () => draw(view.template(runs), root);
  view.show();
  context.later(() => view.certify());
  if (view.matches.length) context.later(() => view.look({ match: view.matches[0].match.name }));
}

class Compare {
  constructor(context) {
    this.context = context;
    /** @type {any[]} */
    this.matches = [];
    /** @type {Map<string, {text: string, why: string}>} */
    this.lost = new Map();
    this.chosen = "";
    this.wrong = "";
    /** @type {import("../../../../web/api").components["schemas"]["BeforeAfter"] | null} */
    this.split = null;
    this.show = () => {};
  }

  /** Every match with its earnings, and with what its reward is made of. */
  async read() {
    const { api } = this.context;
    const { matches } = await api("/views/home");
    const about = await Promise.all(matches.map(({ match }) => api(pathOf(match.name))));
    this.matches = matches.map((entry, i) => ({ ...entry, about: about[i] }));
  }

  async certify() {
    for (const { match, summary } of this.matches.filter((each) => each.summary?.earnings.rounds)) {
      const found = await this.context.api(pathOf(match.name, "certificate")).then(
        ({ per_round: loss }) => ({ text: `at most ${figure(loss)}`, why: "" }),
        (error) => ({ text: "–", why: error.message }),
      );
      this.lost.set(match.name, found);
      if (summary) this.show();
    }
  }

  template(runs) {
    return html`<h1 tabindex="-1">Compare</h1>
      ${this.side()} ${this.matches.length ? this.beforeAfter() : nothing} ${runs}`;
  }

  /** Matches with the same reward in the same units stand in one table. */
  side() {
    /** @type {Map<string, any[]>} */
    const groups = new Map();
    for (const entry of this.matches) {
      const unit = unitOf(entry.about);
      groups.set(unit, [...(groups.get(unit) ?? []), entry]);
    }
    if (!groups.size) return nothing;
    return html`<section class="card" aria-labelledby="matches">
      <h2 id="matches">Matches with each other</h2>
      ${groups.size > 1
        ? html`<p>The rewards of these matches are of ${groups.size} kinds: compare only rows of the same table.</p>`
        : nothing}
      ${[...groups].map(([unit, entries]) => this.table(unit, entries))}
    </section>`;
  }

  table(unit, entries) {
    return html`<p class="soft clamped" title=${unit}>Reward: ${unit}</p>
    <div class="scroll" tabindex="0" role="group" aria-label="Matches that earn ${unit}">
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">match</th>
            ${["rounds", "per round", "of the baseline", "lost per round"].map(
              (name) => html`<th scope="col" class="number">${name}</th>`,
            )}
          </tr>
        </thead>
        <tbody>${entries.map((entry) => this.row(entry))}</tbody>
      </table>
    </div>`;
  }

  row({ match, summary }) {
    const { rounds = 0, total = 0, baseline = null } = summary?.earnings ?? {};
    const lost = this.lost.get(match.name) ?? { text: rounds ? "…" : "–", why: "" };
    return html`<tr>
      <th scope="row" class="name"><a href="#/match/${encodeURIComponent(match.name)}/learning">${match.name}</a></th>
      <td class="number">${counted(match.told, "round")}</td>
      <td class="number">${rounds ? figure(total / rounds) : "–"}</td>
      <td class="number">${share(baseline)}</td>
      <td class="number" title=${lost.why}>${lost.text}</td>
    </tr>`;
  }

  beforeAfter() {
    const chosen = this.chosen || this.matches[0].match.name;
    const pick = (event) => this.look({ match: event.target.value });
    const at = (query) => this.look({ match: chosen, query });
    const submit = (event) => {
      event.preventDefault();
      const given = new FormData(event.target);
      const [round, date] = [String(given.get("round")).trim(), String(given.get("date"))];
      at(date ? `date=${encodeURIComponent(date)}` : `round=${encodeURIComponent(round)}`);
    };
    return html`<section class="card" aria-labelledby="before-after">
      <h2 id="before-after">Before and after</h2>
      <form class="filters" @submit=${submit}>
        <div>
          <label for="ba-match">Match</label>
          <select id="ba-match" @change=${pick}>
            ${this.matches.map(({ match }) => html`<option .value=${match.name} ?selected=${match.name === chosen}>${match.name}</option>`)}
          </select>
        </div>
        <div><label for="ba-round">From round</label><input id="ba-round" name="round" autocomplete="off" /></div>
        <div><label for="ba-date">or from date</label><input id="ba-date" name="date" type="date" /></div>
        <button>Compare</button>
        ${this.split?.boundaries.length
          ? html`<div>
              <label for="ba-event">or a recorded change</label>
              <select id="ba-event" @change=${(event) => event.target.value && at(`event=${event.target.value}`)}>
                <option value="">choose …</option>
                ${this.split.boundaries.map(({ event, words }) => html`<option value=${event}>${words}</option>`)}
              </select>
            </div>`
          : nothing}
      </form>
      ${complaint(this.wrong)}
      <div aria-live="polite">${this.found()}</div>
    </section>`;
  }

  found() {
    if (!this.split?.words) return html`<p class="soft">Choose the round, the date or the change from which on rounds count as after.</p>`;
    const { before, after, mean_before: first, mean_after: second, difference: gain, sentences } = this.split;
    return html`<dl class="keyfigures">
        <div><dt>before, ${counted(before, "round")}</dt><dd>${figure(first)}</dd></div>
        <div><dt>after, ${counted(after, "round")}</dt><dd>${figure(second)}</dd></div>
        ${gain
          ? html`<div><dt>difference, 95 % interval</dt><dd>${difference(gain.lower)} to ${difference(gain.upper)}</dd></div>`
          : nothing}
      </dl>
      ${sentences.map((sentence) => html`<p>${sentence}</p>`)}`;
  }

  async look({ match, query = "" }) {
    [this.chosen, this.wrong] = [match, ""];
    try {
      this.split = await this.context.api(`${pathOf(match, "views", "before-after")}${query ? `?${query}` : ""}`);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.wrong = error.message;
    }
    this.show();
  }
}

/** What a reward is made of: its formula and the units of the responses. */
function unitOf({ reward, responses }) {
  const units = responses.map(({ name, unit }) => (unit ? `${name} in ${unit}` : name));
  return `${reward} (${units.join(", ")})`;
}

function share(baseline) {
  if (!baseline || !(baseline.expected > 0)) return "–";
  return percent(baseline.earned / baseline.expected);
}
