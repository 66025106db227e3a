import { defineTool, isAgentError, type Tool } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import * as z from "zod/v4";
import { retryOptions } from "../../src/core/call-gate.ts";
import { define, indexTools } from "../../src/core/define-tool.ts";
import { readOptions } from "../../src/core/option-tables.ts";
import type { PhraseList } from "../../src/core/tool.ts";

const good = {
  name: "Echo",
  description: "Says it again",
  inputSchema: z.object({ text: z.string() }),
  execute: () => null,
};

function refusedOption(check: () => void): string | undefined {
  try {
    check();
  } catch (thrown) {
    if (isAgentError(thrown, "invalid-options")) return thrown.details.option;
    throw thrown;
  }
  return undefined;
}
const refused = (change: object) => refusedOption(() => define({ ...good, ...change } as Tool));

describe("the options of a tool", () => {
  it.each<[string, object]>([
    ["the least there is", {}],
    ["a name with every kind of character", { name: "get_User-2" }],
    ["a name of 64 characters", { name: "a".repeat(64) }],
    [
      "all there is",
      {
        outputSchema: z3.string(),
        effect: () => "pure",
        retry: { maxAttempts: 1, minDelayMs: 0, maxDelayMs: Number.POSITIVE_INFINITY, factor: 1, maxTotalMs: 0 },
        timeoutMs: 1,
        result: "value",
        phrases: ["say {text}", { phrase: "say", input: {}, slots: {}, toInput: () => undefined }],
      },
    ],
    [
      "undefined for what may be left out",
      {
        effect: undefined,
        retry: undefined,
        phrases: undefined,
        timeoutMs: undefined,
        outputSchema: undefined,
        result: undefined,
      },
    ],
  ])("accepts %s", (_name, change) => {
    expect(refused(change)).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ["no name", { name: undefined }, "name"],
    ["an empty name", { name: "" }, "name"],
    ["a name that begins with a digit", { name: "2do" }, "name"],
    ["a name with a space", { name: "a b" }, "name"],
    ["a name with a line break behind it", { name: "a\n" }, "name"],
    ["a name that is too long", { name: "a".repeat(65) }, "name"],
    ["an input that is not an object", { inputSchema: z.string() }, "Echo.inputSchema"],
    ["no description", { description: undefined }, "Echo.description"],
    ["no execute", { execute: undefined }, "Echo.execute"],
    ["an execute that is not a function", { execute: "run" }, "Echo.execute"],
    ["an unknown effect", { effect: "twice" }, "Echo.effect"],
    ["null as effect", { effect: null }, "Echo.effect"],
    ["a result that is not a path", { result: ["value"] }, "Echo.result"],
    ["a timeout of 0", { timeoutMs: 0 }, "Echo.timeoutMs"],
    ["a timeout that is NaN", { timeoutMs: Number.NaN }, "Echo.timeoutMs"],
    ["a timeout beyond what timers can", { timeoutMs: 2 ** 31 }, "Echo.timeoutMs"],
    ["no input schema", { inputSchema: undefined }, "Echo.inputSchema"],
    ["an input schema that is a shape", { inputSchema: { text: z.string() } }, "Echo.inputSchema"],
    ["an input schema of another library", { inputSchema: { "~standard": {} } }, "Echo.inputSchema"],
    ["an input schema that only looks like zod", { inputSchema: { _zod: {} } }, "Echo.inputSchema"],
    ["an invalid output schema", { outputSchema: {} }, "Echo.outputSchema"],
    ["null as output schema", { outputSchema: null }, "Echo.outputSchema"],
    ["phrases that are not a list", { phrases: "say" }, "Echo.phrases"],
    ["a phrase that is not text", { phrases: ["say", 5] }, "Echo.phrases[1]"],
    ["a phrase without phrase", { phrases: [{ input: {} }] }, "Echo.phrases[0].phrase"],
    ["an unknown key of a phrase", { phrases: [{ phrase: "a", priority: 1 }] }, "Echo.phrases[0].priority"],
    ["a toInput that is not a function", { phrases: [{ phrase: "a", toInput: {} }] }, "Echo.phrases[0].toInput"],
    ["an option that does not exist", { retries: 3 }, "Echo.retries"],
    ["an undo that is not a function", { undo: true }, "Echo.undo"],
    ["a say that is not a function", { say: "Done." }, "Echo.say"],
    ["an invalid needsApproval", { needsApproval: "yes" }, "Echo.needsApproval"],
    ["a concurrency of none", { concurrency: 0 }, "Echo.concurrency"],
    ["a rate limit without an interval", { rateLimit: { limit: 1 } }, "Echo.rateLimit.intervalMs"],
    ["a rate limit without a limit", { rateLimit: { intervalMs: 1 } }, "Echo.rateLimit.limit"],
    ["an invalid rate limit", { rateLimit: 5 }, "Echo.rateLimit"],
    ["a circuit breaker that never opens", { circuitBreaker: { maxFailures: 0 } }, "Echo.circuitBreaker.maxFailures"],
    [
      "a circuit breaker that stays open",
      { circuitBreaker: { resetAfterMs: 1 / 0 } },
      "Echo.circuitBreaker.resetAfterMs",
    ],
    ["an unknown key of a circuit breaker", { circuitBreaker: { k: 1 } }, "Echo.circuitBreaker.k"],
    ["a cache, which there is none of", { effect: "pure", cache: { maxAgeMs: 1, maxEntries: 1 } }, "Echo.cache"],
    ["an invalid retry policy", { retry: 3 }, "Echo.retry"],
    ["a wrong retry policy", { retry: { maxAttempts: 0 } }, "Echo.retry.maxAttempts"],
  ])("refuses %s", (_name, change, option) => {
    expect(refused(change)).toBe(option);
  });

  it.each([
    [{ needsApproval: "yes" }, 'must be true, false or a function of the input; received "yes"'],
    [{ needsApproval: null }, "must be true, false or a function of the input; received null"],
    [{ rateLimit: { limit: 1 } }, '"Echo.rateLimit.intervalMs" must be a number from 1 to 2147483647; it is missing.'],
    [{ rateLimit: { intervalMs: 1 } }, "must be a whole number from 1 to 1000000; it is missing."],
    [{ rateLimit: { limit: Number.NaN, intervalMs: 1 } }, "a whole number from 1 to 1000000; received NaN."],
  ])("are refused with a message that states valid values: %o", (change, message) => {
    expect(() => define({ ...good, ...change } as Tool)).toThrow(message);
  });

  it.each([undefined, null, "tool", [], () => good])("are refused if they are %o", (options) => {
    expect(refusedOption(() => define(options as unknown as Tool))).toBe("tool");
  });
});

