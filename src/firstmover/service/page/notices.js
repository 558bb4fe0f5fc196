// Notifications of the browser, while the page is open: a round is due, somebody recorded an outcome, an alarm was raised.

import { dueWords } from "./format.js";
import { html, live } from "./html.js";
import { news } from "./news.js";

const KEY = "firstmover-notices";
const EVERY = 20_000; // milliseconds between two looks at the clock

const supported = () => "Notification" in window;
const wanted = () => supported() && localStorage.getItem(KEY) === "on" && Notification.permission === "granted";

/** Watches the cards of one match. */
export class Notices {
  constructor({ match, signal }, draw) {
    this.match = match;
    this.draw = draw;
    this.before = null;
    this.due = null;
    this.told = "";
    const timer = window.setInterval(() => this.remind(), EVERY);
    signal.addEventListener("abort", () => window.clearInterval(timer));
  }

  look(card, advice, own) {
    const { found, next } = news(this.before, card, advice, own);
    this.before = next;
    this.due = card.due;
    if (found.length) this.say(found.join(" "));
    this.remind();
  }

  remind() {
    if (!this.due || new Date(this.due.at).getTime() > Date.now() || this.told === this.due.at) return;
    this.told = this.due.at;
    this.say(`${dueWords(this.due)}.`);
    this.draw();
  }

  say(words) {
    if (wanted()) new Notification(this.match.name, { body: words, tag: `${this.match.name} ${words}` });
  }

  /** Permission is asked for only here, after a click. */
  toggle = async (event) => {
    const on = event.target.checked;
    const given = on && Notification.permission !== "granted" ? await Notification.requestPermission() : "granted";
    localStorage.setItem(KEY, on && given === "granted" ? "on" : "off");
    this.draw();
  };

  template() {
    const denied = supported() && Notification.permission === "denied";
    return html`<div class="card screen notices" ?hidden=${!supported()}>
      <label class="check"><input type="checkbox" .checked=${live(wanted())} ?disabled=${denied} @change=${this.toggle} />Notify me</label>
      <p class="hint">
        ${denied
          ? "The browser blocks notifications of this page: allow them in its settings."
          : "When a round is due, somebody else records an outcome or an alarm is raised; only while this page is open."}
      </p>
    </div>`;
  }
}
