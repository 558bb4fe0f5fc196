// Are we winning? What was earned, against what, and how sure that is; below, the curves of the theory for experts.

import { pathOf } from "./api.js";
import { band, chart, line, table } from "./charts.js";
import { figure, percent, whole } from "./format.js";
import { html, nothing, render as draw } from "./html.js";
import { opponentBar } from "./opponent.js";
import { glossary, term } from "./glossary.js";
import { winning } from "./winning.js";

export async function render(root, context) {
  const { match, onChange } = context;
  const [answers, experts] = [document.createElement("div"), document.createElement("div")];
  /** @type {(() => Promise<void>) | null} */
  let follow = null;
  const toggled = async (event) => {
    if (event.target.open && !follow) follow = await curves(experts, context);
  };
  draw(
    html`<h1 tabindex="-1">Are we winning?</h1>
      ${match.demo ? opponentBar(context) : nothing} ${answers}
      <details class="experts" @toggle=${toggled}><summary>For experts</summary>${experts}</details>`,
    root,
  );
  await winning(answers, context);
  onChange(() => follow?.());
}

/** The curves of the theory; returns what draws them again. */
async function curves(root, context) {
  const { match, api, signal } = context;
  const path = pathOf(match.name, "views", "learning");
  draw(html`<p class="soft">Reading the journal …</p>`, root); // after the start of the server this replays all rounds
  const charts = Object.entries(CHARTS)
    .filter(([name]) => name !== "regret" || match.demo)
    .map(([, { title, build, size }]) => ({ build, ...chart(title, { signal, size }) }));
  const terms = GLOSSARY.filter((name) => match.demo || !name.startsWith("regret"));
  const update = async () => {
    const record = await api(path);
    draw(
      html`<dl class="keyfigures">
          ${keyFigures(record).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
        </dl>
        <div class="panels" ?hidden=${!record.rounds}>${charts.map((each) => each.element)}</div>
        <p class="soft">${note(record)}</p>
        ${glossary(...terms)}`,
      root,
    );
    if (record.rounds) for (const each of charts) each.draw(() => each.build(record)); // not waited for: the figures come first
  };
  await update();
  return update;
}

function note({ rounds, every }) {
  if (!rounds) return "No round has been told yet: curves are shown after the first.";
  if (every > 1) return `${whole(rounds)} rounds were told; each point stands for ${every} of them.`;
  return "Rounds are counted in the order in which they were told.";
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

const overRounds = (label, more = {}) => ({ x: { label: "rounds told", whole: true }, y: { label, ...more } });
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
      series: [
        {
          kind: "dots",
          name: record.every > 1 ? `means of ${record.every} rounds` : "each round",
          x: record.t,
          y: record.reward,
          index: 4,
        },
        line("average so far", record.t, record.average_reward, 0),
        line("average, optimistic", record.t, record.average_optimistic_reward, 1),
      ],
      ...overRounds("reward"),
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
      series: [
        line("all actions equally likely", [record.t[0], record.t.at(-1)], Array(2).fill(record.largest_entropy), 4, {
          dashed: true,
          thin: true,
        }),
        line("the strategy", record.t, record.entropy, 0),
      ],
      ...overRounds("entropy (nats)", { zero: true }),
      summary: `${figure(record.entropy.at(-1))} of at most ${figure(record.largest_entropy)}; 0 means that one action is certain`,
      table: overTable("Entropy", record, [["entropy (nats)", column(record.entropy)]]),
    }),
  },
  calibration: {
    title: "Calibration of predictions",
    build: ({ calibration: { levels, shares, lower, upper, counts } }) => ({
      series: [
        line("calibrated", [0, 1], [0, 1], 4, { dashed: true, thin: true }),
        band(levels, lower, upper, 0),
        line("responses inside, with 95 % interval", levels, shares, 0),
      ],
      x: { label: "level of the predicted interval", domain: [0, 1], percent: true },
      y: { label: "share of responses inside", domain: [0, 1], percent: true },
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
      const dots = (name, index, test) => {
        const rows = known.labels.map((_, i) => i).filter((i) => test(known.played[i]) && known.mean[i] !== null);
        const of = (values) => rows.map((i) => values[i]);
        return { kind: "dots", name, index, x: of(known.mean), y: of(known.std), labels: of(known.labels) };
      };
      return {
        series: [dots("never played", 1, (count) => count === 0), dots("played", 0, (count) => count > 0)],
        x: { label: "expected reward" },
        y: { label: "uncertainty σ", zero: true },
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
      series: [line("R(t) / t", record.t, record.regret ?? [], 0)],
      ...overRounds("time-averaged regret R(t) / t"),
      summary: `the best fixed action would have earned ${figure(record.regret?.at(-1))} more per round; known in simulations only`,
      table: overTable("Regret", record, [["R(t) / t", column(record.regret ?? [])]]),
    }),
  },
  likeliest: {
    title: "Probability p_t of the most probable actions",
    size: "tall",
    build: ({ likeliest, ...record }) => ({
      series: likeliest.labels.map((label, i) => line(label, record.t, likeliest.p[i], i)),
      ...overRounds("probability", { domain: [0, 1], percent: true }),
      summary: mostProbable(likeliest),
      table: overTable(
        "p_t",
        record,
        likeliest.labels.map((label, i) => [label, column(likeliest.p[i], percent)]),
      ),
    }),
  },
};

function mostProbable({ labels, p }) {
  const now = labels.map((label, i) => ({ label, share: p[i].at(-1) })).sort((one, other) => other.share - one.share);
  return now.length ? `most probable now, with ${percent(now[0].share)}: ${now[0].label}` : "no round has been told yet";
}
