// From a spreadsheet to a match: drop a table, see what each column is, rehearse, start.

import { pathOf } from "./api.js";
import { announce } from "./dom.js";
import { counted, figure } from "./format.js";
import { complaint, html, live, nothing, render as draw } from "./html.js";

const ROLES = {
  action: "you decide it",
  before: "known before you decide",
  after: "known afterwards",
  response: "observed",
  when: "order of rounds",
  ignored: "not used",
};
const LARGEST = 8_000_000; // bytes of a file
const PAUSE = 700; // milliseconds between two looks at a rehearsal
const [SEASONS, ROUNDS] = [20, 52];

export async function render(root, context) {
  if (context.mayManage()) new Begin(root, context).draw();
  else
    draw(
      html`<h1 tabindex="-1">Begin from a spreadsheet</h1>
        <p class="card lead">A match is created with an owner's token.</p>`,
      root,
    );
}

class Begin {
  constructor(root, context) {
    this.root = root;
    this.context = context;
    /** @type {{csv: string, source: string} | null} */
    this.file = null;
    this.roles = {};
    this.where = {};
    this.reward = "";
    this.name = "";
    /** @type {import("../../../../web/api").components["schemas"]["Proposed"] | null} */
    this.proposal = null;
    /** @type {import("../../../../web/api").components["schemas"]["RehearsalState"] | null} */
    this.rehearsal = null;
    this.wrong = "";
    this.busy = "";
  }

  /** Do something that takes a while; an error is shown. */
  async act(words, action) {
    [this.busy, this.wrong] = [words, ""];
    this.draw();
    try {
      await action();
    } catch (error) {
      if (error.name !== "AbortError") this.wrong = error.message;
    }
    this.busy = "";
    this.draw();
  }

  take = (file) =>
    this.act("Reading the table …", async () => {
      if (file.size > LARGEST) throw new Error("The file is larger than 8 MB: give a part of the rows.");
      this.file = { csv: await file.text(), source: file.name };
      [this.roles, this.where, this.reward, this.proposal, this.rehearsal] = [{}, {}, "", null, null];
      this.name = file.name.replace(/\.[^.]+$/, "");
      await this.propose();
      document.getElementById("proposal")?.focus();
    });

  async propose() {
    const body = { ...this.file, roles: this.roles, where: this.where, ...(this.reward ? { reward: this.reward } : {}) };
    this.rehearsal = null;
    this.proposal = await this.context.api("/proposals", { method: "POST", body });
  }

  again = () => this.act("Looking again …", () => this.propose());

  rehearse = () =>
    this.act("Rehearsing …", async () => {
      const { config, csv } = this.proposal ?? {};
      const body = { config, csv, source: this.file?.source, seasons: SEASONS, rounds: ROUNDS };
      this.rehearsal = await this.context.api("/rehearsals", { method: "POST", body });
      while (this.rehearsal?.status === "running" && !this.context.signal.aborted) {
        this.draw();
        await new Promise((resolve) => window.setTimeout(resolve, PAUSE));
        this.rehearsal = await this.context.api(`/rehearsals/${this.rehearsal.id}`);
      }
      if (this.rehearsal?.status === "failed") throw new Error(this.rehearsal.error);
      announce("The rehearsal is done.");
    });

  start = () =>
    this.act("Starting …", async () => {
      const { api, go } = this.context;
      const name = this.name.trim();
      if (!name) throw new Error("Give the match a name.");
      const { config, csv } = this.proposal ?? {};
      await api(pathOf(name), { method: "PUT", body: { config } });
      await api(pathOf(name, "history"), { method: "POST", body: { csv, source: this.file?.source } });
      go(`#/match/${encodeURIComponent(name)}/today`);
    });

  draw() {
    draw(
      html`<h1 tabindex="-1">Begin from a spreadsheet</h1>
        ${this.drop()}
        ${complaint(this.wrong)}
        <p class="soft" role="status">${this.busy}</p>
        ${this.proposal?.series ? this.series(this.proposal.series) : nothing}
        ${this.proposal?.config ? [this.columns(), this.worth(), this.trial(), this.last()] : nothing}`,
      this.root,
    );
  }

  drop() {
    const over = (event) => event.preventDefault();
    const dropped = (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.take(event.dataTransfer.files[0]);
    };
    return html`<div class="card drop" @dragover=${over} @drop=${dropped}>
      <label for="table">A table of the past as CSV: one row per day, week or decision.</label>
      <input id="table" type="file" accept=".csv,text/csv,.txt,.tsv" @change=${(event) => event.target.files[0] && this.take(event.target.files[0])} />
      <p class="hint">Drop the file here. It stays on this server. Without a table, <a href="#/new">begin from a template</a>.</p>
    </div>`;
  }

