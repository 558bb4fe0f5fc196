// The decision card: what to do, why, how sure we are, what is expected, and the form of what happened.

import { pathOf } from "./api.js";
import { Asking, watching } from "./asking.js";
import { correct } from "./dialogs.js";
import { bar, forecastCard, rounding } from "./forecast.js";
import { age, counted, dueWords, figure, happened, moment, percent } from "./format.js";
import { html, keyed, nothing, render as draw } from "./html.js";
import { opponentBar } from "./opponent.js";
import { Notices } from "./notices.js";
import { OutcomeForm } from "./outcome.js";
import { ScheduleForm } from "./schedule.js";
import { paper, sheetBody } from "./sheet.js";

const SURE = 0.9; // above this probability the draw hides little

export async function render(root, context) {
  const view = new Today(root, context);
  await view.refresh({ brief: true }); // the action at once; the learner may have to be rebuilt for the rest
  context.onChange(() => view.refresh());
  context.later(() => view.refresh());
}

class Today {
  constructor(root, context) {
    this.root = root;
    this.context = context;
    this.chosen = null;
    /** @type {OutcomeForm | null} */
    this.form = null;
    /** @type {{roundId: string, check: import("../../../../web/api").components["schemas"]["Checked"]} | null} */
    this.result = null;
    this.turns = 0;
    this.latest = 0;
    /** @type {any} */
    this.card = null;
    /** @type {import("../../../../web/api").components["schemas"]["Advice"] | null} */
    this.advice = null;
    this.demo = context.match.demo ? opponentBar(context) : nothing;
    this.next = new Asking(this, { another: false });
    this.another = new Asking(this, { another: true });
    this.notices = new Notices(context, () => this.draw());
    this.schedule = new ScheduleForm(context, () => this.draw());
  }

  async refresh({ brief = false } = {}) {
    const { match, api } = this.context;
    const turn = (this.turns += 1);
    const waits = this.card?.pending.some(({ round_id: id }) => id === this.chosen) || brief || !this.card;
    const asked = this.chosen && waits ? `&round=${encodeURIComponent(this.chosen)}` : "";
    const card = await api(`${pathOf(match.name, "views", "today")}?brief=${brief}${asked}`);
    if (turn < this.latest) return; // a later answer is shown already
    this.latest = turn;
    const same = card.round?.round_id === this.card?.round?.round_id;
    this.advice = card.advice ?? (same ? this.advice : null);
    this.card = card;
    this.notices.look(card, card.advice, this.result?.roundId);
    this.prepare();
    this.draw();
    document.title = `${card.title} · ${match.name}`;
  }

  /** A form for the round that is shown; what is being typed stays. */
  prepare() {
    const { round } = this.card;
    if (!round || !this.context.mayPlay()) this.form = null;
    else if (this.form?.round.round_id !== round.round_id) this.form = new OutcomeForm(this, round);
  }

  /** After a tell: what was expected stands beside what happened. */
  async told(roundId, check) {
    this.result = { roundId, check };
    this.chosen = null;
    await this.refresh();
    this.root.querySelector("h1")?.focus();
  }

  draw() {
    if (!this.card) return;
    const { round } = this.card;
    draw(
      html`${this.demo}${this.alarms()} ${this.due()}
        <div class="today">
          <div class="column">
            <div class="place-action">${round ? this.action() : this.idle()}</div>
            <div class="place-why">${round ? this.why() : nothing}</div>
            <div class="place-expected">${round && this.advice ? forecastCard(this.advice, this.context.match) : nothing}</div>
          </div>
          <div class="column">
            <div class="place-form">${this.form ? keyed(this.form, this.form.template()) : nothing}</div>
            <div class="place-last">${this.last()}</div>
            <div class="place-status">
              ${this.status()} ${this.notices.template()} ${this.context.mayManage() ? this.schedule.template(this.card.due) : nothing}
            </div>
          </div>
        </div>`,
      this.root,
    );
  }

  due() {
    const words = dueWords(this.card.due);
    const late = words && new Date(this.card.due.at).getTime() <= Date.now();
    return words ? html`<p class="due screen ${late ? "late" : "soft"}">${words}.</p>` : nothing;
  }

  idle() {
    return this.context.mayPlay() ? this.next.template() : watching(this.card.pending);
  }

  action() {
    const { round, sheet, title } = this.card;
    const { match } = this.context;
    const known = Object.entries(round.context ?? {}).map(([name, value]) => `${name} ${value}`);
    const closed = round.without.length ? `${counted(round.without.length, "action")} not available` : "";
    return html`<section class="card hero" aria-labelledby="do" data-round=${round.round_id}>
      <p class="eyebrow">
        <span class="step">Do this</span>Round ${round.round_id} · asked ${age(round.asked_at)} ago ${this.switcher()}
      </p>
      <h1 id="do" tabindex="-1">${sheet.headline}</h1>
      ${known.length || closed ? html`<p class="soft">${[...known, closed].filter(Boolean).join(" · ")}</p>` : nothing}
      ${sheet.words ? html`<p class="lead">${sheet.words}</p>` : nothing} ${sheetBody(sheet)} ${this.confidence()}
      <div class="buttons screen"><button @click=${() => window.print()}>Print this sheet</button></div>
      ${this.context.mayPlay() ? this.another.template() : nothing} ${paper(match, title)}
    </section>`;
  }

