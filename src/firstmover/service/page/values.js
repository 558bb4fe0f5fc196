// What was typed: required fields and numbers. Every other rule is the service's, and so is its sentence.

import { figure } from "./dom.js";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function numberIn(text) {
  const value = NUMBER.test(text.trim()) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : null;
}

/** Read a type or a response: {value}, or {error}; `missing` if nothing was typed. */
export function readValue({ name, unit, levels, numbers }, text) {
  if (text.trim() === "") return { error: `${name} is missing.`, missing: true };
  if (levels) return { value: text };
  const parts = numbers ? text.replace(/^\s*\[|\]\s*$/g, "").split(/[\s,;]+/).filter(Boolean) : [text];
  const found = parts.map(numberIn);
  const wrong = found.indexOf(null);
  if (wrong >= 0) return { error: `“${parts[wrong]}” is not a number: give it alone${unit ? `, in ${unit}` : ""}.` };
  return { value: numbers ? found : found[0] };
}

/** The range of a response in words. */
export function rangeOf({ lower = null, upper = null, unit = "" }) {
  const ends = [lower === null ? "" : `from ${figure(lower)}`, upper === null ? "" : `up to ${figure(upper)}`, unit];
  return ends.filter(Boolean).join(" ");
}
