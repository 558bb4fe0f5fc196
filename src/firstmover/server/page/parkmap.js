// The park: animals and patrol side by side, on both where poachers struck and where they are expected.

import { frame, key, ramp, rgb, shade, styled, table } from "./charts.js";
import { figure, h, percent, svg } from "./dom.js";

const CELL = 84;
const LEFT = 44;
const TOP = 10;

export function parkMap() {
  const note = h("p", { class: "soft" });
  const legend = h("ul", { class: "legend", "aria-label": "Legend" });
  const drawings = [0, 1].map(() => svg("svg", { class: "cells", role: "img" }));
  const frames = [frame("Animals", "", drawings[0], "map"), frame("", "", drawings[1], "map")];
  const update = (record) => {
    note.textContent = record.note;
    const most = [Math.max(...record.density.flat()), Math.max(...(record.coverage ?? [[0]]).flat())];
    legend.replaceChildren(...keys(most));
    const grounds = [animals(record, most[0]), patrol(record, most[1])];
    drawings.forEach((drawing, i) => fill(drawing, record, grounds[i]));
    drawings[0].setAttribute("aria-label", `Density of animals. ${summary(record)}`);
    drawings[1].setAttribute("aria-label", `${record.title}. ${summary(record)}`);
    frames[0].update("Animals", "how many there are, as the reward counts it", () => strikes(record));
    frames[1].update(record.title, record.coverage ? "probability that a cell is covered" : "", () => cells(record));
  };
  return {
    element: h(
      "div",
      {},
      legend,
      h(
        "div",
        { class: "panels" },
        frames.map((each) => each.element),
      ),
      note,
    ),
    update,
  };
}

const at = (record, [x, y]) => [LEFT + x * CELL, TOP + (record.cells[1] - y) * CELL];

function fill(drawing, record, ground) {
  const [width, height] = record.cells.map((count) => count * CELL);
  drawing.setAttribute("viewBox", `0 0 ${LEFT + width + 12} ${TOP + height + 42}`);
  drawing.replaceChildren(
    ground,
    axes(record, width, height),
    ...record.seen.map((strike) => struck(at(record, strike.place), strike)),
    ...record.expected.flatMap((each) => box(record, each)),
    ...ground.querySelectorAll("text"), // above the marks
  );
}

/** The density as a small picture, one dot a square, enlarged. */
function animals(record, most) {
  const [rows, columns] = [record.density.length, record.density[0].length];
  const canvas = h("canvas", { width: columns, height: rows });
  const brush = canvas.getContext("2d");
  const pixels = brush.createImageData(columns, rows);
  const stops = Array.from({ length: 9 }, (_, i) => rgb(styled(`density-${i}`)));
  record.density.forEach((line, j) =>
    line.forEach((value, i) => {
      const [place, end] = [(value / most) * 8, 4 * ((rows - 1 - j) * columns + i)];
      const [low, high] = [stops[Math.floor(place)], stops[Math.ceil(place)]];
      pixels.data.set([...low.map((colour, k) => colour + (high[k] - colour) * (place % 1)), 255], end);
    }),
  );
  brush.putImageData(pixels, 0, 0);
  return svg("image", {
    href: canvas.toDataURL(),
    x: LEFT,
    y: TOP,
    width: record.cells[0] * CELL,
    height: record.cells[1] * CELL,
    preserveAspectRatio: "none",
  });
}

function patrol(record, most) {
  const group = svg("g");
  (record.coverage ?? []).forEach((line, j) =>
    line.forEach((share, i) => {
      const [x, y] = at(record, [i, j + 1]);
      const tile = svg("rect", { x, y, width: CELL, height: CELL, fill: shade("coverage", most ? share / most : 0) });
      tile.append(svg("title", {}, `cell ${i + 1},${j + 1}: covered with probability ${percent(share)}`));
      group.append(tile);
      if (share >= 0.005)
        group.append(
          svg(
            "text",
            { x: x + 5, y: y + CELL - 6, class: share > 0.7 * most ? "on-dark" : "on-light" },
            percent(share),
          ),
        );
    }),
  );
  return group;
}

