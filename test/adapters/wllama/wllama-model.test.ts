import { createAgent, createLlmPlanner, defineTool } from "planwright";
import { createWllamaModel, type WllamaInstance } from "planwright/wllama";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

type Options = {
  readonly abortSignal: AbortSignal;
  readonly onData: (chunk: unknown) => void;
} & Readonly<Record<string, unknown>>;

/** An instance that sends some chunks, and remembers what it was asked. */
function instanceOf(chunks: readonly unknown[], end: (options: Options) => unknown = () => undefined) {
  const asked: Options[] = [];
  const wllama: WllamaInstance = {
    async createChatCompletion(options) {
      asked.push(options as Options);
      for (const chunk of chunks) (options as Options).onData(chunk);
      return end(options as Options);
    },
    getLoadedContextInfo: () => ({ n_ctx: 8_192 }),
  };
  return { wllama, asked };
}

const piece = (content: string, logprob = -0.1) => ({
  choices: [{ delta: { content }, finish_reason: null, logprobs: { content: [{ token: content, logprob }] } }],
});
const stop = (finish_reason: string) => ({
  choices: [{ delta: {}, finish_reason, logprobs: null }],
  timings: { cache_n: 90, prompt_n: 10, predicted_n: 2 },
});
const messages = [{ role: "user", content: "Hi" }] as const;
const { signal } = new AbortController();

describe("createWllamaModel", () => {
  it("answers with the text, its tokens and how likely they were, as they come", async () => {
    const { wllama, asked } = instanceOf([piece("He", -0.2), piece("llo", -0.3), stop("stop")]);
    const model = createWllamaModel(wllama, { modelId: "tiny" });
    const deltas: string[] = [];
    const schema = { type: "object" } as const;
    const response = await model.generate({
      ...{ messages, signal, logprobs: true, temperature: 0, maxOutputTokens: 50 },
      responseFormat: { type: "json", schema },
      onTextDelta: (delta) => deltas.push(delta),
    });
    expect(response).toEqual({
      text: "Hello",
      finishReason: "stop",
      usage: { inputTokens: 100, cachedInputTokens: 90, outputTokens: 2 },
      logprobs: [
        { token: "He", logprob: -0.2 },
        { token: "llo", logprob: -0.3 },
      ],
    });
    expect(deltas).toEqual(["He", "llo"]);
    expect(asked).toMatchObject([
      {
        ...{ messages, stream: true, temperature: 0, max_tokens: 50, logprobs: true },
        response_format: { type: "json_schema", json_schema: { schema } },
      },
    ]);
    expect(model).toMatchObject({ provider: "wllama", modelId: "tiny", schemas: "grammar" });
    expect(await model.getContextTokens?.(signal)).toBe(8_192);
  });

  it("plans with an agent, with its certainty", async () => {
    const tool = defineTool({
      ...{ name: "Note", description: "Notes", inputSchema: z.object({ title: z.string() }), effect: "pure" },
      execute: () => null,
    });
    const answer = '{"steps":[{"do":"Note","title":"milk"}]}';
    const { wllama } = instanceOf([piece(answer, -0.1), stop("stop")]);
    const agent = createAgent({ tools: [tool], planner: createLlmPlanner({ model: createWllamaModel(wllama) }) });
    const { steps, source } = await agent.plan("note milk");
    expect(steps).toMatchObject([{ input: { title: "milk" } }]);
    expect(source).toMatchObject({ model: "wllama/model", certainty: 0.905 });
  });

  it.each([
    ["length", "length"],
    ["content_filter", "content-filter"],
    ["tool_calls", "other"],
  ])("says that it stopped for %s", async (reason, finishReason) => {
    const { wllama } = instanceOf([piece("Hi"), stop(reason)]);
    expect(await createWllamaModel(wllama).generate({ messages, signal })).toMatchObject({ finishReason });
  });

  it("ends with the reason of the signal, before and while it answers", async () => {
    const { wllama, asked } = instanceOf([piece("Hi")], ({ abortSignal }) => {
      controller.abort(new Error("enough"));
      abortSignal.throwIfAborted();
    });
    const controller = new AbortController();
    const model = createWllamaModel(wllama);
    await expect(model.generate({ messages, signal: controller.signal })).rejects.toThrow("enough");
    await expect(model.generate({ messages, signal: controller.signal })).rejects.toThrow("enough");
    expect(asked).toHaveLength(1);
  });

  it.each([
    [{ type: "model_not_loaded", message: "Call loadModel() first" }, "unknown-model"],
    [{ type: "kv_cache_full", message: "Running out of context cache" }, "prompt-too-long"],
    [{ type: "inference_error", message: "failed to parse grammar" }, "format-rejected"],
    [{ type: "unknown_error", message: "unreachable executed" }, "server-error"],
    [null, "server-error"],
  ])("fails with what it was: %j", async (thrown, reason) => {
    const { wllama } = instanceOf([], () => {
      throw thrown;
    });
    await expect(createWllamaModel(wllama).generate({ messages, signal })).rejects.toMatchObject({
      code: "model-failed",
      details: { model: "wllama/model", reason },
    });
  });

  it("stops an answer without end", async () => {
    const long = "x".repeat(600_000);
    const { wllama } = instanceOf([piece(long), piece(long)], ({ abortSignal }) => abortSignal.throwIfAborted());
    await expect(createWllamaModel(wllama).generate({ messages, signal })).rejects.toMatchObject({
      details: { reason: "invalid-response" },
      retryable: false,
    });
  });

  it.each([undefined, {}, { createChatCompletion: () => {} }])("refuses %j", (wllama) => {
    expect(() => createWllamaModel(wllama as never)).toThrow(
      expect.objectContaining({ code: "invalid-options", details: expect.objectContaining({ option: "wllama" }) }),
    );
  });
});