describe("the slots of phrases", () => {
  const union = (...keys: string[]) => z.union(keys.map((key) => z.object({ [key]: z.string() })));

  it.each<[string, object]>([
    ["that the input has", { phrases: ["say {text}", "[please] (say|tell) {text} [again]"] }],
    ["of a phrase with toInput", { phrases: [{ phrase: "say {other}", toInput: () => ({ text: "" }) }] }],
    ["with a schema of their own", { phrases: [{ phrase: "say {other}", slots: { other: z.string() } }] }],
    ["that one branch of a union has", { inputSchema: union("a", "b"), phrases: ["say {a}", "tell {b}"] }],
    ["of an open object", { inputSchema: z.looseObject({ text: z.string() }), phrases: ["say {other}"] }],
    ["of a record", { inputSchema: z.record(z.string(), z.string()), phrases: ["say {other}"] }],
    [
      "of a union with a record",
      { inputSchema: z.union([z.object({}), z.record(z.string(), z.string())]), phrases: ["say {a}"] },
    ],
    ["of an intersection", { inputSchema: z.intersection(union("a"), union("b")), phrases: ["say {a}", "say {b}"] }],
    ["of zod 3, which is read later", { inputSchema: z3.object({ text: z3.string() }), phrases: ["say {other}"] }],
    ["that are loaded later", { phrases: async () => ["say {other}"] }],
  ])("can be those %s", (_name, change) => {
    expect(refused(change)).toBeUndefined();
  });

  it.each<[string, object]>([
    ["a field that does not exist", { phrases: ["say {text}", "say {other}"] }],
    ["what is not a name", { phrases: ["say {text}", "say {te xt}"] }],
    ["one that is never closed", { phrases: ["say {text}", "say {"] }],
    ["one in brackets", { phrases: ["say {text}", { phrase: "say [{other}]", input: { text: "a" } }] }],
    ["a name of Object.prototype", { phrases: ["say {text}", { phrase: "say {constructor}", slots: {} }] }],
    ["no branch of a union", { inputSchema: union("a", "b"), phrases: ["say {a}", "say {c}"] }],
    ["no part of an intersection", { inputSchema: union("a").and(union("b")), phrases: ["say {a}", "say {c}"] }],
    [
      "one that is never closed, of zod 3",
      { inputSchema: z3.object({ text: z3.string() }), phrases: ["say", "say {"] },
    ],
    ["nothing, as the input is empty", { inputSchema: z.object({}), phrases: ["say", "say {text}"] }],
  ])("are refused if they name %s", (_name, change) => {
    expect(refused(change)).toBe("Echo.phrases[1]");
  });

  it("are refused if they are of a kind that does not exist", () => {
    const odd = z.string().meta({ slot: "mesage" });
    const kinds = "message, name, range, sum, whole, word";
    expect(() => define({ ...good, inputSchema: z.object({ text: odd }), phrases: ["say {text}"] })).toThrow(
      `Option "Echo.phrases[0]" must be a phrase with a {text} whose "slot" is one of ${kinds}; received "mesage".`,
    );
    expect(() => define({ ...good, phrases: [{ phrase: "say {text}", slots: { text: odd } }] })).toThrow(
      `Option "Echo.phrases[0].slots.text" must be a schema whose "slot" is one of ${kinds}; received "mesage".`,
    );
    const inputSchema = z.object({ text: z.string().meta({ slot: "whole" }).optional() });
    expect(refused({ inputSchema, phrases: ["say [{text}]"] })).toBeUndefined();
  });

  it("are refused with a message that lists the fields of the input", () => {
    const phrases = ["say {other}"];
    expect(() => define({ ...good, phrases })).toThrow(
      'the input has no field "other" (name one of text, or give the phrase a toInput); received "say {other}".',
    );
    expect(() => define({ ...good, inputSchema: z.object({}), phrases })).toThrow("(give the phrase a toInput)");
  });
});

