// Numbers, probabilities, moments and observations as people read them.

const FIGURES = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, useGrouping: true });

/**
 * A number for people: four significant digits at most, or so many decimals.
 * @param {number | null | undefined} number
 */
export function figure(number, decimals = 0) {
  if (number === null || number === undefined) return "–";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return number.toExponential(2).replace("-", "−");
  const format = decimals
    ? new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    : FIGURES;
  return format.format(number).replace("-", "−");
}

/**
 * A difference for people, with its sign.
 * @param {number} number
 */
export function difference(number) {
  return number > 0 ? `+${figure(number)}` : figure(number);
}

/** A count for people. */
export function whole(number) {
  return number.toLocaleString("en");
}

/** A count with its noun: "1 round", "1,200 rounds". */
export function counted(number, noun) {
  return `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A probability for people. */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const hundred = 100 * share;
  if (hundred > 0 && hundred < 0.1) return "below 0.1 %";
  return `${hundred.toFixed(hundred >= 99.95 || hundred === 0 ? 0 : 1)} %`;
}

/** Values by name as a person gave them, as the server says them. */
export function said(values) {
  return Object.entries(values || {})
    .map(([name, value]) => `${name}=${short(value)}`)
    .join(", ");
}

const SHORT = 12; // units that are said with every number

/** What happened in a round, for people: numbers rounded, with short units; what could only be one thing is left out. */
export function happened(round, match) {
  const types = match.types.filter(({ levels }) => levels?.length !== 1);
  const entry = ({ name, unit }, value) => {
    const number = typeof value === "number" ? figure(value) : short(value);
    return `${name} ${number}${unit && unit.length <= SHORT ? ` ${unit}` : ""}`;
  };
  return [
    ...types.map((spec) => entry(spec, round.opponent_type[spec.name])),
    ...match.responses.map((spec) => entry(spec, round.response[spec.name])),
  ].join(", ");
}

function short(value) {
  return Array.isArray(value) ? `${value.length} numbers` : String(value);
}

/** The moment of an event, in the reader's own clock. */
export function moment(clock) {
  const date = new Date(clock);
  if (Number.isNaN(date.getTime())) return clock || "";
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

const AGES = [
  [60, "minute", 60_000],
  [24, "hour", 3_600_000],
  [Infinity, "day", 86_400_000],
];

/** How long ago something was: "3 hours", "a moment". */
export function age(clock, now = Date.now()) {
  const passed = now - new Date(clock).getTime();
  if (!(passed >= 60_000)) return "a moment";
  for (const [most, noun, unit] of AGES) {
    const number = Math.floor(passed / Number(unit));
    if (number < Number(most)) return counted(number, noun);
  }
  return "";
}

/** When a round is due, by the clock of its time zone: "Next round due Mon 07:00", "A round is due since 2 hours". */
export function dueWords(due, now = Date.now()) {
  if (!due) return "";
  const at = new Date(due.at);
  if (at.getTime() <= now) return `A round is due since ${age(due.at, now)}`;
  const far = at.getTime() - now > 6 * 86_400_000 ? /** @type {const} */ ({ day: "numeric", month: "short" }) : {};
  const clock = { weekday: /** @type {const} */ ("short"), hour: /** @type {const} */ ("2-digit"), minute: /** @type {const} */ ("2-digit"), hourCycle: /** @type {const} */ ("h23") };
  const words = new Intl.DateTimeFormat("en-GB", { ...clock, ...far, timeZone: due.zone }).format(at);
  return `Next round due ${words.replace(",", "")}${due.zone === Intl.DateTimeFormat().resolvedOptions().timeZone ? "" : ` (${due.zone})`}`;
}

/** The range of a response in words. */
export function rangeOf({ lower = null, upper = null, unit = "" }) {
  const ends = [lower === null ? "" : `from ${figure(lower)}`, upper === null ? "" : `up to ${figure(upper)}`, unit];
  return ends.filter(Boolean).join(" ");
}

/** What is possible where nothing is known. */
export function possible({ lower = null, upper = null }, say = figure) {
  if (lower === null && upper === null) return "any number";
  if (lower === null) return `${say(upper)} or less`;
  return upper === null ? `${say(lower)} or more` : `anything from ${say(lower)} to ${say(upper)}`;
}
