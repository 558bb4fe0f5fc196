// What all pictures share: the colours of the figures, Observable Plot when it is first needed, a frame with a table.

import { d3library, script } from "./d3.js";
import { h, svg } from "./dom.js";
import { figure, percent } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";

const styles = () => getComputedStyle(document.documentElement);

/** A colour, dash or marker of the one table of all figures. */
export function styled(name) {
  return styles().getPropertyValue(`--${name}`).trim();
}

const LENGTHS = { line: 7, dash: 5, marker: 8 };

/** Colour, dash and marker of a figure's line: distinct without colour too. */
export function look(index) {
  const [color, dash, marker] = Object.entries(LENGTHS).map(([name, length]) => styled(`${name}-${index % length}`));
  return { color, dash, marker };
}

/** A sample of a mark and what it means. */
function key(words, ...marks) {
  return h(
    "li",
    {},
    svg("svg", { width: 34, height: 16, viewBox: "0 0 34 16", "aria-hidden": "true" }, ...marks),
    words,
  );
}

/**
 * A table with the numbers of a picture: rows of cells, numbers aligned right.
 * @param {string} caption
 * @param {any[]} head
 * @param {any[][]} rows
 * @param {(row: any[], i: number) => string | null} [rowClass]
 */
export function table(caption, head, rows, rowClass = () => null) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row, i) =>
          h(
            "tr",
            { class: rowClass(row, i) },
            row.map((cell, j) => (j === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: "number" }, cell))),
          ),
        ),
      ),
    ),
  );
}

/** A frame: caption, picture, and its words in a table that opens below; `update` keeps what the reader opened. */
function frame(title, soft, picture) {
  const [name, note, words] = [h("span", {}, title), h("span", { class: "soft" }, soft), h("div")];
  const details = h("details", {}, h("summary", {}, "As a table"), words);
  const element = h("figure", { class: "picture" }, h("figcaption", {}, name, note), picture, details);
  const update = (newTitle, newSoft, makeTable) => {
    [name.textContent, note.textContent] = [newTitle, newSoft];
    details.ontoggle = () => details.open && words.replaceChildren(makeTable());
    if (details.open) words.replaceChildren(makeTable());
  };
  return { element, update };
}

/** @type {Promise<any> | null} */
let loading = null;

/** Observable Plot, from this server, the first time that a chart is drawn. */
function library() {
  loading ??= d3library()
    .then(() => script("vendor/plot.umd.min.js"))
    .then(() => /** @type {any} */ (window).Plot)
    .catch((error) => {
      loading = null;
      throw error;
    });
  return loading;
}

/**
 * A series of a chart: a line, dots or a band over x, with the look of a number; `labels` are shown on hover.
 * @typedef {{kind: "line" | "dots" | "band", name?: string, x: number[], y?: (number | null)[], low?: (number | null)[],
 *   high?: (number | null)[], labels?: string[], index: number, dashed?: boolean, thin?: boolean}} Series
 * @typedef {{label: string, domain?: [number, number], percent?: boolean, zero?: boolean, whole?: boolean}} Axis
 * @typedef {{series: Series[], x: Axis, y: Axis, summary: string, table: () => Element}} Picture
 */

const HEIGHT = { plain: 300, tall: 400, low: 200 };
const DASHES = { solid: undefined, dash: "6 4", dot: "2 3", dashdot: "6 3 2 3", longdash: "10 4" };

/**
 * A chart: `draw(build)` shows the picture that build() returns, again when the colours or the width change.
 * @param {string} title
 * @param {{size?: keyof HEIGHT, tools?: boolean, signal?: AbortSignal}} [options]
 */
export function chart(title, { size = "plain", tools = true, signal } = {}) {
  const place = h("div", { class: `chart waiting ${size}` }, "…");
  const names = h("ul", { class: "legend" });
  const { element, update } = frame(title, "", h("div", {}, place, names));
  /** @type {(() => Picture) | null} */
  let build = null;
  let width = 0;
  const show = async () => {
    if (!build) return;
    const picture = build();
    update(title, picture.summary, picture.table);
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `${title}. ${picture.summary}`);
    names.replaceChildren(...keys(picture.series));
    try {
      const Plot = await library();
      if (signal?.aborted) return;
      width = Math.round(place.clientWidth);
      const drawn = plotted(Plot, picture, width, HEIGHT[size]);
      drawn.setAttribute("aria-hidden", "true");
      place.classList.remove("waiting");
      place.replaceChildren(drawn);
    } catch (error) {
      if (place.classList.contains("waiting")) place.textContent = error.message;
    }
  };
  if (tools) element.querySelector("details").before(buttons(title, place));
  window.addEventListener("firstmover-theme", show, { signal });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show, { signal });
  const resized = new ResizeObserver(() => Math.round(place.clientWidth) !== width && show());
  resized.observe(place);
  signal?.addEventListener("abort", () => resized.disconnect());
  return {
    element,
    draw: (make) => {
      build = make;
      return show();
    },
  };
}

