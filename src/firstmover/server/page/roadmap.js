// A road network: congestion by colour, flow by width, the plan on top, without it and with it side by side.

import { frame, key, ramp, shade, table } from "./charts.js";
import { figure, h, svg } from "./dom.js";

const SIZE = 520;
const EDGE = 26;
const BAND = 4.5; // the plan lies around its roads, so that their colour stays to be seen

export function roadMap() {
  const note = h("p", { class: "soft" });
  const [legend, panels] = [h("ul", { class: "legend", "aria-label": "Legend" }), h("div", { class: "panels" })];
  const frames = [];
  const update = (record) => {
    note.textContent = record.note;
    legend.replaceChildren(...keys(record));
    const place = placed(record.positions);
    const widest = Math.max(...record.panels.flatMap((panel) => panel.flow), 1);
    while (frames.length > record.panels.length) frames.pop().element.remove();
    record.panels.forEach((panel, i) => {
      if (!frames[i]) {
        const drawing = svg("svg", { viewBox: `0 0 ${place.width} ${place.height}`, class: "roads", role: "img" });
        frames[i] = { drawing, ...frame("", "", drawing, "map") };
        panels.append(frames[i].element);
      }
      draw(frames[i].drawing, record, panel, place, widest);
      frames[i].update(panel.title, figures(panel), () => words(record, panel));
    });
  };
  return { element: h("div", {}, legend, panels, note), update };
}

function figures(panel) {
  const sent = panel.arriving ? `; ${figure(panel.arriving)} units arrive` : "";
  return `${figure(panel.congestion)} free-flow times lost on an average road${sent}`;
}

function placed(positions) {
  const [xs, ys] = [0, 1].map((axis) => positions.map((at) => at[axis]));
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = (SIZE - 2 * EDGE) / Math.max(right - left, high - low, 1e-9);
  const at = ([x, y]) => [EDGE + (x - left) * scale, EDGE + (high - y) * scale];
  return {
    at,
    width: Math.round((right - left) * scale + 2 * EDGE),
    height: Math.round((high - low) * scale + 2 * EDGE),
  };
}

function draw(drawing, record, panel, { at }, widest) {
  const share = (ratio) => (ratio - 1) / (record.limit - 1);
  const layers = Object.fromEntries(["plan", "casing", "road", "arrows", "nodes"].map((name) => [name, svg("g")]));
  panel.ratio.forEach((ratio, i) => {
    const [[x1, y1], [x2, y2]] = [at(record.starts[i]), at(record.ends[i])];
    const [line, width] = [{ x1, y1, x2, y2 }, 1.5 + 6.5 * (panel.flow[i] / widest)];
    const planned = panel.plan[i] > 0;
    const casing = { class: planned ? "casing planned" : "casing", "stroke-width": width + (planned ? 2.6 : 1.4) };
    layers.casing.append(svg("line", { ...line, ...casing }));
    const road = svg("line", { ...line, stroke: shade("congestion", share(ratio)), "stroke-width": width });
    road.append(svg("title", {}, said(record, panel, i)));
    layers.road.append(road);
    if (planned) {
      layers.plan.append(svg("line", { ...line, class: "plan", "stroke-width": width + 2 * BAND }));
      layers.arrows.append(arrow([x1, y1], [x2, y2], width / 2 + BAND));
    }
  });
  record.positions.forEach((position, i) =>
    layers.nodes.append(...node(at(position), record.nodes[i], i === record.origin, i === record.destination)),
  );
  drawing.setAttribute("aria-label", summary(record, panel));
  drawing.replaceChildren(...Object.values(layers));
}

/** Which way the plan goes: a triangle in the middle of a link, wider than its band. */
function arrow([x1, y1], [x2, y2], half) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy, side] = [(x2 - x1) / length, (y2 - y1) / length, half + 1];
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const at = (along, across) => `${x + along * dx - across * dy} ${y + along * dy + across * dx}`;
  return svg("path", { d: `M${at(side, 0)} L${at(-side, side)} L${at(-side, -side)} Z`, class: "way" });
}

function node([x, y], label, from, to) {
  const shape = to
    ? svg("path", { d: `M${x} ${y - 15} L${x + 15} ${y} L${x} ${y + 15} L${x - 15} ${y} Z`, class: "node end to" })
    : svg("circle", { cx: x, cy: y, r: from ? 12 : 9, class: from ? "node end" : "node" });
  return [shape, svg("text", { x, y: y + 4, "text-anchor": "middle" }, label)];
}

function said(record, panel, i) {
  const plan = panel.plan[i] > 0 ? `, ${figure(panel.plan[i])} of the plan` : "";
  return `${record.links[i]}: ${figure(panel.ratio[i])} × the free-flow time, ${figure(panel.flow[i])} units${plan}`;
}

function summary(record, panel) {
  const worst = panel.ratio.indexOf(Math.max(...panel.ratio));
  return `${panel.title}. ${figures(panel)}. Most congested: ${said(record, panel, worst)}.`;
}

function words(record, panel) {
  const order = panel.ratio.map((_, i) => i).sort((a, b) => panel.ratio[b] - panel.ratio[a]);
  const rows = order.map((i) => [
    record.links[i],
    figure(panel.ratio[i]),
    figure(panel.flow[i]),
    figure(panel.plan[i]),
  ]);
  return table("Links, the most congested first", ["link", "times the free-flow time (t / t₀)", "units", "of the plan"], rows);
}

function keys(record) {
  const mid = { x1: 2, x2: 32, y1: 8, y2: 8 };
  return [
    h(
      "li",
      { title: "t / t₀" },
      "time on a road: ",
      ...ramp("congestion", "as when empty", `${figure(record.limit)} times that, or more`),
    ),
    key(
      "thin: little traffic, thick: much",
      svg("line", { ...mid, x2: 15, stroke: "currentColor", "stroke-width": 2 }),
      svg("line", { ...mid, x1: 17, stroke: "currentColor", "stroke-width": 8 }),
    ),
    key(
      "blue around a road: the plan, and which way it goes",
      svg("line", { ...mid, stroke: "#0072b2", "stroke-width": 12 }),
      svg("line", { ...mid, stroke: shade("congestion", 0.15), "stroke-width": 4 }),
      arrow([2, 8], [32, 8], 4.5),
    ),
    key(
      `from node ${record.nodes[record.origin]}`,
      svg("circle", { cx: 17, cy: 8, r: 6, fill: "#fff", stroke: "#0072b2", "stroke-width": 3 }),
    ),
    key(
      `to node ${record.nodes[record.destination]}`,
      svg("path", { d: "M17 1 L24 8 L17 15 L10 8 Z", fill: "#fff", stroke: "#009e73", "stroke-width": 3 }),
    ),
  ];
}
