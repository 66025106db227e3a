import { type LanguageModel as AiLanguageModel, type EmbeddingModel, gateway, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import type { LanguageModel } from "planwright";
import { type AiSdkLanguageModel, createAiSdkModel } from "planwright/ai-sdk";
import { describe, expectTypeOf, it } from "vitest";
import type { AiSdkCallOptions } from "../../src/adapters/ai-sdk/ai-sdk-model.ts";

type LanguageModelV2 = Extract<AiLanguageModel, { specificationVersion: "v2" }>;
type LanguageModelV3 = Extract<AiLanguageModel, { specificationVersion: "v3" }>;

describe("createAiSdkModel", () => {
  it("accepts every model object of the AI SDK", () => {
    const mock = new MockLanguageModelV3();
    expectTypeOf(createAiSdkModel(mock)).toEqualTypeOf<LanguageModel>();
    expectTypeOf(createAiSdkModel).toBeCallableWith(gateway("openai/gpt-5-mini"));
    expectTypeOf(createAiSdkModel).toBeCallableWith(wrapLanguageModel({ model: mock, middleware: [] }));
    expectTypeOf<LanguageModelV2>().toExtend<AiSdkLanguageModel>();
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>();
  });

  it("refuses an id, a provider and other kinds of models", () => {
    // @ts-expect-error: an id names no provider.
    createAiSdkModel("openai/gpt-5-mini");
    // @ts-expect-error: a provider is no model.
    createAiSdkModel(gateway);
    expectTypeOf<Exclude<EmbeddingModel, string>>().not.toExtend<AiSdkLanguageModel>();
  });

  it("accepts a price and provider options", () => {
    const model = new MockLanguageModelV3();
    createAiSdkModel(model, { price: { inputPerMillion: 0.25, outputPerMillion: 2 } });
    createAiSdkModel(model, { providerOptions: { openai: { reasoningEffort: "low", store: undefined } } });
    createAiSdkModel(model, { price: undefined, providerOptions: undefined });
    // @ts-expect-error: options stand under the name of their provider.
    createAiSdkModel(model, { providerOptions: { reasoningEffort: "low" } });
  });

  it("calls models with valid options, apart from JSON types", () => {
    type Ours = Omit<AiSdkCallOptions, "responseFormat" | "providerOptions">;
    expectTypeOf<Ours>().toExtend<Parameters<LanguageModelV2["doStream"]>[0]>();
    expectTypeOf<Ours>().toExtend<Parameters<LanguageModelV3["doStream"]>[0]>();
  });
});
