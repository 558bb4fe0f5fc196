// The form of an observation: one field for each type and response.

import { complain, complaint, freshId, h } from "./dom.js";
import { rangeOf, readValue } from "./values.js";

const SHORT = 10; // longest unit beside a field; the hint below it has every unit
const FEW = 5; // most levels that are shown as radio buttons; more are a list

/**
 * Fields of the types and responses of a match.
 * Returns {element, read(), point()}: read gives {opponent_type, response}, or null after pointing at the first wrong
 * field; point shows an error of the service at the field that it names, and returns whether there is one.
 */
export function outcomeFields(match, given = {}) {
  const types = match.types.map((spec) => typeField(spec, given.opponent_type?.[spec.name]));
  const responses = match.responses.map((spec) => {
    if (spec.levels) return typeField(spec, given.response?.[spec.name]);
    const unit = spec.unit.length <= SHORT ? spec.unit : "";
    return entry(spec, rangeOf(spec), given.response?.[spec.name], { unit });
  });
  const fields = [...types, ...responses];
  types.forEach((field, i) => {
    field.element.hidden = match.types[i].levels?.length === 1;
  }); // nothing to choose
  const values = (chosen) => Object.fromEntries(chosen.map((field) => [field.name, field.value()]));
  return {
    element: h(
      "div",
      { class: "fields" },
      fields.map((field) => field.element),
    ),
    read() {
      const wrong = fields.filter((field) => !field.check())[0];
      wrong?.focus();
      return wrong ? null : { opponent_type: values(types), response: values(responses) };
    },
    point(message) {
      const named = fields.find((field) => message.includes(`'${field.name}'`) || message.includes(`.${field.name} `));
      named?.complain(message);
      named?.focus();
      return Boolean(named);
    },
  };
}

function typeField(spec, given) {
  const { levels } = spec;
  if (levels?.length <= FEW) return radios(spec, given ?? (levels.length === 1 ? levels[0] : undefined));
  if (levels) return choice(spec, given);
  const hint = spec.numbers ? "all its numbers, separated by blanks or commas" : spec.unit;
  return entry(spec, hint, Array.isArray(given) ? given.join(", ") : given, { long: spec.numbers });
}

/** What all fields offer: the element around an input, and a check that complains below it. */
function field(spec, element, wrong, text, focus) {
  const show = (words) => {
    complain(wrong, words);
    element.querySelectorAll("input, textarea, select").forEach((input) => input.setAttribute("aria-invalid", String(Boolean(words))));
  };
  const check = () => {
    const { error = "" } = readValue(spec, text());
    show(error);
    return !error;
  };
  return { name: spec.name, element, check, complain: show, focus, value: () => readValue(spec, text()).value };
}

/** A field in which something is typed; while it is typed, only what cannot become right is wrong. */
function entry(spec, hint, given, { unit = "", long = false } = {}) {
  const [id, hintId, wrongId] = [freshId("field"), freshId("hint"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const input = h(long ? "textarea" : "input", {
    id,
    name: spec.name,
    autocomplete: "off",
    inputmode: long ? null : "decimal",
    type: long ? null : "text",
    rows: long ? 3 : null,
    "aria-describedby": `${hintId} ${wrongId}`,
    spellcheck: "false",
    value: given ?? "",
    required: true,
  });
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, spec.name),
    h("div", { class: "entry" }, input, unit ? h("span", { class: "unit", "aria-hidden": "true" }, unit) : null),
    h("p", { id: hintId, class: "hint" }, hint),
    wrong,
  );
  const made = field(spec, element, wrong, () => input.value, () => input.focus());
  input.addEventListener("input", () => {
    const { error, missing } = readValue(spec, input.value);
    made.complain(missing ? "" : error);
  });
  return made;
}

function radios(spec, given) {
  const [group, wrongId] = [freshId("group"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const inputs = spec.levels.map((level) =>
    h("input", { type: "radio", name: group, value: level, checked: level === given, required: true }),
  );
  const labels = inputs.map((input, i) =>
    h(
      "label",
      { class: "choice" },
      input,
      h("span", {}, spec.levels[i], spec.about ? h("span", { class: "soft about" }, `: ${spec.about[i]}`) : null),
    ),
  );
  const element = h(
    "fieldset",
    { class: "field", "aria-describedby": wrongId },
    h("legend", {}, spec.name),
    h("div", { class: "choices" }, labels),
    wrong,
  );
  const chosen = () => inputs.find((input) => input.checked)?.value ?? "";
  const made = field(spec, element, wrong, chosen, () => inputs[0].focus());
  inputs.forEach((input) => input.addEventListener("change", made.check));
  return made;
}

function choice(spec, given) {
  const [id, wrongId] = [freshId("field"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const select = h(
    "select",
    { id, name: spec.name, required: true, "aria-describedby": wrongId },
    h("option", { value: "" }, "choose …"),
    spec.levels.map((level, i) =>
      h("option", { value: level, selected: level === given }, spec.about ? `${level}: ${spec.about[i]}` : level),
    ),
  );
  const element = h("div", { class: "field" }, h("label", { for: id }, spec.name), select, wrong);
  const made = field(spec, element, wrong, () => select.value, () => select.focus());
  select.addEventListener("change", made.check);
  return made;
}

/** The reason of a correction or a void round, which stays on record. */
export function reasonField(hint) {
  return entry({ name: "reason", levels: [] }, hint, "");
}
