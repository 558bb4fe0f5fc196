// The map of a match: panels of marks on two axes, drawn from the record that its game makes.

import { pathOf } from "./api.js";
import { frame, key, ramp, rgb, shade, styled } from "./charts.js";
import { h, svg } from "./dom.js";
import { figure, percent } from "./format.js";
import { opponentBar } from "./opponent.js";
import { glossary, term } from "./glossary.js";

const LATER = "The posterior is being computed from all rounds; predictions are shown when it is ready.";
const [LEFT, BOTTOM, EDGE] = [44, 40, 10];
const WIDEST = 1200;
const MOST_ROWS = 50;

export async function render(root, context) {
  const { match, api, onChange, signal } = context;
  const path = pathOf(match.name, "views", "map");
  const title = h("h1", { tabindex: "-1" }, "Map");
  const waiting = h("p", { class: "soft", role: "status" });
  const map = mapView();
  root.append(title, match.demo ? opponentBar(context) : "", waiting, map.element);
  /** @type {any} */
  let record = {};
  const show = (fresh) => {
    record = fresh;
    waiting.textContent = fresh.partial ? LATER : "";
    waiting.hidden = !fresh.partial;
    if (!fresh.panels.length) return;
    title.textContent = fresh.heading;
    map.update(fresh);
  };
  const refresh = async () => {
    show(await api(`${path}?brief=true`)); // answers immediately, also while the posterior is being computed
    if (record.partial) show(await api(path));
  };
  show(await api(`${path}?brief=true`));
  if (record.partial) context.later(refresh);
  const again = () => record.panels?.length && map.update(record);
  window.addEventListener("firstmover-theme", again, { signal });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal });
  onChange(refresh);
}

function mapView() {
  const [title, note] = [h("h2"), h("p", { class: "soft" })];
  const [legend, panels, tables, terms] = [
    h("ul", { class: "legend", "aria-label": "Legend" }),
    h("div"),
    h("div"),
    h("div"),
  ];
  /** @type {any[]} */
  const frames = [];
  const groups = new Map();
  const place = (group) => {
    if (!groups.has(group)) {
      groups.set(group, h("div", { class: group ? "panels many small-charts" : "panels" }));
      panels.append(group ? h("h3", {}, group) : "", groups.get(group));
    }
    return groups.get(group);
  };
  const update = (record) => {
    [title.textContent, note.textContent] = [record.title, record.note];
    title.hidden = !record.title;
    legend.replaceChildren(...keys(record.panels));
    while (frames.length > record.panels.length) frames.pop().element.remove();
    record.panels.forEach((panel, i) => {
      if (!frames[i]) {
        const drawing = svg("svg", { role: "img" });
        const picture = panel.stretch ? h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": panel.title }, drawing) : drawing;
        frames[i] = { drawing, state: {}, ...frame("", "", picture, "map") };
        place(panel.group).append(frames[i].element);
      }
      const { drawing, state, element } = frames[i];
      draw(drawing, panel);
      const table = () => sortable(panel.table, state, record.terms);
      frames[i].update(panel.title, panel.subtitle, table);
      element.querySelector("details").hidden = panel.table.always_open;
      if (panel.table.always_open) tables.replaceChildren(table());
    });
    terms.replaceChildren(record.terms.length ? glossary(...record.terms) : "");
  };
  return { element: h("div", {}, title, legend, panels, note, tables, terms), update };
}

const paint = (name) => (/-\d+$|^ink$|^soft$/.test(name) ? `var(--${name})` : name);
const each = (value, i) => (Array.isArray(value) ? value[i] : value);
const titled = (mark, label) => {
  if (label) mark.append(svg("title", {}, label));
  return mark;
};

