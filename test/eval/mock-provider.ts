import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";

/** As the package of a provider exports it: a model that has nothing to plan, with any id. */
export function mockProvider(modelId: string): MockLanguageModelV3 {
  const usage = { inputTokens: { total: 9 }, outputTokens: { total: 4 } };
  const chunks = [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: '{"steps": [{"do": "unclear"}]}' },
    { type: "text-end", id: "t" },
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ];
  const stream = () =>
    simulateReadableStream({ chunks: chunks as never[], chunkDelayInMs: null, initialDelayInMs: null });
  return new MockLanguageModelV3({ provider: "mock", modelId, doStream: async () => ({ stream: stream() }) });
}

export const notAModel = 1;
