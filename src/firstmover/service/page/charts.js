// What all pictures share: the colours of the figures, plotly when it is first needed, a frame with a table as its words.

import { freshId, h, svg } from "./dom.js";

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

const STOPS = 9;

/** A colour of a map's scale, light (0) to dark (1). */
export function shade(scale, share) {
  const at = Math.min(1, Math.max(0, share)) * (STOPS - 1);
  const [low, high] = [Math.floor(at), Math.ceil(at)].map((i) => rgb(styled(`${scale}-${i}`)));
  return `rgb(${low.map((value, i) => Math.round(value + (high[i] - value) * (at % 1))).join(" ")})`;
}

export function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

/** A scale as a legend shows it. */
export function ramp(scale, low, high) {
  const id = freshId("ramp");
  const stops = Array.from({ length: STOPS }, (_, i) =>
    svg("stop", { offset: i / (STOPS - 1), "stop-color": styled(`${scale}-${i}`) }),
  );
  return [
    low,
    svg(
      "svg",
      { width: 110, height: 14, viewBox: "0 0 110 14", "aria-hidden": "true" },
      svg("defs", {}, svg("linearGradient", { id }, ...stops)),
      svg("rect", { width: 110, height: 14, fill: `url(#${id})`, stroke: "currentColor", "stroke-width": 0.5 }),
    ),
    high,
  ];
}

/** A sample of a mark and what it means. */
export function key(words, ...marks) {
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
export function frame(title, soft, picture, kind = "") {
  const [name, note, words] = [h("span", {}, title), h("span", { class: "soft" }, soft), h("div")];
  const details = h("details", {}, h("summary", {}, "As a table"), words);
  const element = h("figure", { class: `picture ${kind}` }, h("figcaption", {}, name, note), picture, details);
  const update = (newTitle, newSoft, makeTable) => {
    [name.textContent, note.textContent] = [newTitle, newSoft];
    details.ontoggle = () => details.open && words.replaceChildren(makeTable());
    if (details.open) words.replaceChildren(makeTable());
  };
  return { element, update };
}

let loading = null;

/** plotly, from this server, the first time that a chart is drawn. */
export function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = h("script", { src: "vendor/plotly.min.js" });
    script.onload = () => resolve(/** @type {any} */ (window).Plotly);
    script.onerror = () => {
      loading = null;
      reject(
        new Error(
          "The plotting library did not load: install firstmover[web] on the server; the tables show the same.",
        ),
      );
    };
    document.head.append(script);
  });
  return loading;
}

const CONFIG = { displayModeBar: false, responsive: true };

/**
 * A chart: `draw(build)` shows what build() returns, {traces, layout, summary, table}, again when the colours change.
 * @param {string} title
 * @param {{tall?: boolean, tools?: boolean, signal?: AbortSignal}} [options]
 */
export function chart(title, { tall = false, tools = true, signal } = {}) {
  const place = h("div", { class: `chart waiting${tall ? " tall" : ""}` }, "…");
  const { element, update } = frame(title, "", place);
  let build = null;
  const show = async () => {
    const { traces, layout, summary, table: words } = build();
    update(title, summary, words);
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `${title}. ${summary}`);
    try {
      const Plotly = await plotly();
      if (signal?.aborted) return;
      if (place.classList.contains("waiting")) place.replaceChildren();
      place.classList.remove("waiting");
      await Plotly.react(place, traces, full(layout), CONFIG);
      for (const hidden of place.querySelectorAll("svg, div")) hidden.setAttribute("aria-hidden", "true");
    } catch (error) {
      if (place.classList.contains("waiting")) place.textContent = error.message;
    }
  };
  if (tools) element.querySelector("details").before(buttons(title, place));
  const again = () => build && show();
  window.addEventListener("firstmover-theme", again, { signal });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal });
  return {
    element,
    draw: (make) => {
      build = make;
      return show();
    },
  };
}

function buttons(title, place) {
  const filename = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const save = async (format) => (await plotly()).downloadImage(place, { format, filename, width: 1000, height: 560 });
  const whole = async () => (await plotly()).relayout(place, { "xaxis.autorange": true, "yaxis.autorange": true });
  return h(
    "div",
    { class: "buttons screen" },
    ["png", "svg"].map((format) =>
      h(
        "button",
        { class: "small", onclick: () => save(format), "aria-label": `${title} as ${format.toUpperCase()}` },
        format.toUpperCase(),
      ),
    ),
    h("button", { class: "small", onclick: whole, "aria-label": `Whole again: ${title}` }, "Whole"),
  );
}

/** A layout in the page's colours; the same `uirevision` keeps the reader's zoom when data come. */
function full(layout) {
  const [ink, line, card] = ["ink", "line", "card"].map(styled);
  const axis = { gridcolor: line, linecolor: ink, zerolinecolor: line, automargin: true, color: ink };
  return {
    uirevision: "kept",
    paper_bgcolor: card,
    plot_bgcolor: card,
    font: { color: ink, size: 13, family: "system-ui, sans-serif" },
    margin: { l: 56, r: 12, t: 8, b: 44 },
    legend: { orientation: "h", yref: "container", y: 0, yanchor: "bottom", font: { size: 12 } },
    hovermode: "closest",
    ...layout,
    xaxis: { ...axis, ...layout.xaxis, title: { text: layout.xaxis?.title ?? "", standoff: 8 } },
    yaxis: { ...axis, ...layout.yaxis, title: { text: layout.yaxis?.title ?? "", standoff: 8 } },
  };
}

/** Words for plotly, which reads a little HTML: here they are only words. */
export function written(words) {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>");
}

/** A line over rounds. */
export function line(name, x, y, index, more = {}) {
  const { color, dash, marker } = look(index);
  const marks = more.marks ? { marker: { symbol: marker, size: 8, color, maxdisplayed: 8 } } : {};
  return {
    name: written(name),
    x,
    y,
    mode: more.marks ? "lines+markers" : "lines",
    line: { color, dash, width: 2 },
    ...marks,
    hovertemplate: "%{y:.4~g} at %{x}<extra>%{fullData.name}</extra>",
  };
}

/** A band between two lines, in the colour of one. */
export function band(x, low, high, index) {
  const [r, g, b] = rgb(look(index).color);
  const edge = { x: [...x, ...[...x].reverse()], y: [...high, ...[...low].reverse()] };
  return {
    ...edge,
    mode: "lines",
    line: { width: 0 },
    fill: "toself",
    fillcolor: `rgba(${r},${g},${b},0.16)`,
    hoverinfo: "skip",
    showlegend: false,
  };
}
