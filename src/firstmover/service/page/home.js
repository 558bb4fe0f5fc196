// Home: every match with what waits, what it earned against a baseline and its own past, and its alarms.

import { Acting } from "./acting.js";
import { call, download, pathOf } from "./api.js";
import { asked, confirmed } from "./dialogs.js";
import { announce } from "./dom.js";
import { age, counted, difference, dueWords, figure, whole } from "./format.js";
import { complaint, html, nothing, render as draw, repeat, svg } from "./html.js";

const EVERY = 5000; // milliseconds between two looks

export async function render(root, context) {
  const view = new Home(root, context);
  await view.refresh();
  context.every(EVERY, () => view.refresh());
}

class Home extends Acting {
  constructor(root, context) {
    super(root, context);
    this.archived = false;
    /** @type {import("../../../../web/api").components["schemas"]["Home"]} */
    this.record = { matches: [], total: 0 };
  }

  async refresh() {
    this.record = await this.context.api(`/views/home?archived=${this.archived}`);
    this.draw();
  }

  draw() {
    const { matches } = this.record;
    const toggle = (event) => {
      this.archived = event.target.checked;
      this.act(async () => {});
    };
    draw(
      html`<div class="heading">
          <h1 tabindex="-1">Matches</h1>
          <label class="check"><input type="checkbox" @change=${toggle} />archived ones too</label>
        </div>
        ${complaint(this.wrong)}
        ${matches.length
          ? html`<ul class="matches">
              ${repeat(
                matches,
                ({ match }) => match.name,
                (entry) => this.card(entry),
              )}
            </ul>`
          : this.empty()}`,
      this.root,
    );
  }

  empty() {
    if (!this.context.mayManage())
      return html`<div class="card"><p class="lead">There is no match yet.</p>
        <p>The first one is shown as soon as its owner creates it.</p></div>`;
    return html`<section class="ways" aria-labelledby="ways">
      <h2 id="ways" class="lead">There is no match yet. Three ways to begin:</h2>
      <a class="card way" href="#/begin"><h3>From a spreadsheet</h3><p>A table of the past: the columns are recognised, and the match is rehearsed first.</p></a>
      <a class="card way" href="#/new"><h3>From a template</h3><p>Prices, patrols or routes: a working example to change.</p></a>
      <div class="card way"><h3>A demonstration</h3>
        <p><code>firstmover serve --demo</code> plays three simulated opponents.</p></div>
    </section>`;
  }

  card({ match, summary }) {
    const base = `#/match/${encodeURIComponent(match.name)}`;
    const { earnings } = summary ?? {};
    return html`<li class="card ${match.archived ? "ended" : ""}">
      <p class="eyebrow">
        ${match.kind}${match.archived ? html` <span class="badge">archived</span>` : nothing}
        ${(summary?.alarms ?? []).map((name) => html` <span class="badge void">${name}</span>`)}
      </p>
      <h2><a href="${base}/today">${match.name}</a></h2>
      ${summary?.title ? html`<p class="soft">${summary.title}</p>` : nothing}
      <p class=${match.pending.length ? "waits" : "soft"}>${waiting(match)}</p>
      ${summary?.due ? html`<p class="soft due">${dueWords(summary.due)}.</p>` : nothing}
      ${earnings?.rounds ? this.earned(earnings) : html`<p class="soft">${summary ? "No round was told yet." : "Reading its journal …"}</p>`}
      <p class="soft small-print">${counts(match)}</p>
      ${this.context.mayManage() ? this.manage(match) : nothing}
    </li>`;
  }

  earned({ rounds, total, curve, last, past, baseline }) {
    return html`<div class="earned">
      ${sparkline(curve)}
      <dl>
        <div><dt>per round</dt><dd>${figure(total / rounds)}</dd></div>
        ${baseline
          ? html`<div class=${baseline.tone}>
              <dt>against ${baseline.name || "an action at random"}</dt>
              <dd>${difference(baseline.earned - baseline.expected)}</dd>
            </div>`
          : nothing}
        ${past
          ? html`<div class=${past.tone}>
              <dt>last ${whole(past.rounds)} against those before</dt>
              <dd>${difference(past.latest - past.before)}</dd>
            </div>`
          : nothing}
        ${last
          ? html`<div>
              <dt>last round</dt>
              <dd>${figure(last.reward)}${last.expected === null ? "" : html` <span class="soft">expected ${figure(last.expected)}</span>`}</dd>
            </div>`
          : nothing}
      </dl>
    </div>`;
  }

  manage(match) {
    const { name, archived } = match;
    const put = (path, body) => call(pathOf(name, path), { method: "PUT", body });
    const rename = () =>
      this.act(async () => {
        const given = await asked(`Rename ${name}`, "Its address changes with it.", "name", name, "Rename");
        if (given) await put("name", { name: given });
      });
    const archive = () =>
      this.act(async () => {
        await put("archived", { archived: !archived });
        announce(archived ? `${name} goes on.` : `${name} is archived.`);
      });
    const remove = () => this.act(() => deleted(name));
    return html`<details class="manage">
      <summary aria-label="Manage ${name}">Manage</summary>
      <div class="buttons">
        <button class="small" @click=${rename}>Rename …</button>
        <button class="small" @click=${archive}>${archived ? "Let it go on" : "Archive"}</button>
        <button class="small" @click=${remove}>Delete …</button>
      </div>
    </details>`;
  }
}

/** Delete a match after its journal was saved, which is all that can bring it back. */
async function deleted(name) {
  const lead = "Its journal is saved to a file first: nothing else can bring the match back.";
  if (!(await confirmed(`Delete ${name}?`, lead, "Save the journal and delete"))) return;
  const path = `${pathOf(name, "export")}?form=journal&format=json`;
  const events = await call(path);
  await download(path, `${name}-journal.json`);
  const query = `confirm=${encodeURIComponent(name)}&head=${events.at(-1).hash}`;
  await call(`${pathOf(name)}?${query}`, { method: "DELETE" });
  announce(`${name} is deleted.`);
}

function waiting({ pending, waiting_since: since, asked: rounds }) {
  if (pending.length === 1) return `Round ${pending[0]} waits for its outcome since ${age(since)}.`;
  if (pending.length) return `${pending.length} rounds wait for their outcomes, the first since ${age(since)}.`;
  return rounds ? "Nothing waits: ask for the next action." : "Ready for its first round.";
}

function counts({ asked: rounds, told, void: voided }) {
  return `${counted(rounds, "round")}, ${whole(told)} told${voided ? `, ${whole(voided)} void` : ""}`;
}

/** The rewards over time as a small line. */
function sparkline(values) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return nothing;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (i) => (100 * i) / (values.length - 1);
  const y = (value) => (high > low ? 22 - (20 * (value - low)) / (high - low) : 12);
  const points = values.map((value, i) => (value === null ? "" : `${x(i)},${y(value)}`)).join(" ");
  return html`<svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" role="img"
    aria-label="Rewards from ${figure(known[0])} at first to ${figure(known.at(-1))} lately">
    ${svg`<polyline points=${points} />`}
  </svg>`;
}
