// Terms and symbols of the theory that the views use.

import { html } from "./html.js";

const WORDS = {
  "p_t": "the probability of each action in round t: the strategy, updated after every round",
  "reward": "the value of a round, by the reward of the configuration; more is better",
  "optimistic reward": "the highest reward of the same actions within the confidence bounds of that time; it approaches the reward as the bounds narrow",
  "entropy": "the spread of the strategy in nats: 0 if one action is certain, largest if all are equally likely; its exponential is the effective number of actions",
  "calibration": "whether predicted intervals hold as many responses as they should: 90 % of the responses in intervals of 90 %",
  "σ": "the standard deviation of the predicted response, in its unit; it shrinks with every observation nearby",
  "regret R(t) / t": "how much more the best fixed action in hindsight would have earned per round; it should fall towards 0",
  "β": "the width of the bands: half of a band is β √(σ² + λ); the configuration sets it, or the theory",
};

/** A list that opens below a view. */
export function glossary(...names) {
  return html`<details class="glossary screen">
    <summary>Glossary</summary>
    <dl>${names.map((name) => html`<div><dt>${name}</dt><dd>${WORDS[name]}</dd></div>`)}</dl>
  </details>`;
}

/** A term with its meaning as a tooltip. */
export function term(name, words = name) {
  return html`<abbr title=${WORDS[name]}>${words}</abbr>`;
}
