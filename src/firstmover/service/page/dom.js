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