describe("retry policies", () => {
  it.each<[object, string]>([
    [{ maxAttempts: 1.5 }, "retry.maxAttempts"],
    [{ maxAttempts: Number.POSITIVE_INFINITY }, "retry.maxAttempts"],
    [{ maxAttempts: 1_001 }, "retry.maxAttempts"],
    [{ minDelayMs: -1 }, "retry.minDelayMs"],
    [{ maxDelayMs: Number.NaN }, "retry.maxDelayMs"],
    [{ factor: 0.5 }, "retry.factor"],
    [{ maxTotalMs: "1s" }, "retry.maxTotalMs"],
    [{ retries: 3 }, "retry.retries"],
  ])("refuses %o", (retry, option) => {
    expect(refusedOption(() => readOptions(retryOptions, retry, "retry"))).toBe(option);
  });
});

describe("input schemas that JSON cannot express", () => {
  it.each<[string, unknown]>([
    ["zod 4 with a Date", z.object({ at: z.date() })],
    ["zod 4 with a Map", z.object({ m: z.map(z.string(), z.string()) })],
    ["zod 4 with a Set", z.object({ s: z.set(z.string()) })],
    ["zod 4 with a BigInt", z.object({ n: z.bigint() })],
    ["zod 4 with undefined", z.object({ n: z.undefined() })],
    ["zod 4 with a custom type", z.object({ u: z.instanceof(URL) })],
    ["zod 3 with a Date", z3.object({ at: z3.date() })],
    ["zod 3 with a Map", z3.object({ m: z3.map(z3.string(), z3.string()) })],
    ["zod 3 with a BigInt", z3.object({ n: z3.bigint() })],
  ])("are refused: %s", (_name, inputSchema) => {
    expect(refused({ inputSchema })).toBe("Echo.inputSchema");
  });

  it("are refused with the path and the type, for zod 3", () => {
    const inputSchema = z3.object({ a: z3.object({ when: z3.date() }) });
    expect(() => define({ ...good, inputSchema })).toThrow("input.a.when is a ZodDate");
  });

  it.each<[string, unknown]>([
    ["zod 3 that coerces", z3.object({ at: z3.coerce.date(), n: z3.coerce.bigint() })],
    ["zod 3 that preprocesses", z3.object({ at: z3.preprocess((value) => new Date(String(value)), z3.date()) })],
    ["zod 3 that pipes text into a Date", z3.object({ at: z3.string().pipe(z3.coerce.date()) })],
    ["zod 4 that pipes text into a Date", z.object({ at: z.string().pipe(z.coerce.date()) })],
    ["zod 4 that decodes text to a Date", z.object({ at: z.iso.datetime().transform((text) => new Date(text)) })],
  ])("are accepted if JSON is what they accept: %s", (_name, inputSchema) => {
    expect(refused({ inputSchema })).toBeUndefined();
  });
});

