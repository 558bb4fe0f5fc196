// What the few words and letters of the theory mean, where a view uses them.

import { h } from "./dom.js";

const WORDS = {
  "p_t": "how likely each action was to be drawn in a round: the strategy, remade before every round",
  "reward": "what a round is worth to you, by the rule that the match was begun with; more is better",
  "optimistic reward": "the most that the same actions could have earned, by what was believed then; it comes closer to what was earned as more is known",
  "entropy": "how undecided the strategy is: 0 when one action is certain, largest when all are equally likely; measured in nats",
  "calibration": "whether predictions are as sure as they should be: of intervals made to hold 90 % of the responses, 90 % should hold theirs",
  "σ": "how unsure the prediction of a response is, in the response's own unit; it shrinks with every round that tells of an action",
  "regret R(t) / t": "what the best single action, known only afterwards, would have earned more in each round; it should fall towards 0",
  "β": "how wide the bars are drawn, in σ: the match was begun with it, or it follows from the theory",
};

/** A list that opens below a view. */
export function glossary(...names) {
  return h(
    "details",
    { class: "glossary screen" },
    h("summary", {}, "What the words mean"),
    h(
      "dl",
      {},
      names.map((name) => h("div", {}, h("dt", {}, name), h("dd", {}, WORDS[name]))),
    ),
  );
}

/** A word that says what it means when one points at it. */
export function term(name, words = name) {
  return h("abbr", { title: WORDS[name] }, words);
}
