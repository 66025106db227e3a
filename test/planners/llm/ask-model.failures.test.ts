import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.ts";
import type { ModelFailureReason } from "../../../src/core/language-model.ts";
import { modelFailure } from "../../../src/core/model-failure.ts";
import type { PlanningEvent } from "../../../src/core/planner.ts";
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

describe("a model that fails", () => {
  it.each([
    "unreachable",
    "unknown-model",
    "unauthorized",
    "busy",
    "prompt-too-long",
    "rejected",
    "server-error",
    "invalid-response",
  ] as const)("causes planning-failed, with its message and the cause: %s", async (reason) => {
    const cause = fails(reason, "Is it on? Start it with `ollama serve`.");
    const failure = await failureOf([cause], request);
    expect(failure).toMatchObject({
      code: "planning-failed",
      message: 'The planner "llm" got no plan from scripted/script: Is it on? Start it with `ollama serve`.',
      details: { planner: "llm", failures: [{ code: "model-failed" }] },
    });
    expect(failure.cause).toBe(cause);
  });

  it("lists its first answer among the failures if it fails at the second", async () => {
    const failure = await failureOf([wrong, fails("server-error")], request);
    expect(failure).toMatchObject({ details: { failures: [{ code: "invalid-plan" }, { code: "model-failed" }] } });
  });

  it("causes planning-failed with any other error, except for errors about budgets and options", async () => {
    const cause = new TypeError("oops");
    expect(await failureOf([cause], request)).toMatchObject({
      code: "planning-failed",
      cause,
      details: { failures: [{ code: "planning-failed", message: "oops" }] },
    });
    const details = { limit: "tokens", max: 1, used: 2 } as const;
    const limit = new AgentError("limit-exceeded", "Too much.", { details });
    const generate = () => Promise.reject(limit);
    expect(await failureOf([], requestOf(request, { generate }))).toMatchObject({ code: "limit-exceeded", details });
  });

  it("reports earlier answers with limit-exceeded and with cannot-plan", async () => {
    let calls = 0;
    const limit = new AgentError("limit-exceeded", "Too much.", { details: { limit: "tokens", max: 1, used: 2 } });
    const generate = async () => {
      if (calls++ > 0) throw limit;
      return { text: "no", finishReason: "stop", usage: {} } as const;
    };
    expect(await failureOf([], requestOf(request, { generate }))).toMatchObject({
      code: "limit-exceeded",
      details: { limit: "tokens", failures: [{ code: "no-json", text: "no" }] },
    });
    expect(await failureOf(["no", '{"steps":[],"missing":"a mailer"}'], request)).toMatchObject({
      code: "cannot-plan",
      message: expect.stringContaining("a mailer"),
      details: { reason: "not-understood", failures: [{ code: "no-json" }] },
    });
  });

  it("is not called again after a cut answer if no room is left", async () => {
    const generate = async () => ({ text: "{", finishReason: "length", usage: {}, maxOutputTokens: 90 }) as const;
    expect(await failureOf([], requestOf(request, { generate }))).toMatchObject({
      message: expect.stringContaining("cut after 90 tokens, all that the model's context or the budget leaves"),
      details: { failures: [{ code: "cut-off" }] },
    });
  });

  it("is called without a temperature from then on if it refuses one", async () => {
    const refusal = fails("rejected", "'temperature' does not support 0");
    const { requests, source } = await planWith([refusal, good], request);
    expect(requests.map(({ temperature }) => temperature)).toEqual([0, undefined]);
    expect(source).toMatchObject({ attempts: 2, failures: [{ code: "model-failed" }] });
  });

  it.each([undefined, "hello", { text: 7 }])(
    "causes an error that states the required shape if it answers with %j",
    async (answer) => {
      const generate = () => Promise.resolve(answer as never);
      expect(await failureOf([], requestOf(request, { generate }))).toMatchObject({
        code: "planning-failed",
        message: expect.stringContaining("must return { text, finishReason, usage }"),
      });
    },
  );
});

