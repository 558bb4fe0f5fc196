// Modal dialogs: corrections and void rounds, which ask for a reason, since it stays on record, and questions.

import { pathOf } from "./api.js";
import { announce } from "./dom.js";
import { Fields, outcomeEntries, reasonEntry } from "./fields.js";
import { said } from "./format.js";
import { html, nothing, render } from "./html.js";

/**
 * A modal dialog around a form; resolves with what `act` returned last, false if it was cancelled.
 * @param {{title: string, lead: any, content?: () => any, submit: string, cancel?: string, act: () => Promise<any>}} options
 * @returns {Promise<any>}
 */
function ask({ title, lead, content = () => nothing, submit, cancel = "Cancel", act }) {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.setAttribute("aria-labelledby", "dialog-title");
    let [done, busy, wrong] = [/** @type {any} */ (false), false, ""];
    const send = async (event) => {
      event.preventDefault();
      [busy, wrong] = [true, ""];
      draw();
      try {
        done = await act();
        if (done) dialog.close();
      } catch (error) {
        wrong = error.message;
      }
      busy = false;
      draw();
    };
    const draw = () =>
      render(
        html`<form novalidate @submit=${send}>
          <h2 id="dialog-title">${title}</h2>
          <p class="soft">${lead}</p>
          ${content()}
          <p class="complaint" role="alert" ?hidden=${!wrong}>${wrong}</p>
          <div class="buttons">
            <button class="primary" type="submit" ?disabled=${busy}>${submit}</button>
            <button type="button" @click=${() => dialog.close()}>${cancel}</button>
          </div>
        </form>`,
        dialog,
      );
    dialog.addEventListener("redraw", draw);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(done);
    });
    draw();
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Draw the open dialog again. */
function redraw() {
  document.querySelector("dialog[open]")?.dispatchEvent(new CustomEvent("redraw"));
}

/** A question with two answers; resolves with whether it was confirmed. */
export function confirmed(title, lead, submit, cancel = "Cancel") {
  return ask({ title, lead, submit, cancel, act: async () => true });
}

/** A text, such as a name; resolves with it, or false. */
export function asked(title, lead, name, given, submit) {
  const fields = new Fields([{ place: "", spec: { name, words: true, hint: "" }, given }], redraw);
  const act = async () => fields.read()?.[""][name] ?? false;
  return ask({ title, lead, content: () => fields.template(), submit, act });
}

/** Other values for a closed round, or none; the old values stay on record. */
export function correct({ match, api }, round) {
  const fields = new Fields(outcomeEntries(match, round), redraw);
  const reason = new Fields([reasonEntry("a few words; they stay on record with the old values")], redraw);
  let empty = false;
  const toggle = (event) => {
    empty = event.target.checked;
    redraw();
  };
  const content = () => html`
    <div class="fields" ?hidden=${empty}>${fields.template()}</div>
    ${round.status === "void"
      ? nothing
      : html`<label class="check"
          ><input type="checkbox" @change=${toggle} />Nothing was observed: make the round void</label
        >`}
    ${reason.template()}
  `;
  const before =
    round.status === "void"
      ? `It was declared void (${round.reason || "no reason"}).`
      : `Recorded: ${said({ ...round.opponent_type, ...round.response })}.`;
  const act = async () => {
    const values = empty ? {} : fields.read();
    const why = reason.read();
    if (!values || !why) return false;
    try {
      const body = { ...(empty ? {} : { opponent_type: {}, ...values }), reason: why[""].reason };
      await api(pathOf(match.name, "rounds", round.round_id, "corrections"), { method: "POST", body });
    } catch (error) {
      if (fields.point(error)) return false;
      throw error;
    }
    announce(`Round ${round.round_id} is corrected.`);
    return true;
  };
  const lead = `${before} The learner is computed again with the new values.`;
  return ask({ title: `Correct round ${round.round_id}`, lead, content, submit: "Record the correction", act });
}

/** Declare that nothing will be observed in a pending round. */
export function makeVoid({ match, api }, roundId) {
  const reason = new Fields([reasonEntry("a few words; they stay on record")], redraw);
  const act = async () => {
    const why = reason.read();
    if (!why) return false;
    await api(pathOf(match.name, "rounds", roundId, "void"), { method: "PUT", body: { reason: why[""].reason } });
    announce(`Round ${roundId} is void.`);
    return true;
  };
  return ask({
    title: `Declare round ${roundId} void`,
    lead: "The learner ignores a void round, and the guarantee covers the other rounds only.",
    content: () => reason.template(),
    submit: "Declare it void",
    act,
  });
}