function draw(drawing, panel) {
  const [left, bottom] = [panel.y.ticks.length ? LEFT : 0, panel.x.ticks.length ? BOTTOM : 0];
  const edge = left || bottom ? EDGE : 0;
  const room = panel.stretch ? Math.min(WIDEST, drawing.parentElement.clientWidth) : 0;
  const [width, height] = [Math.max(panel.size[0], room), panel.size[1]];
  const along = ({ low, high }, length) => (value) => ((value - low) / (high - low)) * length;
  const [right, up] = [along(panel.x, width), along(panel.y, height)];
  const scale = { x: (value) => left + right(value), y: (value) => edge + height - up(value) };
  const marks = { ground: [], above: [], arrows: [], texts: [] };
  for (const layer of panel.layers) DRAW[layer.mark](layer, scale, marks);
  drawing.setAttribute("viewBox", `0 0 ${left + width + edge} ${edge + height + bottom}`);
  drawing.setAttribute("class", panel.light_ground ? "marks light" : "marks");
  if (panel.stretch) drawing.style.minWidth = `${0.75 * panel.size[0]}px`;
  drawing.setAttribute("aria-label", panel.summary);
  const { ground, ...above } = marks;
  drawing.replaceChildren(...ground, axes(panel, scale), ...Object.values(above).flat());
}

function axes({ x, y, group }, scale) {
  const [ends, tops] = [[scale.x(x.low), scale.x(x.high)], [scale.y(y.low), scale.y(y.high)]];
  const rule = (x1, x2, y1, y2, kind) => svg("line", { class: kind, x1, x2, y1, y2 });
  const text = (at, words, more = {}) => svg("text", { x: at[0], y: at[1], "text-anchor": "middle", ...more }, words);
  const element = svg("g", { class: "axes" });
  for (const tick of y.ticks) {
    if (y.rules) element.append(rule(...ends, scale.y(tick), scale.y(tick), "rule"));
    element.append(text([ends[0] - 6, scale.y(tick) + 4], figure(tick), { "text-anchor": "end" }));
  }
  for (const tick of x.ticks) {
    if (x.rules) element.append(rule(scale.x(tick), scale.x(tick), ...tops, "rule"));
    element.append(text([scale.x(tick), tops[0] + 16], figure(tick)));
  }
  if (x.ticks.length)
    element.append(
      rule(...ends, tops[0], tops[0], null),
      text([(ends[0] + ends[1]) / 2, tops[0] + 34], x.label, { class: "name" }),
    );
  const turned = { class: "name", transform: `translate(14 ${(tops[0] + tops[1]) / 2}) rotate(-90)` };
  if (y.ticks.length && !group) element.append(text([0, 0], y.label, turned));
  return element;
}

const shaded = (scale, value) => shade(scale.name, (value - scale.low) / (scale.high - scale.low));

const DRAW = {
  lines(layer, scale, marks) {
    layer.y.forEach((ys, i) => {
      const xs = Array.isArray(layer.x[0]) ? layer.x[i] : layer.x;
      const points = ys.map((y, j) => [scale.x(xs[j]), scale.y(y)]).filter((_, j) => ys[j] !== null);
      const [width, stroke] = [each(layer.width, i), layer.scale ? shaded(layer.scale, layer.values[i]) : paint(layer.colour)];
      const line = svg("polyline", {
        points: points.map((point) => point.join(",")).join(" "),
        fill: "none",
        stroke,
        "stroke-width": width,
        "stroke-opacity": each(layer.opacity, i),
        "stroke-dasharray": layer.dashed ? "6 4" : null,
      });
      marks.above.push(titled(line, layer.labels[i]));
      if (layer.arrows) marks.arrows.push(arrow(points[0], points.at(-1), width / 2, stroke));
    });
  },
  points(layer, scale, marks) {
    marks.above.push(...marks.arrows.splice(0)); // above all lines so far
    layer.x.forEach((value, i) => {
      const [x, y] = [scale.x(value), scale.y(layer.y[i])];
      if (layer.shape) marks.above.push(titled(marker(layer, x, y, layer.size), layer.labels[i]));
      const fill = layer.shape ? "#1b1f24" : paint(layer.fill);
      if (layer.texts[i]) marks.above.push(svg("text", { x, y: y + 4, "text-anchor": "middle", fill }, layer.texts[i]));
    });
  },
  band(layer, scale, marks) {
    const ends = layer.x.map((_, i) => i).filter((i) => layer.lower[i] !== null && layer.upper[i] !== null);
    const edge = (ys) => ends.map((i) => `${scale.x(layer.x[i])},${scale.y(ys[i])}`);
    const points = [...edge(layer.upper), ...edge(layer.lower).reverse()].join(" ");
    marks.ground.push(svg("polygon", { points, fill: paint(layer.colour), opacity: 0.2 }));
  },
  cells(layer, scale, marks) {
    const [rows, columns] = [layer.values.length, layer.values[0].length];
    const [x, y] = [scale.x(layer.x[0]), scale.y(layer.y[1])];
    const [width, height] = [(scale.x(layer.x[1]) - x) / columns, (scale.y(layer.y[0]) - y) / rows];
    if (!layer.labels.length) {
      const size = { width: columns * width, height: rows * height, preserveAspectRatio: "none" };
      marks.ground.push(svg("image", { href: raster(layer), x, y, ...size }));
      return;
    }
    layer.values.flat().forEach((value, i) => {
      const place = { x: x + (i % columns) * width, y: y + (rows - 1 - Math.floor(i / columns)) * height };
      const tile = svg("rect", { ...place, width, height, fill: shaded(layer.scale, value) });
      marks.ground.push(titled(tile, layer.labels[i]));
      const dark = value > 0.7 * layer.scale.high;
      const at = { x: place.x + 5, y: place.y + height - 6, class: dark ? "on-dark" : "on-light" };
      if (layer.texts[i]) marks.texts.push(svg("text", at, layer.texts[i]));
    });
  },
};

