// What was typed, checked as the server checks it and in its words (matches/observing.py).

/** Python's repr of a text, as the server's sentences quote it. */
export function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return quote + (quote === "'" ? inside.replaceAll("'", "\\'") : inside) + quote;
}

/** Python's format(number, "g"). */
export function general(number) {
  if (number === 0) return Object.is(number, -0) ? "-0" : "0";
  const [digits, exponent] = number.toExponential(5).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return trimmed(number.toFixed(5 - power));
  return `${trimmed(digits)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function trimmed(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

const LARGEST = 1e100;

/** {value} or {error}: one finite number alone. */
export function oneNumber(kind, name, text, unit = "") {
  const bare = text.trim();
  const value = NUMBER.test(bare) ? Number(bare) : NaN;
  if (Math.abs(value) > LARGEST && Number.isFinite(value)) {
    return { error: `${kind} ${quoted(name)} is ${general(value)}: give what was measured, at most 1e+100 in size.` };
  }
  if (Number.isFinite(value)) return { value };
  if (text === name) return { error: `${kind} ${quoted(name)} has no value: give it, as in ${name}=3.2.` };
  const expected = unit ? `, in ${unit}` : "";
  return { error: `${kind} ${quoted(name)} is ${quoted(text)}: give a number alone${expected}, as in ${name}=3.2.` };
}

function known(end) {
  return end !== null && end !== undefined;
}

/** Where a response can lie, in words. */
export function reach({ lower, upper, unit }) {
  const low = known(lower) ? `from ${general(lower)} ` : "";
  const high = known(upper) ? `up to ${general(upper)} ` : "";
  return `${low}${high}${unit || ""}`.trim();
}

/** A response that was typed. */
export function checkedResponse(spec, text) {
  if (text.trim() === "") return missing("response", spec.name);
  const found = oneNumber("response", spec.name, text, spec.unit);
  if (found.error) return found;
  const { value } = found;
  if (value === undefined) return found;
  if ((known(spec.lower) && value < spec.lower) || (known(spec.upper) && value > spec.upper)) {
    return {
      error:
        `response ${quoted(spec.name)} is ${general(value)}, outside what the configuration allows ` +
        `(${reach(spec)}): give what was measured, in that unit.`,
    };
  }
  return found;
}

/** A type that was typed or chosen. */
export function checkedType(spec, text) {
  if (text.trim() === "") return missing("type", spec.name);
  if (levelsOf(spec)) return { value: text };
  if (spec.numbers) return manyNumbers(spec, text);
  return oneNumber("type", spec.name, text, spec.unit);
}

function missing(kind, name) {
  return { error: `${kind} ${quoted(name)} is missing: give it, such as ${name}=….`, missing: true };
}

function manyNumbers(spec, text) {
  const numbers = text
    .trim()
    .replace(/^\[|\]$/g, "")
    .split(/[\s,;]+/)
    .filter(Boolean);
  const found = numbers.map((number) => oneNumber("type", spec.name, number));
  const wrong = found.find((entry) => entry.error);
  if (wrong) return wrong;
  return { value: found.map((entry) => entry.value) };
}

/** The names of a type's levels, those with numbers from the smallest up, or null where it is a number. */
export function levelsOf({ levels }) {
  if (!levels) return null;
  return Array.isArray(levels) ? levels.map(String) : Object.keys(levels).sort((a, b) => levels[a] - levels[b]);
}

/** A reason in words. */
export function checkedReason(text) {
  return text.trim() ? { value: text.trim() } : { error: "reason is empty: say in a few words why." };
}
