// Learning curves: rewards, p_t, calibration, the posterior of every action; in a simulation, regret.

import { pathOf } from "./api.js";
import { band, chart, line, look, table, written } from "./charts.js";
import { h } from "./dom.js";
import { figure, percent, whole } from "./format.js";
import { opponentBar } from "./opponent.js";
import { glossary, term } from "./glossary.js";

export async function render(root, context) {
  const { match, api, onChange, signal } = context;
  const path = pathOf(match.name, "views", "learning");
  const place = h("p", { class: "soft" }, "Reading the journal …");
  root.append(h("h1", { tabindex: "-1" }, "Learning"), match.demo ? opponentBar(context) : "", place);
  let record = await api(path); // after the start of the server this replays all rounds
  const [figures, note] = [h("dl", { class: "keyfigures" }), h("p", { class: "soft" })];
  const charts = Object.entries(CHARTS)
    .filter(([name]) => name !== "regret" || match.demo)
    .map(([, { title, build, tall }]) => ({ build, ...chart(title, { signal, tall }) }));
  const panels = h(
    "div",
    { class: "panels" },
    charts.map((each) => each.element),
  );
  place.replaceWith(
    figures,
    panels,
    note,
    glossary(...GLOSSARY.filter((name) => match.demo || !name.startsWith("regret"))),
  );
  const update = () => {
    figures.replaceChildren(
      ...keyFigures(record).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    );
    panels.hidden = !record.rounds;
    if (!record.rounds) {
      note.textContent = "No round has been told yet: curves are shown after the first.";
      return;
    }
    note.textContent =
      record.every > 1
        ? `${whole(record.rounds)} rounds were told; each point stands for ${record.every} of them.`
        : "Rounds are counted in the order in which they were told.";
    for (const each of charts) each.draw(() => each.build(record)); // not waited for: the figures above are there first
  };
  update();
  onChange(async () => {
    record = await api(path);
    update();
  });
}

const GLOSSARY = ["reward", "optimistic reward", "p_t", "entropy", "calibration", "σ", "regret R(t) / t"];

function keyFigures(record) {
  const last = (values) => values?.at(-1);
  const at = record.calibration.levels.indexOf(0.9);
  return [
    ["rounds told", whole(record.rounds)],
    ["average reward", figure(last(record.average_reward))],
    [term("optimistic reward", "average optimistic reward"), figure(last(record.average_optimistic_reward))],
    [term("entropy", "effective number of actions"), record.rounds ? figure(Math.exp(last(record.entropy))) : "–"],
    [term("calibration", "inside intervals of 90 %"), at < 0 ? "–" : percent(record.calibration.shares[at])],
    ...(record.regret ? [[term("regret R(t) / t", "regret per round"), figure(last(record.regret))]] : []),
  ];
}

const overRounds = (title, more = {}) => ({
  xaxis: { title: "rounds told", rangemode: "tozero" },
  yaxis: { title, ...more },
});
const column =
  (values, show = figure) =>
  (i) =>
    show(values[i]);

function overTable(caption, record, columns) {
  const step = Math.max(1, Math.ceil(record.t.length / 60));
  const rows = record.t.map((_, i) => i).filter((i) => i % step === 0 || i === record.t.length - 1);
  return () =>
    table(
      caption,
      ["round", ...columns.map(([name]) => name)],
      rows.map((i) => [String(record.t[i]), ...columns.map(([, cell]) => cell(i))]),
    );
}

