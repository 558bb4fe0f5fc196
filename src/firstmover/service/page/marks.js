// The marks of a map in SVG: every layer of a panel in pixels, with the places where the pointer meets a row of its table.

import { nothing, svg } from "./html.js";
import { raster, shades } from "./scales.js";

/**
 * A mark: its drawing, the row of the table that it belongs to, its middle, and its outline when it is pointed at.
 * @typedef {{body: any, row?: number, at?: number[], outline?: () => any}} Mark
 * Where values lie in pixels; `grow` scales widths and sizes.
 * @typedef {{x: (value: number) => number, y: (value: number) => number, grow: number}} Place
 */

const NEAR = 10; // pixels around a mark in which it is pointed at

export const paint = (name) => (name === "none" ? name : `var(--${name})`);
const each = (value, i) => (Array.isArray(value) ? value[i] : value);
const dash = (dashed, width) => (dashed ? `${width + 5} ${width + 3}` : nothing);

/**
 * The marks of all layers, in the order in which they are drawn: `ground` lies below the axes.
 * @param {any[]} layers
 * @param {Place} place
 */
export function marksOf(layers, place) {
  /** @type {Record<"ground" | "above" | "arrows" | "texts", Mark[]>} */
  const marks = { ground: [], above: [], arrows: [], texts: [] };
  for (const layer of layers) DRAW[layer.mark](layer, place, marks);
  const { ground, above, arrows, texts } = marks;
  return { ground, above: [...above, ...arrows, ...texts] };
}

const DRAW = {
  lines(layer, place, marks) {
    const shade = layer.scale ? shades(layer.scale) : null;
    layer.y.forEach((ys, i) => {
      const xs = Array.isArray(layer.x[0]) ? layer.x[i] : layer.x;
      const corners = ys.map((y, j) => [place.x(xs[j]), place.y(y)]).filter((_, j) => ys[j] !== null);
      const points = corners.map((corner) => corner.join(",")).join(" ");
      const [width, row] = [place.grow * each(layer.width, i), layer.rows[i]];
      const stroke = shade ? shade(layer.values[i]) : paint(layer.colour);
      const drawn = svg`<polyline points=${points} stroke=${stroke} stroke-width=${width}
        stroke-opacity=${each(layer.opacity, i)} stroke-dasharray=${dash(layer.dashed, width)} />`;
      const wide = (colour, more) => svg`<polyline points=${points} stroke=${paint(colour)} stroke-width=${width + more} />`;
      marks.above.push({
        row,
        at: middle(corners),
        body: row === undefined ? drawn : svg`${drawn}<polyline data-row=${row} points=${points} stroke="transparent"
          stroke-width=${Math.max(NEAR, width)} />`,
        outline: () => [wide("ground", 9), wide("ink", 6), wide("ground", 2), drawn],
      });
      if (layer.arrows) marks.arrows.push({ body: arrow(corners[0], corners.at(-1), width / 2, stroke) });
    });
  },
  points(layer, place, marks) {
    marks.above.push(...marks.arrows.splice(0)); // above all lines so far
    layer.x.forEach((value, i) => {
      const [x, y, size, row] = [place.x(value), place.y(layer.y[i]), place.grow * layer.size, layer.rows[i]];
      const near = row === undefined ? nothing
        : svg`<circle data-row=${row} cx=${x} cy=${y} r=${Math.max(NEAR, size)} fill="transparent" />`;
      const words = layer.texts[i] ? svg`<text x=${x} y=${y + 4} class=${layer.shape ? "label" : ""} text-anchor="middle"
        fill=${paint(layer.shape ? "ink" : layer.fill)}>${layer.texts[i]}</text>` : nothing;
      const ring = (colour, width) => svg`<circle cx=${x} cy=${y} r=${size + 5} fill="none" stroke=${paint(colour)}
        stroke-width=${width} />`;
      const drawn = layer.shape ? marker(layer, x, y, size) : nothing;
      marks.above.push({ row, at: [x, y], body: [drawn, words, near], outline: () => [ring("ground", 6), ring("ink", 3), drawn] });
    });
  },
  band(layer, place, marks) {
    const ends = layer.x.map((_, i) => i).filter((i) => layer.lower[i] !== null && layer.upper[i] !== null);
    const edge = (ys) => ends.map((i) => `${place.x(layer.x[i])},${place.y(ys[i])}`);
    const points = [...edge(layer.upper), ...edge(layer.lower).reverse()].join(" ");
    marks.ground.push({ body: svg`<polygon points=${points} fill=${paint(layer.colour)} opacity="0.2" />` });
  },
  cells(layer, place, marks) {
    const [rows, columns] = [layer.values.length, layer.values[0].length];
    const [x, y] = [place.x(layer.x[0]), place.y(layer.y[1])];
    const [width, height] = [(place.x(layer.x[1]) - x) / columns, (place.y(layer.y[0]) - y) / rows];
    if (!layer.rows.length) {
      const body = svg`<image href=${raster(layer)} x=${x} y=${y} width=${columns * width} height=${rows * height}
        preserveAspectRatio="none" />`;
      marks.ground.push({ body });
      return;
    }
    const shade = layer.scale ? shades(layer.scale) : () => "transparent";
    layer.values.flat().forEach((value, i) => {
      const [left, top] = [x + (i % columns) * width, y + (rows - 1 - Math.floor(i / columns)) * height];
      const edge = (colour, thick) => svg`<rect x=${left} y=${top} width=${width} height=${height} fill="none"
        stroke=${paint(colour)} stroke-width=${thick} />`;
      marks.ground.push({
        row: layer.rows[i],
        at: [left + width / 2, top + height / 2],
        body: svg`<rect data-row=${layer.rows[i]} x=${left} y=${top} width=${width} height=${height} fill=${shade(value)} />`,
        outline: () => [edge("ground", 6), edge("ink", 3)],
      });
      if (layer.texts[i])
        marks.texts.push({ body: svg`<text x=${left + 5} y=${top + height - 6} class="value">${layer.texts[i]}</text>` });
    });
  },
};

/** The point halfway along a line. */
function middle(corners) {
  const half = (corners.length - 1) / 2;
  const [a, b] = [corners[Math.floor(half)], corners[Math.ceil(half)]];
  return a && b ? [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] : undefined;
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

export function marker({ shape, fill, edge, edge_width, opacity }, x, y, size) {
  return svg`<path d=${SHAPES[shape](x, y, size)} fill=${paint(fill)} stroke=${paint(edge)} stroke-width=${edge_width}
    opacity=${opacity} />`;
}

/** A triangle in the middle of a line, wider than it, that shows the line's direction. */
export function arrow([x1, y1], [x2, y2], half, fill) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy, side] = [(x2 - x1) / length, (y2 - y1) / length, half + 1];
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const at = (along, across) => `${x + along * dx - across * dy} ${y + along * dy + across * dx}`;
  const d = `M${at(side, 0)} L${at(-side, side)} L${at(-side, -side)} Z`;
  return svg`<path d=${d} fill=${fill} stroke=${paint("ground")} stroke-width="1.5" />`;
}