  series({ column, values }) {
    const chosen = (event) => {
      if (!event.target.value) return;
      this.where = { ...this.where, [column]: event.target.value };
      this.again();
    };
    return html`<section class="card">
      <h2>Which ${column}?</h2>
      <p>The table holds ${values.length} series, one for each ${column}. Choose the one to play.</p>
      <label for="series">${column}</label>
      <select id="series" @change=${chosen}>
        <option value="">choose …</option>
        ${values.map((value) => html`<option .value=${value}>${value}</option>`)}
      </select>
    </section>`;
  }

  columns() {
    const { columns = [], lines = [] } = this.proposal ?? {};
    const chosen = (name) => (event) => {
      this.roles = { ...this.roles, [name]: event.target.value };
      this.again();
    };
    const row = (column, i) =>
      html`<tr>
        <th scope="row">${column.name}${column.unit ? html` <span class="soft">(${column.unit})</span>` : nothing}</th>
        <td>
          <label class="hidden" for="role-${i}">What ${column.name} is</label>
          <select id="role-${i}" @change=${chosen(column.name)}>
            ${Object.entries(ROLES).map(
              ([role, words]) => html`<option value=${role} .selected=${live(role === column.role)}>${words}</option>`,
            )}
          </select>
          <span class="soft reason">${column.reason}</span>
        </td>
        <td class="soft">${column.examples.join(", ")}${column.different > column.examples.length ? ", …" : ""}</td>
      </tr>`;
    return html`<section class="card" aria-labelledby="proposal">
      <h2 id="proposal" tabindex="-1">What the columns are</h2>
      <div class="scroll" tabindex="0" role="group" aria-label="The columns">
        <table class="columns">
          <thead><tr><th scope="col">column</th><th scope="col">what it is</th><th scope="col">values</th></tr></thead>
          <tbody>${columns.map(row)}</tbody>
        </table>
      </div>
      <h3>So the match is</h3>
      <ul class="reasons">${lines.map((sentence) => html`<li>${sentence}</li>`)}</ul>
    </section>`;
  }

  worth() {
    const { reward = "" } = this.proposal ?? {};
    const changed = (event) => {
      this.reward = event.target.value.trim();
      this.again();
    };
    return html`<section class="card">
      <h2>What a round is worth</h2>
      <label for="reward">In the names of the columns, such as price * sold − 0.4 * sold</label>
      <input id="reward" type="text" class="wide" autocomplete="off" spellcheck="false" .value=${live(reward)} @change=${changed} />
      <details class="more">
        <summary>Advanced: the whole configuration</summary>
        <pre class="code scroll" tabindex="0">${this.proposal?.toml}</pre>
      </details>
    </section>`;
  }

  trial() {
    if (!this.proposal?.rehearsable) return nothing;
    const state = this.rehearsal;
    const running = state?.status === "running";
    return html`<section class="card" aria-labelledby="trial">
      <h2 id="trial">Rehearse first</h2>
      <p>${counted(SEASONS, "season")} of ${counted(ROUNDS, "round")} against opponents that are fitted to the table; nothing is recorded.</p>
      <div class="buttons"><button @click=${this.rehearse} ?disabled=${Boolean(this.busy)}>Rehearse</button></div>
      ${running
        ? html`<label>${state.done} of ${state.total} seasons <progress max=${state.total} value=${state.done}></progress></label>`
        : nothing}
      ${state?.status === "done"
        ? html`<p class="big-figure ${(state.gain ?? 0) >= 0 ? "up" : "down"}">${figure(state.gain)} per round over what is done now</p>
            ${findings(state.lines)}`
        : nothing}
    </section>`;
  }

  last() {
    const typed = (event) => {
      this.name = event.target.value;
    };
    const sent = (event) => {
      event.preventDefault();
      this.start();
    };
    return html`<form class="card" @submit=${sent}>
      <h2>Start</h2>
      <label for="match-name">Name of the match</label>
      <input id="match-name" type="text" maxlength="80" autocomplete="off" .value=${live(this.name)} @input=${typed} />
      <div class="buttons"><button class="primary big" ?disabled=${Boolean(this.busy)}>Start</button></div>
    </form>`;
  }
}

/** The sentences of a rehearsal: a headline, and below each question its answers. */
function findings(lines) {
  const groups = lines
    .join("\n")
    .split("\n\n")
    .map((group) => group.split("\n"));
  return groups.map(([first, ...rest]) =>
    rest.length
      ? html`<h3>${first}</h3>
          <ul class="reasons">${rest.map((sentence) => html`<li>${sentence}</li>`)}</ul>`
      : html`<p>${first}</p>`,
  );
}
