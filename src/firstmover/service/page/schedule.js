// The form in which owners set the schedule of rounds.

import { pathOf } from "./api.js";
import { announce } from "./dom.js";
import { complaint, html, live, nothing } from "./html.js";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const CHOICES = { "every day": DAYS, "on weekdays": DAYS.slice(0, 5), ...Object.fromEntries(DAYS.map((day) => [`on ${day}`, [day]])) };

/** The form of the schedule, for owners. */
export class ScheduleForm {
  constructor(context, draw) {
    this.context = context;
    this.draw = draw;
    this.wrong = "";
    this.given = { times: "07:00", days: "every day", zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  }

  look = async (event) => {
    if (!event.target.open) return;
    const { schedule } = await this.context.api(pathOf(this.context.match.name, "schedule"));
    if (schedule) {
      const days = Object.keys(CHOICES).find((name) => String(CHOICES[name]) === String(schedule.days));
      this.given = { times: schedule.times.join(", "), days: days ?? "every day", zone: schedule.zone };
    }
    this.draw();
  };

  async put(schedule, words) {
    this.wrong = "";
    try {
      await this.context.api(pathOf(this.context.match.name, "schedule"), { method: "PUT", body: { schedule } });
      announce(words);
    } catch (error) {
      this.wrong = error.message;
    }
    this.draw();
  }

  save = (event) => {
    event.preventDefault();
    const { times, days, zone } = this.given;
    this.put({ times: times.split(/[\s,;]+/).filter(Boolean), days: CHOICES[days], zone }, "The schedule is set.");
  };

  template(due) {
    const set = (name) => (event) => {
      this.given[name] = event.target.value;
    };
    const field = (name, words, hint) =>
      html`<div class="field">
        <label for="schedule-${name}">${words}</label>
        <input id="schedule-${name}" type="text" autocomplete="off" required aria-describedby="schedule-${name}-hint"
          .value=${live(this.given[name])} @input=${set(name)} />
        <p class="hint" id="schedule-${name}-hint">${hint}</p>
      </div>`;
    return html`<details class="card screen" @toggle=${this.look}>
      <summary>Schedule of rounds</summary>
      <form @submit=${this.save}>
        <p class="soft">${due ? `Rounds are due ${due.words}.` : "There is no schedule."} It reminds; it never asks by itself.</p>
        ${field("times", "Times", "such as 07:00, or several: 06:00, 12:00, 18:00")}
        <div class="field">
          <label for="schedule-days">Days</label>
          <select id="schedule-days" @change=${set("days")}>
            ${Object.keys(CHOICES).map((name) => html`<option .selected=${live(name === this.given.days)}>${name}</option>`)}
          </select>
        </div>
        ${field("zone", "Time zone", "such as Europe/Zurich; clocks that change are followed")}
        ${complaint(this.wrong)}
        <div class="buttons">
          <button class="primary">Set the schedule</button>
          ${due ? html`<button type="button" @click=${() => this.put(null, "The schedule is ended.")}>End it</button>` : nothing}
        </div>
      </form>
    </details>`;
  }
}
