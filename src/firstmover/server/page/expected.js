// What answer is expected to today's action, for each kind of opponent, with its band.

import { figure, h, said, svg } from "./dom.js";

export function expectations({ round, expected, nominal, expected_note: note }) {
  if (!round) return null;
  const responses = expected[0]?.responses.map((response) => response.name) ?? [];
  return h("section", { class: "card", "aria-labelledby": "expected" }, h("h2", { id: "expected" }, "What to expect"),
    expected.length ? [h("p", { class: "soft" }, `The bar reaches over what is held possible; ${Math.round(100 * nominal)} % of answers should fall in it. The mark is the best guess.`),
      [...responses, "reward"].map((name) => block(name, expected))] : null,
    note ? h("p", { class: "soft" }, note) : null);
}

function block(name, expected) {
  const entries = expected.map((entry) => ({
    words: entry.words || said(entry.opponent_type),
    ...(name === "reward" ? { unit: "", ...entry.reward } : entry.responses.find((response) => response.name === name)),
  }));
  const low = Math.min(...entries.map((entry) => entry.lower));
  const high = Math.max(...entries.map((entry) => entry.upper));
  return h("div", { class: "scroll", role: "group", "aria-label": `Expected ${name}`, tabindex: "0" }, h("table", { class: "expected" },
    h("caption", {}, name === "reward" ? "reward" : `${name}${entries[0].unit ? ` (${entries[0].unit})` : ""}`),
    h("thead", { class: "hidden" }, h("tr", {}, ["opponent", "expected", "from", "to", "picture"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, entries.map((entry) => h("tr", {}, h("th", { scope: "row" }, entry.words),
      h("td", { class: "number value" }, figure(entry.mean)), h("td", { class: "number soft" }, figure(entry.lower)), h("td", { class: "number soft" }, `to ${figure(entry.upper)}`),
      h("td", { class: "bar" }, bar(entry, low, high)))))));
}

function bar({ mean, lower, upper }, low, high) {
  const at = (value) => (high > low ? (100 * (value - low)) / (high - low) : 50);
  return svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true", class: "band" },
    svg("rect", { x: 0, y: 4.6, width: 100, height: 0.8, class: "track" }),
    svg("rect", { x: at(lower), y: 1.5, width: Math.max(0.8, at(upper) - at(lower)), height: 7, class: "range" }),
    svg("rect", { x: Math.min(98.8, Math.max(0, at(mean) - 0.6)), y: 0, width: 1.2, height: 10, class: "mark" }));
}
