// What was observed before the match, from a CSV file: it feeds the belief, never the strategy.

import { pathOf } from "./api.js";
import { checkedResponse, checkedType, quoted } from "./checks.js";
import { parse } from "./csv.js";
import { announce, complain, complaint, freshId, h } from "./dom.js";

const SHOWN = 5;

export function importer({ match, api }) {
  const [id, hintId, wrongId] = [freshId("file"), freshId("hint"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const preview = h("div", {});
  const said = h("p", { role: "status", class: "found" });
  const button = h("button", { class: "primary", disabled: true }, "Import");
  let ready = null;
  const look = async () => {
    [ready, button.disabled, said.textContent] = [null, true, ""];
    const [file] = input.files;
    if (!file) return;
    const found = rowsOf(await file.text(), match);
    complain(wrong, found.error);
    preview.replaceChildren(...(found.table ? [table(found.table)] : []));
    if (found.error) return;
    ready = { rows: found.rows, source: file.name };
    button.disabled = false;
    button.textContent = `Import ${found.rows.length} row${found.rows.length > 1 ? "s" : ""}`;
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
    button.disabled = true;
    try {
      const { new: count } = await api(pathOf(match.name, "history"), { method: "POST", body: ready });
      said.textContent = count
        ? `${count} ${count === 1 ? "row" : "rows"} imported: the belief knows ${count === 1 ? "it" : "them"}, the strategy is as it was.`
        : "These rows were imported before: nothing changed.";
      announce(said.textContent);
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
        `A CSV file with the columns ${columns.join(", ")}; an action is a label of the menu. Imported rows feed the belief, never the strategy.`,
      ),
      h("label", { for: id }, "CSV file"),
      input,
      preview,
      wrong,
      h("div", { class: "buttons" }, button),
      said,
    ),
  );
}

/**
 * {rows, table} or {error}: checked as the form checks, row by row.
 * @returns {any}
 */
export function rowsOf(text, match) {
  const { header, rows } = parse(text);
  const columns = ["action", ...match.types.map((t) => t.name), ...match.responses.map((r) => r.name)];
  const absent = columns.find((name) => !header.includes(name));
  if (absent) return { error: `column ${quoted(absent)} is missing: give it, beside those of types and responses.` };
  const strange = header.find((name) => !columns.includes(name));
  if (strange !== undefined)
    return { error: `Unknown column ${quoted(strange)}: Known: ${[...columns].sort().join(", ")}.` };
  if (rows.length === 0) return { error: "history has no rows: give one or more, with action, type and response." };
  const table = { header, rows: rows.slice(0, SHOWN), more: Math.max(0, rows.length - SHOWN) };
  const taken = [];
  for (const [i, cells] of rows.entries()) {
    const row = Object.fromEntries(header.map((name, k) => [name, cells[k] ?? ""]));
    const found = {
      types: judged(match.types, row, checkedType),
      responses: judged(match.responses, row, checkedResponse),
    };
    const error = found.types.error || found.responses.error;
    if (error) return { error: `row ${i + 1}: ${error}`, table };
    taken.push({ action: row.action, type: found.types.values, response: found.responses.values });
  }
  return { rows: taken, table };
}

function judged(specs, row, check) {
  const found = specs.map((spec) => [spec.name, check(spec, row[spec.name])]);
  return {
    error: found.find(([, entry]) => entry.error)?.[1].error,
    values: Object.fromEntries(found.map(([name, entry]) => [name, entry.value])),
  };
}

function table({ header, rows, more }) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": "First rows of the file" },
    h(
      "table",
      {},
      h("caption", {}, more ? `The first ${rows.length} rows, and ${more} more` : "All rows"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          header.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((cell) => h("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}
