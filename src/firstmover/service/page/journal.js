// The journal to take away, and a full check of it.

import { download, pathOf } from "./api.js";
import { complain, complaint, figure, freshId, h, whole } from "./dom.js";

export function tools({ match, api, role }) {
  const found = h("p", { role: "status", class: "found" });
  const wrong = complaint(freshId("wrong"));
  const guarded = (act) => async () => {
    complain(wrong, "");
    try {
      await act();
    } catch (error) {
      found.textContent = "";
      complain(wrong, error.message);
    }
  };
  const save = (form, format) =>
    guarded(() =>
      download(`${pathOf(match.name, "export")}?form=${form}&format=${format}`, `${match.name}-${form}.${format}`),
    );
  const verify = guarded(async () => {
    found.textContent = "Replaying every decision …";
    found.textContent = sentence(await api(pathOf(match.name, "verify"), { method: "POST" }));
  });
  return h(
    "section",
    { class: "tools", "aria-label": "Export and check" },
    h(
      "div",
      { class: "buttons" },
      h("button", { onclick: save("rounds", "csv") }, "Rounds as CSV"),
      h("button", { onclick: save("rounds", "json") }, "Rounds as JSON"),
      h("button", { onclick: save("journal", "json") }, "Whole journal as JSON"),
      role === "owner" ? h("button", { onclick: verify }, "Check the journal") : null,
    ),
    found,
    wrong,
  );
}

function sentence({ events, rounds, exact, largest_difference: largest }) {
  const replayed = `${whole(rounds)} ${rounds === 1 ? "round" : "rounds"} replayed, ${whole(exact)} of them bit for bit`;
  return `Sound: ${whole(events)} events in an unbroken chain; ${replayed}, the largest difference ${figure(largest)}.`;
}
