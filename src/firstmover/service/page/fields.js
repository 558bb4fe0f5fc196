// The form for what happened: one field for each type and response, checked while one types.

import { checkedReason, checkedResponse, checkedType, levelsOf, reach } from "./checks.js";
import { complain, complaint, freshId, h } from "./dom.js";

const SHORT = 10; // units that fit beside their field; the hint below it has them all
const FEW = 5; // so many levels show at once; more go into a list

/**
 * Fields of a match's types and responses.
 * Returns {element, read()}: read gives {opponent_type, response}, or null after pointing at the first wrong field.
 */
export function outcomeFields(setting, given = {}) {
  const types = setting.types.map((spec) => typeField(spec, given.opponent_type?.[spec.name]));
  const responses = setting.responses.map((spec) => responseField(spec, given.response?.[spec.name]));
  types.forEach((f, i) => {
    f.element.hidden = levelsOf(setting.types[i])?.length === 1;
  }); // nothing to choose
  return {
    element: h(
      "div",
      { class: "fields" },
      types.map((f) => f.element),
      responses.map((f) => f.element),
    ),
    read() {
      const wrong = [...types, ...responses].map((f) => (f.check(true) ? null : f)).find(Boolean);
      if (wrong) {
        wrong.focus();
        return null;
      }
      const values = (fields) => Object.fromEntries(fields.map((f) => [f.name, f.value()]));
      return { opponent_type: values(types), response: values(responses) };
    },
  };
}

function typeField(spec, given) {
  const levels = levelsOf(spec);
  if (levels && levels.length <= FEW)
    return radios(spec, levels, given ?? (levels.length === 1 ? levels[0] : undefined));
  if (levels) return choice(spec, levels, given);
  const hint = spec.numbers ? "all its numbers, separated by blanks or commas" : spec.unit;
  const written = Array.isArray(given) ? given.join(", ") : given;
  return entry(spec.name, hint, written, (text) => checkedType(spec, text), { long: spec.numbers });
}

function responseField(spec, given) {
  return entry(spec.name, reach(spec), given, (text) => checkedResponse(spec, text), {
    unit: spec.unit.length <= SHORT ? spec.unit : "",
  });
}

/** A field in which something is typed; it complains when what stands there is wrong, not before it is finished. */
function entry(name, hint, given, check, { unit = "", long = false } = {}) {
  const [id, hintId, wrongId] = [freshId("field"), freshId("hint"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const input = h(long ? "textarea" : "input", {
    id,
    name,
    autocomplete: "off",
    inputmode: long ? null : "decimal",
    type: long ? null : "text",
    rows: long ? 3 : null,
    "aria-describedby": `${hintId} ${wrongId}`,
    spellcheck: "false",
    value: given ?? "",
    required: true,
  });
  const judge = (strict) => {
    const found = check(input.value);
    const words = found.error && (strict || !found.missing) ? found.error : "";
    complain(wrong, words);
    input.setAttribute("aria-invalid", String(Boolean(words)));
    return !found.error;
  };
  input.addEventListener("input", () => judge(false));
  return {
    name,
    element: h(
      "div",
      { class: "field" },
      h("label", { for: id }, name),
      h("div", { class: "entry" }, input, unit ? h("span", { class: "unit", "aria-hidden": "true" }, unit) : null),
      h("p", { id: hintId, class: "hint" }, hint),
      wrong,
    ),
    check: judge,
    value: () => check(input.value).value,
    focus: () => input.focus(),
  };
}

function radios(spec, levels, given) {
  const [group, wrongId] = [freshId("group"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const inputs = levels.map((level) =>
    h("input", { type: "radio", name: group, value: level, checked: level === given, required: true }),
  );
  const chosen = () => inputs.find((input) => input.checked)?.value ?? "";
  const judge = () => {
    const error = open(spec, checkedType(spec, chosen()));
    complain(wrong, error);
    return !error;
  };
  inputs.forEach((input) => input.addEventListener("change", judge));
  return {
    name: spec.name,
    element: h(
      "fieldset",
      { class: "field", "aria-describedby": wrongId },
      h("legend", {}, spec.name),
      h(
        "div",
        { class: "choices" },
        inputs.map((input, i) =>
          h(
            "label",
            { class: "choice" },
            input,
            h("span", {}, levels[i], spec.about ? h("span", { class: "soft about" }, `: ${spec.about[i]}`) : null),
          ),
        ),
      ),
      wrong,
    ),
    check: judge,
    value: chosen,
    focus: () => inputs[0].focus(),
  };
}

function choice(spec, levels, given) {
  const [id, wrongId] = [freshId("field"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const select = h(
    "select",
    { id, name: spec.name, required: true, "aria-describedby": wrongId },
    h("option", { value: "" }, "choose …"),
    levels.map((level) => h("option", { value: level, selected: level === given }, level)),
  );
  const judge = () => {
    const error = open(spec, checkedType(spec, select.value));
    complain(wrong, error);
    return !error;
  };
  select.addEventListener("change", judge);
  return {
    name: spec.name,
    element: h("div", { class: "field" }, h("label", { for: id }, spec.name), select, wrong),
    check: judge,
    value: () => select.value,
    focus: () => select.focus(),
  };
}

/** Why: a sentence that stays on record. */
export function reasonField(hint) {
  return entry("reason", hint, "", (text) => checkedReason(text), {});
}

/** What is wrong with a choice; one that was not made yet is nobody's mistake. */
function open({ name }, { error, missing }) {
  return missing ? `${name} is still open: choose one.` : error;
}
