// The columns of a table of rounds at a width, and what a round shows when it is open: all values, and who did what.

import { figure, moment, percent } from "./format.js";
import { html, nothing } from "./html.js";

const [CARDS, MEDIUM, COLUMN, FIXED] = [40, 60, 7.5, 50]; // rem
const MOST_COLUMNS = 6; // types and responses that have a column each where they fit
export const KINDS = { asked: "asked", told: "recorded", voided: "declared void", corrected: "corrected" };

/**
 * The columns that fit a width in rem: name, track of the grid, and cell. Below 40 rem, rows are cards.
 * @param {any} match
 * @param {number} width
 * @returns {{name: string, track: string, cell: (row: any, marks: any) => any, number?: boolean, lines?: boolean}[]}
 */
export function columnsFor(match, width) {
  const types = match.types.filter(({ levels }) => levels?.length !== 1);
  const each = [...types.map((spec) => ["opponent_type", spec]), ...match.responses.map((spec) => ["response", spec])];
  const apart = each.length <= MOST_COLUMNS && width >= FIXED + COLUMN * each.length;
  const values = apart
    ? each.map(([place, spec]) => ({
        name: spec.unit && place === "response" && spec.unit.length <= 12 ? `${spec.name} (${spec.unit})` : spec.name,
        track: "minmax(6.5rem, 1fr)",
        number: place === "response" && !spec.levels,
        cell: ({ round }, marks) => html`${shown(round[place]?.[spec.name])}${place === "response" ? marked(marks?.[spec.name]) : nothing}`,
      }))
    : [{ name: "what happened", track: "minmax(9rem, 2fr)", cell: (row, marks) => happened(row.round, each, marks), lines: true }];
  const late = [
    { name: "by", track: "minmax(7rem, 1.3fr)", cell: ({ log }) => lastOf(log), lines: true },
    { name: "asked", track: "minmax(8.5rem, 1fr)", cell: ({ round }) => html`<span class="soft">${moment(round.asked_at)}</span>` },
  ];
  return [
    { name: "round", track: "minmax(4.5rem, 1fr)", cell: ({ round }) => html`<strong>${round.round_id}</strong>`, lines: true },
    { name: "status", track: "minmax(6.5rem, .9fr)", cell: ({ round }) => badges(round) },
    { name: "action", track: "minmax(8rem, 2fr)", cell: ({ round }) => action(round), lines: true },
    ...values,
    { name: "reward", track: "5.5rem", number: true, cell: ({ round }) => figure(round.reward) },
    ...(width >= MEDIUM || width < CARDS ? late : late.slice(0, 1)),
  ];
}

export const isCards = (width) => width < CARDS;

function shown(value) {
  if (value === undefined || value === null) return "–";
  if (Array.isArray(value)) return `${value.length} numbers`;
  return typeof value === "number" ? figure(value) : value;
}

/** What was expected of a value that lies far from it; the value itself stands before. */
function marked(mark) {
  return mark ? html`<span class="mark-far">${mark.replace(/^[^,]*, (?=.* was expected$)/, "")}</span>` : nothing;
}

function happened(round, each, marks) {
  const far = Object.entries(marks ?? {}).map(([name, mark]) => html`<span class="mark-far">${name}: ${mark}</span>`);
  if (round.response === null) return html`–`;
  const words = each.map(([place, { name }]) => `${name} ${shown(round[place]?.[name])}`).join(", ");
  return html`<span title=${words}>${words}</span>${far}`;
}

function action({ label, played_label: other }) {
  if (label === null) return html`<span class="soft">shows when closed</span>`;
  return other ? html`${other} <span class="soft">instead of ${label}</span>` : html`<span title=${label}>${label}</span>`;
}

function badges({ status, delay, corrections }) {
  const badge = (kind, words, title = "") => html`<span class="badge ${kind}" title=${title}>${words}</span>`;
  return html`<span class="badges"
    >${badge(status, status)} ${delay > 0 ? badge("late", `late by ${delay}`, "rounds asked before this one was closed") : nothing}
    ${corrections > 0 ? badge("corrected", corrections > 1 ? `corrected ${corrections}×` : "corrected") : nothing}</span
  >`;
}

/** Who did the last thing, and what it was. */
function lastOf(log) {
  const { kind, actor, role, reason } = log.at(-1);
  return html`${by(actor, role)} <span class="soft">${KINDS[kind]}${reason ? `: ${reason}` : ""}</span>`;
}

function by(actor, role) {
  return html`${actor ?? "unknown"}${role && role !== actor ? html` <span class="soft">(${role})</span>` : nothing}`;
}

/** Everything about a round: its values with units and marks, and its events with actors and reasons. */
export function details({ round, log }, match, marks) {
  const entry = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const values = (place, specs) =>
    specs.map((spec) =>
      entry(
        spec.name,
        html`${shown(round[place]?.[spec.name])}${spec.unit && round[place] ? ` ${spec.unit}` : ""}${marked(marks?.[spec.name])}`,
      ),
    );
  return html`<div class="facts">
      <dl>
        ${entry("advised", round.label ?? "shows when closed")}
        ${round.played_label ? entry("played instead", round.played_label) : nothing}
        ${round.probability === null ? nothing : entry("probability", percent(round.probability))}
        ${values("opponent_type", match.types)} ${values("response", match.responses)}
        ${round.reward === null ? nothing : entry("reward", figure(round.reward))}
      </dl>
    </div>
    <ol class="trail" aria-label="Who did what in round ${round.round_id}">
      ${log.map((event, i) => html`<li>${eventWords(event, log[i - 1])}</li>`)}
    </ol>`;
}

function eventWords(event, before) {
  const { kind, clock, actor, role, reason, played_label: played } = event;
  return html`<strong>${KINDS[kind]}</strong>${recorded(event, before)}${played ? `, ${played} was played` : ""}
    <span class="soft">by</span> ${by(actor, role)}, <span class="soft">${moment(clock)}</span>
    ${reason ? html`<q>${reason}</q>` : nothing}`;
}

/** The values of an event; of a correction, those that it changed. */
function recorded({ kind, opponent_type: type, response }, before) {
  if (kind === "asked" || kind === "voided") return "";
  if (response === null) return ": void";
  const [now, then] = [{ ...type, ...response }, { ...before.opponent_type, ...before.response }];
  const fresh = Object.keys(now).filter((name) => String(now[name]) !== String(then[name]));
  if (fresh.length > MOST_COLUMNS) return `: ${fresh.length} values`;
  const words = (name) => `${name} ${name in then ? `${shown(then[name])} → ` : ""}${shown(now[name])}`;
  return fresh.length ? `: ${fresh.map(words).join(", ")}` : "";
}
