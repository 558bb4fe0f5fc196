// Where it happens: the roads, the park, the demand curves, or the menu as a table.

import { pathOf } from "./api.js";
import { h } from "./dom.js";
import { opponentBar } from "./opponent.js";
import { parkMap } from "./parkmap.js";
import { priceMap } from "./pricemap.js";
import { roadMap } from "./roadmap.js";
import { menuMap } from "./menumap.js";

const MAPS = { routing: roadMap, park: parkMap, prices: priceMap, table: menuMap };
const TITLES = { routing: "The roads", park: "The park", prices: "Responses over prices", table: "The menu" };

export async function render(root, context) {
  const { match, api, onChange, signal } = context;
  const path = pathOf(match.name, "views", "map");
  const [title, place] = [h("h1", { tabindex: "-1" }, "Map"), h("p", { class: "soft" }, "Reading the journal …")];
  root.append(title, match.demo ? opponentBar(context) : "", place);
  let record = await api(path); // the first time after the server's start it goes through all rounds
  const { element, update } = MAPS[record.kind](context);
  title.textContent = TITLES[record.kind];
  place.replaceWith(element);
  update(record);
  const again = () => update(record);
  window.addEventListener("firstmover-theme", again, { signal });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal });
  onChange(async () => {
    record = await api(path);
    update(record);
  });
}
