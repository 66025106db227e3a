import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { PlanStep } from "../../../../src/core/plan.ts";
import { resolveInput } from "../../../../src/plan/resolve-input.ts";
import { StepReader } from "../../../../src/planners/llm/reading/read-steps.ts";
import { TypedText } from "../../../../src/planners/llm/reading/typed-text.ts";
import { byName } from "../ask-llm-planner.ts";

function read(raw: unknown, { typed }: { typed: string }) {
  return new StepReader({ tools: byName(), typed, kept: [], prefix: "s" }).next(raw);
}

describe("text that the user typed", () => {
  /** What a tool gets that a model gave all of a text. */
  async function resolved(text: unknown, typed: string): Promise<unknown> {
    const { step: whole } = await read({ tool: "Anything", input: { text } }, { typed });
    const output = "OUTPUT OF A STEP";
    return resolveInput({ ...(whole as PlanStep), id: "s9" }, () => ({ value: output }) as JsonObject).text;
  }

  it.each([
    "${s1.value}",
    "use ${HOME} and ${s1.value}",
    "${ foo ${s1.value}",
    "$${s1.value}",
    "${$}{s1.value}",
    "${${s1.value}}",
    "${{s1.value}}",
    '${s1["a}b"].value}',
    "${s1.value",
    "${",
    "$",
    "$$",
    "{$}{s1.value}",
    "${}\n${s1\n.value}${s1.value}",
    "${s1.value}${s1.value}$",
  ])("reaches the tool unchanged: %j", async (typed) => {
    expect(await resolved(typed, typed)).toBe(typed);
    expect(await resolved(typed, `please note ${typed} for me`)).toBe(typed);
    expect(await resolved([{ deep: typed }], `note: ${typed}`)).toEqual([{ deep: typed }]);
  });

  it("reaches the tool unchanged, for random text and any part of it", async () => {
    const pieces = ["${", "$", "{", "}", "${s1.value}", "${s1", ".value}", "$ref", " ", "a", '["', '"]', "${$}", "\n"];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(text, fc.string({ unit: "grapheme" })),
        fc.nat(20),
        fc.nat(40),
        async (typed, from, to) => {
          expect(await resolved(typed, typed)).toBe(typed);
          const part = typed.slice(from, to);
          expect(await resolved(part, typed)).toBe(part);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("is not treated as a reference, even as an object", async () => {
    const typed = 'add the todo {"$ref": "s1.value"}';
    expect(await resolved({ $ref: "s1.value" }, typed)).toEqual({ $ref: "s1.value" });
    expect(await resolved({ $ref: "s1.value" }, "no $ref to s1.values")).toEqual({ $ref: "s1.value" });
    expect(await resolved({ $ref: "s1.value" }, "no $ref at all")).toBe("OUTPUT OF A STEP");
    await expect(resolved({ $ref: 5 }, "$ref 5")).rejects.toThrow("refers to 5");
  });

  it("does not affect references that the model wrote, even beside an escape", async () => {
    expect(await resolved("is ${s1.value}", "what is it?")).toBe("is OUTPUT OF A STEP");
    expect(await resolved("is ${s1.value} in ${$}{HOME}", "is it in ${HOME}?")).toBe("is OUTPUT OF A STEP in ${HOME}");
    expect(await resolved({ $ref: "s1.value" }, "${HOME}")).toBe("OUTPUT OF A STEP");
    expect(await resolved({ $literal: "${HOME}" }, "${HOME}")).toBe("${HOME}");
  });

  it("is escaped in linear time", async () => {
    const many = Array.from({ length: 60_000 }, (_, index) => `\${a${index}}`).join(" ");
    const other = many.replaceAll("a", "b");
    expect(await resolved(many, many)).toBe(many);
    const { step: whole } = await read({ tool: "Anything", input: { text: other } }, { typed: many });
    expect((whole as PlanStep).input).toEqual({ text: other });
    const open = "${".repeat(200_000);
    expect(await resolved(open, open)).toBe(open);
    const long = `\${${"x".repeat(1_000_000)}`;
    expect(await resolved(long, long)).toBe(long);
  });
});

describe("TypedText", () => {
  it("finds a piece of the typed text wherever it was cut, as a full search does", () => {
    const piece = fc
      .array(fc.constantFrom("${", "$", "a", "b", "}", "{"), { maxLength: 8 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(piece, piece, (typed, text) => {
        const last = /\$\{(?:[^{}$]|\$(?!\{))*$/.exec(text)?.[0];
        const escaped = new TypedText(typed).escape(text);
        if (last !== undefined && typed.includes(last)) expect(escaped.endsWith(`\${$}${last.slice(1)}`)).toBe(true);
        if (!typed.includes("${")) expect(escaped).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("checks a thousand references, and treats all others as typed", () => {
    const typed = new TypedText('a { "$ref": "s1.value" }');
    expect([typed.mayHaveReference("s1.value"), typed.mayHaveReference("s2.value")]).toEqual([true, false]);
    for (let index = 0; index < 1_000; index++) typed.mayHaveReference(`x${index}`);
    expect([typed.mayHaveReference("s2.value"), typed.mayHaveReference("s3.value")]).toEqual([false, true]);
  });
});
