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

/** Other values for a round that is closed, or none: what was before stays on record. */
export function correct({ match, api }, round) {
  const fields = outcomeFields(match, round);
  const reason = reasonField("a few words; they stay on record, and so does what was told before");
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
      : h("label", { class: "check" }, nothing, "Nothing was observed after all: make the round void"),
    reason.element,
  ];
  const lead =
    round.status === "void"
      ? `It was declared void (${round.reason || "no reason"}). Everything is learnt anew with what you give.`
      : `Recorded: ${said({ ...round.opponent_type, ...round.response })}. Everything is learnt anew with what you give.`;
  const act = async () => {
    const values = nothing.checked ? {} : fields.read();
    if (!values) return false;
    if (!reason.check(true)) {
      reason.focus();
      return false;
    }
    await api(pathOf(match.name, "rounds", round.round_id, "corrections"), {
      method: "POST",
      body: { ...values, reason: reason.value() },
    });
    announce(`Round ${round.round_id} is corrected, and all is learnt anew.`);
    return true;
  };
  return ask(`Correct round ${round.round_id}`, lead, content, { submit: "Record the correction", act });
}

/** That nothing will be told of a round that waits. */
export function makeVoid({ match, api }, roundId) {
  const reason = reasonField("a few words; they stay on record");
  const act = async () => {
    if (!reason.check(true)) {
      reason.focus();
      return false;
    }
    await api(pathOf(match.name, "rounds", roundId, "void"), { method: "PUT", body: { reason: reason.value() } });
    announce(`Round ${roundId} is void.`);
    return true;
  };
  const lead =
    "Nothing will be told of this round: it is not learnt from, and the guarantee covers the other rounds only.";
  return ask(`Declare round ${roundId} void`, lead, reason.element, { submit: "Declare it void", act });
}
