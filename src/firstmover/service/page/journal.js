// The journal: changes of the match, export, a full check, and history from a CSV file.

import { download, pathOf } from "./api.js";
import { announce, complain, complaint, freshId, h } from "./dom.js";
import { figure, moment, whole } from "./format.js";

const SHOWN = 6; // lines of a file that are shown before it is imported

export function tools({ match, api, role }) {
  const found = h("p", { role: "status", class: "found" });
  const wrong = complaint(freshId("wrong"));
  const guarded = (act) => async () => {
    complain(wrong, "");
    try {
      await act();
    } catch (error) {
      found.textContent = "";
      complain(wrong, error.message);
    }
  };
  const save = (form, format) =>
    guarded(() =>
      download(`${pathOf(match.name, "export")}?form=${form}&format=${format}`, `${match.name}-${form}.${format}`),
    );
  const verify = guarded(async () => {
    found.textContent = "Replaying every decision …";
    found.textContent = sentence(await api(pathOf(match.name, "verify"), { method: "POST" }));
  });
  return h(
    "section",
    { class: "tools", "aria-label": "Export and check" },
    h(
      "div",
      { class: "buttons" },
      h("button", { onclick: save("rounds", "csv") }, "Rounds as CSV"),
      h("button", { onclick: save("rounds", "json") }, "Rounds as JSON"),
      role !== "reader" ? h("button", { onclick: save("journal", "json") }, "Whole journal as JSON") : null,
      role !== "reader" ? h("button", { onclick: verify }, "Check the journal") : null,
    ),
    found,
    wrong,
  );
}

function sentence({ events, rounds, exact, largest_difference: largest }) {
  const replayed = `${whole(rounds)} ${rounds === 1 ? "round" : "rounds"} replayed, ${whole(exact)} of them bit for bit`;
  return `No damage: ${whole(events)} events in an unbroken chain; ${replayed}, largest difference ${figure(largest)}.`;
}

/** What was changed in the menu, the reward and the types: one line per change, none if nothing was. */
export function changes({ match, api, onChange }) {
  const lines = h("ul", {});
  const root = h("section", { class: "card", "aria-label": "Changes of this match", hidden: true }, lines);
  const refresh = async () => {
    const { changes: found } = await api(pathOf(match.name, "changes"));
    root.hidden = found.length === 0;
    lines.replaceChildren(
      ...found.map(({ clock, words, reason }) =>
        h("li", {}, `${moment(clock)} ${words}${reason ? ` (${reason})` : ""}`),
      ),
    );
  };
  onChange(refresh);
  return { root, refresh };
}

/** Imports a CSV file, which the service reads as a whole: all rows or none. */
export function importer({ match, api }) {
  const [id, hintId, wrongId] = [freshId("file"), freshId("hint"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const preview = h("pre", { class: "scroll", tabindex: "0", "aria-label": "First lines of the file", hidden: true });
  const found = h("p", { role: "status", class: "found" });
  const button = h("button", { class: "primary", disabled: true }, "Import");
  let ready = null;
  const look = async () => {
    [ready, button.disabled, found.textContent, preview.hidden] = [null, true, "", true];
    complain(wrong, "");
    const [file] = input.files;
    if (!file) return;
    const csv = await file.text();
    const lines = csv.trimEnd().split(/\r?\n/);
    preview.textContent = [...lines.slice(0, SHOWN), ...(lines.length > SHOWN ? ["…"] : [])].join("\n");
    preview.hidden = false;
    ready = { csv, source: file.name };
    button.disabled = false;
  };
  const input = h("input", {
    id,
    type: "file",
    accept: ".csv,text/csv",
    onchange: look,
    "aria-describedby": `${hintId} ${wrongId}`,
  });
  const send = async (event) => {
    event.preventDefault();
    if (!ready) return;
    complain(wrong, "");
    button.disabled = true;
    try {
      const { new: count, as_rounds: warm } = await api(pathOf(match.name, "history"), { method: "POST", body: ready });
      const strategy = warm ? `${whole(warm)} of them count as rounds` : "the weights of actions count rounds only";
      found.textContent = count
        ? `${whole(count)} ${count === 1 ? "row" : "rows"} imported: the belief is updated, ${strategy}.`
        : "These rows were imported before: nothing changed.";
      announce(found.textContent);
    } catch (error) {
      complain(wrong, error.message);
    } finally {
      button.disabled = false;
    }
  };
  const columns = ["action", ...match.types.map((t) => t.name), ...match.responses.map((r) => r.name)];
  return h(
    "details",
    { class: "card importer" },
    h("summary", {}, "Import history from a file"),
    h(
      "form",
      { onsubmit: send },
      h(
        "p",
        { class: "soft", id: hintId },
        `A CSV file with the columns ${columns.join(", ")}; an action is a label of the menu. Imported rows update the belief, never the strategy.`,
      ),
      h("label", { for: id }, "CSV file"),
      input,
      preview,
      wrong,
      h("div", { class: "buttons" }, button),
      found,
    ),
  );
}
