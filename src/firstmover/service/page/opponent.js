// The simulated opponent of a demonstration: it answers on a click, or every few seconds.

import { pathOf } from "./api.js";
import { announce, complain, complaint, freshId, h } from "./dom.js";

const PACES = [
  ["", "on a click"],
  ["0.5", "twice a second"],
  ["2", "every 2 s"],
  ["10", "every 10 s"],
];

export function opponentBar({ match, api, role }) {
  const wrong = complaint(freshId("wrong"));
  const send = async (path, options, words) => {
    complain(wrong, "");
    try {
      await api(path, options);
      announce(words);
    } catch (error) {
      complain(wrong, error.message);
    }
  };
  const answer = h(
    "button",
    { onclick: () => send(pathOf(match.name, "answer"), { method: "POST" }, "The opponent answered.") },
    "Let it answer now",
  );
  const pace = h(
    "select",
    {
      onchange: () =>
        send(
          pathOf(match.name, "timer"),
          { method: "PUT", body: { seconds: pace.value ? Number(pace.value) : null } },
          "The pace is set.",
        ),
    },
    PACES.map(([value, words]) => h("option", { value }, words)),
  );
  api(pathOf(match.name, "timer")).then(
    ({ seconds }) => {
      pace.value = PACES.find(([value]) => Number(value) === seconds)?.[0] ?? "";
    },
    () => {},
  ); // without its pace the list says: on a click
  return h(
    "section",
    { class: "demo screen", "aria-label": "Simulated opponent" },
    h(
      "p",
      {},
      h("strong", {}, "A demonstration. "),
      "The opponent is simulated and answers on request.",
    ),
    role !== "reader" ? h("div", { class: "buttons" }, answer, h("label", {}, "it answers ", pace)) : null,
    wrong,
  );
}
