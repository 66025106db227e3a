import { getEventListeners } from "node:events";
import { type AiSdkLanguageModel, createAiSdkModel } from "planwright/ai-sdk";
import { describe, expect, it } from "vitest";
import { ask, deferred, generateFrom, settled, silentStream } from "./ask-model.ts";
import { fakeV4, finishOf, streamingV2, streamingV3, streamOf, textParts, usageOf } from "./fake-models.ts";

describe("readStream", () => {
  it("reads a stream of version 2", async () => {
    const model = streamingV2(
      { type: "stream-start", warnings: [{ type: "unsupported-setting", setting: "temperature" }] },
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Let me see" },
      { type: "reasoning-end", id: "r" },
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "Hel" },
      { type: "text-delta", id: "t", delta: "lo" },
      { type: "text-end", id: "t" },
      { type: "finish", finishReason: "stop", usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17 } },
    );
    expect(await generateFrom(model)).toEqual({
      response: {
        text: "Hello",
        reasoning: "Let me see",
        finishReason: "stop",
        usage: { inputTokens: 12, outputTokens: 5 },
      },
      deltas: ["Hel", "lo"],
    });
  });

  it("reads a stream of version 3", async () => {
    const model = streamingV3(
      { type: "stream-start", warnings: [{ type: "unsupported", feature: "responseFormat" }] },
      { type: "response-metadata", id: "1", modelId: "m-3-2026" },
      { type: "reasoning-start", id: "r1" },
      { type: "reasoning-delta", id: "r1", delta: "First." },
      { type: "reasoning-start", id: "r2" },
      { type: "reasoning-delta", id: "r2", delta: "Then." },
      { type: "reasoning-start", id: "r3" },
      ...textParts("One", "", " and "),
      { type: "raw", rawValue: { anything: 1 } },
      { type: "tool-call", toolCallId: "c", toolName: "t", input: "{}" },
      ...textParts("two"),
      finishOf("stop"),
    );
    expect(await generateFrom(model)).toEqual({
      response: {
        text: "One and two",
        reasoning: "First.\n\nThen.",
        finishReason: "stop",
        usage: { inputTokens: 7, outputTokens: 3 },
      },
      deltas: ["One", " and ", "two"],
    });
  });

  it("reads a stream of version 4", async () => {
    const stream = streamOf<object>(
      { type: "ping" },
      { type: "text-delta", id: "t", delta: "Four" },
      { type: "text-end", id: "t", citations: [] },
      { type: "finish", finishReason: { unified: "stop", raw: "end_turn" }, usage: usageOf(1, 2) },
    );
    const { model } = fakeV4({ doStream: async () => ({ stream }) });
    expect(await generateFrom(model)).toEqual({
      response: { text: "Four", finishReason: "stop", usage: { inputTokens: 1, outputTokens: 2 } },
      deltas: ["Four"],
    });
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "content-filter"],
    ["tool-calls", "other"],
    ["other", "other"],
    ["unknown", "other"],
    [undefined, "other"],
  ])("reads the finish reason %s as %s", async (streamed, expected) => {
    const usage = { inputTokens: undefined, outputTokens: Number.NaN };
    const parts = (finishReason: unknown) => streamOf<object>({ type: "finish", finishReason, usage });
    for (const finishReason of [streamed, { unified: streamed, raw: "anything" }]) {
      const { model } = fakeV4({ doStream: async () => ({ stream: parts(finishReason) }) });
      expect((await generateFrom(model)).response).toEqual({ text: "", finishReason: expected, usage: {} });
    }
  });

  it("reports no token counts that the model does not report", async () => {
    const usages = [
      undefined,
      null,
      {},
      { inputTokens: { total: undefined }, outputTokens: { total: -1 } },
      { inputTokens: "7" },
    ];
    for (const usage of usages) {
      const stream = streamOf<object>({ type: "finish", finishReason: { unified: "stop" }, usage });
      const { model } = fakeV4({ doStream: async () => ({ stream }) });
      expect((await generateFrom(model)).response.usage).toEqual({});
    }
  });
});

