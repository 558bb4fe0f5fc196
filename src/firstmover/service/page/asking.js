// Ask for an action: of the next round, or of another one while some are pending.

import { pathOf } from "./api.js";
import { announce, complain, complaint, freshId, h } from "./dom.js";

/** The form that asks; `another` while a round is pending, which needs a name. */
export function asking(view, { another }) {
  const wrong = complaint(freshId("wrong"));
  const button = h(
    "button",
    { class: another ? null : "primary big" },
    another ? "Begin it" : "Ask for the next action",
  );
  const name = h("input", {
    id: freshId("field"),
    type: "text",
    autocomplete: "off",
    maxlength: 80,
    required: another,
  });
  const ask = async (event) => {
    event.preventDefault();
    complain(wrong, "");
    const id = name.value.trim();
    if (another && !id) {
      complain(wrong, "Give the round a name.");
      name.focus();
      return;
    }
    button.disabled = true;
    try {
      const round = await asked(view.context, id);
      view.chosen = id || null;
      await view.refresh();
      announce(`Round ${round.round_id}: ${round.label}`);
      document.getElementById("do")?.focus();
    } catch (error) {
      complain(wrong, error.message);
    } finally {
      button.disabled = false;
    }
  };
  const named = [h("label", { for: name.id }, another ? "Name of the other round" : "Name, such as a date"), name];
  return another ? besides(ask, named, button, wrong) : ready(ask, named, button, wrong);
}

function asked({ match, api }, id) {
  if (id) return api(pathOf(match.name, "rounds", id), { method: "PUT" });
  return api(pathOf(match.name, "ask"), { method: "POST" });
}

function ready(ask, named, button, wrong) {
  return h(
    "form",
    { class: "card hero", onsubmit: ask, novalidate: true },
    h("p", { class: "eyebrow" }, "No round is pending"),
    h("h1", { tabindex: "-1" }, "Ready for the next round"),
    h("p", { class: "lead" }, "The action is drawn and recorded before it is shown; asking again returns the same action."),
    h("div", { class: "buttons" }, button),
    wrong,
    h("details", { class: "more" }, h("summary", {}, "Name the round yourself"), h("div", {}, named)),
  );
}

function besides(ask, named, button, wrong) {
  return h(
    "details",
    { class: "more screen" },
    h("summary", {}, "Begin another round before this one is recorded"),
    h("form", { onsubmit: ask, novalidate: true }, named, h("div", { class: "buttons" }, button), wrong),
  );
}

/** What readers see: that a round is pending, never its action. */
export function watching(pending) {
  const [head, words] = pending.length
    ? [`Round ${pending.join(", ")} is being played`, "Its action is shown when the round is told or void."]
    : ["No round is being played now", "The next one is shown as soon as it begins."];
  return h(
    "section",
    { class: "card hero" },
    h("p", { class: "eyebrow" }, "Watching"),
    h("h1", { tabindex: "-1" }, head),
    h("p", { class: "lead" }, words),
  );
}
