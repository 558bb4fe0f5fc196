// The forecast of the action for each type, with its band.

import { figure, possible } from "./format.js";
import { html, nothing, svg } from "./html.js";

const MANY = 4; // responses up to which all are shown at once

/** A card with a table for each response and one for the reward. */
export function forecastCard({ expected, nominal, note }, match) {
  const share = `${Math.round(100 * nominal)} %`;
  const known = expected.some((entry) => entry.reward.mean !== null);
  const lead = !known
    ? "What was observed so far says nothing about this action: the bars hold everything that is possible."
    : `${share} of the responses should lie in the band; the mark is the mean.`;
  return html`<section class="card" aria-labelledby="expected">
    <h2 id="expected">Forecast</h2>
    ${expected.length
      ? html`<p class="soft">${lead}</p>
          ${block("reward", expected, {})} ${responses(expected, match)}`
      : nothing}
    ${note ? html`<p class="soft">${note}</p>` : nothing}
  </section>`;
}

/** The responses; of many, only when somebody looks. */
function responses(expected, match) {
  const blocks = match.responses.flatMap(outputs).map((spec) => block(spec.name, expected, spec));
  if (blocks.length <= MANY) return blocks;
  return html`<details class="more"><summary>All ${blocks.length} responses</summary><div>${blocks}</div></details>`;
}

/** The numbers that are predicted of a response: itself, or the chance of each of its levels. */
function outputs(spec) {
  if (!spec.levels) return [spec];
  return spec.levels.map((level) => ({ name: level, unit: `chance of ${spec.name}`, lower: 0, upper: 1 }));
}

/**
 * @param {string} name
 * @param {any[]} expected
 * @param {{unit?: string, lower?: number, upper?: number}} spec
 */
function block(name, expected, { unit, lower, upper }) {
  const entries = expected.map((entry) => ({
    words: entry.words,
    ...(unit === undefined ? entry.reward : entry.responses.find((response) => response.name === name)),
  }));
  const axis = axisOf(entries, lower ?? -Infinity, upper ?? Infinity);
  const say = rounding(entries);
  const numbers = (entry) =>
    entry.mean === null
      ? html`<td class="number soft" colspan="2">not known yet: ${possible(entry, say)}</td>`
      : html`<td class="number value">${say(entry.mean)}</td>
          <td class="number soft">${say(entry.lower)} to ${say(entry.upper)}</td>`;
  return html`<table class="expected">
    <caption>${unit ? `${name} (${unit})` : name}</caption>
    <thead class="hidden">
      <tr>${["type", "mean", "band", "picture"].map((title) => html`<th scope="col">${title}</th>`)}</tr>
    </thead>
    <tbody>
      ${entries.map(
        (entry) =>
          html`<tr><th scope="row">${entry.words}</th>${numbers(entry)}<td class="bar">${bar(entry, axis)}</td></tr>`,
      )}
    </tbody>
  </table>`;
}

/**
 * From where to where the bars are drawn: over the whole domain of a single answer, else over all bars and a little more.
 * @returns {[number, number]}
 */
function axisOf(entries, lower, upper) {
  if (entries.length === 1 && Number.isFinite(upper - lower)) return [lower, upper];
  const ends = entries.flatMap((entry) => [entry.lower, entry.mean, entry.upper]).filter((end) => end !== null);
  if (!ends.length) return [0, 1];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const margin = 0.08 * (high - low) || 1;
  return [Math.max(lower, low - margin), Math.min(upper, high + margin)];
}

/** As many decimals as the narrowest band deserves: two digits of its width. */
export function rounding(entries) {
  const width = Math.min(...entries.map((entry) => entry.upper - (entry.lower ?? entry.mean)).filter((size) => size > 0));
  if (!Number.isFinite(width)) return figure;
  const decimals = Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(width))));
  return (number) => (number === null ? "–" : figure(Number(number.toFixed(decimals)), decimals));
}

/**
 * A band with its mean on a line from low to high.
 * @param {{mean: number | null, lower: number | null, upper: number | null}} interval
 * @param {[number, number]} axis
 */
export function bar({ mean, lower, upper }, [low, high]) {
  const at = (value) => (high > low ? (100 * (value - low)) / (high - low) : 50);
  const [from, to] = [at(lower ?? mean ?? low), at(upper ?? high)];
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" class="band">
    <rect x="0" y="4.6" width="100" height="0.8" class="track" />
    <rect x=${from} y="1.5" width=${Math.max(0.8, to - from)} height="7" class="range" />
    ${mean === null
      ? nothing
      : svg`<rect x=${Math.min(99.2, Math.max(0, at(mean) - 0.4))} y="0" width="0.8" height="10" class="mark" />`}
  </svg>`;
}