describe("an interrupted answer", () => {
  const brokeOff = fails("interrupted");

  it("is requested once more, with the same request", async () => {
    const { source, requests } = await planWith([brokeOff, good], request);
    const [first, second] = requests.map(({ signal: _signal, attempts: _attempts, ...rest }) => rest);
    expect(second).toEqual(first);
    expect(source).toMatchObject({ attempts: 2, repaired: [], failures: [{ code: "model-failed" }] });
  });

  it("fails planning the second time, also before or after a cut answer", async () => {
    const failure = await failureOf([brokeOff, brokeOff], request);
    expect(failure).toMatchObject({ code: "planning-failed", cause: brokeOff });
    const cut = { text: good, finishReason: "length" } as const;
    expect(await failureOf([brokeOff, cut], request)).toMatchObject({
      details: { failures: [{}, { code: "cut-off" }] },
    });
    expect(await failureOf([cut, brokeOff], request)).toMatchObject({ cause: brokeOff });
  });
});

describe("a signal", () => {
  it("prevents the call of the model if it has already aborted", async () => {
    const reason = new AgentError("cancelled", "Enough.", { details: { reason: "enough" } });
    const asked = planWith([], requestOf(request, { signal: AbortSignal.abort(reason) }));
    await expect(asked).rejects.toBe(reason);
  });

  it("ends the call with its reason", async () => {
    const controller = new AbortController();
    const planned = planWith([{ hangs: "until-aborted" }], requestOf(request, { signal: controller.signal }));
    const reason = new Error("Enough.");
    queueMicrotask(() => controller.abort(reason));
    await expect(planned).rejects.toBe(reason);
  });

  it("prevents the second call if it aborts between two answers", async () => {
    const controller = new AbortController();
    const reason = new Error("Enough.");
    const scripted = createScriptedModel([wrong, good]);
    const generate: NonNullable<ReturnType<typeof requestOf>["generate"]> = async (called, asked) => {
      const response = await called.generate(asked);
      controller.abort(reason);
      return response;
    };
    const planner = createLlmPlanner({ model: scripted });
    await expect(planner.plan(requestOf(request, { signal: controller.signal, generate }))).rejects.toBe(reason);
    expect(scripted.requests).toHaveLength(1);
  });

  it("takes precedence over the error of the model", async () => {
    const controller = new AbortController();
    const reason = new Error("Enough.");
    const generate = () => {
      controller.abort(reason);
      return Promise.reject(fails("interrupted"));
    };
    await expect(planWith([], requestOf(request, { signal: controller.signal, generate }))).rejects.toBe(reason);
  });
});

describe("steps that are reported while an answer arrives", () => {
  const two = answerOf({ tool: "Note", input: { title: "milk" } }, { tool: "Note", input: { title: "milk" } });

  it("are those of each answer, in order", async () => {
    const events: PlanningEvent[] = [];
    const emit = (event: PlanningEvent) => void events.push(event);
    const answers = [{ text: `${two.slice(0, -2)}, {}]}`, deltas: [...two.slice(0, -2), ", {}]}"] }, good];
    await planWith(answers, requestOf(request, { emit }));
    expect(events.map((event) => event.type === "plan-delta" && [event.attempt, event.index, event.step.id])).toEqual([
      [1, 0, "s1"],
      [1, 1, "s2"],
      [2, 0, "s1"],
    ]);
  });

  it("are reported before the plan is returned, and before the next call", async () => {
    const order: string[] = [];
    const emit = async () => {
      await Promise.resolve();
      order.push("told");
    };
    const generate: NonNullable<ReturnType<typeof requestOf>["generate"]> = async (called, asked) => {
      order.push("asked");
      return called.generate(asked);
    };
    const broken = (asked: { onTextDelta?: ((delta: string) => void) | undefined }) => {
      asked.onTextDelta?.(two);
      return refusesFormat;
    };
    await planWith([broken, two], requestOf(request, { emit, generate }));
    expect(order).toEqual(["asked", "told", "told", "asked", "told", "told"]);
  });

  it("do not fail the plan if the listener fails", async () => {
    const emit = () => Promise.reject(new Error("The listener is gone."));
    const { steps } = await planWith([two], requestOf(request, { emit }));
    expect(steps).toHaveLength(2);
  });

  it("do not fail differently if the model fails meanwhile", async () => {
    const emit = () => Promise.reject(new Error("The listener is gone."));
    const odd =
      '{"steps": [{"tool": {"toString": 1}, "input": {}}, {"tool": {"toString": 1, "valueOf": 1}, "input": {}}]}';
    const answer: ScriptedAnswer = (asked) => {
      asked.onTextDelta?.(two + odd);
      return fails("interrupted");
    };
    expect(await failureOf([answer], requestOf(request, { emit }))).toMatchObject({ code: "planning-failed" });
  });
});
