import { describe, expect, it } from "vitest";
import { type ModelFailureReason, modelName } from "../../../src/core/language-model.ts";
import { modelFailure } from "../../../src/core/model-failure.ts";
import { createLlmPlanner } from "../../../src/planners/llm/llm-planner.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/testing/scripted-model.ts";
import { answerOf, failureOf, planWith, requestOf } from "./ask-llm-planner.ts";

const model = { provider: "scripted", modelId: "script" };
const good = answerOf({ tool: "Note", input: { title: "milk" } });
const wrong = answerOf({ tool: "Book", input: {} });
const request = "note milk";

function fails(reason: ModelFailureReason, message = `The model says ${reason}.`): Error {
  return modelFailure(model, reason, { message });
}

const refusesFormat = fails("format-rejected");

/** The formats that a model was asked for. */
async function formatsOf(answers: readonly ScriptedAnswer[]): Promise<readonly string[]> {
  const { requests } = await planWith(answers, request);
  return requests.map(({ responseFormat = { type: "none" } }) => {
    return "schema" in responseFormat && responseFormat.schema ? "schema" : responseFormat.type;
  });
}

describe("a valid answer", () => {
  it("becomes the plan, with its planner and model", async () => {
    const { steps, source, requests } = await planWith([good], request, { name: "mine" });
    expect(steps).toEqual([{ id: "s1", tool: "Note", input: { title: "milk" }, dependsOn: [] }]);
    expect(source).toEqual({ planner: "mine", model: "scripted/script", attempts: 1, repaired: [] });
    expect(requests).toMatchObject([{ temperature: 0, maxOutputTokens: 2048, responseFormat: { type: "json" } }]);
    expect(requests[0]?.onTextDelta).toBeUndefined();
  });

  it("may need repairs, and contain words that the request lacks", async () => {
    const { source } = await planWith([`Ok. ${good}`], "note it", { grounding: "warn" });
    expect(source).toEqual({
      planner: "llm",
      model: modelName(model),
      attempts: 1,
      repaired: ["extracted"],
      warnings: [
        {
          code: "ungrounded",
          path: ["steps", 0, "input", "title"],
          message: 'The request does not say "milk".',
          words: ["milk"],
        },
      ],
    });
  });

  it("may be in the reasoning instead of the text", async () => {
    const { source } = await planWith([{ text: " ", reasoning: `Hm. ${good}` }], request);
    expect(source).toMatchObject({ attempts: 1, repaired: ["extracted"] });
    const { steps } = await planWith([{ text: good, reasoning: wrong }], request);
    expect(steps).toHaveLength(1);
  });

  it("has a token limit that grows with the request, up to a maximum", async () => {
    const lengthOf = async (text: string) => (await planWith([good], text)).requests[0]?.maxOutputTokens;
    expect(await lengthOf(`note milk ${"x".repeat(6_000)}`)).toBe(1_024 + 2 * Math.ceil(6_010 / 3));
    expect(await lengthOf(`note milk ${"x".repeat(100_000)}`)).toBe(8_192);
  });
});

