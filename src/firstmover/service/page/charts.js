// What all pictures share: the colours of the figures, Observable Plot when it is first needed, a frame with a table.

import { d3library, script } from "./d3.js";
import { figure, percent } from "./format.js";
import { html, nothing, render, svg } from "./html.js";

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

/**
 * A table with the numbers of a picture: rows of cells, numbers aligned right.
 * @param {string} caption
 * @param {any[]} head
 * @param {any[][]} rows
 */
export function table(caption, head, rows) {
  const cell = (value, j) => (j ? html`<td class="number">${value}</td>` : html`<th scope="row">${value}</th>`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption>${caption}</caption>
      <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody>
    </table>
  </div>`;
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
 * @typedef {{series: Series[], x: Axis, y: Axis, summary: string, table: () => any}} Picture
 */

const HEIGHT = { plain: 300, tall: 400, low: 200 };
const DASHES = { solid: undefined, dash: "6 4", dot: "2 3", dashdot: "6 3 2 3", longdash: "10 4" };

/**
 * A chart: `draw(build)` shows the picture that build() returns, again when the colours or the width change.
 * @param {string} title
 * @param {{size?: keyof HEIGHT, tools?: boolean, signal?: AbortSignal}} [options]
 */
export function chart(title, { size = "plain", tools = true, signal } = {}) {
  const [element, place] = [document.createElement("figure"), document.createElement("div")];
  element.className = "picture";
  place.className = `chart waiting ${size}`;
  place.textContent = "…";
  /** @type {(() => Picture) | null} */
  let build = null;
  let [width, open] = [0, false];
  /** The caption, the place of the picture, its keys, and its numbers in a table that the reader may open. */
  const frame = (/** @type {Picture | null} */ picture = null) => {
    const toggled = (event) => {
      open = event.target.open;
      frame(picture);
    };
    const template = html`<figcaption><span>${title}</span><span class="soft">${picture?.summary}</span></figcaption>
      <div>${place}<ul class="legend">${picture ? keys(picture.series) : nothing}</ul></div>
      ${tools ? buttons(title, place) : nothing}
      <details @toggle=${toggled}><summary>As a table</summary>${open && picture ? picture.table() : nothing}</details>`;
    render(template, element);
  };
  const show = async () => {
    if (!build) return;
    const picture = build();
    frame(picture);
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `${title}. ${picture.summary}`);
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
  frame();
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
      const pattern = DASHES[dashed ? "dash" : dash] ?? nothing;
      const sample =
        kind === "dots"
          ? svg`<circle cx="17" cy="8" r="4" fill=${color} />`
          : svg`<line x1="1" x2="33" y1="8" y2="8" stroke=${color} stroke-width="2" stroke-dasharray=${pattern} />`;
      return html`<li><svg width="34" height="16" viewBox="0 0 34 16" aria-hidden="true">${sample}</svg>${name}</li>`;
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
    marginTop: 28,
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
    const link = document.createElement("a");
    [link.href, link.download] = [url, `${filename}.${format}`];
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
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    const brush = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    brush.fillStyle = styled("card");
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
  };
  const makers = { png: raster, svg: async () => vector() };
  const button = ([format, make]) => {
    const name = format.toUpperCase();
    const save = async () => saved(await make(), format);
    return html`<button class="small" aria-label="${title} as ${name}" @click=${save}>${name}</button>`;
  };
  return html`<div class="buttons screen">${Object.entries(makers).map(button)}</div>`;
}

/** A line over rounds. */
export function line(name, x, y, index, more = {}) {
  return { kind: "line", name, x, y, index, ...more };
}

/** A band between two lines, in the colour of one. */
export function band(x, low, high, index) {
  return { kind: "band", x, low, high, index };
}
