// Demand over a price as it is believed: mean, band, what was seen, in a simulation the truth; one small chart a type.

import { frame, key, table } from "./charts.js";
import { figure, h, svg } from "./dom.js";
import { glossary } from "./words.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [300, 210, 44, 8, 8, 40];

export function priceMap() {
  const [title, note] = [h("h2"), h("p", { class: "soft" })];
  const [legend, panels] = [h("ul", { class: "legend", "aria-label": "Legend" }), h("div")];
  const frames = new Map();
  const update = (record) => {
    [title.textContent, note.textContent] = [record.title, record.note];
    const simulated = record.panels.some((panel) =>
      panel.curves.some((curve) => curve.true.some((value) => value !== null)),
    );
    legend.replaceChildren(...keys(record.band, simulated));
    record.panels.forEach((panel, i) => {
      if (!frames.has(i)) frames.set(i, section(panel, panels));
      const group = frames.get(i);
      const scale = scales(panel, record.band);
      panel.curves.forEach((curve, k) => {
        if (!group[k]) {
          const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
          group[k] = { drawing, ...frame("", "", drawing) };
          group.place.append(group[k].element);
        }
        draw(group[k].drawing, panel, curve, scale, record.band);
        group[k].update(curve.title, seenWords(curve), () => words(panel, curve, record.band));
      });
    });
  };
  return { element: h("div", {}, title, legend, panels, note, glossary("σ")), update };
}

function section(panel, panels) {
  const group = [];
  group.place = h("div", { class: "panels many small-charts" });
  panels.append(
    h("h3", {}, `${panel.response}${panel.unit ? ` (${panel.unit})` : ""} over ${panel.feature}`),
    group.place,
  );
  return group;
}

const seenWords = (curve) => (curve.seen.length === 1 ? "1 seen" : `${curve.seen.length} seen`);

/** One scale for all types, so that they can be compared. */
function scales(panel, band) {
  const tall = panel.curves.flatMap((curve) => [
    ...curve.mean.flatMap((mean, i) => [mean - band * curve.std[i], mean + band * curve.std[i]]),
    ...curve.true.filter((value) => value !== null),
    ...curve.seen,
  ]);
  const wide = panel.curves.flatMap((curve) => [...curve.price, ...curve.seen_price]);
  const [x, y] = [extent(wide), extent([...tall, 0])];
  return {
    x,
    y,
    right: (value) => LEFT + ((value - x[0]) / (x[1] - x[0])) * (WIDTH - LEFT - RIGHT),
    up: (value) => HEIGHT - BOTTOM - ((value - y[0]) / (y[1] - y[0])) * (HEIGHT - TOP - BOTTOM),
  };
}

function extent(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const edge = 0.04 * (high - low || 1);
  return [low - edge, high + edge];
}

function draw(drawing, panel, curve, scale, band) {
  const { right, up } = scale;
  const path = (xs, ys) =>
    xs.map((x, i) => (ys[i] === null ? "" : `${i ? "L" : "M"}${right(x)} ${up(ys[i])}`)).join(" ");
  const [low, high] = [-1, 1].map((sign) => curve.mean.map((mean, i) => mean + sign * band * curve.std[i]));
  const around = [...curve.price.map((x, i) => [x, high[i]]), ...curve.price.map((x, i) => [x, low[i]]).reverse()];
  const marks = [
    svg("polygon", { class: "within", points: around.map(([x, y]) => `${right(x)},${up(y)}`).join(" ") }),
    svg("path", { class: "believed", d: path(curve.price, curve.mean) }),
  ];
  if (panel.chosen !== null)
    marks.push(
      svg("line", { class: "now", x1: right(panel.chosen), x2: right(panel.chosen), y1: TOP, y2: HEIGHT - BOTTOM }),
    );
  if (curve.true.some((value) => value !== null))
    marks.push(svg("path", { class: "true", d: path(curve.price, curve.true) }));
  marks.push(...curve.seen.map((y, i) => svg("path", { class: "seen", d: down(right(curve.seen_price[i]), up(y)) })));
  drawing.setAttribute(
    "aria-label",
    `${panel.response} over ${panel.feature} for ${curve.title}: from ${figure(curve.mean[0])} to ${figure(curve.mean.at(-1))}, ${seenWords(curve)}.`,
  );
  drawing.replaceChildren(axes(panel, scale), ...marks);
}

const down = (x, y) => `M${x} ${y + 3.5} L${x + 3.5} ${y - 2.5} L${x - 3.5} ${y - 2.5} Z`;

function axes(panel, { x, y, right, up }) {
  const group = svg("g", { class: "axes" });
  for (const tick of ticks(y))
    group.append(
      svg("line", { class: "rule", x1: LEFT, x2: WIDTH - RIGHT, y1: up(tick), y2: up(tick) }),
      svg("text", { x: LEFT - 5, y: up(tick) + 4, "text-anchor": "end" }, figure(tick)),
    );
  for (const tick of ticks(x))
    group.append(svg("text", { x: right(tick), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, figure(tick)));
  group.append(
    svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }),
    svg("text", { class: "name", x: (LEFT + WIDTH) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, panel.feature),
  );
  return group;
}

/** Round numbers between two ends, four or so. */
function ticks([low, high]) {
  const rough = (high - low) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(6)),
  );
}

function words(panel, curve, band) {
  const head = [
    panel.feature,
    "believed",
    `± ${figure(band)} σ`,
    ...(curve.true.every((value) => value === null) ? [] : ["true"]),
  ];
  const rows = curve.price.map((price, i) =>
    [figure(price), figure(curve.mean[i]), figure(band * curve.std[i]), figure(curve.true[i])].slice(0, head.length),
  );
  return table(`${panel.response} for ${curve.title}`, head, rows);
}

function keys(band, simulated) {
  const mid = { x1: 2, x2: 32, y1: 8, y2: 8 };
  return [
    key(
      `believed, with ± ${figure(band)} σ`,
      svg("rect", { class: "within", x: 2, y: 1, width: 30, height: 14 }),
      svg("line", { ...mid, class: "believed" }),
    ),
    simulated ? key("true (the simulation knows)", svg("line", { ...mid, class: "true" })) : "",
    key("seen, whatever the other prices were then", svg("path", { class: "seen", d: "M17 13 L22 4 L12 4 Z" })),
    key("this action", svg("line", { class: "now", x1: 17, x2: 17, y1: 0, y2: 16 })),
  ];
}
