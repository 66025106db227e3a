import fc from "fast-check";
import type { LanguageModel, ModelPrice, ModelUsage } from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import type { ModelTokens } from "../../src/core/language-model.ts";
import { addUsage, costOf, type ModelCall, modelCall, priceOf, sumCalls } from "../../src/core/model-usage.ts";

const price: ModelPrice = { inputPerMillion: 3, outputPerMillion: 15 };
const priced = createScriptedModel([], { price });
const free = createScriptedModel([], { provider: "ollama", modelId: "qwen3" });
const estimate = { inputTokens: 7, outputTokens: 9 };

describe("modelCall", () => {
  it("contains the tokens that the model reported", () => {
    expect(modelCall(free, { inputTokens: 10, outputTokens: 20 }, estimate)).toEqual({
      model: "ollama/qwen3",
      inputTokens: 10,
      outputTokens: 20,
    });
  });

  it("costs less for input that the provider had kept, if the price says so", () => {
    const cheap = { inputPerMillion: 10, cachedInputPerMillion: 1, outputPerMillion: 0 };
    const used = { inputTokens: 1_000_000, outputTokens: 0 };
    const model = (price: object) => ({ provider: "p", modelId: "m", price }) as LanguageModel;
    const told = { ...used, cachedInputTokens: 600_000 };
    expect(modelCall(model(cheap), told, used).cost).toBeCloseTo(4.6, 9);
    // More than there is cannot have been kept.
    expect(modelCall(model(cheap), { ...used, cachedInputTokens: 2_000_000 }, used).cost).toBe(1);
    expect(modelCall(model({ inputPerMillion: 10, outputPerMillion: 0 }), told, used).cost).toBe(10);
  });

  it("costs what the price of the model states", () => {
    const call = modelCall(priced, { inputTokens: 1_000_000, outputTokens: 100_000 }, estimate);
    expect(call.cost).toBe(4.5);
    expect(costOf(price, { inputTokens: 0, outputTokens: 0 })).toBe(0);
  });

  it.each<[ModelTokens | undefined, number, number]>([
    [{}, 7, 9],
    [undefined, 7, 9],
    [{ inputTokens: 1 }, 1, 9],
    [{ outputTokens: 0 }, 7, 0],
    [{ inputTokens: Number.NaN, outputTokens: 2 }, 7, 2],
    [{ inputTokens: -1, outputTokens: Number.POSITIVE_INFINITY }, 7, 9],
    [{ inputTokens: "12" as never, outputTokens: null as never }, 7, 9],
  ])("is estimated if the model reported %j", (reported, inputTokens, outputTokens) => {
    const call = modelCall(priced, reported, estimate);
    expect(call).toMatchObject({ inputTokens, outputTokens, isEstimated: true });
    expect(call.cost).toBe(costOf(price, { inputTokens, outputTokens }));
  });

  it("treats zero tokens as reported", () => {
    expect(modelCall(free, { inputTokens: 0, outputTokens: 0 }, estimate)).not.toHaveProperty("isEstimated");
  });
});

describe("priceOf", () => {
  it.each<[unknown, boolean]>([
    [price, true],
    [{ inputPerMillion: 0, outputPerMillion: 0 }, true],
    [undefined, false],
    [null, false],
    [{}, false],
    [{ inputPerMillion: 1 }, false],
    [{ inputPerMillion: Number.NaN, outputPerMillion: 1 }, false],
    [{ inputPerMillion: 1, outputPerMillion: -1 }, false],
    [{ inputPerMillion: 1, outputPerMillion: Number.POSITIVE_INFINITY }, false],
    [{ inputPerMillion: "1", outputPerMillion: 1 }, false],
  ])("accepts only a valid price: %j %s", (given, isPrice) => {
    const model = { ...free, price: given as ModelPrice };
    expect(priceOf(model)).toBe(isPrice ? given : undefined);
    expect("cost" in modelCall(model, { inputTokens: 1, outputTokens: 1 }, estimate)).toBe(isPrice);
  });
});

const amount = fc.nat(1_000_000);
const call: fc.Arbitrary<ModelCall> = fc
  .record({ model: fc.constant("a/b"), inputTokens: amount, outputTokens: amount, cost: amount, known: fc.boolean() })
  .map(({ cost, known, ...rest }) => (known ? { ...rest, cost } : { ...rest, isEstimated: true }));

describe("sums", () => {
  it("are undefined for no calls", () => {
    expect(sumCalls([])).toBeUndefined();
    const usage: ModelUsage = { modelCalls: 1, inputTokens: 2, outputTokens: 3 };
    expect(addUsage(undefined, usage)).toBe(usage);
  });

  it("know the cost only if each call's is known, and are estimated if one call is", () => {
    const known: ModelCall = { model: "a/b", inputTokens: 1, outputTokens: 2, cost: 3 };
    const unknown: ModelCall = { model: "c/d", inputTokens: 10, outputTokens: 20, isEstimated: true };
    expect(sumCalls([known, known])).toEqual({ modelCalls: 2, inputTokens: 2, outputTokens: 4, cost: 6 });
    for (const calls of [
      [known, unknown],
      [unknown, known],
    ]) {
      expect(sumCalls(calls)).toEqual({ modelCalls: 2, inputTokens: 11, outputTokens: 22, isEstimated: true });
    }
  });

  it("are the same however the calls are grouped, and name no model", () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1 }), fc.array(call, { minLength: 1 }), (left, right) => {
        const whole = sumCalls([...left, ...right]);
        const [one, other] = [sumCalls(left), sumCalls(right)];
        expect(other && addUsage(one, other)).toEqual(whole);
        expect(whole).not.toHaveProperty("model");
        expect(whole?.modelCalls).toBe(left.length + right.length);
        expect(JSON.parse(JSON.stringify(whole))).toEqual(whole);
      }),
    );
  });
});
