// The table of a map: sorted by the column whose name is clicked, one row at a time reachable by the arrow keys.

import { figure, percent } from "./format.js";
import { term } from "./glossary.js";
import { html, nothing, repeat } from "./html.js";

const MOST_ROWS = 100;

/** The cell of a column as text. */
export function cellText(table, column, entry) {
  if (typeof entry === "string") return entry;
  return table.percent.includes(table.columns[column]) ? percent(entry) : figure(entry);
}

/**
 * @param {any} table of the record
 * @param {{sort?: string, falling?: boolean, all?: boolean, terms: string[]}} state the reader's choices, which it changes
 * @param {{again: () => void, point: (row: number | null) => void}} actions draw again; point at a row
 */
export function mapTable(table, state, { again, point }) {
  const order = ordered(table, state);
  const shown = state.all ? order : order.slice(0, MOST_ROWS);
  const sort = (name, column) => {
    state.falling = state.sort === name ? !state.falling : column > 0 || typeof table.rows[0]?.[0] !== "string";
    state.sort = name;
    again();
  };
  const all = () => {
    state.all = true;
    again();
  };
  const rowOf = (event) => Number(event.target.closest("tr").dataset.row);
  const head = (name, column) => {
    const direction = name !== state.sort ? nothing : state.falling ? "descending" : "ascending";
    return html`<th scope="col" aria-sort=${direction}>
      <button @click=${() => sort(name, column)}>${state.terms.includes(name) ? term(name) : name}</button>
    </th>`;
  };
  const row = (i, place) => html`<tr data-row=${i} tabindex=${place ? -1 : 0} class=${i === table.highlighted ? "shown" : ""}>
    ${table.rows[i].map((entry, j) =>
      j
        ? html`<td class="number">${cellText(table, j, entry)}</td>`
        : html`<th scope="row">${cellText(table, 0, entry)}</th>`,
    )}
  </tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${table.caption}>
    <table class="menu-table">
      <caption>${table.caption}</caption>
      <thead><tr>${table.columns.map(head)}</tr></thead>
      <tbody
        @keydown=${step}
        @focusin=${(event) => point(rowOf(event))}
        @focusout=${() => point(null)}
        @pointerover=${(event) => point(rowOf(event))}
        @pointerleave=${() => point(null)}
      >${repeat(shown, (i) => i, row)}</tbody>
    </table>
    ${order.length > shown.length
      ? html`<button class="small" @click=${all}>Show all ${order.length}</button>`
      : nothing}
  </div>`;
}

/** The arrow keys go from row to row. */
function step(event) {
  const row = event.target.closest("tr");
  const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
  if (!next) return;
  event.preventDefault();
  row.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/** The rows in the order that the reader chose. */
function ordered(table, { sort = "", falling = false }) {
  const order = table.rows.map((_, i) => i);
  const column = table.columns.indexOf(sort);
  if (column < 0) return order;
  const rank = (a, b) =>
    typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : (a ?? -Infinity) - (b ?? -Infinity);
  return order.sort((a, b) => (falling ? -1 : 1) * rank(table.rows[a][column], table.rows[b][column]));
}
