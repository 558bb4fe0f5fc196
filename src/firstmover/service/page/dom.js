// Elements from names, attributes and children. Text is always text: nothing here reads HTML.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

let count = 0;

/** An id that no other element has, for labels and descriptions. */
export function freshId(stem) {
  count += 1;
  return `${stem}-${count}`;
}

/**
 * An element of index.html.
 * @returns {any} of the kind that the page gives it
 */
export function byId(id) {
  return document.getElementById(id);
}

/** Say something to those who listen to the page rather than look at it. */
export function announce(words) {
  const place = byId("announcer");
  place.textContent = "";
  window.setTimeout(() => {
    place.textContent = words;
  }, 30);
}

/** One sentence of refusal, empty and hidden until it is needed. */
export function complaint(id) {
  return h("p", { id, class: "complaint", role: "alert", hidden: true });
}

export function complain(place, words) {
  place.hidden = !words;
  place.textContent = words || "";
}

const FIGURES = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, useGrouping: true });

/** A number for people: four significant digits at most. */
export function figure(number, decimals = 0) {
  if (number === null || number === undefined) return "–";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return number.toExponential(2).replace("-", "−");
  const format = decimals
    ? new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    : FIGURES;
  return format.format(number).replace("-", "−");
}

/** A count for people. */
export function whole(number) {
  return number.toLocaleString("en");
}

/** A probability for people. */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const hundred = 100 * share;
  if (hundred > 0 && hundred < 0.1) return "below 0.1 %";
  return `${hundred.toFixed(hundred >= 99.95 || hundred === 0 ? 0 : 1)} %`;
}

/** Values by name as a person gave them, as the server says them. */
export function said(values) {
  return Object.entries(values || {})
    .map(([name, value]) => `${name}=${short(value)}`)
    .join(", ");
}

const SHORT = 12; // units that are said with every number

/** What happened in a round, for people: numbers rounded, with short units; what could only be one thing is left out. */
export function happened(round, match) {
  const types = match.types.filter(({ levels }) => levels?.length !== 1);
  const entry = ({ name, unit }, value) => {
    const number = typeof value === "number" ? figure(value) : short(value);
    return `${name} ${number}${unit && unit.length <= SHORT ? ` ${unit}` : ""}`;
  };
  return [
    ...types.map((spec) => entry(spec, round.opponent_type[spec.name])),
    ...match.responses.map((spec) => entry(spec, round.response[spec.name])),
  ].join(", ");
}

function short(value) {
  return Array.isArray(value) ? `${value.length} numbers` : String(value);
}

/** The moment of an event, in the reader's own clock. */
export function moment(clock) {
  const date = new Date(clock);
  if (Number.isNaN(date.getTime())) return clock || "";
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
