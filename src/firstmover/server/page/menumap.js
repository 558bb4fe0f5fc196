// Any other menu: parallel coordinates above, the actions as a table that can be sorted below.

import { key } from "./charts.js";
import { figure, h, percent, svg } from "./dom.js";
import { glossary, term } from "./words.js";

const [HEIGHT, TOP, BOTTOM, EDGE] = [330, 18, 58, 70];
const MOST_AXES = 10;
const MOST_ROWS = 50;

export function menuMap() {
  const drawing = svg("svg", { role: "img", class: "axes wide" });
  const [title, note, body] = [
    h("figcaption"),
    h("p", { class: "soft" }),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The actions of the menu" }),
  ];
  const legend = h("ul", { class: "legend", "aria-label": "Legend" });
  const state = { sort: "probability", falling: true, all: false, record: null };
  const update = (record) => {
    state.record = record;
    title.textContent = record.title;
    note.textContent =
      record.labels.length < record.actions
        ? `The ${record.labels.length} likeliest of ${record.actions} actions.`
        : `All ${record.actions} actions; features, the reward expected against the opponents met last, and the probability p_t of each in the round asked last.`;
    legend.replaceChildren(
      key("this round's action", svg("line", { x1: 2, x2: 32, y1: 8, y2: 8, class: "strand shown" })),
      key(
        "others: the stronger, the likelier",
        svg("line", { x1: 2, x2: 32, y1: 8, y2: 8, class: "strand", "stroke-width": 2 }),
      ),
    );
    strands(drawing, record);
    rows(body, state, () => update(state.record));
  };
  return {
    element: h(
      "div",
      {},
      legend,
      h("figure", { class: "picture" }, title, h("div", { class: "scroll" }, drawing)),
      note,
      body,
      glossary("p_t", "reward", "σ"),
    ),
    update,
  };
}

function columns(record) {
  const features = record.features.map((name, j) => [name, record.rows.map((row) => row[j])]);
  return [...features.slice(0, MOST_AXES), ["expected reward", record.mean], ["probability", record.probability]];
}

function strands(drawing, record) {
  const axes = columns(record).map(([name, values]) => ({ name, values, ends: ends(values) }));
  const width = Math.min(1200, Math.max(560, drawing.parentElement.clientWidth, 110 * axes.length));
  drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  drawing.style.minWidth = `${Math.min(width, 40 * axes.length + 120)}px`;
  const x = (j) => EDGE + (j * (width - 2 * EDGE)) / (axes.length - 1);
  const y = ({ ends: [low, high] }, value) =>
    value === null ? null : HEIGHT - BOTTOM - ((value - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const most = Math.max(...record.probability);
  const order = record.labels.map((_, i) => i).sort((a, b) => (a === record.shown) - (b === record.shown));
  const lines = order.map((i) => {
    const points = axes.map((axis, j) => [x(j), y(axis, axis.values[i])]).filter(([, height]) => height !== null);
    const shown = i === record.shown;
    const strand = svg("polyline", {
      points: points.map((at) => at.join(",")).join(" "),
      class: shown ? "strand shown" : "strand",
      "stroke-opacity": shown ? 1 : 0.15 + 0.75 * (record.probability[i] / most),
      "stroke-width": shown ? 3.5 : 1.6,
    });
    strand.append(
      svg(
        "title",
        {},
        `${record.labels[i]}: probability ${percent(record.probability[i])}, expected reward ${figure(record.mean[i])}`,
      ),
    );
    return strand;
  });
  drawing.setAttribute(
    "aria-label",
    `Parallel coordinates of ${record.labels.length} actions; the table below holds the same numbers. ${record.title}.`,
  );
  drawing.replaceChildren(...axes.flatMap((axis, j) => axisOf(axis, x(j))), ...lines);
}

function axisOf({ name, ends: [low, high] }, x) {
  const text = (y, words, more = {}) => svg("text", { x, y, "text-anchor": "middle", ...more }, words);
  const show = name === "probability" ? percent : figure;
  const shorter = name.length > 15 ? `${name.slice(0, 14)}…` : name;
  return [
    svg("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }),
    text(TOP - 5, show(high)),
    text(HEIGHT - BOTTOM + 16, show(low)),
    text(HEIGHT - BOTTOM + 36, shorter, { class: "name" }),
  ];
}

function ends(values) {
  const known = values.filter((value) => value !== null);
  return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
}

function rows(body, state, again) {
  const { record } = state;
  const all = [
    ["action", record.labels],
    ["probability", record.probability],
    ["expected reward", record.mean],
    ["σ", record.std],
    ["played", record.played],
    ...record.features.map((name, j) => [name, record.rows.map((row) => row[j])]),
  ];
  const values = all.find(([name]) => name === state.sort)?.[1] ?? record.probability;
  const rank = (a, b) =>
    typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : (a ?? -Infinity) - (b ?? -Infinity);
  const order = record.labels.map((_, i) => i).sort((a, b) => (state.falling ? -1 : 1) * rank(values[a], values[b]));
  const shown = state.all ? order : order.slice(0, MOST_ROWS);
  const focus = body.contains(document.activeElement) ? document.activeElement.textContent : null;
  const sort = (name) => () => {
    state.falling = state.sort === name ? !state.falling : name !== "action";
    state.sort = name;
    again();
  };
  const head = all.map(([name]) =>
    h(
      "th",
      { scope: "col", "aria-sort": name === state.sort ? (state.falling ? "descending" : "ascending") : null },
      h("button", { onclick: sort(name) }, name === "σ" ? term("σ") : name),
    ),
  );
  const cell = (name, value) => (name === "probability" ? percent(value) : figure(value));
  const lines = shown.map((i) =>
    h(
      "tr",
      { class: i === record.shown ? "shown" : null },
      all.map(([name, column], j) =>
        j === 0 ? h("th", { scope: "row" }, column[i]) : h("td", { class: "number" }, cell(name, column[i])),
      ),
    ),
  );
  const more =
    order.length > shown.length
      ? h(
          "button",
          {
            class: "small",
            onclick: () => {
              state.all = true;
              again();
            },
          },
          `Show all ${order.length}`,
        )
      : "";
  body.replaceChildren(
    h(
      "table",
      { class: "menu-table" },
      h("caption", {}, "Actions; a column's name sorts by it"),
      h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, lines),
    ),
    more,
  );
  if (focus) [...body.querySelectorAll("button")].find((button) => button.textContent === focus)?.focus();
}
