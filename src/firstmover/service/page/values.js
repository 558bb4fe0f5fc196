// What was typed: required fields and numbers. Every other rule is the service's, and so is its sentence.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const COMMA = /^[+-]?\d*,\d+$/;

/** Whether people here write a decimal comma. */
const comma = () => (1.5).toLocaleString().includes(",");

/**
 * A number as people type it: {value}, or {error}.
 * A comma is a decimal sign, unless three digits after it may be thousands and people here do not write decimal commas.
 * @param {string} text
 * @returns {{value?: number, error?: string}}
 */
export function readNumber(text, decimalComma = comma()) {
  const typed = text.trim().replace("−", "-");
  const dotted = COMMA.test(typed) ? typed.replace(",", ".") : typed;
  if (dotted !== typed && /,\d{3}$/.test(typed) && !decimalComma)
    return { error: `“${text.trim()}” may be ${dotted} or ${typed.replace(",", "")}: write one of these.` };
  const value = NUMBER.test(dotted) ? Number(dotted) : NaN;
  return Number.isFinite(value) ? { value } : { error: `“${text.trim()}” is not a number` };
}

/** Read a type or a response: {value}, or {error}; `missing` if nothing was typed. */
export function readValue({ name, unit = "", levels = null, numbers = false, words = false }, text) {
  if (text.trim() === "") return { error: `${name} is missing.`, missing: true };
  if (levels || words) return { value: words ? text.trim() : text };
  const alone = (error) => (error.endsWith(".") ? error : `${error}: give it alone${unit ? `, in ${unit}` : ""}.`);
  if (!numbers) {
    const { value, error } = readNumber(text);
    return error ? { error: alone(error) } : { value };
  }
  const parts = text.replace(/^\s*\[|\]\s*$/g, "").split(/[\s,;]+/).filter(Boolean);
  const found = parts.map((part) => readNumber(part));
  const wrong = found.find(({ error }) => error);
  return wrong?.error ? { error: alone(wrong.error) } : { value: found.map(({ value }) => value) };
}