/** A fine lattice as an image with one pixel per cell. */
function raster({ values, scale }) {
  const [rows, columns] = [values.length, values[0].length];
  const canvas = h("canvas", { width: columns, height: rows });
  const brush = canvas.getContext("2d");
  const pixels = brush.createImageData(columns, rows);
  const stops = Array.from({ length: 9 }, (_, i) => rgb(styled(`${scale.name}-${i}`)));
  values.forEach((line, j) =>
    line.forEach((value, i) => {
      const place = 8 * Math.min(1, Math.max(0, (value - scale.low) / (scale.high - scale.low)));
      const [low, high] = [stops[Math.floor(place)], stops[Math.ceil(place)]];
      const colour = low.map((part, k) => part + (high[k] - part) * (place % 1));
      pixels.data.set([...colour, 255], 4 * ((rows - 1 - j) * columns + i));
    }),
  );
  brush.putImageData(pixels, 0, 0);
  return canvas.toDataURL();
}

const SHAPES = {
  circle: (x, y, s) => `M${x - s} ${y} a${s} ${s} 0 1 0 ${2 * s} 0 a${s} ${s} 0 1 0 ${-2 * s} 0 Z`,
  diamond: (x, y, s) => `M${x} ${y - s} l${s} ${s} l${-s} ${s} l${-s} ${-s} Z`,
  triangle: (x, y, s) => `M${x} ${y - s} l${s} ${1.85 * s} h${-2 * s} Z`,
  "triangle-down": (x, y, s) => `M${x} ${y + s} l${s} ${-1.85 * s} h${-2 * s} Z`,
  cross: (x, y, s) => {
    const [w, a] = [s / 2.5, s - s / 5];
    return `M${x - w / 2} ${y - s} h${w} v${a} h${a} v${w} h${-a} v${a} h${-w} v${-a} h${-a} v${-w} h${a} Z`;
  },
};

function marker({ shape, fill, edge, edge_width }, x, y, size) {
  const d = SHAPES[shape](x, y, size);
  return svg("path", { d, fill: paint(fill), stroke: paint(edge), "stroke-width": edge_width });
}

/** A triangle in the middle of a line, wider than it, that shows the line's direction. */
function arrow([x1, y1], [x2, y2], half, fill) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy, side] = [(x2 - x1) / length, (y2 - y1) / length, half + 1];
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const at = (along, across) => `${x + along * dx - across * dy} ${y + along * dy + across * dx}`;
  const d = `M${at(side, 0)} L${at(-side, side)} L${at(-side, -side)} Z`;
  return svg("path", { d, fill, stroke: "#fff", "stroke-width": 1.2 });
}

