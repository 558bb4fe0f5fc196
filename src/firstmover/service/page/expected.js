// The forecast of the action for each type, with its band.

import { figure, h, svg } from "./dom.js";
import { term } from "./glossary.js";

export function expectations({ round, expected, nominal, expected_note: note }, match) {
  if (!round) return null;
  const share = `${Math.round(100 * nominal)} %`;
  const known = expected.some((entry) => entry.reward.mean !== null);
  const lead = !known
    ? "What was observed so far says nothing about this action: the bars hold everything that is possible."
    : nominal < 0.5
      ? ["The bands are narrow because of ", term("β"), `: they should hold only ${share} of the responses. The mark is the mean.`]
      : `${share} of the responses should lie in the band; the mark is the mean.`;
  return h(
    "section",
    { class: "card", "aria-labelledby": "expected" },
    h("h2", { id: "expected" }, "Forecast"),
    expected.length
      ? [
          h("p", { class: "soft" }, lead),
          match.responses.flatMap(outputs).map((spec) => block(spec.name, expected, spec)),
          block("reward", expected, {}),
        ]
      : null,
    note ? h("p", { class: "soft" }, note) : null,
  );
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
  return h(
    "table",
    { class: "expected" },
    h("caption", {}, unit === undefined ? term("reward") : unit ? `${name} (${unit})` : name),
    h(
      "thead",
      { class: "hidden" },
      h(
        "tr",
        {},
        ["type", "mean", "band", "picture"].map((title) => h("th", { scope: "col" }, title)),
      ),
    ),
    h(
      "tbody",
      {},
      entries.map((entry) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, entry.words),
          entry.mean === null
            ? h("td", { class: "number soft", colspan: 2 }, `not known yet: ${possible(entry, say)}`)
            : [
                h("td", { class: "number value" }, say(entry.mean)),
                h("td", { class: "number soft" }, `${say(entry.lower)} to ${say(entry.upper)}`),
              ],
          h("td", { class: "bar" }, bar(entry, ...axis)),
        ),
      ),
    ),
  );
}

/** The domain in words. */
function possible({ lower, upper }, say) {
  if (lower === null && upper === null) return "any number";
  if (lower === null) return `${say(upper)} or less`;
  return upper === null ? `${say(lower)} or more` : `anything from ${say(lower)} to ${say(upper)}`;
}

/** From where to where the bars are drawn: over the whole domain of a single answer, else over all bars and a little more. */
function axisOf(entries, lower, upper) {
  if (entries.length === 1 && Number.isFinite(upper - lower)) return [lower, upper];
  const ends = entries.flatMap((entry) => [entry.lower, entry.mean, entry.upper]).filter((end) => end !== null);
  if (!ends.length) return [0, 1];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const margin = 0.08 * (high - low);
  return [Math.max(lower, low - margin), Math.min(upper, high + margin)];
}

/** As many decimals as the narrowest band deserves: two digits of its width. */
function rounding(entries) {
  const width = Math.min(...entries.map((entry) => entry.upper - (entry.lower ?? entry.mean)).filter((size) => size > 0));
  const decimals = Number.isFinite(width) ? Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(width)))) : 3;
  return (number) => (number === null ? "–" : figure(Number(number.toFixed(decimals)), decimals));
}

function bar({ mean, lower, upper }, low, high) {
  const at = (value) => (high > low ? (100 * (value - low)) / (high - low) : 50);
  const [from, to] = [at(lower ?? mean ?? low), at(upper ?? high)];
  const mark = { x: Math.min(99.2, Math.max(0, at(mean) - 0.4)), y: 0, width: 0.8, height: 10, class: "mark" };
  return svg(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true", class: "band" },
    svg("rect", { x: 0, y: 4.6, width: 100, height: 0.8, class: "track" }),
    svg("rect", { x: from, y: 1.5, width: Math.max(0.8, to - from), height: 7, class: "range" }),
    ...(mean === null ? [] : [svg("rect", mark)]),
  );
}