function axes(record, width, height) {
  const group = svg("g", { class: "axes" });
  const bottom = TOP + height;
  for (let i = 0; i <= record.cells[0]; i += 1)
    group.append(
      svg("line", { class: "rule", x1: LEFT + i * CELL, x2: LEFT + i * CELL, y1: TOP, y2: bottom }),
      svg("text", { x: LEFT + i * CELL, y: bottom + 16, "text-anchor": "middle" }, String(i)),
    );
  for (let j = 0; j <= record.cells[1]; j += 1)
    group.append(
      svg("line", { class: "rule", x1: LEFT, x2: LEFT + width, y1: bottom - j * CELL, y2: bottom - j * CELL }),
      svg("text", { x: LEFT - 7, y: bottom - j * CELL + 4, "text-anchor": "end" }, String(j)),
    );
  group.append(
    svg("text", { class: "name", x: LEFT + width / 2, y: bottom + 35, "text-anchor": "middle" }, record.axes[0]),
  );
  group.append(
    svg(
      "text",
      {
        class: "name",
        x: 0,
        y: 0,
        "text-anchor": "middle",
        transform: `translate(14 ${TOP + height / 2}) rotate(-90)`,
      },
      record.axes[1],
    ),
  );
  return group;
}

const up = (x, y) => `M${x} ${y - 6} L${x + 6} ${y + 5} L${x - 6} ${y + 5} Z`;
const down = (x, y) => `M${x} ${y + 6} L${x + 6} ${y - 5} L${x - 6} ${y - 5} Z`;

function struck([x, y], strike) {
  const mark = svg("path", {
    d: strike.same_patrol ? up(x, y) : down(x, y),
    class: strike.same_patrol ? "struck same" : "struck",
  });
  mark.append(svg("title", {}, `round ${strike.round_id}: struck at ${strike.place.map(figure).join(", ")}`));
  return mark;
}

function box(record, { lower, upper, mean }) {
  const [[x1, y2], [x2, y1], [x, y]] = [at(record, lower), at(record, upper), at(record, mean)];
  const place = { x: x1, y: y1, width: Math.max(1, x2 - x1), height: Math.max(1, y2 - y1) };
  const cross = `M${x - 6} ${y} H${x + 6} M${x} ${y - 6} V${y + 6}`;
  return [
    svg("path", { d: cross, stroke: "#fff", "stroke-width": 5 }),
    svg("path", { d: cross, stroke: "#000", "stroke-width": 2.5 }),
    svg("rect", { ...place, class: "halo" }),
    svg("rect", { ...place, class: "box" }),
  ];
}

function summary(record) {
  const places = record.expected.map(
    ({ mean, lower, upper }) =>
      `Poachers are expected at ${mean.map(figure).join(", ")}, between ${lower.map(figure).join(", ")} and ${upper.map(figure).join(", ")}.`,
  );
  return `${record.seen.length} strikes were seen. ${places.join(" ")}`;
}

function strikes(record) {
  const rows = [...record.seen]
    .reverse()
    .map((strike) => [strike.round_id, ...strike.place.map(figure), strike.same_patrol ? "yes" : "no"]);
  return table("Where poachers struck, the latest first", ["round", ...record.axes, "under this patrol"], rows);
}

function cells(record) {
  const rows = (record.coverage ?? []).flatMap((line, j) => line.map((share, i) => [share, `cell ${i + 1},${j + 1}`]));
  rows.sort((a, b) => b[0] - a[0]);
  return table(
    "Cells, the most covered first",
    ["cell", "covered"],
    rows.map(([share, name]) => [name, percent(share)]),
  );
}

function keys([animalsMost, coverMost]) {
  const cross = "M12 8 H22 M17 4 V12";
  return [
    h("li", {}, "animals ", ...ramp("density", "0", figure(animalsMost))),
    h("li", {}, "covered ", ...ramp("coverage", "0 %", percent(coverMost))),
    key("struck, under this patrol", svg("path", { d: up(17, 8), class: "struck same" })),
    key("struck, under another", svg("path", { d: down(17, 8), class: "struck" })),
    key(
      "expected: best guess, and the box around it",
      svg("rect", { width: 34, height: 16, fill: "#fff" }),
      svg("rect", { x: 3, y: 2, width: 28, height: 12, class: "box" }),
      svg("path", { d: cross, stroke: "#000", "stroke-width": 2.5 }),
    ),
  ];
}