describe("a stream that fails", () => {
  it("is not requested again if it is longer than any plan", async () => {
    const failing = generateFrom(streamingV3(...textParts("x".repeat(1_048_577)), finishOf("stop")));
    await expect(failing).rejects.toMatchObject({ details: { reason: "invalid-response" }, retryable: false });
  });

  it("is reported as interrupted if it ends without a finish part", async () => {
    await expect(generateFrom(streamingV3(...textParts("Half")))).rejects.toMatchObject({
      code: "model-failed",
      message: "The answer of mock.chat/m-3 broke off after 4 characters: the stream ended without a finish part.",
      retryable: true,
      details: { model: "mock.chat/m-3", reason: "interrupted" },
    });
  });

  it("is reported as interrupted if its connection breaks, else by the error that it sends", async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } })),
    });
    await expect(generateFrom(fakeV4({ doStream: async () => ({ stream: broken }) }).model)).rejects.toMatchObject({
      message: "The answer of mock.chat/m-4 broke off: terminated",
      details: { reason: "interrupted" },
    });
    const overloaded = { type: "error" as const, error: { type: "overloaded_error", message: "Overloaded" } };
    await expect(generateFrom(streamingV3(...textParts("Half"), overloaded, finishOf("error")))).rejects.toMatchObject({
      message: "mock.chat/m-3 is busy: Overloaded",
      details: { reason: "busy" },
    });
  });

  it("is reported as failed if its finish part says so", async () => {
    await expect(generateFrom(streamingV3(finishOf("error")))).rejects.toMatchObject({
      message: "mock.chat/m-3 ended its answer with an unknown error.",
      details: { reason: "server-error" },
    });
    const stream = streamOf<object>({
      type: "finish",
      finishReason: { unified: "interrupted", raw: undefined },
      usage: {},
    });
    await expect(generateFrom(fakeV4({ doStream: async () => ({ stream }) }).model)).rejects.toMatchObject({
      message: "The answer of mock.chat/m-4 broke off.",
      details: { reason: "interrupted" },
    });
  });

  it.each([undefined, {}, { stream: "text" }])("is refused if it is not a stream: %j", async (result) => {
    const { model } = fakeV4({ doStream: async () => result as unknown as { stream: ReadableStream } });
    await expect(generateFrom(model)).rejects.toMatchObject({
      message: "mock.chat/m-4 answered without a stream.",
      details: { reason: "invalid-response" },
    });
  });

  it("is refused if a part of it is invalid", async () => {
    const odd = streamOf<unknown>(null, "text", 1, { type: "text-delta" });
    await expect(generateFrom(fakeV4({ doStream: async () => ({ stream: odd }) }).model)).rejects.toMatchObject({
      message: "mock.chat/m-4 sent a delta of type undefined; expected text.",
      details: { reason: "invalid-response" },
    });
  });

  it("is cancelled if onTextDelta throws, and the call rejects with that error", async () => {
    const { stream, cancelled } = silentStream();
    const reason = new Error("not heard");
    const onTextDelta = () => {
      throw reason;
    };
    await expect(generateFrom(fakeV4({ doStream: async () => ({ stream }) }).model, { onTextDelta })).rejects.toBe(
      reason,
    );
    expect(cancelled).toEqual([reason]);
  });

  it("is reported with its own error even if it cannot be cancelled", async () => {
    const parts = [{ type: "error", error: "boom" }];
    const stream = {
      getReader: () => ({
        read: async () => ({ done: false, value: parts.shift() }),
        cancel: () => Promise.reject(new Error("cannot")),
      }),
    };
    await expect(generateFrom(fakeV4({ doStream: async () => ({ stream }) }).model)).rejects.toMatchObject({
      message: "mock.chat/m-4 failed: boom",
    });
  });
});

describe("an abort", () => {
  const reason = new Error("enough");

  it("rejects with its reason even if the model ignores it, and cancels the stream", async () => {
    const { stream, cancelled } = silentStream();
    const { model, calls } = fakeV4({ doStream: async () => ({ stream }) });
    const controller = new AbortController();
    const heard = deferred<string>();
    const streamed: string[] = [];
    const onTextDelta = (delta: string) => {
      streamed.push(delta);
      heard.resolve(delta);
    };
    const answer = createAiSdkModel(model).generate(ask({ signal: controller.signal, onTextDelta }));
    await heard.promise;
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(cancelled).toEqual([reason]);
    expect(calls[0]?.abortSignal.reason).toBe(reason);
    await settled();
    expect(streamed).toEqual(["Once"]);
    for (const { signal } of [controller, ...calls.map(({ abortSignal }) => ({ signal: abortSignal }))]) {
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
  });

  it("rejects before the stream exists, and cancels a stream that arrives late", async () => {
    const { stream, cancelled } = silentStream();
    const opened = deferred<{ stream: ReadableStream }>();
    const controller = new AbortController();
    const answer = createAiSdkModel(fakeV4({ doStream: () => opened.promise }).model).generate(
      ask({ signal: controller.signal }),
    );
    await settled();
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    opened.resolve({ stream });
    await settled();
    expect(cancelled).toEqual([reason]);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("rejects with its own reason instead of the model's error", async () => {
    const doStream = (options: object) =>
      new Promise<never>((_, reject) => {
        const { abortSignal } = options as { abortSignal: AbortSignal };
        abortSignal.addEventListener("abort", () => reject(new DOMException("This was aborted", "AbortError")));
      });
    const controller = new AbortController();
    const answer = createAiSdkModel(fakeV4({ doStream }).model).generate(ask({ signal: controller.signal }));
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  it("prevents the call of the model if it came before", async () => {
    const model = streamingV3(...textParts("Yes"), finishOf("stop"));
    await expect(generateFrom(model, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(model.doStreamCalls).toEqual([]);
  });

  it("stops onTextDelta, even from within it", async () => {
    const controller = new AbortController();
    const streamed: string[] = [];
    const onTextDelta = (delta: string) => {
      streamed.push(delta);
      controller.abort(reason);
    };
    const model = streamingV3(...textParts("a", "b", "c"), finishOf("stop"));
    await expect(generateFrom(model, { signal: controller.signal, onTextDelta })).rejects.toBe(reason);
    await settled();
    expect(streamed).toEqual(["a"]);
  });

  it("leaves no listener behind if it never comes", async () => {
    const { signal } = new AbortController();
    await generateFrom(streamingV3(...textParts("Yes"), finishOf("stop")), { signal });
    await expect(generateFrom(streamingV3(), { signal })).rejects.toThrow("broke off");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("input that a provider had kept", () => {
  it.each([
    [{ inputTokens: 10, cachedInputTokens: 4, outputTokens: 1 }],
    [{ inputTokens: { total: 10, noCache: 6, cacheRead: 4 }, outputTokens: { total: 1 } }],
  ])("is reported by each version of the SDK (%#)", async (usage) => {
    const result = { content: [{ type: "text", text: "x" }], finishReason: "stop", usage };
    const model = { specificationVersion: "v3", provider: "p", modelId: "m", doGenerate: async () => result };
    const { response } = await generateFrom(model as object as AiSdkLanguageModel);
    expect(response.usage).toEqual({ inputTokens: 10, cachedInputTokens: 4, outputTokens: 1 });
  });
});
