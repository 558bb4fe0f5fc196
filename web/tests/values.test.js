// Numbers as people type them.

import assert from "node:assert/strict";
import test from "node:test";

import { age, difference, figure, percent, possible } from "../../src/firstmover/service/page/format.js";
import { readNumber, readValue } from "../../src/firstmover/service/page/values.js";

test("numbers with a point or a comma are read", () => {
  for (const [text, value] of [["3.2", 3.2], ["3,2", 3.2], [" -0,25 ", -0.25], ["−7", -7], ["1e3", 1000], [",5", 0.5]])
    assert.deepEqual(readNumber(String(text), false), { value });
});

test("a comma before three digits is a question where people write points", () => {
  assert.equal(readNumber("1,234", false).error, "“1,234” may be 1.234 or 1234: write one of these.");
  assert.deepEqual(readNumber("1,234", true), { value: 1.234 });
});

test("what is no number is refused with its unit", () => {
  for (const text of ["3.2 km", "3_2", "1.2.3", "NaN", "Infinity", "0x10", "1,2,3", "--3"])
    assert.match(readNumber(text).error ?? "", /is not a number$/);
  assert.deepEqual(readValue({ name: "sold", unit: "pieces" }, "two"), {
    error: "“two” is not a number: give it alone, in pieces.",
  });
  assert.deepEqual(readValue({ name: "sold" }, "  "), { error: "sold is missing.", missing: true });
});

test("levels and words are taken as they are, and lists number by number", () => {
  assert.deepEqual(readValue({ name: "demand", levels: ["low", "high"] }, "low"), { value: "low" });
  assert.deepEqual(readValue({ name: "reason", words: true }, " rain "), { value: "rain" });
  assert.deepEqual(readValue({ name: "type", numbers: true }, "[1 2.5;3]"), { value: [1, 2.5, 3] });
  assert.match(readValue({ name: "type", numbers: true }, "1 x").error ?? "", /“x” is not a number/);
});

test("numbers are shown with four digits, differences with their sign", () => {
  assert.deepEqual([figure(1234.567), figure(-0.5), figure(null), figure(1e12)], ["1,235", "−0.5", "–", "1.00e+12"]);
  assert.deepEqual([difference(2), difference(-2), difference(0)], ["+2", "−2", "0"]);
  assert.deepEqual([percent(0.1234), percent(1), percent(0.0003)], ["12.3 %", "100 %", "below 0.1 %"]);
});

test("ages and ranges are said in words", () => {
  const now = Date.parse("2026-01-02T00:00:00Z");
  const at = (milliseconds) => age(new Date(now - milliseconds).toISOString(), now);
  assert.deepEqual([at(1000), at(60_000), at(7_200_000), at(3 * 86_400_000)], ["a moment", "1 minute", "2 hours", "3 days"]);
  assert.equal(possible({ lower: 0, upper: 60 }), "anything from 0 to 60");
  assert.deepEqual([possible({}), possible({ lower: 2 }), possible({ upper: 2 })], ["any number", "2 or more", "2 or less"]);
});
