// The fields of an observation or a context: one for each type and response, checked as they are typed.

import { rangeOf } from "./format.js";
import { complaint, html, live, nothing } from "./html.js";
import { readValue } from "./values.js";

const SHORT = 10; // longest unit beside a field; the hint below it has every unit
const FEW = 5; // most levels that are shown as radio buttons; more are a list

let count = 0;

/** The fields of a body: `place` is the member of the body, such as response, that the values of a group belong to. */
export class Fields {
  /**
   * @param {{place: string, spec: any, given?: any}[]} entries
   * @param {() => void} changed called whenever something is to be drawn again
   */
  constructor(entries, changed) {
    count += 1;
    this.changed = changed;
    this.fields = entries.map(({ place, spec, given }, i) => {
      const only = spec.levels?.length === 1 ? spec.levels[0] : undefined; // nothing to choose
      const text = textOf(given ?? only);
      return { place, spec, text, error: "", id: `field-${count}-${i}`, hidden: only !== undefined };
    });
  }

  /** The texts as they are, to be kept as a draft. */
  get texts() {
    return this.fields.map(({ text }) => text);
  }

  set texts(texts) {
    this.fields.forEach((field, i) => {
      field.text = texts[i] ?? field.text;
    });
  }

  /** Whether anything was typed or chosen. */
  get touched() {
    return this.fields.some(({ hidden, text }) => !hidden && text !== "");
  }

  /** The values by place, or null after pointing at the first wrong field. */
  read() {
    for (const field of this.fields) field.error = readValue(field.spec, field.text).error ?? "";
    this.changed();
    const wrong = this.fields.find(({ error }) => error);
    if (wrong) {
      this.focus(wrong);
      return null;
    }
    /** @type {Record<string, Record<string, any>>} */
    const found = {};
    for (const { place, spec, text } of this.fields)
      found[place] = { ...found[place], [spec.name]: readValue(spec, text).value };
    return found;
  }

  /** Show an error of the service at the field that it points to; return whether there is one. */
  point({ pointer, message }) {
    const named = this.fields.find(({ place, spec }) => pointer === `#/${place}/${escaped(spec.name)}`);
    if (!named) return false;
    named.error = message;
    this.changed();
    this.focus(named);
    return true;
  }

  focus({ id }) {
    const first = document.getElementById(id);
    (first?.matches("input, select, textarea") ? first : first?.querySelector("input"))?.focus();
  }

  template() {
    return this.fields.filter(({ hidden }) => !hidden).map((field) => this.field(field));
  }

  field(field) {
    const { levels } = field.spec;
    if (levels?.length <= FEW) return this.radios(field);
    return levels ? this.choice(field) : this.entry(field);
  }

  /** While something is typed, only what cannot become right is wrong. */
  typed(field, text) {
    field.text = text;
    const { error = "", missing } = readValue(field.spec, text);
    field.error = missing ? "" : error;
    this.changed();
  }

  entry(field) {
    const { id, spec, text, error } = field;
    const hint = spec.hint ?? (spec.numbers ? "all its numbers, separated by blanks" : rangeOf(spec));
    const typed = (event) => this.typed(field, event.target.value);
    const invalid = error ? "true" : "false";
    const unit = spec.unit && spec.unit.length <= SHORT && !spec.numbers ? spec.unit : "";
    const described = `${id}-hint ${id}-wrong`;
    return html`<div class="field">
      <label for=${id}>${spec.name}</label>
      <div class="entry">
        ${spec.numbers
          ? html`<textarea id=${id} rows="3" spellcheck="false" aria-invalid=${invalid} aria-describedby=${described}
              .value=${live(text)} @input=${typed}></textarea>`
          : html`<input id=${id} type="text" inputmode=${spec.words ? "text" : "decimal"} autocomplete="off" spellcheck="false" required
              aria-invalid=${invalid} aria-describedby=${described} .value=${live(text)} @input=${typed} />`}
        ${unit ? html`<span class="unit" aria-hidden="true">${unit}</span>` : nothing}
      </div>
      <p id="${id}-hint" class=${hint === unit ? "hidden" : "hint"}>${hint}</p>
      ${complaint(error, `${id}-wrong`)}
    </div>`;
  }

  radios(field) {
    const { id, spec, text, error } = field;
    const about = (i) => (spec.about ? html`<span class="soft about">: ${spec.about[i]}</span>` : nothing);
    return html`<fieldset class="field" id=${id} aria-describedby="${id}-wrong">
      <legend>${spec.name}</legend>
      <div class="choices">
        ${spec.levels.map(
          (level, i) =>
            html`<label class="choice"
              ><input type="radio" name=${id} .value=${level} .checked=${live(level === text)} required
                aria-invalid=${error ? "true" : "false"} @change=${() => this.typed(field, level)} /><span
                >${level}${about(i)}</span
              ></label
            >`,
        )}
      </div>
      ${complaint(error, `${id}-wrong`)}
    </fieldset>`;
  }

  choice(field) {
    const { id, spec, text, error } = field;
    const words = (level, i) => (spec.about ? `${level}: ${spec.about[i]}` : level);
    return html`<div class="field">
      <label for=${id}>${spec.name}</label>
      <select id=${id} required aria-invalid=${error ? "true" : "false"} aria-describedby="${id}-wrong"
        @change=${(event) => this.typed(field, event.target.value)}>
        <option value="" ?selected=${text === ""}>choose …</option>
        ${spec.levels.map((level, i) => html`<option .value=${level} ?selected=${level === text}>${words(level, i)}</option>`)}
      </select>
      ${complaint(error, `${id}-wrong`)}
    </div>`;
  }
}

/** The fields of what is told after an action, with the values given before. */
export function outcomeEntries(match, given = {}) {
  const types = match.types.filter(({ before }) => !before);
  return [
    ...types.map((spec) => ({ place: "opponent_type", spec, given: given.opponent_type?.[spec.name] })),
    ...match.responses.map((spec) => ({ place: "response", spec, given: given.response?.[spec.name] })),
  ];
}

/** The fields of what is known before an action. */
export function contextEntries(match) {
  return match.types.filter(({ before }) => before).map((spec) => ({ place: "context", spec }));
}

/** The field of a reason, which stays on record. */
export function reasonEntry(hint) {
  return { place: "", spec: { name: "reason", levels: null, unit: "", hint, words: true } };
}

function textOf(given) {
  if (given === undefined || given === null) return "";
  return Array.isArray(given) ? given.join(" ") : String(given);
}

function escaped(name) {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