  switcher() {
    const { pending, round } = this.card;
    if (pending.length < 2) return nothing;
    const change = (event) => {
      this.chosen = event.target.value;
      this.refresh();
    };
    return html`<label class="switch screen"
      >${pending.length} rounds are pending:
      <select @change=${change}>
        ${pending.map(
          ({ round_id: id }) => html`<option .value=${id} ?selected=${id === round.round_id}>${id}</option>`,
        )}
      </select></label
    >`;
  }

  confidence() {
    const { confidence } = this.advice ?? {};
    if (!confidence) return nothing;
    return html`<p class="confidence ${confidence.level}">${confidence.words}</p>`;
  }

  /** Why this action, and what its runners-up are expected to earn. */
  why() {
    const { round } = this.card;
    const { options = [], reasons = [] } = this.advice ?? {};
    const drawn = html`<p class="chance">
      <span class="value">${percent(round.probability)}</span> was the probability of '${round.label}', one of
      ${counted(this.context.match.actions, "action")}${round.probability < SURE ? ": it was drawn at random, so that it cannot be predicted." : "."}
    </p>`;
    const ends = options.flatMap(({ lower, upper }) => [lower, upper]);
    /** @type {[number, number]} */
    const axis = [Math.min(...ends), Math.max(...ends)];
    const say = rounding(options.map((option) => ({ ...option, mean: option.expected })));
    return html`<section class="card screen" aria-labelledby="why">
      <h2 id="why">Why this one</h2>
      ${options.length
        ? html`<table class="options">
            <thead>
              <tr>
                <th scope="col">action</th>
                <th scope="col" class="number">expected to earn</th>
                <th scope="col"><span class="hidden">band of nine in ten</span></th>
              </tr>
            </thead>
            <tbody>
              ${options.map(
                (option, i) =>
                  html`<tr class=${i === 0 ? "advised" : ""}>
                    <th scope="row">${option.headline}${i === 0 ? html` <span class="badge">advised</span>` : nothing}</th>
                    <td class="number">
                      <span class="value">${say(option.expected)}</span>
                      <span class="soft ends">${say(option.lower)} to ${say(option.upper)}</span>
                    </td>
                    <td class="bar">${bar({ mean: option.expected, lower: option.lower, upper: option.upper }, axis)}</td>
                  </tr>`,
              )}
            </tbody>
          </table>`
        : nothing}
      ${drawn}
      ${reasons.length ? html`<ul class="reasons">${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>` : nothing}
    </section>`;
  }

  last() {
    const round = this.card.last;
    if (!round) return nothing;
    const { match } = this.context;
    const told = round.status === "told";
    const change = async () => {
      if (await correct(this.context, round)) await this.refresh();
    };
    const label = round.played_label ?? round.label;
    const compared = told && this.result?.roundId === round.round_id ? this.compared() : nothing;
    return html`<section class="card screen" aria-labelledby="last">
      <h2 id="last">Last closed: round ${round.round_id}</h2>
      <p><strong>${/^\d+$/.test(label) ? `action ${label}` : label}</strong> → ${told ? happened(round, match) : "void"}</p>
      ${compared}
      ${told
        ? html`<p class="soft">Reward ${figure(round.reward)}; asked ${moment(round.asked_at)}.</p>`
        : html`<p class="soft">${round.reason}</p>`}
      ${this.context.mayPlay()
        ? html`<div class="buttons"><button @click=${change}>Undo or correct …</button></div>`
        : nothing}
    </section>`;
  }

  /** What was expected, beside what was recorded just now. */
  compared() {
    if (!this.result) return nothing;
    const { responses, reward, expected_reward: expected } = this.result.check;
    const row = (name, value, { mean, lower, upper }) => {
      const say = rounding([{ mean, lower, upper }]);
      const band = mean === null ? "not known before" : `${say(lower)} to ${say(upper)} expected`;
      const inside = mean === null || (value >= (lower ?? -Infinity) && value <= (upper ?? Infinity));
      return html`<tr>
        <th scope="row">${name}</th>
        <td class="number value">${figure(value)}</td>
        <td class=${inside ? "soft" : "outside"}>${band}</td>
      </tr>`;
    };
    return html`<table class="compared">
      <caption class="hidden">What happened, and what was expected</caption>
      <tbody>
        ${responses.map(({ name, value, expected: interval }) => row(name, value, interval))}
        ${expected ? row("reward", reward, expected) : nothing}
      </tbody>
    </table>`;
  }

  /** Signs that the learner is not learning, or that a response is wrong: what was measured, and a remedy. */
  alarms() {
    const alarms = this.advice?.alarms ?? [];
    if (!alarms.length) return nothing;
    return html`<section class="card alarm screen" aria-labelledby="alarms">
      <h2 id="alarms">This match needs attention: ${counted(alarms.length, "alarm")}</h2>
      <ul>
        ${alarms.map(
          ({ name, measured, remedy, since }) =>
            html`<li><strong>${name}, since round ${since}. </strong>${measured} <em>${remedy}</em></li>`,
        )}
      </ul>
    </section>`;
  }

  status() {
    if (!this.advice) return nothing;
    const lines = this.advice.status_lines.filter((line) => !line.startsWith("Alarm:")); // these have a card of their own
    const cautions = lines.filter((line) => line.startsWith("Caution")).length;
    return html`<details class="card screen">
      <summary>Status of the match${cautions ? `: ${counted(cautions, "caution")}` : ""}</summary>
      <ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>
    </details>`;
  }
}
