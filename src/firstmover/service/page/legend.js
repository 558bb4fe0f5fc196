// The legend of a map: its colour scales, and a sample of every mark that has words for it.

import { html, svg } from "./html.js";
import { arrow, marker, paint } from "./marks.js";
import { shades, stops } from "./scales.js";
import { freshId } from "./dom.js";

export function legend(panels) {
  const layers = panels.flatMap((panel) => panel.layers);
  const scales = new Map(layers.filter((layer) => layer.scale).map(({ scale }) => [scale.name, scale]));
  const named = new Map(
    layers.filter((layer) => layer.legend && (layer.x.length || layer.y?.length)).map((layer) => [layer.legend, layer]),
  );
  return html`<ul class="legend" aria-label="Legend">
    ${[...scales.values()].map(
      (scale) => html`<li>${scale.label} ${scale.low_label} ${ramp(scale)} ${scale.high_label}</li>`,
    )}
    ${[...named].map(
      ([words, layer]) =>
        html`<li><svg width="34" height="16" viewBox="0 0 34 16" aria-hidden="true">${sample(layer)}</svg>${words}</li>`,
    )}
  </ul>`;
}

function ramp({ name }) {
  const [id, colours] = [freshId("ramp"), stops(name)];
  return html`<svg width="110" height="14" viewBox="0 0 110 14" aria-hidden="true">
    <defs>
      <linearGradient id=${id}>
        ${colours.map((colour, i) => svg`<stop offset=${i / (colours.length - 1)} stop-color=${colour} />`)}
      </linearGradient>
    </defs>
    <rect width="110" height="14" rx="3" fill=${`url(#${id})`} stroke="currentColor" stroke-width="0.5" />
  </svg>`;
}

function sample(layer) {
  if (layer.mark === "points") return marker(layer, 17, 8, Math.min(6, layer.size));
  if (layer.mark === "band")
    return svg`<rect x="2" y="1" width="30" height="14" fill=${paint(layer.colour)} opacity="0.2" />`;
  const most = layer.scale ? layer.values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0) : 0;
  const stroke = layer.scale ? shades(layer.scale)(most) : paint(layer.colour);
  const widths = [layer.width].flat();
  const [thin, thick] = layer.arrows ? [9, 9] : [Math.min(...widths), Math.min(9, Math.max(...widths))];
  const line = (from, to, width) =>
    svg`<line x1=${from} x2=${to} y1="8" y2="8" stroke=${stroke} stroke-width=${width} stroke-dasharray=${layer.dashed ? "6 4" : "none"} />`;
  const lines = thin < thick && layer.scale ? [line(2, 16, thin), line(18, 32, thick)] : [line(2, 32, thick)];
  return [...lines, layer.arrows ? arrow([2, 8], [32, 8], 4.5, stroke) : ""];
}
