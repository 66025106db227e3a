import fc from "fast-check";
import { expect } from "vitest";
import { maxCelLength, parseCel } from "../../../src/plan/expressions/parse.ts";
import { parseWithLibrary } from "./library-parser.ts";
import { celText } from "./random-cel.ts";

/** Refused by our parser as soon as it is read; the library reads on, and finds a mistake further on first. */
const leftOut =
  /not supported|there is no (function|method)|takes (\d|a field)|not exact|the key of a map|nested deeper|iteration variable/;

/** The library tells a limit at another part of what exceeds it, and the end of an empty text. */
const toldElsewhere = /^it (has|is empty)/;

/** Half an exponent is told where its number starts; in the library, where digits are missing. */
const halfExponent = /\d[eE][-+]?(?!\d)/;

/** In the grammar of CEL a call does not end with a comma, and a backslash in a raw text escapes nothing, not even its quote. */
const otherGrammar = { message: /end with a comma/, text: /r["'].*\\["'\r\n]/is };

/** In the grammar of CEL comparisons are one level; in the library `==` and `!=` bind less tightly than the others. */
function hasTwoLevels(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { operator, left } = value as { readonly operator?: string; readonly left?: { readonly operator?: string } };
  const isMixed = /^(?:in|[<>]=?)$/.test(operator ?? "") && /^[!=]=$/.test(left?.operator ?? "");
  return isMixed || Object.values(value).some(hasTwoLevels);
}

/** Expects that both parsers accept a text, with the same tree, or refuse it at the same place, and returns which. */
export function compareWithLibrary(text: string): "accepted" | "refused" | "left out" {
  if (otherGrammar.text.test(text)) return "left out";
  const ours = parseCel(text);
  const library = parseWithLibrary(text);
  if (ours.ok) {
    const { root, names } = ours.expression;
    const tree = hasTwoLevels(root) ? expect.any(Object) : root;
    expect([text, library]).toEqual([text, { root: tree, names: names.map(({ name }) => name) }]);
    return "accepted";
  }
  const { message, position } = ours.issue;
  if (otherGrammar.message.test(message)) return "left out";
  if (library === "left out") {
    expect([text, message]).toEqual([text, expect.stringMatching(leftOut)]);
    return library;
  }
  const isElsewhere = leftOut.test(message) || toldElsewhere.test(message) || halfExponent.test(text);
  const stopsAt = isElsewhere ? expect.any(Number) : position;
  // The library has no limit of characters.
  if (text.length <= maxCelLength) expect([text, library]).toEqual([text, { stopsAt }]);
  return "refused";
}

export function compareMany({ numRuns, seed }: { readonly numRuns: number; readonly seed: number }): void {
  const counts = { accepted: 0, refused: 0, "left out": 0 };
  const property = fc.property(celText, (text) => {
    counts[compareWithLibrary(text)]++;
  });
  fc.assert(property, { numRuns, seed });
  expect(counts.accepted).toBeGreaterThan(numRuns / 3);
  expect(counts.refused).toBeGreaterThan(numRuns / 4);
  expect(counts["left out"]).toBeGreaterThan(numRuns / 20);
}
