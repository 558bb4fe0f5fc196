// An action as a sheet of instructions, on the screen and on paper.

import { figure, h, percent } from "./dom.js";
import { rangeOf } from "./values.js";

const SURE = 0.9; // above this probability the draw hides little

/** The instructions in words and figures. */
export function sheetParts({ round, sheet }, match) {
  const place = `no. ${round.action + 1} of ${match.actions}`;
  return [
    h("h1", { id: "do", tabindex: "-1" }, sheet.headline),
    sheet.words ? h("p", { class: "lead" }, sheet.words) : null,
    sheet.grid ? grid(sheet.grid) : rows(sheet.rows),
    h(
      "p",
      { class: "chance" },
      h("span", { class: "value" }, percent(round.probability)),
      ` was the probability of this action, ${place}`,
      round.probability < SURE ? ": it was drawn at random, so that it cannot be predicted." : ".",
    ),
  ];
}

/** Lines to be filled in by hand, on paper only. */
export function paper(match, title) {
  const blank = (spec) => {
    const { levels } = spec;
    const line = levels ? levels.map((level) => `☐ ${level}`).join("    ") : `____________ ${spec.unit || ""}`;
    return h("tr", {}, h("th", { scope: "row" }, spec.name), h("td", {}, line), h("td", {}, levels ? "" : rangeOf(spec)));
  };
  const types = match.types.filter((spec) => !spec.numbers && spec.levels?.length !== 1);
  return h(
    "section",
    { class: "paper" },
    h("h2", {}, "What happened"),
    h("table", {}, h("tbody", {}, types.map(blank), match.responses.map(blank))),
    h("p", {}, `Match ${match.name}, ${title}. Noted by ____________________ on ____________________`),
  );
}

function rows(entries) {
  return h(
    "dl",
    { class: "figures" },
    entries.map(({ name, value, unit, words }) =>
      h(
        "div",
        { class: value === 0 ? "none" : null },
        h("dt", {}, name, words ? h("span", { class: "soft words" }, words) : null),
        h(
          "dd",
          {},
          h("span", { class: "value" }, typeof value === "number" ? figure(value) : value),
          unit ? ` ${unit}` : "",
        ),
      ),
    ),
  );
}

/** Shares over the cells of a rectangle, the first row at the top, larger ones darker. */
function grid({ caption, columns, rows: names, values }) {
  const largest = Math.max(...values.flat());
  const cell = (value) => {
    const td = h(
      "td",
      { class: value === largest ? "most" : null },
      h("span", {}, value < 0.001 ? "·" : percent(value)),
    );
    td.style.setProperty("--share", String(largest ? Math.round((100 * value) / largest) : 0));
    return td;
  };
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    h(
      "table",
      { class: "grid" },
      h("caption", {}, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          columns.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        names.map((name, i) => h("tr", {}, h("th", { scope: "row" }, name), values[i].map(cell))),
      ),
    ),
  );
}
