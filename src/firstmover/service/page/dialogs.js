// Corrections and void rounds: each asks for a reason, since it stays on record.

import { pathOf } from "./api.js";
import { announce, complain, complaint, freshId, h, said } from "./dom.js";
import { outcomeFields, reasonField } from "./fields.js";

/** A modal dialog around a form; resolves with whether something was recorded. */
function ask(title, lead, content, { submit, act }) {
  return new Promise((resolve) => {
    const titleId = freshId("title");
    const wrong = complaint(freshId("wrong"));
    const button = h("button", { class: "primary", type: "submit" }, submit);
    const form = h(
      "form",
      { novalidate: true },
      h("h2", { id: titleId }, title),
      h("p", { class: "soft" }, lead),
      content,
      wrong,
      h("div", { class: "buttons" }, button, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")),
    );
    const dialog = h("dialog", { "aria-labelledby": titleId }, form);
    let done = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      complain(wrong, "");
      button.disabled = true;
      try {
        done = await act();
        if (done) dialog.close();
      } catch (error) {
        complain(wrong, error.message);
      } finally {
        button.disabled = false;
      }
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(done);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

function given(field) {
  const good = field.check();
  if (!good) field.focus();
  return good;
}

/** Other values for a closed round, or none; the old values stay on record. */
export function correct({ match, api }, round) {
  const fields = outcomeFields(match, round);
  const reason = reasonField("a few words; they stay on record with the old values");
  const nothing = h("input", {
    type: "checkbox",
    onchange: () => {
      fields.element.hidden = nothing.checked;
    },
  });
  const content = [
    fields.element,
    round.status === "void"
      ? null
      : h("label", { class: "check" }, nothing, "Nothing was observed: make the round void"),
    reason.element,
  ];
  const lead =
    round.status === "void"
      ? `It was declared void (${round.reason || "no reason"}). The learner is computed again with the new values.`
      : `Recorded: ${said({ ...round.opponent_type, ...round.response })}. The learner is computed again with the new values.`;
  const act = async () => {
    const values = nothing.checked ? {} : fields.read();
    if (!values || !given(reason)) return false;
    await api(pathOf(match.name, "rounds", round.round_id, "corrections"), {
      method: "POST",
      body: { ...values, reason: reason.value() },
    });
    announce(`Round ${round.round_id} is corrected.`);
    return true;
  };
  return ask(`Correct round ${round.round_id}`, lead, content, { submit: "Record the correction", act });
}

/** Declare that nothing will be observed in a pending round. */
export function makeVoid({ match, api }, roundId) {
  const reason = reasonField("a few words; they stay on record");
  const act = async () => {
    if (!given(reason)) return false;
    await api(pathOf(match.name, "rounds", roundId, "void"), { method: "PUT", body: { reason: reason.value() } });
    announce(`Round ${roundId} is void.`);
    return true;
  };
  const lead =
    "The learner ignores a void round, and the guarantee covers the other rounds only.";
  return ask(`Declare round ${roundId} void`, lead, reason.element, { submit: "Declare it void", act });
}
