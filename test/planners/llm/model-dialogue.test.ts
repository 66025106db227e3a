import { AgentError, createLlmPlanner, type LanguageModel, modelFailure, type PlanRequest } from "planwright";
import { createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { answerOf, failureOf, noteOf, planWith, requestOf, tools, unclear } from "./ask-llm-planner.ts";

const model = { provider: "scripted", modelId: "script" };
const good = noteOf("milk");
const wrong = answerOf({ do: "Book" });
const request = "note milk";

function fails(reason: Parameters<typeof modelFailure>[1], message = `The model says ${reason}.`): Error {
  return modelFailure(model, reason, { message });
}

const refusesFormat = fails("format-rejected");

function formatOf({ responseFormat }: Parameters<LanguageModel["generate"]>[0]): string {
  const { type, schema } = { schema: undefined, ...responseFormat } as { type: string; schema: unknown };
  return schema === undefined ? type : "schema";
}

describe("a valid answer", () => {
  it("becomes the plan, with its planner and model", async () => {
    const { steps, source, requests } = await planWith([good], request, { name: "mine" });
    expect(steps).toEqual([{ id: "s1", tool: "Note", input: { title: "milk" }, dependsOn: [] }]);
    expect(source).toEqual({ planner: "mine", model: "scripted/script", attempts: 1, certainty: 0.75 });
    const asked = { temperature: 0, maxOutputTokens: 2048, logprobs: true, responseFormat: { type: "json" } };
    expect(requests).toMatchObject([asked]);
    expect(requests[0]?.onTextDelta).toBeUndefined();
  });

  it.each([
    ["in a fence", `\`\`\`json\n${good}\n\`\`\``],
    ["behind its thinking", `<think>Or ${wrong}?</think>\n${good}`],
    ["behind its thinking and in a fence", `<thinking>{"steps":[]}</thinking>\`\`\`\n${good}\`\`\``],
    ["before a token that ends it", `${good}</s>`],
    ["before an explanation", `${good}\nThis notes "milk".`],
    ["in the shape of other planners", '{"steps":[{"tool":"Note","input":{"title":"milk"}}]}'],
    ["as its reasoning, without a text", { text: " ", reasoning: good }],
    ["as its text, with other reasoning", { text: good, reasoning: wrong }],
  ] as const)("may stand %s", async (_where, answer) => {
    expect(await planWith([answer], request)).toMatchObject({ steps: [{ tool: "Note" }], source: { attempts: 1 } });
  });
});

describe("an invalid answer", () => {
  it("is asked again once, with the reason", async () => {
    const { source, requests } = await planWith([wrong, good], request);
    expect(source).toMatchObject({
      attempts: 2,
      failures: [
        {
          planner: "llm",
          code: "invalid-plan",
          message: 'steps.0: unknown call "Book"; expected Note, Sum, Wipe or unclear',
          text: wrong,
        },
      ],
    });
    const [first = { messages: [] }, second = { messages: [] }] = requests;
    expect(second.messages.slice(0, -2)).toEqual(first.messages);
    const [echo, problems] = second.messages.slice(-2);
    expect(echo).toEqual({ role: "assistant", content: wrong });
    expect(problems?.content).toContain('- steps.0: unknown call "Book"; expected Note, Sum, Wipe or unclear');
  });

  it.each([
    ["prose", "Arr! There be no rules here."],
    ["prose around it", `Ok: ${good}`],
    ["two objects", `${good}\n${good}`],
    ["an object in a string", JSON.stringify(good)],
    ["a list alone", JSON.stringify(JSON.parse(good).steps)],
    ["no steps", answerOf()],
    ["a step that is no call", answerOf({ name: "Note", input: { title: "milk" } })],
    ["a comma too many", `${good.slice(0, -1)},}`],
    ["nesting that overflows a stack", `{"steps":[{"do":"Note","title":${"[".repeat(30_000)}${"]".repeat(30_000)}}]}`],
    ["more than anybody reads", " ".repeat(11_000_000)],
  ])("is %s: the second fails planning", async (_what, answer) => {
    expect(await failureOf([answer, answer], request)).toMatchObject({
      code: "planning-failed",
      details: { failures: [{ code: "no-json" }, { code: "no-json" }] },
    });
  });

  it("is a refusal if it is of the tools, and cannot be read the second time either", async () => {
    const failure = await failureOf([wrong, answerOf({ do: "Note" })], request);
    expect(failure).toMatchObject({
      code: "cannot-plan",
      message: 'scripted/script cannot plan this: steps.0: Note: "title" is missing.',
      details: { reason: "not-understood", failures: [{ code: "invalid-plan" }, { code: "invalid-plan" }] },
    });
  });

  it("is followed by a weaker format if it is empty, and is not repeated in the prompt", async () => {
    const { requests } = await planWith(["  ", good], request);
    expect(requests.map(formatOf)).toEqual(["schema", "json"]);
    expect(requests[1]?.messages).toHaveLength(requests[0]?.messages.length ?? 0);
    expect(requests[1]?.messages.at(-1)?.content).toMatch(/^note milk\n\nThat is not valid/);
  });

  it("is quoted in part, and never with half a character", async () => {
    const long = `${"x".repeat(499)}😀${"x".repeat(9_999)}`;
    const { source, requests } = await planWith([long, good], request);
    expect(source?.failures?.[0]?.text).toHaveLength(500);
    expect(JSON.stringify([source, requests[1]?.messages])).not.toContain("\\ud83d");
    expect(requests[1]?.messages.at(-2)?.content.length).toBeLessThanOrEqual(1_000);
  });
});

describe("a refusal", () => {
  it("of the model causes cannot-plan", async () => {
    for (const answer of [unclear, answerOf({ do: "Note", title: "milk" }, { do: "unclear" })])
      expect(await failureOf([answer], request)).toMatchObject({
        code: "cannot-plan",
        message: "scripted/script cannot plan this: no tool clearly does what the request asks.",
        details: { reason: "not-understood", examples: [] },
      });
  });

  it("of the provider causes planning-failed", async () => {
    const failure = await failureOf([{ text: "I", finishReason: "content-filter" }], request);
    const withheld = { code: "content-filter", message: "The provider withheld the answer.", text: "I" };
    expect(failure).toMatchObject({ code: "planning-failed", details: { failures: [withheld] } });
    expect(failure.message).not.toContain("tries");
  });

  it.each([
    ["do not note milk", "denied"],
    ["if it rains note milk", "condition"],
  ])("needs no model for %j", async (text, reason) => {
    const scripted = createScriptedModel([good]);
    const planning = createLlmPlanner({ model: scripted }).plan(requestOf(text));
    await expect(planning).rejects.toMatchObject({ code: "cannot-plan", details: { reason } });
    expect(scripted.requests).toEqual([]);
  });
});

describe("a question", () => {
  it("may be answered by a step without an effect, and nothing else", async () => {
    const answer = answerOf({ do: "Sum", a: 2, b: 3 });
    const { steps } = await planWith([answer], "should I add 2 and 3?");
    expect(steps).toMatchObject([{ tool: "Sum", input: { a: 2, b: 3 } }]);
    const failure = await failureOf([good], "should I note milk?");
    expect(failure).toMatchObject({ code: "cannot-plan", details: { reason: "question" } });
  });
});

describe("a format that the model refuses", () => {
  it.each([
    [[good], ["schema"]],
    [
      [refusesFormat, good],
      ["schema", "json"],
    ],
    [
      [refusesFormat, refusesFormat, good],
      ["schema", "json", "text"],
    ],
  ])("is followed by a weaker one, and not tried again (%#)", async (answers, formats) => {
    const scripted = createScriptedModel([...answers, good, good]);
    const planner = createLlmPlanner({ model: scripted });
    for (const _time of [1, 2, 3]) await planner.plan(requestOf(request));
    expect(scripted.requests.map(formatOf)).toEqual([...formats, formats.at(-1), formats.at(-1)]);
  });

  it("is listed in the plan", async () => {
    const { source } = await planWith([refusesFormat, good], request);
    expect(source).toMatchObject({ attempts: 2, failures: [{ code: "model-failed", message: refusesFormat.message }] });
    const failure = await failureOf([refusesFormat, refusesFormat, refusesFormat], request);
    expect(failure).toMatchObject({ code: "planning-failed", cause: refusesFormat });
    expect(failure.message).toContain("got no plan from scripted/script after 3 tries: The model says");
  });

  it("is tried again for other tools if it was a schema, but not if it was JSON", async () => {
    const scripted = createScriptedModel([refusesFormat, good, refusesFormat, refusesFormat, good, good]);
    const planner = createLlmPlanner({ model: scripted });
    for (const given of [tools, tools.slice(0, 2), tools.slice(0, 1)])
      await planner.plan(requestOf(request, { tools: given }));
    expect(scripted.requests.map(formatOf)).toEqual(["schema", "json", "schema", "json", "text", "text"]);
  });
});

describe("a cut answer", () => {
  const cut = { text: good, finishReason: "length" } as const;

  it("is asked for once more with twice the room, and never used", async () => {
    const { requests, source } = await planWith([cut, good], request);
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([2048, 4096]);
    const failure = { code: "cut-off", message: "The answer was cut off after 2048 tokens.", text: good };
    expect(source).toMatchObject({ attempts: 2, failures: [failure] });
    expect(await failureOf([cut, cut], request, { maxOutputTokens: 100 })).toMatchObject({
      code: "planning-failed",
      details: { failures: [{ code: "cut-off" }, { message: "The answer was cut off after 200 tokens." }] },
    });
  });

  it("may be followed by an invalid one", async () => {
    expect(await planWith([cut, wrong, good], request)).toMatchObject({ source: { attempts: 3 } });
  });

  it("is final if no room is left, or at the model's own limit", async () => {
    const generate = async () => ({ text: "{", finishReason: "length", usage: {}, maxOutputTokens: 90 }) as const;
    expect(await failureOf([], requestOf(request, { generate }))).toMatchObject({
      message: expect.stringContaining("cut off after 90 tokens; the model's context or the budget leaves no more"),
    });
    const scripted = { ...createScriptedModel([cut]), hasOutputLimit: true };
    const planning = createLlmPlanner({ model: scripted }).plan(requestOf(request));
    await expect(planning).rejects.toThrow("The answer was cut off at the model's own limit.");
    expect(scripted.requests[0]).toMatchObject({ maxOutputTokens: undefined });
  });

  it.each([
    [{ text: "", reasoning: "Hm" }, "used up by thinking"],
    [{ text: "" }, "probably used up by thinking"],
  ])("says if thinking used the room (%#)", async (answer, message) => {
    const { source } = await planWith([{ ...answer, finishReason: "length" }, good], request);
    expect(source?.failures?.[0]?.message).toBe(`The answer was cut off after 2048 tokens, ${message}.`);
  });
});

describe("a model that fails", () => {
  it.each([
    ...(["unreachable", "unknown-model", "unauthorized", "busy", "prompt-too-long"] as const),
    ...(["rejected", "server-error", "invalid-response"] as const),
  ])("causes planning-failed, with its message and the cause: %s", async (reason) => {
    const cause = fails(reason, "Is it on? Start it with `ollama serve`.");
    const failure = await failureOf([cause], request);
    expect(failure).toMatchObject({
      code: "planning-failed",
      message: 'The planner "llm" got no plan from scripted/script: Is it on? Start it with `ollama serve`.',
      details: { planner: "llm", failures: [{ code: "model-failed" }] },
    });
    expect(failure.cause).toBe(cause);
    const later = await failureOf([wrong, cause], request);
    expect(later).toMatchObject({ details: { failures: [{ code: "invalid-plan" }, { code: "model-failed" }] } });
  });

  it("causes planning-failed with any other error, except for errors about budgets", async () => {
    const cause = new TypeError("oops");
    expect(await failureOf([cause], request)).toMatchObject({ code: "planning-failed", cause });
    const limit = new AgentError("limit-exceeded", "Much.", { details: { limit: "tokens", max: 1, used: 2 } });
    let calls = 0;
    const generate = async () => {
      if (calls++ > 0) throw limit;
      return { text: "no", finishReason: "stop", usage: {} } as const;
    };
    expect(await failureOf([], requestOf(request, { generate }))).toMatchObject({
      code: "limit-exceeded",
      details: { limit: "tokens", failures: [{ code: "no-json", text: "no" }] },
    });
  });

  it("is called without a temperature from then on if it refuses one", async () => {
    const refusal = fails("rejected", "'temperature' does not support 0");
    const { requests, source } = await planWith([refusal, good], request);
    expect(requests.map(({ temperature }) => temperature)).toEqual([0, undefined]);
    expect(source).toMatchObject({ attempts: 2, failures: [{ code: "model-failed" }] });
  });

  it.each([undefined, "hello", { text: 7 }])("must return a response, not %j", async (answer) => {
    const generate = () => Promise.resolve(answer as never);
    const message = expect.stringContaining("must return { text, finishReason, usage }");
    expect(await failureOf([], requestOf(request, { generate }))).toMatchObject({ code: "planning-failed", message });
  });

  it("half way is asked once more, with the same request", async () => {
    const brokeOff = fails("interrupted");
    const { source, requests } = await planWith([brokeOff, good], request);
    const [first, second] = requests.map(({ signal: _signal, attempts: _attempts, ...rest }) => rest);
    expect(second).toEqual(first);
    expect(source).toMatchObject({ attempts: 2, failures: [{ code: "model-failed" }] });
    const cut = { text: good, finishReason: "length" } as const;
    for (const twice of [
      [brokeOff, brokeOff],
      [cut, brokeOff],
      [brokeOff, cut],
    ])
      expect(await failureOf(twice, request)).toMatchObject({ code: "planning-failed" });
  });
});

describe("a signal", () => {
  const reason = new AgentError("cancelled", "Enough.", { details: { reason: "enough" } });
  type Generate = NonNullable<PlanRequest["generate"]>;

  it.each<[string, (cancel: () => void) => Generate]>([
    [
      "while the model is asked",
      (cancel) => (called, asked) => {
        queueMicrotask(cancel);
        return called.generate(asked);
      },
    ],
    [
      "between two answers",
      (cancel) => async (called, asked) => {
        const response = await called.generate(asked);
        cancel();
        return response;
      },
    ],
    [
      "with an error of the model",
      (cancel) => () => {
        cancel();
        return Promise.reject(fails("interrupted"));
      },
    ],
  ])("ends planning with its reason %s", async (when, generateFor) => {
    const controller = new AbortController();
    const answer: ScriptedAnswer = when.startsWith("while") ? { hangs: "until-aborted" } : wrong;
    const scripted = createScriptedModel([answer, good]);
    const generate = generateFor(() => controller.abort(reason));
    const planning = createLlmPlanner({ model: scripted }).plan(
      requestOf(request, { signal: controller.signal, generate }),
    );
    await expect(planning).rejects.toBe(reason);
    expect(scripted.requests.length).toBeLessThan(2);
  });

  it("prevents the call if it has already aborted", async () => {
    await expect(planWith([], requestOf(request, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });
});
