// When a round is due, in words, and what is new for a notification.

import assert from "node:assert/strict";
import test from "node:test";

import { dueWords } from "../../src/firstmover/service/page/format.js";
import { news } from "../../src/firstmover/service/page/news.js";

test("a round is due at the clock of its time zone, or since a while", () => {
  const due = { at: "2026-03-02T06:00:00+00:00", words: "", zone: "Asia/Tokyo" };
  assert.equal(dueWords(due, Date.parse("2026-03-01T12:00:00Z")), "Next round due Mon 15:00 (Asia/Tokyo)");
  assert.equal(dueWords(due, Date.parse("2026-03-02T08:10:00Z")), "A round is due since 2 hours");
  assert.equal(dueWords(null), "");
});

test("news are outcomes of others and new alarms, never what was there before", () => {
  const last = { round_id: "monday", closed: 7, status: "told" };
  const first = news(null, { last }, { alarms: [{ name: "units", since: "1" }] }, undefined);
  assert.deepEqual(first.found, []);
  const more = { alarms: [{ name: "units", since: "1" }, { name: "outlier", since: "tuesday" }] };
  const next = { round_id: "tuesday", closed: 9, status: "told" };
  assert.deepEqual(news(first.next, { last: next }, more, undefined).found, [
    "Round tuesday was recorded by somebody else.",
    "Alarm: outlier, since round tuesday.",
  ]);
  assert.deepEqual(news(first.next, { last: next }, null, "tuesday").found, []);
});