/** A sample of every line and dot that has a name. */
function keys(series) {
  return series
    .filter(({ name, kind }) => name && kind !== "band")
    .map(({ name, kind, index, dashed }) => {
      const { color, dash } = look(index);
      const line = { x1: 1, x2: 33, y1: 8, y2: 8, stroke: color, "stroke-width": 2 };
      const pattern = DASHES[dashed ? "dash" : dash];
      return key(
        name,
        kind === "dots"
          ? svg("circle", { cx: 17, cy: 8, r: 4, fill: color })
          : svg("line", { ...line, ...(pattern ? { "stroke-dasharray": pattern } : {}) }),
      );
    });
}

/** The picture as an SVG element. */
function plotted(Plot, { series, x, y }, width, height) {
  const rows = series.map((each) =>
    each.x
      .map((at, i) => ({
        x: at,
        y: each.y?.[i] ?? null,
        low: each.low?.[i] ?? null,
        high: each.high?.[i] ?? null,
        title: [each.labels?.[i] ?? each.name, `${said(x, at)}`, `${said(y, each.y?.[i] ?? null)}`].filter(Boolean).join("\n"),
      }))
      .filter((row) => (each.kind === "band" ? row.low !== null && row.high !== null : row.y !== null)),
  );
  const marks = series.map(({ kind, index, dashed, thin }, i) => {
    const { color, dash } = look(index);
    if (kind === "band") return Plot.areaY(rows[i], { x: "x", y1: "low", y2: "high", fill: color, fillOpacity: 0.16 });
    if (kind === "dots") return Plot.dot(rows[i], { x: "x", y: "y", fill: color, fillOpacity: 0.7, r: 3.5 });
    const strokeDasharray = DASHES[dashed ? "dash" : dash];
    return Plot.line(rows[i], { x: "x", y: "y", stroke: color, strokeWidth: thin ? 1 : 2, strokeDasharray });
  });
  const pointed = rows.filter((_, i) => series[i].kind !== "band" && !series[i].thin).flat();
  const axis = ({ label, domain, percent: shares, zero, whole: counts }) => ({
    label,
    domain,
    zero,
    tickFormat: (value) => (shares ? `${Math.round(100 * value)} %` : counts && value % 1 ? "" : figure(value)),
    grid: true,
  });
  return Plot.plot({
    width,
    height,
    marginLeft: 56,
    marginBottom: 44,
    style: { background: "transparent", color: styled("ink"), fontSize: "13px", fontFamily: "inherit" },
    x: { ...axis(x), ticks: Math.max(3, Math.floor(width / 90)) },
    y: axis(y),
    marks: [...marks, Plot.tip(pointed, Plot.pointer({ x: "x", y: "y", title: "title", fill: styled("card") }))],
  });
}

function said({ label, percent: shares }, value) {
  if (value === null) return "";
  return `${label.replaceAll("\n", " ")} ${shares ? percent(value) : figure(value)}`;
}

/** Save the picture, with the colours that it has. */
function buttons(title, place) {
  const filename = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const saved = (url, format) => {
    const link = h("a", { href: url, download: `${filename}.${format}` });
    link.click();
  };
  const text = () => {
    const copy = place.querySelector("svg").cloneNode(true);
    copy.setAttribute("xmlns", SVG);
    copy.style.background = styled("card");
    return new XMLSerializer().serializeToString(copy);
  };
  const vector = () => URL.createObjectURL(new Blob([text()], { type: "image/svg+xml" }));
  const raster = async () => {
    const image = new Image();
    image.src = vector();
    await image.decode();
    const canvas = h("canvas", { width: 2 * image.width, height: 2 * image.height });
    const brush = canvas.getContext("2d");
    brush.fillStyle = styled("card");
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
  };
  const makers = { png: raster, svg: async () => vector() };
  return h(
    "div",
    { class: "buttons screen" },
    Object.entries(makers).map(([format, make]) =>
      h(
        "button",
        {
          class: "small",
          onclick: async () => saved(await make(), format),
          "aria-label": `${title} as ${format.toUpperCase()}`,
        },
        format.toUpperCase(),
      ),
    ),
  );
}

/** A line over rounds. */
export function line(name, x, y, index, more = {}) {
  return { kind: "line", name, x, y, index, ...more };
}

/** A band between two lines, in the colour of one. */
export function band(x, low, high, index) {
  return { kind: "band", x, low, high, index };
}