const withPhrases = (name: string, phrases: PhraseList<{ city?: string | undefined }>) =>
  defineTool({
    name,
    description: "Tells the weather.",
    inputSchema: z.object({ city: z.string().optional() }),
    effect: "idempotent",
    phrases,
    execute: () => 1,
  });

describe("examples", () => {
  it("must fit the input", () => {
    const wrong = { phrase: "is it raining in Paris", input: { city: 75 as never } };
    expect(() => withPhrases("Weather", ["weather", wrong])).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        message: expect.stringMatching(/"Weather\.phrases\[1\]\.input".*"is it raining in Paris".*city: /),
      }),
    );
  });

  it("mean one thing", () => {
    const phrases = [
      { phrase: "is it raining in Paris", input: { city: "Paris" } },
      { phrase: "Is it  raining in paris", input: { city: "Rome" } },
    ];
    expect(() => withPhrases("Weather", phrases)).toThrow(/an earlier phrase gives it the input \{"city":"Paris"\}/);
    expect(() => withPhrases("Weather", ["weather", "Weather"])).not.toThrow();
  });

  it("belong to one tool", () => {
    const tools = [withPhrases("Weather", ["is it raining"]), withPhrases("Rain", ["will it rain", "Is it raining"])];
    expect(() => indexTools(tools)).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        message: expect.stringMatching(/"Rain\.phrases\[1\]".*Weather also has it/),
      }),
    );
  });

  it("are not templates, nor what a function makes of a sentence", () => {
    const template = { phrase: "weather (in|for) {city}", input: {} };
    const made = { phrase: "weather", toInput: () => ({ city: "here" }) };
    expect(() =>
      indexTools([withPhrases("A", [template, made]), withPhrases("B", [template, "forecast"])]),
    ).not.toThrow();
  });

  it("are checked when they are loaded, too", async () => {
    const tool = defineTool({
      name: "Late",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      effect: "idempotent",
      phrases: async () => ["nothing to see"],
      execute: () => 1,
    });
    const load = tool.phrases as () => Promise<unknown>;
    await expect(load()).rejects.toMatchObject({ code: "invalid-options" });
  });
});
