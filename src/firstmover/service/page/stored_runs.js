// Stored runs side by side: filters, curves, their numbers, and files to save.

import { download } from "./api.js";
import { band, chart, line, table } from "./charts.js";
import { figure } from "./format.js";
import { complaint, html, live, render } from "./html.js";

const PLOTS = { regret: "time-averaged regret", rewards: "time-averaged reward", entropy: "entropy of p_t" };
const MOST_AT_FIRST = 2;

export async function storedRuns(root, { api, signal }) {
  const { runs } = await api("/runs");
  if (runs.length) await new StoredRuns(root, runs, api, chart("Curves", { signal, size: "tall" })).show();
  else
    render(
      html`<h2>Stored runs</h2>
        <section class="card">
          <p>There are no stored runs in the server's folder yet.</p>
          <p>Make some with <code>firstmover play shore --learner stackelucb --learner exp3 --out results/shore</code>, and
            name the folder above them with <code>firstmover serve --runs results</code>. Sweeps in that folder are shown
            too.</p>
        </section>`,
      root,
    );
}

class StoredRuns {
  constructor(root, runs, api, plot) {
    this.root = root;
    this.runs = runs;
    this.api = api;
    this.plot = plot;
    this.kind = "regret";
    this.game = "";
    /** @type {Record<string, string>} the value that a curve must have, by parameter; "" is any */
    this.wanted = {};
    this.chosen = new Set(runs.slice(0, MOST_AT_FIRST).map((run) => run.name));
    this.read = new Map();
  }

  /** A record of a run, read once. */
  async record(run, query) {
    const path = `/runs/${encodeURIComponent(run.name)}/${query}`;
    if (!this.read.has(path)) this.read.set(path, await this.api(path));
    return this.read.get(path);
  }

  get offered() {
    return this.runs.filter((run) => !this.game || run.game === this.game);
  }

  show = async () => {
    const shown = this.offered.filter((run) => this.chosen.has(run.name));
    const all = (query, empty) =>
      Promise.all(shown.map((run) => this.record(run, query).catch((error) => ({ error, ...empty }))));
    const found = await all(`curves?plot=${this.kind}`, { learners: [] });
    const tables = await all("table", { rows: [] });
    const keep = (run, curve) =>
      Object.entries(this.wanted).every(([name, value]) => !value || run.about[curve]?.[name] === value);
    const failed = [...found, ...tables].find((each) => each.error);
    render(
      html`<h2>Stored runs</h2>
        ${this.filters()}
        <div class="card" role="group" aria-label="Runs to compare"><div class="runs">${this.offered.map(this.choice)}</div></div>
        ${this.plot.element}
        <section class="card numbers">
          ${below(shown, tables, keep)}
          ${complaint(failed?.error.message)}
        </section>`,
      this.root,
    );
    this.plot.draw(() => picture(this.kind, shown, found, keep));
  };

  filters() {
    const { compare } = new Intl.Collator("en", { numeric: true });
    const any = (values) => [["", "any"], ...[...new Set(values)].sort(compare).map((value) => [value, value])];
    const pick = (words, options, set) => {
      const changed = (event) => {
        set(event.target.value);
        this.show();
      };
      return html`<div>
        <label>${words} <select @change=${changed}>
          ${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
        </select></label>
      </div>`;
    };
    const filter = (words, name, values) =>
      pick(words, any(values), (value) => {
        this.wanted[name] = value;
      });
    const learners = this.runs.flatMap((run) => Object.values(run.about).map((about) => about.learner));
    return html`<div class="filters">
      ${pick("Curves of", Object.entries(PLOTS), (value) => {
        this.kind = value;
      })}
      ${pick("Game", any(this.runs.map((run) => run.game)), (value) => {
        this.game = value;
      })}
      ${filter("Learner", "learner", learners)}
      ${parametersOf(this.runs).map(([name, found]) => filter(name, name, found))}
    </div>`;
  }

  choice = (run) => {
    const changed = (event) => {
      this.chosen[event.target.checked ? "add" : "delete"](run.name);
      this.show();
    };
    return html`<label>
      <input type="checkbox" .checked=${live(this.chosen.has(run.name))} @change=${changed} />
      <span>${run.name}<span class="soft"> ${run.title}</span></span>
    </label>`;
  };
}

/** Parameters in which curves differ, with their values. */
function parametersOf(runs) {
  const values = new Map();
  for (const about of runs.flatMap((run) => Object.values(run.about)))
    for (const [name, value] of Object.entries(about))
      if (name !== "learner") values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values].filter(([, found]) => found.size > 1);
}

function picture(kind, shown, found, keep) {
  const several = shown.length > 1;
  const series = [];
  const rows = [];
  let index = 0;
  shown.forEach((run, k) =>
    found[k].learners.forEach((learner, i) => {
      if (!keep(run, learner)) return;
      const { t, mean, half_width: half } = found[k];
      const name = several ? `${run.name} · ${learner}` : learner;
      if (half[i].every((value) => value !== null))
        series.push(
          band(
            t,
            mean[i].map((value, j) => value - half[i][j]),
            mean[i].map((value, j) => value + half[i][j]),
            index,
          ),
        );
      series.push(line(name, t, mean[i], index));
      rows.push([
        name,
        ...[0.25, 0.5, 1].map((share) => figure(mean[i][Math.max(0, Math.round(share * t.length) - 1)])),
      ]);
      index += 1;
    }),
  );
  return {
    series,
    x: { label: "round t", whole: true, domain: [1, Math.max(2, ...found.map((each) => each.t?.at(-1) ?? 0))] },
    y: { label: found.find((each) => each.ylabel)?.ylabel ?? PLOTS[kind] },
    summary: index ? "means over seeds with 95 % bands" : "no curves: choose runs above that keep them",
    table: () =>
      table(`${PLOTS[kind]}, mean over seeds`, ["learner", "after a quarter", "after half", "at the end"], rows),
  };
}

function below(shown, tables, keep) {
  const pair = (row, name) => withInterval(row[name], row[`${name}_half_width`]);
  const rows = shown.flatMap((run, k) =>
    tables[k].rows
      .filter((row) => keep(run, row.learner))
      .map((row) => [
        `${run.name} · ${row.learner}`,
        String(row.seeds),
        String(run.rounds),
        pair(row, "regret"),
        pair(row, "time_averaged_regret"),
        pair(row, "reward"),
      ]),
  );
  if (!rows.length) return html`<p class="soft">Choose runs above to see their numbers.</p>`;
  const head = ["run · learner", "seeds", "rounds", "regret R(T)", "R(T) / T", "total reward"];
  const file = ({ name }) => {
    const save = () => download(`/runs/${encodeURIComponent(name)}/table?format=csv`, `${name}.csv`);
    return html`<button class="small" @click=${save}>${name} as CSV</button>`;
  };
  return html`<h3>The numbers</h3>
    ${table("Means over seeds, ± 95 % half-widths", head, rows)}
    <div class="buttons">${shown.map(file)}</div>`;
}

/** Two digits of the interval, and as many decimals of the mean. */
function withInterval(mean, half) {
  if (!half) return figure(mean);
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(half))));
  return `${mean.toFixed(decimals)} ± ${half.toFixed(decimals)}`.replaceAll("-", "−");
}
