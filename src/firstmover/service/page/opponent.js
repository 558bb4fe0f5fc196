// The simulated opponent of a demonstration: it answers on a click, or every few seconds.

import { pathOf } from "./api.js";
import { announce } from "./dom.js";
import { complaint, html, nothing, render } from "./html.js";

const PACES = [
  ["", "on a click"],
  ["0.5", "twice a second"],
  ["2", "every 2 s"],
  ["10", "every 10 s"],
];

export function opponentBar({ match, api, role }) {
  const element = document.createElement("section");
  element.className = "demo screen";
  element.setAttribute("aria-label", "Simulated opponent");
  let [pace, wrong] = ["", ""];
  const send = async (path, options, words) => {
    wrong = "";
    try {
      await api(path, options);
      announce(words);
    } catch (error) {
      wrong = error.message;
    }
    show();
  };
  const answer = () => send(pathOf(match.name, "answer"), { method: "POST" }, "The opponent answered.");
  const setPace = (event) => {
    pace = event.target.value;
    const body = { seconds: pace ? Number(pace) : null };
    send(pathOf(match.name, "timer"), { method: "PUT", body }, "The pace is set.");
  };
  const show = () =>
    render(
      html`<p><strong>A demonstration. </strong>The opponent is simulated and answers on request.</p>
        ${role === "reader"
          ? nothing
          : html`<div class="buttons">
              <button @click=${answer}>Let it answer now</button>
              <label>it answers
                <select @change=${setPace}>
                  ${PACES.map(([value, words]) => html`<option value=${value} ?selected=${value === pace}>${words}</option>`)}
                </select>
              </label>
            </div>`}
        ${complaint(wrong)}`,
      element,
    );
  show();
  api(pathOf(match.name, "timer")).then(
    ({ seconds }) => {
      pace = PACES.find(([value]) => Number(value) === seconds)?.[0] ?? "";
      show();
    },
    () => {},
  ); // without its pace the list says: on a click
  return element;
}
