// The geometry of a list of which only the rows in sight are drawn.

import assert from "node:assert/strict";
import test from "node:test";

import { Geometry } from "../../src/firstmover/service/page/virtual.js";

test("rows are equally high, and open ones push those below them down", () => {
  const rows = new Geometry(10_000, 50, [[2, 300], [7, 100]]);
  assert.deepEqual([rows.top(2), rows.top(3), rows.top(8), rows.height], [100, 450, 800, 500_400]);
});

test("the row at a place is the one whose top is above it, whatever is open", () => {
  const rows = new Geometry(1000, 50, [[2, 300], [7, 100]]);
  for (const [y, index] of [[0, 0], [99, 1], [100, 2], [449, 2], [450, 3], [699, 7], [799, 7], [800, 8], [1e9, 999]])
    assert.equal(rows.at(y), index, `${y}`);
  for (let index = 0; index < 1000; index += 1) assert.equal(rows.at(rows.top(index)), index);
});

test("few rows are drawn wherever one looks, and never rows that do not exist", () => {
  const rows = new Geometry(10_000, 50);
  assert.deepEqual(rows.span(0, 500), [0, 17]);
  assert.deepEqual(rows.span(250_000, 500), [4994, 5017]);
  assert.deepEqual(rows.span(499_500, 500), [9984, 10_000]);
  assert.deepEqual(new Geometry(0, 50).span(0, 500), [0, 0]);
});
