// Stored runs side by side: filters, curves, their numbers, and files to save.

import { download } from "./api.js";
import { band, chart, line, table } from "./charts.js";
import { freshId, h } from "./dom.js";
import { figure } from "./format.js";

const PLOTS = { regret: "time-averaged regret", rewards: "time-averaged reward", entropy: "entropy of p_t" };
const MOST_AT_FIRST = 2;

export async function storedRuns(root, { api, signal }) {
  const { runs } = await api("/runs");
  root.append(h("h2", {}, "Stored runs"));
  if (!runs.length) {
    root.append(
      h(
        "section",
        { class: "card" },
        h("p", {}, "There are no stored runs in the server's folder yet."),
        h(
          "p",
          {},
          "Make some with ",
          h("code", {}, "firstmover play shore --learner stackelucb --learner exp3 --out results/shore"),
          ", and name the folder above them with ",
          h("code", {}, "firstmover serve --runs results"),
          ". Sweeps in that folder are shown too.",
        ),
      ),
    );
    return;
  }
  const state = {
    plot: "regret",
    game: "",
    learner: "",
    parameters: {},
    chosen: new Set(runs.slice(0, MOST_AT_FIRST).map((run) => run.name)),
  };
  const curves = new Map();
  const plot = chart("Curves", { signal, size: "tall" });
  const numbers = h("section", { class: "card numbers" });
  const list = h("div", { class: "runs" });
  const read = async (run, kind) => {
    const name = `${encodeURIComponent(run)}/${kind}`;
    if (!curves.has(name))
      curves.set(
        name,
        await api(`/runs/${encodeURIComponent(run)}/${kind === "table" ? "table" : `curves?plot=${kind}`}`),
      );
    return curves.get(name);
  };
  const show = async () => {
    const shown = runs.filter((run) => state.chosen.has(run.name) && (!state.game || run.game === state.game));
    const found = await Promise.all(
      shown.map((run) => read(run.name, state.plot).catch((error) => ({ error, learners: [] }))),
    );
    const tables = await Promise.all(
      shown.map((run) => read(run.name, "table").catch((error) => ({ error, rows: [] }))),
    );
    const wanted = Object.entries({ learner: state.learner, ...state.parameters }).filter(([, value]) => value);
    const keep = (run, curve) => wanted.every(([name, value]) => run.about[curve]?.[name] === value);
    plot.draw(() => picture(state.plot, shown, found, keep));
    const failed = [...found, ...tables].find((each) => each.error);
    numbers.replaceChildren(
      ...below(shown, tables, keep),
      failed ? h("p", { class: "complaint", role: "alert" }, failed.error.message) : "",
    );
  };
  const redraw = () => {
    list.replaceChildren(
      ...choices(
        runs.filter((run) => !state.game || run.game === state.game),
        state,
        show,
      ),
    );
    return show();
  };
  root.append(
    filters(runs, state, redraw),
    h("div", { class: "card", role: "group", "aria-label": "Runs to compare" }, list),
    plot.element,
    numbers,
  );
  await redraw();
}

/** Parameters in which curves differ, with their values. */
function parametersOf(runs) {
  const values = new Map();
  for (const about of runs.flatMap((run) => Object.values(run.about)))
    for (const [name, value] of Object.entries(about))
      if (name !== "learner") values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values].filter(([, found]) => found.size > 1);
}

function filters(runs, state, redraw) {
  const pick = (words, name, options, held = state) => {
    const id = freshId("filter");
    const select = h(
      "select",
      {
        id,
        onchange: () => {
          held[name] = select.value;
          redraw();
        },
      },
      options.map(([value, text]) => h("option", { value }, text)),
    );
    return h("div", {}, h("label", { for: id }, words), select);
  };
  const collator = new Intl.Collator("en", { numeric: true });
  const unique = (values) => [...new Set(values)].sort(collator.compare).map((value) => [value, value]);
  return h(
    "div",
    { class: "filters" },
    pick("Curves of", "plot", Object.entries(PLOTS)),
    pick("Game", "game", [["", "any"], ...unique(runs.map((run) => run.game))]),
    pick("Learner", "learner", [["", "any"], ...unique(runs.flatMap((run) => Object.values(run.about).map((about) => about.learner)))]),
    parametersOf(runs).map(([name, found]) => pick(name, name, [["", "any"], ...unique(found)], state.parameters)),
  );
}

function choices(runs, state, show) {
  return runs.map((run) => {
    const box = h("input", {
      type: "checkbox",
      onchange: () => {
        state.chosen[box.checked ? "add" : "delete"](run.name);
        show();
      },
    });
    box.checked = state.chosen.has(run.name);
    return h("label", {}, box, h("span", {}, run.name, h("span", { class: "soft" }, ` ${run.title}`)));
  });
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
  if (!rows.length) return [h("p", { class: "soft" }, "Choose runs above to see their numbers.")];
  const files = shown.map((run) =>
    h(
      "button",
      {
        class: "small",
        onclick: () => download(`/runs/${encodeURIComponent(run.name)}/table?format=csv`, `${run.name}.csv`),
      },
      `${run.name} as CSV`,
    ),
  );
  return [
    h("h3", {}, "The numbers"),
    table(
      "Means over seeds, ± 95 % half-widths",
      ["run · learner", "seeds", "rounds", "regret R(T)", "R(T) / T", "total reward"],
      rows,
    ),
    h("div", { class: "buttons" }, files),
  ];
}

/** Two digits of the interval, and as many decimals of the mean. */
function withInterval(mean, half) {
  if (!half) return figure(mean);
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(half))));
  return `${mean.toFixed(decimals)} ± ${half.toFixed(decimals)}`.replaceAll("-", "−");
}
