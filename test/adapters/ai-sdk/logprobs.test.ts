import { APICallError } from "ai";
import { type AiSdkLanguageModel, createAiSdkModel } from "planwright/ai-sdk";
import { describe, expect, it } from "vitest";
import { ask, generateFrom } from "./ask-model.ts";
import { fakeV4, finishOf, mockV3, type StreamPartV3, streamOf, textParts, usageOf } from "./fake-models.ts";

const tokens = [
  { token: "He", logprob: -0.5, top_logprobs: [], bytes: [72, 101] },
  { token: "llo", logprob: -2, top_logprobs: [] },
];
const read = [
  { token: "He", logprob: -0.5 },
  { token: "llo", logprob: -2 },
];

function endOf(providerMetadata: unknown): StreamPartV3 {
  return { ...finishOf("stop"), providerMetadata } as StreamPartV3;
}

function refusal(statusCode: number, message: string): APICallError {
  return new APICallError({ message, url: "https://example.com", requestBodyValues: {}, statusCode });
}

/** A model that refuses the option, and answers without. */
function refusing(error: Error) {
  const model = mockV3({
    doStream: ({ providerOptions }) => {
      if (providerOptions?.openai?.logprobs !== undefined) return Promise.reject(error);
      return Promise.resolve({ stream: streamOf<StreamPartV3>(...textParts("Hello"), finishOf("stop")) });
    },
  });
  return model;
}

describe("the probabilities of an AI SDK model", () => {
  it.each<[string, unknown]>([
    ["a list", { openai: { logprobs: tokens } }],
    ["a list for each part", { openai: { responseId: "r", logprobs: tokens.map((token) => [token]) } }],
    ["Azure's", { azure: { logprobs: tokens } }],
  ])("are read from %s", async (_, metadata) => {
    const streamed = mockV3({ doStream: async () => ({ stream: streamOf(...textParts("Hello"), endOf(metadata)) }) });
    expect((await generateFrom(streamed, { logprobs: true })).response.logprobs).toEqual(read);
    const whole = fakeV4({
      doGenerate: async () => ({
        content: [{ type: "text", text: "Hello" }],
        finishReason: { unified: "stop" },
        usage: usageOf(7, 3),
        providerMetadata: metadata,
      }),
    });
    expect((await generateFrom(whole.model, { logprobs: true })).response.logprobs).toEqual(read);
  });

  it.each<[string, unknown]>([
    ["of the last piece alone, as an older provider has them", { openai: { logprobs: tokens.slice(1) } }],
    ["of another form", { openai: { logprobs: { tokens: ["Hello"], token_logprobs: [-1] } } }],
    ["that are missing", undefined],
  ])("%s are left out", async (_, metadata) => {
    const model = mockV3({ doStream: async () => ({ stream: streamOf(...textParts("Hello"), endOf(metadata)) }) });
    expect((await generateFrom(model, { logprobs: true })).response).not.toHaveProperty("logprobs");
  });

  it.each([
    ["openai.responses", { openai: { logprobs: 1, user: "u" } }],
    ["azure.chat", { openai: { logprobs: 1, user: "u" }, azure: { logprobs: 1 } }],
    ["gateway", { openai: { logprobs: 1, user: "u" } }],
  ])("are asked of %s only if they are wanted", async (provider, expected) => {
    const stream = () => streamOf<StreamPartV3>(...textParts("Hello"), finishOf("stop"));
    const sdkModel = mockV3({ doStream: async () => ({ stream: stream() }) });
    const named = Object.assign(Object.create(sdkModel) as AiSdkLanguageModel, { provider });
    const model = createAiSdkModel(named, { providerOptions: { openai: { user: "u" } } });
    await model.generate(ask({ logprobs: true }));
    await model.generate(ask());
    expect(sdkModel.doStreamCalls.map(({ providerOptions }) => providerOptions)).toEqual([
      expected,
      { openai: { user: "u" } },
    ]);
  });

  it.each([
    [400, "logprobs is not supported with this model."],
    [403, "You are not allowed to request logprobs from this model"],
    [422, "Unsupported parameter: top_logprobs"],
  ])("are not asked for again of a model that refuses them (%s)", async (status, message) => {
    const sdkModel = refusing(refusal(status, message));
    const model = createAiSdkModel(sdkModel, { retry: { maxAttempts: 1 } });
    const deltas: string[] = [];
    for (const _ of [1, 2]) {
      const answer = await model.generate(ask({ logprobs: true, onTextDelta: (delta) => deltas.push(delta) }));
      expect(answer).toMatchObject({ text: "Hello", finishReason: "stop" });
    }
    expect(deltas).toEqual(["Hello", "Hello"]);
    expect(sdkModel.doStreamCalls.map(({ providerOptions }) => providerOptions)).toEqual([
      { openai: { logprobs: 1 } },
      undefined,
      undefined,
    ]);
  });

  it("do not hide another refusal, or one of what the application asks for", async () => {
    const other = createAiSdkModel(refusing(refusal(400, "No.")), { retry: { maxAttempts: 1 } });
    await expect(other.generate(ask({ logprobs: true }))).rejects.toMatchObject({ details: { reason: "rejected" } });
    const own = { providerOptions: { openai: { logprobs: true } }, retry: { maxAttempts: 1 } };
    const model = createAiSdkModel(refusing(refusal(400, "logprobs is not supported.")), own);
    await expect(model.generate(ask({ logprobs: true }))).rejects.toMatchObject({ details: { reason: "rejected" } });
  });
});