describe("a format that the model refuses", () => {
  it("is followed by a weaker one", async () => {
    expect(await formatsOf([good])).toEqual(["schema"]);
    expect(await formatsOf([refusesFormat, good])).toEqual(["schema", "json"]);
    expect(await formatsOf([refusesFormat, refusesFormat, good])).toEqual(["schema", "json", "text"]);
  });

  it("is recorded in the plan, and requested only once", async () => {
    const { source } = await planWith([refusesFormat, good], request);
    expect(source).toEqual({
      planner: "llm",
      model: "scripted/script",
      attempts: 2,
      repaired: [],
      failures: [
        { planner: "llm", model: "scripted/script", code: "model-failed", message: "The model says format-rejected." },
      ],
    });
    const failure = await failureOf([refusesFormat, refusesFormat, refusesFormat], request);
    expect(failure).toMatchObject({ code: "planning-failed", cause: refusesFormat });
    expect(failure.message).toBe(
      'The planner "llm" got no plan from scripted/script after 3 tries: The model says format-rejected.',
    );
  });

  it.each([
    [[refusesFormat, good], "json"],
    [[refusesFormat, refusesFormat, good], "text"],
  ] as const)("is not requested again by the next request (%#)", async (first, format) => {
    const scripted = createScriptedModel([...first, good, good]);
    const planner = createLlmPlanner({ model: scripted });
    for (let asked = 0; asked < 3; asked++) await planner.plan(requestOf(request));
    expect(scripted.requests).toHaveLength(first.length + 2);
    for (const { responseFormat } of scripted.requests.slice(first.length - 1)) {
      expect(responseFormat).toEqual({ type: format });
    }
  });

  it("is requested again for other tools if it was a schema, but not if it was JSON", async () => {
    const scripted = createScriptedModel([refusesFormat, good, refusesFormat, refusesFormat, good, good]);
    const planner = createLlmPlanner({ model: scripted });
    await planner.plan(requestOf(request));
    await planner.plan(requestOf(request, { maxSteps: 3 }));
    await planner.plan(requestOf(request, { maxSteps: 4 }));
    expect(scripted.requests.map(({ responseFormat }) => JSON.stringify(responseFormat).slice(0, 25))).toEqual([
      '{"type":"json","schema":{',
      '{"type":"json"}',
      '{"type":"json","schema":{',
      '{"type":"json"}',
      '{"type":"text"}',
      '{"type":"text"}',
    ]);
  });
});

describe("a cut answer", () => {
  const cut = { text: good.slice(0, -2), finishReason: "length" } as const;

  it("is requested once more with twice the room, and never repaired", async () => {
    const { source, requests } = await planWith([cut, good], request, { maxOutputTokens: 100 });
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([100, 200]);
    expect(requests[1]?.messages).toEqual(requests[0]?.messages);
    expect(source).toMatchObject({
      attempts: 2,
      repaired: [],
      failures: [{ code: "cut-off", message: "The answer was cut after 100 tokens.", text: cut.text }],
    });
  });

  it("is not used even if it looks complete", async () => {
    const { source } = await planWith([{ text: good, finishReason: "length" }, good], request);
    expect(source?.attempts).toBe(2);
  });

  it("fails planning the second time", async () => {
    const failure = await failureOf([cut, { ...cut, text: "" }], request);
    expect(failure).toMatchObject({
      code: "planning-failed",
      details: { failures: [{ code: "cut-off", text: cut.text }, { code: "cut-off" }] },
    });
    expect(failure.message).toContain(
      "after 2 tries: The answer was cut after 4096 tokens, before it began: thinking probably used it up.",
    );
  });

  it("may be followed by a request to correct the next answer", async () => {
    const { source } = await planWith([cut, wrong, good], request);
    expect(source).toMatchObject({ attempts: 3, repaired: ["asked-again"] });
    expect(source?.failures?.map(({ code }) => code)).toEqual(["cut-off", "invalid-plan"]);
    const after = await planWith([wrong, cut, good], request);
    expect(after.requests[2]?.messages).toHaveLength(4);
  });

  it("is used if it was cut for another reason and is JSON, but not repaired", async () => {
    const other = { finishReason: "other" } as const;
    expect((await planWith([{ text: good, ...other }], request)).source).toMatchObject({ attempts: 1 });
    const { source } = await planWith([{ text: good.slice(0, -2), ...other }, good], request);
    expect(source).toMatchObject({ attempts: 2, failures: [{ code: "no-json" }] });
  });
});

