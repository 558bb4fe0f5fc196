// The form of what happened: drafts are kept, surprising values are questioned, and something else may have been done.

import { pathOf } from "./api.js";
import { wholeMenu } from "./asking.js";
import { confirmed, makeVoid } from "./dialogs.js";
import { announce } from "./dom.js";
import { draftOf, keepDraft } from "./drafts.js";
import { Fields, outcomeEntries } from "./fields.js";
import { complaint, html, live, nothing } from "./html.js";

/** The form of one pending round. */
export class OutcomeForm {
  constructor(view, round) {
    this.view = view;
    this.round = round;
    this.fields = new Fields(outcomeEntries(view.context.match), () => this.changed());
    this.played = "";
    this.menu = null;
    this.wrong = "";
    this.busy = false;
    const draft = draftOf(view.context.match.name, round.round_id);
    if (draft) {
      this.fields.texts = draft.texts ?? [];
      this.played = draft.played ?? "";
      if (this.played) this.look();
    }
  }

  changed() {
    const draft = this.fields.touched || this.played ? { texts: this.fields.texts, played: this.played } : null;
    keepDraft(this.view.context.match.name, this.round.round_id, draft);
    this.view.draw();
  }

  look = async () => {
    this.menu ??= await wholeMenu(this.view.context);
    this.view.draw();
  };

  tell = async (event) => {
    event.preventDefault();
    this.wrong = "";
    const values = this.fields.read();
    if (!values) return;
    const { match, api } = this.view.context;
    const path = (last) => pathOf(match.name, "rounds", this.round.round_id, last);
    const body = { opponent_type: {}, ...values, ...(this.played ? { played: this.played } : {}) };
    this.busy = true;
    this.view.draw();
    try {
      const check = await api(path("check"), { method: "POST", body });
      const sure =
        !check.questions.length ||
        (await confirmed("Is that right?", check.questions.join(" "), "Yes, record it", "No, let me look again"));
      if (sure) {
        await api(path("outcome"), { method: "PUT", body });
        keepDraft(match.name, this.round.round_id, null);
        await this.view.told(this.round.round_id, check);
        announce(`Round ${this.round.round_id} is recorded.`);
      }
    } catch (error) {
      if (!this.fields.point(error)) this.wrong = error.message;
    }
    this.busy = false;
    this.view.draw();
  };

  void = async () => {
    if (await makeVoid(this.view.context, this.round.round_id)) await this.view.refresh();
  };

  instead() {
    const chosen = (event) => {
      this.played = event.target.value;
      this.changed();
    };
    return html`<details class="more" ?open=${Boolean(this.played)} @toggle=${(event) => event.target.open && this.look()}>
      <summary>We did something else</summary>
      <div class="field">
        <label for="played">What was done instead</label>
        <select id="played" @change=${chosen}>
          <option value="" .selected=${live(this.played === "")}>what was advised</option>
          ${(this.menu ?? [])
            .filter(({ label }) => label !== this.round.label)
            .map(({ label }) => html`<option .value=${label} .selected=${live(label === this.played)}>${label}</option>`)}
        </select>
        <p class="hint">The model learns from what was done; the advice stays on record.</p>
      </div>
    </details>`;
  }

  template() {
    return html`<form class="card screen" novalidate aria-labelledby="happened" @submit=${this.tell}>
      <p class="eyebrow"><span class="step">Then record</span>Round ${this.round.round_id}</p>
      <h2 id="happened">What happened?</h2>
      <div class="fields">${this.fields.template()}</div>
      ${complaint(this.wrong)}
      <div class="buttons">
        <button class="primary" type="submit" ?disabled=${this.busy}>
          ${this.busy ? "Recording …" : "Record what happened"}
        </button>
      </div>
      ${this.view.context.match.types.length || this.round.label ? this.instead() : nothing}
      <button type="button" class="quiet" @click=${this.void}>Nothing was observed: declare it void&nbsp;…</button>
    </form>`;
  }
}
