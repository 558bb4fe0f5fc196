// The first page: all matches, and what waits in each.

import { h } from "./dom.js";

const KINDS = { routing: "routing", park: "patrols", prices: "prices", table: "menu of actions" };

export async function render(root, { api, every }) {
  const list = h("div", {});
  const show = async () => {
    const { matches } = await api("/matches");
    list.replaceChildren(
      matches.length
        ? h("ul", { class: "matches" }, matches.map(card))
        : h(
            "div",
            { class: "card" },
            h("p", { class: "lead" }, "No match is kept here yet."),
            h("p", {}, h("a", { class: "button primary", href: "#/new" }, "Begin the first match")),
          ),
    );
  };
  root.replaceChildren(h("h1", { tabindex: "-1" }, "Matches"), list);
  await show();
  every(5000, show);
}

function card({ name, asked, told, pending, void: voided, kind, title }) {
  const base = `#/match/${encodeURIComponent(name)}`;
  return h(
    "li",
    { class: "card" },
    h("p", { class: "eyebrow" }, KINDS[kind] || kind),
    h("h2", {}, h("a", { href: `${base}/today` }, name)),
    title ? h("p", {}, title) : null,
    h(
      "p",
      { class: pending.length ? "waits" : "soft" },
      pending.length
        ? `${pending.length === 1 ? `Round ${pending[0]} waits` : `${pending.length} rounds wait`} to be told.`
        : "No round waits.",
    ),
    h(
      "p",
      { class: "soft" },
      `${asked.toLocaleString("en")} asked, ${told.toLocaleString("en")} told${voided ? `, ${voided} void` : ""}`,
    ),
  );
}
