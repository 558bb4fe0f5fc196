// The report of a match: one page that prints as it is shown.

import { pathOf } from "./api.js";
import { chart } from "./charts.js";
import { counted, figure, moment } from "./format.js";
import { html, nothing, render as draw } from "./html.js";
import { picture } from "./winning.js";

export async function render(root, context) {
  const { match, api, onChange, signal } = context;
  draw(html`<p class="soft">Reading the journal …</p>`, root); // after the start of the server this replays all rounds
  const { name: maker } = await api("/session");
  const curve = chart("Earned per round", { signal, tools: false, size: "low" });
  const refresh = async () => {
    const record = await api(pathOf(match.name, "views", "report"));
    draw(page(record, maker, curve.element), root);
    if (record.earnings.rounds > 1) await curve.draw(() => picture(record.earnings));
  };
  await refresh();
  onChange(refresh);
}

/** @param {import("../../../../web/api").components["schemas"]["Report"]} record */
function page(record, maker, curve) {
  return html`<div class="buttons screen">
      <button class="primary" @click=${() => window.print()}>Print / save as PDF</button>
      <span class="soft">One A4 page.</span>
    </div>
    <article class="card report">
      <header>
        <h1 tabindex="-1">${record.name}</h1>
        ${record.title ? html`<p class="lead clamped">${record.title}</p>` : nothing}
        <p class="clamped">${record.about}</p>
        <p class="soft">${record.counts}.</p>
      </header>
      ${winning(record)} ${record.earnings.rounds > 1 ? curve : nothing} ${learnt(record)} ${rounds(record)}
      ${alarms(record)} ${origin(record, maker)}
    </article>`;
}

function winning({ earnings: { answers }, lost }) {
  return html`<section aria-labelledby="winning">
    <h2 id="winning">Are we winning?</h2>
    ${answers.length
      ? html`<dl class="report-answers">
          ${answers.slice(0, 4).map(
            ({ name, value, words, tone }) =>
              html`<div class="answer ${tone}">
                <dt>${name}</dt>
                <dd><span class="big-figure">${value}</span><span class="soft clamped">${words}</span></dd>
              </div>`,
          )}
        </dl>`
      : nothing}
    <p class="clamped"><strong>Against the best single action. </strong>${lost.join(" ")}</p>
  </section>`;
}

function learnt({ best, best_note: note }) {
  return html`<section aria-labelledby="learnt">
    <h2 id="learnt">What was learnt</h2>
    ${best.length
      ? table(
          "The actions that are expected to earn most over the types so far, with bands of nine in ten",
          ["action", "expected to earn", "band"],
          best.map(({ label, expected, lower, upper }) => [label, figure(expected), `${figure(lower)} to ${figure(upper)}`]),
        )
      : html`<p class="soft">${note}</p>`}
  </section>`;
}

function rounds({ last }) {
  return html`<section aria-labelledby="latest">
    <h2 id="latest">The latest rounds</h2>
    ${last.length
      ? table(
          "What each earned, and what was expected just before",
          ["round", "action", "earned", "expected"],
          last.map(({ round_id: id, label, reward, expected }) => [id, label, figure(reward), figure(expected)]),
        )
      : html`<p class="soft">No round has been told yet.</p>`}
  </section>`;
}

/** A table that keeps one line per row: long names are cut, and whole on hover. */
function table(caption, head, rows) {
  const words = head.length - 2;
  const cell = (value, j) =>
    j < words
      ? html`<td class="cut" title=${value}>${value}</td>`
      : html`<td class="number">${value}</td>`;
  return html`<table class="report-table">
    <caption>${caption}</caption>
    <thead>
      <tr>${head.map((name, j) => html`<th scope="col" class=${j < words ? "" : "number"}>${name}</th>`)}</tr>
    </thead>
    <tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody>
  </table>`;
}

function alarms({ alarms: shown, alarm_count: count }) {
  const more = count - shown.length;
  return html`<section aria-labelledby="attention">
    <h2 id="attention">${count ? `What needs attention: ${counted(count, "alarm")}` : "No alarms"}</h2>
    ${count
      ? html`<ul class="report-alarms">
          ${shown.map(
            ({ name, measured, remedy, since }) =>
              html`<li>
                <p class="clamped"><strong>${name}, since round ${since}. </strong>${measured}</p>
                <p class="clamped"><em>${remedy}</em></p>
              </li>`,
          )}
          ${more > 0 ? html`<li>${counted(more, "further alarm")}: see Today.</li>` : nothing}
        </ul>`
      : nothing}
  </section>`;
}

function origin({ begun_at: at, begun_by: by, head, covered, events }, maker) {
  return html`<footer class="soft">
    <p>Begun ${moment(at)}${by ? ` by ${by}` : ""}. Report made ${moment(new Date().toISOString())} by ${maker}.</p>
    <p>For audits: event ${covered} of ${events} has the hash <code>${head}</code>; <code>firstmover match verify</code> checks it with
      <code>--head</code>.</p>
  </footer>`;
}
