// A new match: a template, its configuration to edit, and errors shown where they belong.

import { pathOf } from "./api.js";
import { announce } from "./dom.js";
import { complaint, html, live, render as draw } from "./html.js";

export async function render(root, context) {
  if (!context.mayManage()) {
    draw(
      html`<h1 tabindex="-1">New match</h1>
        <p class="lead">Your token only reads: a match is created with an owner's token.</p>`,
      root,
    );
    return;
  }
  const { templates } = await context.api("/templates");
  const view = new NewMatch(root, context, templates);
  await view.choose(templates[0].name);
}

class NewMatch {
  constructor(root, context, templates) {
    this.root = root;
    this.context = context;
    this.templates = templates;
    this.given = { name: "", toml: "" };
    /** Refusals by the field to which they belong. */
    /** @type {Record<string, string>} */
    this.wrong = {};
    this.busy = false;
  }

  async choose(template) {
    this.wrong = {};
    try {
      this.given.toml = (await this.context.api(`/templates/${encodeURIComponent(template)}`)).toml;
    } catch (error) {
      this.wrong = { form: error.message };
    }
    this.draw();
  }

  create = async (event) => {
    event.preventDefault();
    const name = this.given.name.trim();
    if (!name) return this.refuse("name", "Give the match a name.");
    [this.wrong, this.busy] = [{}, true];
    this.draw();
    try {
      await this.context.api(pathOf(name), { method: "PUT", body: { toml: this.given.toml } });
      announce(`Match ${name} is created.`);
      this.context.go(`#/match/${encodeURIComponent(name)}/today`);
    } catch (error) {
      const ofName = error.kind === "conflict" || /^name is/.test(error.message);
      this.refuse(ofName ? "name" : error.kind === "invalid" ? "toml" : "form", error.message);
    }
    return undefined;
  };

  refuse(field, words) {
    [this.wrong, this.busy] = [{ [field]: words }, false];
    this.draw();
    if (field === "name") this.root.querySelector("#match-name").focus();
    if (field === "toml") point(this.root.querySelector("#match-toml"), words);
  }

  typed = (field) => (event) => {
    this.given[field] = event.target.value;
    if (!this.wrong[field]) return;
    delete this.wrong[field];
    this.draw();
  };

  draw() {
    const invalid = (field) => String(Boolean(this.wrong[field]));
    draw(
      html`<h1 tabindex="-1">New match</h1>
        <p class="lead">Choose the template nearest to your game. It is valid as it is; its comments say what can be changed.</p>
        <form class="newmatch" novalidate @submit=${this.create}>
          ${this.pictures()}
          <div class="field">
            <label for="match-name">Name</label>
            <input id="match-name" type="text" autocomplete="off" spellcheck="false" maxlength="80" required
              aria-describedby="match-hint wrong-name" aria-invalid=${invalid("name")}
              .value=${live(this.given.name)} @input=${this.typed("name")} />
            <p class="hint" id="match-hint">Such as “harbour 2027”.</p>
            ${complaint(this.wrong.name, "wrong-name")}
          </div>
          <div class="field">
            <label for="match-toml">Configuration (TOML)</label>
            ${complaint(this.wrong.toml, "wrong-toml")}
            <textarea id="match-toml" class="code" rows="22" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off"
              aria-describedby="wrong-toml" aria-invalid=${invalid("toml")}
              .value=${live(this.given.toml)} @input=${this.typed("toml")}></textarea>
          </div>
          ${complaint(this.wrong.form)}
          <div class="buttons"><button class="primary" ?disabled=${this.busy}>Begin the match</button></div>
        </form>`,
      this.root,
    );
  }

  pictures() {
    return html`<fieldset class="field">
      <legend>Template</legend>
      <div class="choices wide">
        ${this.templates.map(
          ({ name, about }, i) =>
            html`<label class="choice"
              ><input type="radio" name="template" value=${name} ?checked=${i === 0} @change=${() => this.choose(name)} /><span
                ><strong>${name}</strong><span class="soft">${about}</span></span
              ></label
            >`,
        )}
      </div>
    </fieldset>`;
  }
}

/** Put the cursor where a sentence says that something is wrong, or on the first line that names the field. */
function point(area, words) {
  const line = /line (\d+)/.exec(words);
  const lines = area.value.split("\n");
  const at = line ? Number(line[1]) - 1 : lines.findIndex((entry) => namedIn(words, entry));
  area.focus();
  if (at < 0 || at >= lines.length) return;
  const start = lines.slice(0, at).join("\n").length + (at > 0 ? 1 : 0);
  area.setSelectionRange(start, start + lines[at].length);
  area.scrollTop = Math.max(0, (area.scrollHeight / lines.length) * (at - 4));
}

/** Whether a line of TOML sets the field that a refusal begins with. */
function namedIn(words, line) {
  const field = /([A-Za-z_]+) (?:is|has|needs|reaches|names)\b/.exec(words)?.[1];
  const set = /^\s*\[*\s*([A-Za-z_]+)/.exec(line)?.[1];
  return Boolean(field) && set === field;
}
