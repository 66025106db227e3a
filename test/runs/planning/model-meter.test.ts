import { getEventListeners } from "node:events";
import {
  AgentError,
  type LanguageModel,
  type ModelFailureReason,
  type ModelRequest,
  type ModelResponse,
  modelFailure,
  type RunBudget,
} from "planwright";
import { createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { toErrorData } from "../../../src/core/error-data.ts";
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

/** Makes calls in turn, and returns for each how long its answer may be, or which limit refused it. */
async function play(
  budget: RunBudget,
  answers: readonly ScriptedAnswer[],
  rest: { caps?: readonly (number | undefined)[]; spent?: ModelMeter["usage"]; price?: LanguageModel["price"] } = {},
) {
  const model = createScriptedModel(answers, { price: "price" in rest ? rest.price : price });
  const meter = new ModelMeter(budget, rest.spent, host);
  const outcomes: unknown[] = [];
  for (let index = 0; index < answers.length; index++) {
    try {
      await meter.generate(model, asked({ maxOutputTokens: rest.caps?.[index] }));
      outcomes.push(model.requests.at(-1)?.maxOutputTokens);
    } catch (thrown) {
      outcomes.push(toErrorData(thrown).details);
    }
  }
  return { outcomes, meter, model };
}

describe("a budget of calls", () => {
  it("allows exactly that many, including those that fail", async () => {
    const { outcomes, model } = await play({ modelCalls: 2 }, [answerUsing(1, 1), new Error("no"), answerUsing(1, 1)], {
      caps: [40],
    });
    expect(outcomes).toEqual([40, undefined, { limit: "modelCalls", max: 2, used: 3 }]);
    expect(model.requests).toHaveLength(2);
  });

  it("may be zero", async () => {
    const { outcomes, meter } = await play({ modelCalls: 0 }, [answerUsing(1, 1)]);
    expect(outcomes).toEqual([{ limit: "modelCalls", max: 0, used: 1 }]);
    expect(meter.usage).toBeUndefined();
  });

  it("counts what the run has used before", async () => {
    const spent = { modelCalls: 3, inputTokens: 1, outputTokens: 1 };
    const { outcomes } = await play({ modelCalls: 4 }, [answerUsing(1, 1), answerUsing(1, 1)], { spent });
    expect(outcomes).toEqual([undefined, { limit: "modelCalls", max: 4, used: 5 }]);
  });

  it("names the model, the budget and what the usage would be", async () => {
    const meter = new ModelMeter({ modelCalls: 0 }, undefined, host);
    await expect(meter.generate(createScriptedModel(["x"]), asked())).rejects.toThrow(
      "Calling scripted/script would bring modelCalls to at least 1; the budget is 0.",
    );
  });
});

describe("a budget of tokens", () => {
  it("shortens the longest answer to what is left of it", async () => {
    const answers = [answerUsing(15, 5), answerUsing(15, 20), answerUsing(15, 0)];
    const { outcomes, meter } = await play({ tokens: 100 }, answers, { caps: [30, undefined, 1_000] });
    // 100 - 15 prompt = 85; 100 - 20 - 15 = 65; 100 - 55 - 15 = 30.
    expect(outcomes).toEqual([30, 65, 30]);
    expect(meter.describeOverrun()).toBeUndefined();
  });

  it.each([
    [31, undefined, 16],
    [30, undefined, { limit: "tokens", max: 30, used: 31 }],
    [20, 5, 5],
    [19, 5, { limit: "tokens", max: 19, used: 20 }],
    [0, 0, { limit: "tokens", max: 0, used: 15 }],
  ])("of %i with an answer of at most %s: %j", async (tokens, cap, outcome) => {
    const { outcomes } = await play({ tokens }, [answerUsing(1, 1)], { caps: [cap] });
    expect(outcomes).toEqual([outcome]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -5])("treats a longest answer of %d as none", async (cap) => {
    expect((await play({ tokens: 100 }, [answerUsing(1, 1)], { caps: [cap] })).outcomes).toEqual([85]);
    expect((await play({ modelCalls: 1 }, [answerUsing(1, 1)], { caps: [cap] })).outcomes).toEqual([undefined]);
  });

  it("reports an estimate that was too low, and is then used up", async () => {
    const { outcomes, meter } = await play({ tokens: 100 }, [answerUsing(95, 16), answerUsing(1, 1)], {
      caps: [16, 16],
    });
    expect(outcomes).toEqual([16, { limit: "tokens", max: 100, used: 142 }]);
    expect(meter.describeOverrun()).toBe("111 tokens were used, but the budget is 100");
  });
});

describe("a budget of cost", () => {
  it("shortens the longest answer to what is left of it", async () => {
    // A prompt costs 0.000_15, an answer 0.000_1 per token.
    const { outcomes } = await play({ cost: 0.005 }, [answerUsing(15, 10), answerUsing(15, 10)], {
      caps: [undefined, 1_000],
    });
    expect(outcomes).toEqual([48, 37]);
  });

  it("refuses a call whose answer would exceed what is left", async () => {
    const { outcomes } = await play({ cost: 0.001_7 }, [answerUsing(1, 1)]);
    expect(outcomes).toEqual([{ limit: "cost", max: 0.001_7, used: expect.closeTo(0.001_75, 12) }]);
    expect((await play({ cost: 0.001_75 }, [answerUsing(1, 1)])).outcomes).toEqual([16]);
  });

  it("does not limit the answer of a free model, even when it is zero", async () => {
    const free = { inputPerMillion: 0, outputPerMillion: 0 };
    const { outcomes, meter } = await play({ cost: 0 }, [answerUsing(9, 9), answerUsing(9, 9)], {
      price: free,
      caps: [undefined, 50],
    });
    expect(outcomes).toEqual([undefined, 50]);
    expect(meter.usage?.cost).toBe(0);
  });

  it.each([
    undefined,
    {},
    { inputPerMillion: Number.NaN, outputPerMillion: 1 },
    { inputPerMillion: 1, outputPerMillion: -1 },
  ])("never calls a model with the price %j", async (given) => {
    const { outcomes, model, meter } = await play({ cost: 5 }, [answerUsing(1, 1)], { price: given as never });
    const expected =
      'left out: "scripted/script" has no price; create the model with { price: { inputPerMillion, outputPerMillion } }';
    expect(outcomes).toEqual([{ option: "budget.cost", received: "5", expected }]);
    expect(model.requests).toEqual([]);
    expect(meter.usage).toBeUndefined();
  });

  it("ignores rounding errors of numbers", async () => {
    const cent = { inputPerMillion: 0, outputPerMillion: 10_000 };
    const spent = { modelCalls: 2, inputTokens: 0, outputTokens: 30, cost: 0.1 + 0.2 };
    const { outcomes, meter } = await play({ cost: 0.46 }, [answerUsing(0, 16)], { price: cent, spent, caps: [50] });
    expect(outcomes).toEqual([16]);
    expect(meter.describeOverrun()).toBeUndefined();
    const gone = new ModelMeter({ cost: 0.3 }, spent, host);
    expect(gone.describeOverrun()).toBeUndefined();
    const free = createScriptedModel([answerUsing(1, 1)], { price: { inputPerMillion: 0, outputPerMillion: 0 } });
    await expect(gone.generate(free, asked())).resolves.toBeDefined();
  });

  it("reports when it was exceeded", async () => {
    const { meter } = await play({ cost: 0.002 }, [answerUsing(1_000, 0)]);
    expect(meter.describeOverrun()).toBe("model calls cost 0.01, but the budget is 0.002");
  });

  it("uses each model's own price", async () => {
    const meter = new ModelMeter({ cost: 0.002, tokens: 1_000 }, undefined, host);
    const dear = createScriptedModel([answerUsing(1, 1)], {
      price: { inputPerMillion: 1_000, outputPerMillion: 1_000 },
    });
    const cheap = createScriptedModel([answerUsing(1, 1)], { price: { inputPerMillion: 1, outputPerMillion: 1 } });
    await expect(meter.generate(dear, asked())).rejects.toMatchObject({ details: { limit: "cost" } });
    await expect(meter.generate(cheap, asked())).resolves.toBeDefined();
    expect(cheap.requests[0]?.maxOutputTokens).toBe(985);
  });
});

describe("calls at the same time", () => {
  it("each count as the most they may use, until they have ended", async () => {
    const meter = new ModelMeter({ tokens: 100 }, undefined, host);
    const model = createScriptedModel([answerUsing(15, 1), answerUsing(15, 1), answerUsing(15, 1)]);
    const first = meter.generate(model, asked({ maxOutputTokens: 40 }));
    const second = meter.generate(model, asked({ maxOutputTokens: 40 }));
    await expect(meter.generate(model, asked())).rejects.toMatchObject({
      details: { limit: "tokens", max: 100, used: 131 },
    });
    await Promise.all([first, second]);
    expect(model.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([40, 30]);
    await meter.generate(model, asked());
    expect(model.requests.at(-1)?.maxOutputTokens).toBe(53);
    expect(meter.usage).toMatchObject({ modelCalls: 3, inputTokens: 45, outputTokens: 3 });
  });

  it("leave nothing to the second if the first may use it all", async () => {
    const meter = new ModelMeter({ tokens: 1_000, modelCalls: 9 }, undefined, host);
    const model = createScriptedModel([answerUsing(15, 1)]);
    const outcomes = await Promise.allSettled([meter.generate(model, asked()), meter.generate(model, asked())]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(outcomes[1]).toMatchObject({ reason: expect.any(AgentError) });
  });
});
