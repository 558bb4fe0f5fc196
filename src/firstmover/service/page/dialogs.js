// Forms that ask for a reason, since it stays on record, as modal dialogs or in place; and questions.

import { pathOf } from "./api.js";
import { announce, freshId } from "./dom.js";
import { Fields, outcomeEntries, reasonEntry } from "./fields.js";
import { said } from "./format.js";
import { complaint, html, nothing, render } from "./html.js";

/** A form that is sent once: what it asks for, the error of the last attempt, and two buttons. */
export class SentForm {
  /**
   * @param {{title: string, lead: any, content?: () => any, submit: string, cancel?: string, act: () => Promise<any>}} asked
   * @param {() => void} draw called whenever something is to be drawn again
   * @param {(done: any) => void} close called with what `act` returned, false if it was cancelled
   */
  constructor(asked, draw, close) {
    this.id = freshId("form");
    this.asked = asked;
    this.draw = draw;
    this.close = close;
    this.busy = false;
    this.wrong = "";
  }

  send = async (event) => {
    event.preventDefault();
    [this.busy, this.wrong] = [true, ""];
    this.draw();
    try {
      const done = await this.asked.act();
      if (done) this.close(done);
    } catch (error) {
      this.wrong = error.message;
    }
    this.busy = false;
    this.draw();
  };

  template() {
    const { title, lead, content = () => nothing, submit, cancel = "Cancel" } = this.asked;
    return html`<form novalidate aria-labelledby=${this.id} @submit=${this.send}>
      <h2 id=${this.id}>${title}</h2>
      <p class="soft">${lead}</p>
      ${content()}
      ${complaint(this.wrong)}
      <div class="buttons">
        <button class="primary" type="submit" ?disabled=${this.busy}>${submit}</button>
        <button type="button" @click=${() => this.close(false)}>${cancel}</button>
      </div>
    </form>`;
  }
}

/** A modal dialog around a form; resolves with what it was closed with. */
function ask(asked) {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    let done = /** @type {any} */ (false);
    const draw = () => render(form.template(), dialog);
    const form = new SentForm(asked, draw, (answer) => {
      done = answer;
      dialog.close();
    });
    dialog.setAttribute("aria-labelledby", form.id);
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

/** What to ask for other values of a closed round, or none; the old values stay on record. */
export function correction({ match, api }, round, draw = redraw) {
  const fields = new Fields(outcomeEntries(match, round), draw);
  const reason = new Fields([reasonEntry("a few words; they stay on record with the old values")], draw);
  let empty = false;
  const toggle = (event) => {
    empty = event.target.checked;
    draw();
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
  return { title: `Correct round ${round.round_id}`, lead, content, submit: "Record the correction", act };
}

/** What to ask before a pending round is declared void. */
export function voiding({ match, api }, roundId, draw = redraw) {
  const reason = new Fields([reasonEntry("a few words; they stay on record")], draw);
  const act = async () => {
    const why = reason.read();
    if (!why) return false;
    await api(pathOf(match.name, "rounds", roundId, "void"), { method: "PUT", body: { reason: why[""].reason } });
    announce(`Round ${roundId} is void.`);
    return true;
  };
  return {
    title: `Declare round ${roundId} void`,
    lead: "The learner ignores a void round, and the guarantee covers the other rounds only.",
    content: () => reason.template(),
    submit: "Declare it void",
    act,
  };
}

export function correct(context, round) {
  return ask(correction(context, round));
}

export function makeVoid(context, roundId) {
  return ask(voiding(context, roundId));
}
