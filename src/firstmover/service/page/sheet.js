// An action as a sheet of instructions, on the screen and on paper.

import { figure, percent, rangeOf } from "./format.js";
import { html, nothing } from "./html.js";

/** The quantities to set, or the grid of shares. */
export function sheetBody(sheet) {
  return sheet.grid ? grid(sheet.grid) : rows(sheet.rows);
}

/** Lines to be filled in by hand, on paper only. */
export function paper(match, title) {
  const blank = (spec) => {
    const { levels } = spec;
    const line = levels ? levels.map((level) => `☐ ${level}`).join("    ") : `____________ ${spec.unit || ""}`;
    return html`<tr><th scope="row">${spec.name}</th><td>${line}</td><td>${levels ? "" : rangeOf(spec)}</td></tr>`;
  };
  const types = match.types.filter((spec) => !spec.numbers && !spec.before && spec.levels?.length !== 1);
  return html`<section class="paper">
    <h2>What happened</h2>
    <table><tbody>${types.map(blank)}${match.responses.map(blank)}</tbody></table>
    <p>Match ${match.name}, ${title}. Noted by ____________________ on ____________________</p>
  </section>`;
}

function rows(entries) {
  return html`<dl class="figures">
    ${entries.map(
      ({ name, value, unit, words }) =>
        html`<div class=${value === 0 ? "none" : ""}>
          <dt>${name}${words ? html`<span class="soft words">${words}</span>` : nothing}</dt>
          <dd><span class="value">${typeof value === "number" ? figure(value) : value}</span>${unit ? ` ${unit}` : ""}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Shares over the cells of a rectangle, the first row at the top, larger ones darker. */
function grid({ caption, columns, rows: names, values }) {
  const largest = Math.max(...values.flat());
  const share = (value) => (largest ? Math.round((100 * value) / largest) : 0);
  const cell = (value) =>
    html`<td class=${value === largest ? "most" : ""} style="--share: ${share(value)}">
      <span>${value < 0.001 ? "·" : percent(value)}</span>
    </td>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}>
    <table class="grid">
      <caption>${caption}</caption>
      <thead><tr><td></td>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${names.map((name, i) => html`<tr><th scope="row">${name}</th>${values[i].map(cell)}</tr>`)}</tbody>
    </table>
  </div>`;
}
