import { type LanguageModel as AiLanguageModel, simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import type { AiSdkLanguageModel } from "planwright/ai-sdk";
import type { AiSdkCallOptions } from "../../../src/adapters/ai-sdk/ai-sdk-model.ts";

/** The AI SDK's own type of a model of version 2. */
export type LanguageModelV2 = Extract<AiLanguageModel, { specificationVersion: "v2" }>;
type StreamPartV2 =
  Awaited<ReturnType<LanguageModelV2["doStream"]>>["stream"] extends ReadableStream<infer TPart> ? TPart : never;
type MockOptionsV3 = NonNullable<ConstructorParameters<typeof MockLanguageModelV3>[0]>;
type StreamV3 = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
/** A part that a model of version 3 streams. */
export type StreamPartV3 = StreamV3 extends ReadableStream<infer TPart> ? TPart : never;

/** A stream of parts, without a delay. */
export function streamOf<T>(...chunks: T[]): ReadableStream<T> {
  return simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null });
}

/** Usage as version 3 and later tell it. */
export function usageOf(input: number | undefined, output: number | undefined) {
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}

/** The part that ends an answer of version 3. */
export function finishOf(
  unified: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other",
): StreamPartV3 {
  return { type: "finish", finishReason: { unified, raw: undefined }, usage: usageOf(7, 3) };
}

/** A text in pieces, with what stands around it. */
export function textParts(...deltas: string[]): StreamPartV3[] {
  return [
    { type: "text-start", id: "t" },
    ...deltas.map((delta): StreamPartV3 => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
  ];
}

/** The AI SDK's mock of version 3. */
export function mockV3(options: MockOptionsV3): MockLanguageModelV3 {
  return new MockLanguageModelV3({ provider: "mock.chat", modelId: "m-3", ...options });
}

/** The AI SDK's mock of version 3, which streams these parts. */
export function streamingV3(...parts: StreamPartV3[]): MockLanguageModelV3 {
  return mockV3({ doStream: async () => ({ stream: streamOf(...parts) }) });
}

/** A model of version 2, of which version 6 of the AI SDK has the types but no mock. */
export function streamingV2(...parts: StreamPartV2[]): LanguageModelV2 {
  return {
    specificationVersion: "v2",
    provider: "mock.chat",
    modelId: "m-2",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("It streams.")),
    doStream: async () => ({ stream: streamOf(...parts) }),
  };
}

/** A model of version 4, as version 7 of the AI SDK defines it. */
export function fakeV4(methods: Partial<Pick<AiSdkLanguageModel, "doGenerate" | "doStream">>) {
  const calls: AiSdkCallOptions[] = [];
  const model = {
    specificationVersion: "v4" as const,
    provider: "mock.chat",
    modelId: "m-4",
    supportedUrls: {},
    doGenerate: methods.doGenerate ?? (() => Promise.reject(new Error("Not implemented"))),
    doStream: (options: object) => {
      calls.push(options as AiSdkCallOptions);
      return methods.doStream?.(options) ?? Promise.reject(new Error("Not implemented"));
    },
  };
  return { model: model satisfies AiSdkLanguageModel, calls };
}
