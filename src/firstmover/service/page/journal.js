// The journal: changes of the match, export, a full check, and history from a CSV file.

import { download, pathOf } from "./api.js";
import { announce, freshId } from "./dom.js";
import { figure, moment, whole } from "./format.js";
import { complaint, html, nothing } from "./html.js";

const SHOWN = 6; // lines of a file that are shown before it is imported

/** What was changed in the menu, the reward and the types: one line per change. */
export class Changes {
  constructor({ match, api }, draw) {
    this.match = match;
    this.api = api;
    this.draw = draw;
    /** @type {import("../../../../web/api").components["schemas"]["LoggedChange"][]} */
    this.lines = [];
  }

  async refresh() {
    this.lines = (await this.api(pathOf(this.match.name, "changes"))).changes;
    this.draw();
  }

  template() {
    return html`<ul>
      ${this.lines.map(
        ({ clock, words, reason, actor }) =>
          html`<li>${moment(clock)} ${words}${reason ? ` (${reason})` : ""}${actor ? html` <span class="soft">by ${actor}</span>` : nothing}</li>`,
      )}
    </ul>`;
  }
}

/** Buttons to export and to check. */
export function tools({ match, api, role }, draw) {
  let [found, wrong] = ["", ""];
  const guarded = (act) => async () => {
    [found, wrong] = ["", ""];
    try {
      await act();
    } catch (error) {
      [found, wrong] = ["", error.message];
    }
    draw();
  };
  const save = (form, format) =>
    guarded(() =>
      download(`${pathOf(match.name, "export")}?form=${form}&format=${format}`, `${match.name}-${form}.${format}`),
    );
  const verify = guarded(async () => {
    found = "Replaying every decision …";
    draw();
    found = sentence(await api(pathOf(match.name, "verify"), { method: "POST" }));
  });
  const template = () => html`<section class="tools" aria-label="Export and check">
    <div class="buttons">
      <button @click=${save("rounds", "csv")}>Rounds as CSV</button>
      <button @click=${save("rounds", "json")}>Rounds as JSON</button>
      ${role === "reader"
        ? nothing
        : html`<button @click=${save("journal", "json")}>Whole journal as JSON</button>
            <button @click=${verify}>Check the journal</button>`}
    </div>
    <p role="status" class="found">${found}</p>
    ${complaint(wrong)}
  </section>`;
  return { template };
}

function sentence({ events, rounds, exact, largest_difference: largest }) {
  const replayed = `${whole(rounds)} ${rounds === 1 ? "round" : "rounds"} replayed, ${whole(exact)} of them bit for bit`;
  return `No damage: ${whole(events)} events in an unbroken chain; ${replayed}, largest difference ${figure(largest)}.`;
}

/** Imports a CSV file, which the service reads as a whole: all rows or none. */
export function importer({ match, api }, draw) {
  const [id, hintId, wrongId] = [freshId("file"), freshId("hint"), freshId("wrong")];
  let [preview, found, wrong, busy] = ["", "", "", false];
  let ready = /** @type {{csv: string, source: string} | null} */ (null);
  const look = async ({ target }) => {
    [ready, preview, found, wrong] = [null, "", "", ""];
    const [file] = target.files;
    if (file) {
      const csv = await file.text();
      const lines = csv.trimEnd().split(/\r?\n/);
      preview = [...lines.slice(0, SHOWN), ...(lines.length > SHOWN ? ["…"] : [])].join("\n");
      ready = { csv, source: file.name };
    }
    draw();
  };
  const send = async (event) => {
    event.preventDefault();
    if (!ready) return;
    [wrong, busy] = ["", true];
    draw();
    try {
      const { new: count, as_rounds: warm } = await api(pathOf(match.name, "history"), { method: "POST", body: ready });
      const strategy = warm ? `${whole(warm)} of them count as rounds` : "the weights of actions count rounds only";
      found = count
        ? `${whole(count)} ${count === 1 ? "row" : "rows"} imported: the belief is updated, ${strategy}.`
        : "These rows were imported before: nothing changed.";
      announce(found);
    } catch (error) {
      wrong = error.message;
    }
    busy = false;
    draw();
  };
  const columns = ["action", ...match.types.map((t) => t.name), ...match.responses.map((r) => r.name)];
  const template = () => html`<details class="card importer">
    <summary>Import history from a file</summary>
    <form @submit=${send}>
      <p class="soft" id=${hintId}>
        A CSV file with the columns ${columns.join(", ")}; an action is a label of the menu. Imported rows update the belief,
        never the strategy.
      </p>
      <label for=${id}>CSV file</label>
      <input id=${id} type="file" accept=".csv,text/csv" aria-describedby="${hintId} ${wrongId}" @change=${look} />
      <pre class="scroll" tabindex="0" aria-label="First lines of the file" ?hidden=${!preview}>${preview}</pre>
      ${complaint(wrong, wrongId)}
      <div class="buttons"><button class="primary" ?disabled=${!ready || busy}>Import</button></div>
      <p role="status" class="found">${found}</p>
    </form>
  </details>`;
  return { template };
}