/** The legend: every colour scale, and a sample of every mark that has words for it. */
function keys(panels) {
  const layers = panels.flatMap((panel) => panel.layers);
  const scales = new Map(layers.filter((layer) => layer.scale).map(({ scale }) => [scale.name, scale]));
  const ramps = [...scales.values()].map((scale) =>
    h("li", {}, `${scale.label} `, ...ramp(scale.name, scale.low_label, scale.high_label)),
  );
  const drawn = layers.filter((layer) => layer.legend && (layer.x.length || layer.y?.length));
  const named = new Map(drawn.map((layer) => [layer.legend, layer]));
  return [...ramps, ...[...named].map(([words, layer]) => key(words, ...sample(layer)))];
}

function sample(layer) {
  const paper = layer.colour === "black" ? [svg("rect", { width: 34, height: 16, fill: "#fff" })] : [];
  if (layer.mark === "points") return [marker(layer, 17, 8, Math.min(6, layer.size))];
  if (layer.mark === "band")
    return [svg("rect", { x: 2, y: 1, width: 30, height: 14, fill: paint(layer.colour), opacity: 0.2 })];
  const stroke = layer.scale ? shade(layer.scale.name, 0.5) : paint(layer.colour);
  const widths = [layer.width].flat();
  const [thin, thick] = layer.arrows ? [9, 9] : [Math.min(...widths), Math.min(9, Math.max(...widths))];
  const line = (x1, x2, width) =>
    svg("line", { x1, x2, y1: 8, y2: 8, stroke, "stroke-width": width, "stroke-dasharray": layer.dashed ? "6 4" : null });
  const lines = thin < thick ? [line(2, 16, thin), line(18, 32, thick)] : [line(2, 32, thick)];
  return [...paper, ...lines, ...(layer.arrows ? [arrow([2, 8], [32, 8], 4.5, stroke)] : [])];
}

/** A table that is sorted by the column whose name is clicked; `state` keeps the choice when the numbers change. */
function sortable(record, state, terms) {
  const body = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": record.caption });
  const value = (i) => record.rows[i][record.columns.indexOf(state.sort)];
  const rank = (a, b) =>
    typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : (a ?? -Infinity) - (b ?? -Infinity);
  const cell = (name, entry) => {
    if (typeof entry === "string") return entry;
    return record.percent.includes(name) ? percent(entry) : figure(entry);
  };
  const show = (focus) => {
    const order = record.rows.map((_, i) => i);
    if (state.sort) order.sort((a, b) => (state.falling ? -1 : 1) * rank(value(a), value(b)));
    const shown = state.all ? order : order.slice(0, MOST_ROWS);
    const head = record.columns.map((name) => {
      const sort = () => {
        state.falling = state.sort === name ? !state.falling : typeof record.rows[0]?.[0] !== "string" || name !== record.columns[0];
        state.sort = name;
        show(name);
      };
      const order = name === state.sort ? (state.falling ? "descending" : "ascending") : null;
      const button = h("button", { onclick: sort }, terms.includes(name) ? term(name) : name);
      return h("th", { scope: "col", "aria-sort": order }, button);
    });
    const rows = shown.map((i) =>
      h(
        "tr",
        { class: i === record.highlighted ? "shown" : null },
        record.rows[i].map((entry, j) =>
          j ? h("td", { class: "number" }, cell(record.columns[j], entry)) : h("th", { scope: "row" }, cell(record.columns[0], entry)),
        ),
      ),
    );
    const all = () => {
      state.all = true;
      show();
    };
    body.replaceChildren(
      h(
        "table",
        { class: "menu-table" },
        h("caption", {}, record.caption),
        h("thead", {}, h("tr", {}, head)),
        h("tbody", {}, rows),
      ),
      order.length > shown.length ? h("button", { class: "small", onclick: all }, `Show all ${order.length}`) : "",
    );
    if (focus) head[record.columns.indexOf(focus)].querySelector("button").focus();
  };
  show();
  return body;
}
