import { getEventListeners } from "node:events";
import {
  type LanguageModel,
  type ModelFailureReason,
  type ModelRequest,
  type ModelResponse,
  modelFailure,
} from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { ModelMeter } from "../../../src/runs/planning/model-meter.ts";
import type { ScriptedText } from "../../../src/testing/scripted-model.ts";

const host = { now: () => 0, emit: () => {} };

const price = { inputPerMillion: 10, outputPerMillion: 100 };
const { signal } = new AbortController();
/** A message of 32 characters is estimated at 11 tokens plus 4, 15 in all. */
const asked = (rest: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: "user", content: "x".repeat(32) }],
  signal,
  ...rest,
});
const says = (text: string, rest: Partial<ScriptedText> = {}): ScriptedText => ({ text, ...rest });
const answerUsing = (inputTokens: number, outputTokens: number) => says("ok", { usage: { inputTokens, outputTokens } });

describe("a meter without a budget", () => {
  it("counts the usage of calls, and does not change them", async () => {
    const model = createScriptedModel([answerUsing(12, 3), answerUsing(20, 30)], { price });
    const meter = new ModelMeter(undefined, undefined, host);
    expect(meter.usage).toBeUndefined();
    const response = await meter.generate(model, asked({ maxOutputTokens: 50, temperature: 0.5 }));
    expect(response).toEqual({ text: "ok", finishReason: "stop", usage: { inputTokens: 12, outputTokens: 3 } });
    expect(model.requests[0]).toMatchObject({ maxOutputTokens: 50, temperature: 0.5, signal });
    await meter.generate(model, asked());
    expect(model.requests[1]?.maxOutputTokens).toBeUndefined();
    expect(meter.calls).toEqual([
      { model: "scripted/script", inputTokens: 12, outputTokens: 3, cost: expect.closeTo(0.000_42, 12) },
      { model: "scripted/script", inputTokens: 20, outputTokens: 30, cost: expect.closeTo(0.003_2, 12) },
    ]);
    expect(meter.usage).toEqual({
      modelCalls: 2,
      inputTokens: 32,
      outputTokens: 33,
      cost: expect.closeTo(0.003_62, 12),
    });
    expect(meter.describeOverrun()).toBeUndefined();
  });

  it("estimates usage that a model does not report, including its thinking", async () => {
    const meter = new ModelMeter(undefined, undefined, host);
    await meter.generate(createScriptedModel([says("123456", { reasoning: "123" })]), asked());
    await meter.generate(createScriptedModel([says("123", { usage: { inputTokens: 2 } })]), asked({ messages: [] }));
    expect(meter.calls).toEqual([
      { model: "scripted/script", inputTokens: 15, outputTokens: 3, isEstimated: true },
      { model: "scripted/script", inputTokens: 2, outputTokens: 1, isEstimated: true },
    ]);
  });

  it("estimates usage that is missing or not a number", async () => {
    const meter = new ModelMeter({ tokens: 10_000 }, undefined, host);
    const usages = [{ inputTokens: Number.NaN, outputTokens: -5 }, undefined, null];
    for (const usage of usages) {
      const model: LanguageModel = {
        provider: "my",
        modelId: "own",
        generate: async () => ({ text: "abc", finishReason: "stop", usage: usage as never }),
      };
      await meter.generate(model, asked());
    }
    expect(meter.usage).toEqual({ modelCalls: 3, inputTokens: 45, outputTokens: 3, isEstimated: true });
  });

  it("passes on the pieces of an answer", async () => {
    const pieces: string[] = [];
    const model = createScriptedModel([says("one two", { deltas: ["one", " two"] })]);
    await new ModelMeter(undefined, undefined, host).generate(
      model,
      asked({ onTextDelta: (delta) => pieces.push(delta) }),
    );
    expect(pieces).toEqual(["one", " two"]);
  });

  it("counts a running call as the most it may use", async () => {
    const controller = new AbortController();
    const meter = new ModelMeter(undefined, undefined, host);
    const call = meter.generate(
      createScriptedModel([{ hangs: "until-aborted" }]),
      asked({ maxOutputTokens: 100, signal: controller.signal }),
    );
    expect(meter.usage).toEqual({ modelCalls: 1, inputTokens: 15, outputTokens: 100, isEstimated: true });
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(meter.usage).toEqual({ modelCalls: 1, inputTokens: 15, outputTokens: 0, isEstimated: true });
  });

  it("counts an aborted call as the text received so far, even if the model ignores the abort", async () => {
    const controller = new AbortController();
    let end = (_response: ModelResponse) => {};
    const deaf: LanguageModel = {
      provider: "my",
      modelId: "own",
      generate({ onTextDelta }) {
        onTextDelta?.("123456");
        return new Promise((resolve) => {
          end = resolve;
        });
      },
    };
    const meter = new ModelMeter({ tokens: 100 }, undefined, host);
    const call = meter.generate(deaf, asked({ signal: controller.signal }));
    expect(meter.usage).toMatchObject({ inputTokens: 15, outputTokens: 85 });
    await expect(meter.generate(deaf, asked())).rejects.toMatchObject({ code: "limit-exceeded" });
    controller.abort();
    expect(meter.usage).toMatchObject({ inputTokens: 15, outputTokens: 2, isEstimated: true });
    const model = createScriptedModel([answerUsing(15, 1)]);
    await meter.generate(model, asked());
    expect(model.requests[0]?.maxOutputTokens).toBe(68);
    end({ text: "too late", finishReason: "stop", usage: { inputTokens: 14, outputTokens: 20 } });
    await call;
    expect(meter.calls[0]).toEqual({ model: "my/own", inputTokens: 14, outputTokens: 20 });
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("does not call a model with a signal that has already aborted", async () => {
    const model = createScriptedModel(["never"]);
    const meter = new ModelMeter(undefined, undefined, host);
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(meter.generate(model, asked({ signal: aborted }))).rejects.toThrow("enough");
    expect(model.requests).toEqual([]);
    expect(meter.usage).toBeUndefined();
  });

  it("calls no model once it is closed", async () => {
    const model = createScriptedModel(["late"]);
    const meter = new ModelMeter(undefined, undefined, host);
    meter.close();
    await expect(meter.generate(model, asked())).rejects.toMatchObject({
      code: "cancelled",
      message: "scripted/script is not called: planning has ended.",
    });
    expect(model.requests).toEqual([]);
    expect(meter.usage).toBeUndefined();
  });
});

describe("a call that fails", () => {
  const reasons: Readonly<Record<ModelFailureReason, boolean>> = {
    unreachable: false,
    "unknown-model": false,
    unauthorized: false,
    busy: false,
    "format-rejected": false,
    "prompt-too-long": false,
    rejected: false,
    interrupted: true,
    "server-error": true,
    "invalid-response": true,
  };

  it.each(Object.entries(reasons))("with %s counts its prompt as used: %s", async (reason, isRead) => {
    const meter = new ModelMeter(undefined, undefined, host);
    const error = modelFailure({ provider: "a", modelId: "b" }, reason as ModelFailureReason, { message: "No." });
    await expect(meter.generate(createScriptedModel([error], { price }), asked())).rejects.toBe(error);
    expect(meter.usage).toEqual(
      isRead
        ? { modelCalls: 1, inputTokens: 15, outputTokens: 0, cost: expect.closeTo(0.000_15, 12), isEstimated: true }
        : { modelCalls: 1, inputTokens: 0, outputTokens: 0, cost: 0 },
    );
  });

  it("part-way counts as the text received so far", async () => {
    const meter = new ModelMeter(undefined, undefined, host);
    const breaks: LanguageModel = {
      provider: "my",
      modelId: "own",
      async generate({ onTextDelta }) {
        onTextDelta?.("123456");
        throw new TypeError("fetch failed");
      },
    };
    await expect(meter.generate(breaks, asked())).rejects.toThrow("fetch failed");
    expect(meter.usage).toMatchObject({ inputTokens: 15, outputTokens: 2, isEstimated: true });
  });

  const hostile = Object.defineProperty({ name: "AgentError", code: "model-failed" }, "details", {
    get: () => {
      throw new Error("details");
    },
  });

  it.each<[string, unknown]>([
    ["throws at once", new Error("no")],
    ["throws a text", "no"],
    ["throws model-failed without details", { name: "AgentError", code: "model-failed", message: "no" }],
    ["throws getters that throw", hostile],
    ["throws undefined", undefined],
  ])("because it %s is counted, and rejects with that error", async (_what, thrown) => {
    const meter = new ModelMeter({ modelCalls: 5 }, undefined, host);
    const throwing: LanguageModel = {
      provider: "my",
      modelId: "own",
      generate: () => {
        throw thrown;
      },
    };
    const failure = await meter.generate(throwing, asked()).catch((error: unknown) => ({ error }));
    expect(failure).toEqual({ error: thrown });
    expect(meter.usage).toEqual({ modelCalls: 1, inputTokens: 15, outputTokens: 0, isEstimated: true });
  });
});
