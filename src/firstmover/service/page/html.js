// Templates: text is always text, and only what changed is drawn again.

import { html, nothing, render, svg } from "./vendor/lit-html/lit-html.js";

export { html, nothing, render, svg };
export { keyed } from "./vendor/lit-html/directives/keyed.js";
export { live } from "./vendor/lit-html/directives/live.js";
export { repeat } from "./vendor/lit-html/directives/repeat.js";

/** One sentence of refusal, hidden until it is needed. */
export function complaint(words, id = "") {
  return html`<p id=${id || nothing} class="complaint" role="alert" ?hidden=${!words}>${words}</p>`;
}
