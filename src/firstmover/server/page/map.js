// Where it happens: the roads, the park, the demand curves, or the menu as a table.

import { pathOf } from "./api.js";
import { h } from "./dom.js";
import { opponentBar } from "./opponent.js";
import { parkMap } from "./parkmap.js";
import { priceMap } from "./pricemap.js";
import { roadMap } from "./roadmap.js";
import { menuMap } from "./menumap.js";

const MAPS = { routing: roadMap, park: parkMap, prices: priceMap, table: menuMap };
const LATER = "All rounds are being gone through; what was learnt from them shows here soon.";
const TITLES = { routing: "The roads", park: "The park", prices: "Responses over prices", table: "The menu" };

export async function render(root, context) {
  const { match, api, onChange, signal } = context;
  const path = pathOf(match.name, "views", "map");
  const title = h("h1", { tabindex: "-1" }, TITLES[match.kind]);
  const [place, waiting] = [h("div", {}), h("p", { class: "soft", role: "status" })];
  root.append(title, match.demo ? opponentBar(context) : "", waiting, place);
  let [record, map] = [null, null];
  const show = (fresh) => {
    record = fresh;
    waiting.textContent = fresh.partial ? LATER : "";
    waiting.hidden = !fresh.partial;
    if (!fresh.kind) return;
    if (!map) {
      map = MAPS[fresh.kind](context);
      title.textContent = TITLES[fresh.kind];
      place.replaceChildren(map.element);
    }
    map.update(fresh);
  };
  const refresh = async () => {
    show(await api(`${path}?brief=true`)); // at once; after the server's start all rounds may have to be gone through
    if (record.partial) show(await api(path));
  };
  show(await api(`${path}?brief=true`));
  if (record.partial) context.later(refresh);
  const again = () => map?.update(record);
  window.addEventListener("firstmover-theme", again, { signal });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal });
  onChange(refresh);
}
