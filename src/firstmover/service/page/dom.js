// Ids, elements of index.html, and words for those who listen.

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
