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
  let record = await api(path);
  const { element, update } = MAPS[record.kind](context);
  root.append(h("h1", { tabindex: "-1" }, TITLES[record.kind]), match.demo ? opponentBar(context) : "", element);
  update(record);
  const again = () => update(record);
  window.addEventListener("firstmover-theme", again, { signal });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal });
  onChange(async () => {
    record = await api(path);
    update(record);
  });
}
