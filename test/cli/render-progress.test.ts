import { expect, it } from "vitest";
import { renderProgress } from "../../src/cli/active-steps.ts";

it.each([
  [0, "[░░░░░░░░░░] 0 %"],
  [0.4, "[████░░░░░░] 40 %"],
  [0.29, "[██░░░░░░░░] 29 %"],
  [0.999, "[█████████░] 99 %"],
  [1, "[██████████] 100 %"],
  [{ done: 3, total: 4 }, "[███████░░░] 75 %"],
  [{ current: 1, total: 2 }, "[█████░░░░░] 50 %"],
  [{ loaded: 0, total: 9 }, "[░░░░░░░░░░] 0 %"],
  [{ percent: 33.4 }, "[███░░░░░░░] 33 %"],
  [{ progress: 0.5 }, "[█████░░░░░] 50 %"],
  [{ done: 1, total: 2, file: "a.txt" }, '[█████░░░░░] 50 % {"file":"a.txt"}'],
])("draws %j as a bar", (value, line) => {
  expect(renderProgress(value)).toBe(line);
});

it.each([
  [7],
  [-0.1],
  [null],
  [true],
  ["asking for tea"],
  [[0.5]],
  [{}],
  [{ done: 0.5 }],
  [{ done: 3, total: 2 }],
  [{ done: 0, total: 0 }],
  [{ done: "1", total: "2" }],
  [{ percent: 101 }],
  [{ progress: 50 }],
  [{ total: 4 }],
])("shows %j as JSON", (value) => {
  expect(renderProgress(value)).toBe(JSON.stringify(value));
});

it("prefers counts, then a percentage, if an object has several", () => {
  expect(renderProgress({ percent: 10, done: 1, total: 2 })).toBe('[█████░░░░░] 50 % {"percent":10}');
  expect(renderProgress({ percent: 10, done: 1 })).toBe('[█░░░░░░░░░] 10 % {"done":1}');
});

it("is one line that is harmless and not too long, whatever the tool reports", () => {
  expect(renderProgress({ percent: 50, "\u001b[2J": "\n\u009b" })).toBe(
    '[█████░░░░░] 50 % {"\\u001b[2J":"\\n\\u009b"}',
  );
  expect(renderProgress("x".repeat(1_000_000))).toHaveLength(500);
});
