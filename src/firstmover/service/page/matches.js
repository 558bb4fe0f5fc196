// All matches, and the pending rounds of each.

import { h } from "./dom.js";

export async function render(root, context) {
  const list = h("div", {});
  const show = async () => {
    const matches = await context.listed();
    list.replaceChildren(
      matches.length
        ? h("ul", { class: "matches" }, matches.map(card))
        : h(
            "div",
            { class: "card" },
            h("p", { class: "lead" }, "There is no match yet."),
            context.mayPlay()
              ? h("p", {}, h("a", { class: "button primary", href: "#/new" }, "Create the first match"))
              : h("p", {}, "The first one is shown as soon as its owner creates it."),
          ),
    );
  };
  root.replaceChildren(h("h1", { tabindex: "-1" }, "Matches"), list);
  await show();
  context.every(5000, show);
}

function card({ name, asked, told, pending, void: voided, kind }) {
  const base = `#/match/${encodeURIComponent(name)}`;
  return h(
    "li",
    { class: "card" },
    h("p", { class: "eyebrow" }, kind),
    h("h2", {}, h("a", { href: `${base}/today` }, name)),
    h(
      "p",
      { class: pending.length ? "waits" : "soft" },
      pending.length
        ? `${pending.length === 1 ? `Round ${pending[0]} is` : `${pending.length} rounds are`} pending.`
        : "No round is pending.",
    ),
    h(
      "p",
      { class: "soft" },
      `${asked.toLocaleString("en")} asked, ${told.toLocaleString("en")} told${voided ? `, ${voided} void` : ""}`,
    ),
  );
}