const CHARTS = {
  rewards: {
    title: "Rewards",
    build: (record) => ({
      traces: [
        {
          name: record.every > 1 ? `means of ${record.every} rounds` : "each round",
          x: record.t,
          y: record.reward,
          mode: "markers",
          marker: { color: look(4).color, size: 6, opacity: 0.5, symbol: look(4).marker },
          hovertemplate: "%{y:.4~g} in round %{x}<extra></extra>",
        },
        line("average so far", record.t, record.average_reward, 0),
        line("average, optimistic", record.t, record.average_optimistic_reward, 1),
      ],
      layout: overRounds("reward"),
      summary: `average ${figure(record.average_reward.at(-1))}, optimistic average ${figure(record.average_optimistic_reward.at(-1))}`,
      table: overTable("Rewards", record, [
        ["reward", column(record.reward)],
        ["average", column(record.average_reward)],
        ["average, optimistic", column(record.average_optimistic_reward)],
      ]),
    }),
  },
  entropy: {
    title: "Entropy of the strategy",
    build: (record) => ({
      traces: [
        {
          ...line(
            "all actions equally likely",
            record.t.length ? [record.t[0], record.t.at(-1)] : [],
            [record.largest_entropy, record.largest_entropy],
            4,
          ),
          line: { color: look(4).color, dash: "dash", width: 1 },
        },
        line("the strategy", record.t, record.entropy, 0),
      ],
      layout: overRounds("entropy (nats)", { rangemode: "tozero" }),
      summary: `${figure(record.entropy.at(-1))} of at most ${figure(record.largest_entropy)}; 0 means that one action is certain`,
      table: overTable("Entropy", record, [["entropy (nats)", column(record.entropy)]]),
    }),
  },
  calibration: {
    title: "Calibration of predictions",
    build: ({ calibration: { levels, shares, lower, upper, counts } }) => ({
      traces: [
        {
          name: "calibrated",
          x: [0, 1],
          y: [0, 1],
          mode: "lines",
          line: { color: look(4).color, dash: "dash", width: 1 },
          hoverinfo: "skip",
        },
        ...(counts ? [band(levels, lower, upper, 0)] : []),
        {
          ...line("responses inside, with 95 % interval", levels, shares, 0, { marks: true }),
          hovertemplate: "%{y:.1%} inside intervals of %{x:.0%}<extra></extra>",
        },
      ],
      layout: {
        xaxis: { title: "level of the predicted interval", range: [0, 1.02], tickformat: ".0%" },
        yaxis: { title: "share of<br>responses inside", range: [0, 1.02], tickformat: ".0%" },
      },
      summary: `${counts} responses: below the diagonal the intervals were too narrow, above it too wide`,
      table: () =>
        table(
          "Calibration",
          ["level", "share inside", "from", "to"],
          levels.map((level, i) => [percent(level), percent(shares[i]), percent(lower[i]), percent(upper[i])]),
        ),
    }),
  },
  known: {
    title: "Posterior of every action",
    build: ({ known }) => {
      /** @type {[string, (count: number) => boolean, number][]} */
      const kinds = [
        ["never played", (count) => count === 0, 1],
        ["played", (count) => count > 0, 0],
      ];
      return {
        traces: kinds.map(([name, test, index]) => {
          const rows = known.labels.map((_, i) => i).filter((i) => test(known.played[i]));
          return {
            name,
            mode: "markers",
            x: rows.map((i) => known.mean[i]),
            y: rows.map((i) => known.std[i]),
            text: rows.map((i) => written(known.labels[i])),
            marker: { color: look(index).color, symbol: look(index).marker, size: 7, opacity: 0.75 },
            hovertemplate: "%{text}<br>expected reward %{x:.4~g}, σ %{y:.3~g}<extra></extra>",
          };
        }),
        layout: { xaxis: { title: "expected reward" }, yaxis: { title: "uncertainty σ", rangemode: "tozero" } },
        summary: `${known.played.filter((count) => count > 0).length} of ${known.labels.length} actions were played; the higher a point, the less certain its prediction`,
        table: () => {
          const order = known.labels.map((_, i) => i).sort((a, b) => (known.std[b] ?? 0) - (known.std[a] ?? 0));
          return table(
            "Actions, the least certain first",
            ["action", "σ", "expected reward", "played"],
            order
              .slice(0, 100)
              .map((i) => [known.labels[i], figure(known.std[i]), figure(known.mean[i]), String(known.played[i])]),
          );
        },
      };
    },
  },
  regret: {
    title: "Regret against the best single action",
    build: (record) => ({
      traces: [line("R(t) / t", record.t, record.regret ?? [], 0)],
      layout: overRounds("time-averaged regret R(t) / t"),
      summary: `the best fixed action would have earned ${figure(record.regret?.at(-1))} more per round; known in simulations only`,
      table: overTable("Regret", record, [["R(t) / t", column(record.regret ?? [])]]),
    }),
  },
  likeliest: {
    title: "Probability p_t of the most probable actions",
    tall: true,
    build: ({ likeliest, ...record }) => ({
      traces: likeliest.labels.map((label, i) => line(label, record.t, likeliest.p[i], i, { marks: true })),
      layout: overRounds("probability", { range: [-0.02, 1.02] }),
      summary: likeliest.labels.length
        ? likeliest.labels
            .map((label, i) => [likeliest.p[i].at(-1), label])
            .sort((a, b) => b[0] - a[0])
            .slice(0, 1)
            .map(([p, label]) => `most probable now, with ${percent(p)}: ${label}`)
            .join("")
        : "no round has been told yet",
      table: overTable(
        "p_t",
        record,
        likeliest.labels.map((label, i) => [label, column(likeliest.p[i], percent)]),
      ),
    }),
  },
};