describe("an invalid answer", () => {
  it("is requested once more, with its problems", async () => {
    const { source, requests } = await planWith([wrong, good], request);
    const problem = 'steps.0.tool: There is no tool "Book". Available tools: Note, Sum, Anything, Wipe.';
    expect(requests[1]?.messages.slice(2)).toEqual([
      { role: "assistant", content: wrong },
      {
        role: "user",
        content: `That is not a valid plan:\n- ${problem}\nAnswer with the whole JSON object again, corrected.`,
      },
    ]);
    expect(requests[1]?.responseFormat).toEqual(requests[0]?.responseFormat);
    expect(source).toEqual({
      planner: "llm",
      model: "scripted/script",
      attempts: 2,
      repaired: ["asked-again"],
      failures: [{ planner: "llm", model: "scripted/script", code: "invalid-plan", message: problem, text: wrong }],
    });
  });

  it("fails planning the second time, with every attempt", async () => {
    const failure = await failureOf([wrong, "I give up."], request);
    expect(failure).toMatchObject({
      code: "planning-failed",
      details: {
        planner: "llm",
        model: "scripted/script",
        failures: [
          { code: "invalid-plan", text: wrong },
          { code: "no-json", text: "I give up." },
        ],
      },
    });
    expect(failure.cause).toBeUndefined();
  });

  it("may contain words that the request lacks, and be valid the second time", async () => {
    const salt = answerOf({ tool: "Note", input: { title: "salt" } });
    const { source } = await planWith([salt, good], request);
    expect(source?.failures).toMatchObject([
      { code: "ungrounded", message: 'steps.0.input.title: The request does not say "salt".' },
    ]);
    expect((await failureOf([salt, salt], request)).message).toContain('does not say "salt"');
  });

  it("is followed by a weaker format if it is empty, and is not repeated in the prompt", async () => {
    expect(await formatsOf(["", good])).toEqual(["schema", "json"]);
    expect(await formatsOf([refusesFormat, refusesFormat, " \n", good])).toEqual(["schema", "json", "text", "text"]);
    const { requests, source } = await planWith(["", good], request);
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(source?.failures).toEqual([
      {
        planner: "llm",
        model: "scripted/script",
        code: "no-json",
        message: "There is no JSON object with a list of steps in it.",
      },
    ]);
    expect(await failureOf(["", ""], request)).toMatchObject({ code: "planning-failed" });
  });

  it("is quoted in part, and never with half a character", async () => {
    const long = `${"x".repeat(499)}😀${'{"\ud800": 1}'.repeat(50)}`;
    const { steps, source } = await planWith([long, good], request);
    expect(steps).toHaveLength(1);
    expect(source?.failures?.[0]?.text).toHaveLength(500);
    expect(JSON.stringify(source)).not.toContain("\\ud83d");
    const odd = answerOf({
      tool: "Anything",
      input: Object.fromEntries(["\ud800", ..."abcdefghijklmnop"].map((key) => [`${key}${"y".repeat(999)}`, "\ud800"])),
    });
    const { source: second } = await planWith([odd, good], request);
    expect(second?.failures?.[0]?.message.length).toBeLessThanOrEqual(2_000);
    expect(second?.failures?.[0]?.message.isWellFormed()).toBe(true);
  });
});

describe("a refusal", () => {
  it("causes cannot-plan, with the reason in the message", async () => {
    const failure = await failureOf(['{"steps": [], "reason": "no tool books flights"}'], "book a flight");
    expect(failure).toMatchObject({
      code: "cannot-plan",
      message: "scripted/script cannot plan this: no tool books flights",
      details: { reason: "not-understood", examples: [] },
    });
  });

  it("needs a reason: a model without one is asked again, and then has failed", async () => {
    const failure = await failureOf(['{"steps": []}', '{"steps": [], "missing": "none"}'], "book a flight");
    expect(failure).toMatchObject({ code: "planning-failed", details: { failures: [{ code: "invalid-plan" }, {}] } });
    expect(failure.message).toContain("There are no steps.");
  });

  it("may have a very long reason", async () => {
    const long = await failureOf([JSON.stringify({ steps: [], reason: "x".repeat(10_000) })], "book a flight");
    expect(long.message.length).toBeLessThan(600);
  });

  it("by the provider causes planning-failed", async () => {
    const failure = await failureOf([{ text: "I", finishReason: "content-filter" }], request);
    expect(failure).toMatchObject({
      code: "planning-failed",
      details: { failures: [{ code: "content-filter", message: "The provider withheld the answer.", text: "I" }] },
    });
    expect(failure.message).not.toContain("tries");
  });
});
