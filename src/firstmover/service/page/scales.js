// The colour scales of maps, from the style sheet, so that they follow the light or dark scheme.

import { styled } from "./charts.js";

const STOPS = 9;

/** The colours of a scale, from low to high. */
export function stops(name) {
  return Array.from({ length: STOPS }, (_, i) => styled(`${name}-${i}`));
}

function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

/** A function from a value to its colour as three numbers; values beyond the ends have the colours of the ends. */
function colours({ name, low, high }) {
  const known = stops(name).map(rgb);
  return (value) => {
    const at = Math.min(1, Math.max(0, (value - low) / (high - low || 1))) * (STOPS - 1);
    const [below, above] = [known[Math.floor(at)], known[Math.ceil(at)]];
    return below.map((part, i) => Math.round(part + (above[i] - part) * (at % 1)));
  };
}

/** A function from a value to its colour in a style sheet. */
export function shades(scale) {
  const colour = colours(scale);
  return (value) => `rgb(${colour(value).join(" ")})`;
}

/** @type {WeakMap<object, {scheme: string, address: string}>} */
const images = new WeakMap();

/** A fine lattice as the address of an image with one pixel per cell, made once for each colour scheme. */
export function raster(layer) {
  const scheme = stops(layer.scale.name).join();
  const known = images.get(layer);
  if (known?.scheme === scheme) return known.address;
  const address = image(layer);
  images.set(layer, { scheme, address });
  return address;
}

function image({ values, scale }) {
  const [rows, columns] = [values.length, values[0].length];
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [columns, rows];
  const brush = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const pixels = brush.createImageData(columns, rows);
  const colour = colours(scale);
  values.forEach((line, j) =>
    line.forEach((value, i) => pixels.data.set([...colour(value), 255], 4 * ((rows - 1 - j) * columns + i))),
  );
  brush.putImageData(pixels, 0, 0);
  return canvas.toDataURL();
}
