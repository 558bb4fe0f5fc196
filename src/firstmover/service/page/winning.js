// What people ask: what was earned, against the baseline, the best single action and the past, and how sure that is.

import { pathOf } from "./api.js";
import { chart, line, table } from "./charts.js";
import { figure } from "./format.js";
import { html, nothing, render as draw } from "./html.js";

/** Answers that follow the match. */
export async function winning(root, context) {
  const { match, api, onChange, signal } = context;
  const curve = chart("Earned per round", { signal });
  let loss = "";
  const path = pathOf(match.name, "views", "earnings");
  const refresh = async () => {
    const record = await api(`${path}?brief=true`); // answers immediately, also while the model is being fitted
    show(record);
    return record;
  };
  const show = (record) => {
    draw(record.rounds ? page(record, loss, curve.element) : empty(), root);
    if (record.rounds > 1) curve.draw(() => picture(record));
    else curve.element.remove();
  };
  const complete = async () => show(await api(path));
  const certify = async () => {
    loss = await api(pathOf(match.name, "certificate")).then(
      ({ lines }) => lines[0],
      (error) => error.message,
    );
    await complete();
  };
  const { partial } = await refresh();
  context.later(async () => {
    if (partial) await complete();
    await certify();
  });
  onChange(async () => {
    await refresh();
    await certify();
  });
}

function empty() {
  return html`<p class="soft">No round has been told yet: the answer is shown after the first.</p>`;
}

/** @param {import("../../../../web/api").components["schemas"]["Earnings"]} record */
function page({ answers, partial }, loss, curve) {
  const reading = "The model is being fitted to all rounds: what it expects is shown when it is ready.";
  return html`${partial ? html`<p class="soft" role="status">${reading}</p>` : nothing}
    <div class="answers">
      ${answers.map(
        ({ name, value, words, tone }) =>
          html`<section class="card answer ${tone}">
            <h2>${name}</h2>
            <p class="big-figure">${value}</p>
            <p class="soft">${words}</p>
          </section>`,
      )}
    </div>
    <section class="card" aria-labelledby="lost">
      <h2 id="lost">What was lost at most</h2>
      <p>${loss || "Computing how much the best single action could have earned more …"}</p>
    </section>
    ${curve}`;
}

/** Rewards over time beside the baseline. */
export function picture({ curve, every, rounds, baseline }) {
  const at = curve.map((_, i) => Math.min(rounds, (i + 1) * every));
  const level = baseline ? [line(baseline.name || "an action at random", [at[0], at.at(-1)], Array(2).fill(baseline.expected), 1, { dashed: true })] : [];
  return {
    series: [line("earned", at, curve, 0), ...level],
    x: { label: "rounds told", whole: true },
    y: { label: every > 1 ? `reward, means of ${every} rounds` : "reward" },
    summary: baseline ? `beside what ${baseline.name || "an action at random"} is expected to earn` : "over the rounds told",
    table: () =>
      table(
        "Earned per round",
        ["round", "reward"],
        curve.map((value, i) => [String(at[i]), figure(value)]),
      ),
  };
}
