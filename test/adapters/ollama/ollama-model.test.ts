import { describe, expect, it } from "vitest";
import type { FakeOllamaShowAnswer } from "../../fake-ollama/fake-ollama-answer.ts";
import { checkNothingIsLeft, setUp } from "./setup-ollama.ts";

const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const thinker = { name: "qwen3", family: "qwen3", capabilities: ["completion", "thinking"] };

checkNothingIsLeft();

describe("an answer", () => {
  it("contains text, reasoning, usage and the finish reason, and only its text is streamed", async () => {
    const { model, ask, deltas, ollama } = await setUp([
      { text: "Grüße an alle 🦙", thinking: "Let me think.", inputTokens: 12, outputTokens: 34 },
    ]);
    expect(await ask()).toEqual({
      text: "Grüße an alle 🦙",
      reasoning: "Let me think.",
      finishReason: "stop",
      usage: { inputTokens: 12, outputTokens: 34 },
    });
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join("")).toBe("Grüße an alle 🦙");
    expect(model).toMatchObject({ provider: "ollama", modelId: "qwen3" });
    expect(model.price).toEqual({ inputPerMillion: 0, outputPerMillion: 0 });
    ollama.assertComplete();
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    [null, "stop"],
    ["load", "other"],
  ])("with the done reason %j has the finish reason %s", async (doneReason, finishReason) => {
    const { ask } = await setUp([{ text: "Hi", doneReason }]);
    expect((await ask()).finishReason).toBe(finishReason);
  });

  it("may have no token counts, or counts of 0", async () => {
    const { ask } = await setUp([{ fault: "no-metrics" }, { text: "", inputTokens: 0, outputTokens: 0 }]);
    expect((await ask()).usage).toEqual({});
    expect(await ask()).toEqual({ text: "", finishReason: "stop", usage: {} });
  });

  it.each(["one-byte-chunks", "extra-fields"] as const)("survives %s", async (fault) => {
    const { ask, deltas } = await setUp([{ fault, text: "“Ünïcödé” 🦙🦙\n{}", thinking: "Hm… 🤔" }]);
    expect(await ask()).toMatchObject({ text: "“Ünïcödé” 🦙🦙\n{}", reasoning: "Hm… 🤔", finishReason: "stop" });
    expect(deltas.join("")).toBe("“Ünïcödé” 🦙🦙\n{}");
  });

  it("that consists of reasoning has an empty text", async () => {
    const { ask, deltas } = await setUp([{ fault: "thinking-only", text: "{}" }]);
    expect(await ask()).toMatchObject({ text: "", reasoning: "{}" });
    expect(deltas).toEqual([]);
  });

  it("of white space up to the token limit is reported as cut", async () => {
    const { ask } = await setUp([{ fault: "white-space" }]);
    expect((await ask()).finishReason).toBe("length");
  });

  it("of endless white space is cut, and its connection is closed", async () => {
    const text = `{"a":1${"\n  ".repeat(400)}`;
    const endless = { fault: "hang-mid-stream", text: " ".repeat(200_000) } as const;
    const { ask, ollama } = await setUp([{ text }, endless, { text: "", thinking: " ".repeat(1_200) }]);
    const answer = await ask();
    expect(answer).toMatchObject({ finishReason: "length", usage: {} });
    expect(answer.text.length).toBeLessThan(600);
    expect(text.startsWith(answer.text)).toBe(true);
    expect((await ask()).finishReason).toBe("length");
    await ollama.waitForIdle();
    expect((await ask()).finishReason).toBe("length");
  });

  it("with some white space is read to its end", async () => {
    const text = `${" ".repeat(400)}a${" ".repeat(400)}b`;
    const { ask } = await setUp([{ text }]);
    expect(await ask()).toMatchObject({ text, finishReason: "stop" });
  });

  it("that is too long is refused, and not requested again", async () => {
    const { fail, deltas, ollama } = await setUp([{ fault: "large" }]);
    const error = await fail();
    expect([error.retryable, ollama.chats.length]).toEqual([false, 1]);
    expect(error.details).toEqual({ model: "ollama/qwen3", reason: "invalid-response" });
    expect(error.message).toContain("longer than 1048576 characters");
    expect(deltas.join("").length).toBeLessThanOrEqual(1_048_576);
  });

  it("is read without onTextDelta as well", async () => {
    const { ask } = await setUp([{ text: "Hi" }]);
    expect((await ask({ onTextDelta: undefined })).text).toBe("Hi");
  });
});

describe("a request", () => {
  it("contains the messages, and no unnecessary fields", async () => {
    const { ask, ollama } = await setUp([{ text: "Hi" }]);
    await ask({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
    });
    expect(ollama.chats).toEqual([
      {
        model: "qwen3",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hello" },
        ],
        stream: true,
        truncate: false,
        options: { num_predict: 2_048, num_ctx: 8_192 },
      },
    ]);
    expect(ollama.requests.map(({ path }) => path)).toEqual(["/api/show", "/api/chat"]);
  });

  it("contains the format, the temperature, the token limit and the headers", async () => {
    const { ask, ollama } = await setUp([{ text: "{}" }, { text: "{}" }, { text: "Hi" }], {
      headers: { Authorization: "Bearer secret" },
      keepAlive: "10m",
    });
    await ask({ responseFormat: { type: "json", schema }, temperature: 0, maxOutputTokens: 300 });
    await ask({ responseFormat: { type: "json" } });
    await ask({ responseFormat: { type: "text" } });
    expect(ollama.chats.map(({ format }) => format)).toEqual([schema, "json", undefined]);
    expect(ollama.chats[0]).toMatchObject({ keep_alive: "10m", options: { temperature: 0, num_predict: 300 } });
    expect(ollama.requests.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill("Bearer secret"));
  });

  it("has no think field if the model cannot think", async () => {
    const { ask, ollama } = await setUp([{ text: "Hi" }], { think: true });
    await ask();
    expect(ollama.chats[0]).not.toHaveProperty("think");
  });

  it.each([
    [undefined, thinker, false, 2_048],
    [true, thinker, true, 4_096],
    ["high", thinker, "high", 4_096],
    [undefined, { ...thinker, family: "gptoss" }, "low", 4_096],
    [undefined, { ...thinker, family: "gpt-oss" }, "low", 4_096],
    [false, { ...thinker, family: "gptoss" }, "low", 4_096],
    [true, { ...thinker, family: "gptoss" }, "medium", 4_096],
    ["high", { ...thinker, family: "gptoss" }, "high", 4_096],
  ] as const)("with the option think: %j for %j contains think: %j", async (think, model, expected, outputTokens) => {
    const { ask, ollama } = await setUp([{ text: "Hi" }], { think, server: { models: [model] } });
    await ask();
    expect(ollama.chats[0]).toMatchObject({ think: expected, options: { num_predict: outputTokens } });
  });

  it("is repeated without think if the server refuses that, as are later requests", async () => {
    const { ask, ollama } = await setUp([{ fault: "thinking-unsupported" }, { text: "Hi" }, { text: "Hi" }], {
      server: { models: [thinker] },
    });
    expect((await ask()).text).toBe("Hi");
    await ask();
    expect(ollama.chats.map(({ think }) => think)).toEqual([false, undefined, undefined]);
  });

  it("is not repeated a second time", async () => {
    const { fail, ollama } = await setUp([{ fault: "thinking-unsupported" }, { fault: "thinking-unsupported" }], {
      server: { models: [thinker] },
    });
    expect((await fail()).details).toMatchObject({ reason: "rejected", status: 400 });
    ollama.assertComplete();
  });
});

describe("a format that the server ignores while the model does not think", () => {
  const prose = { text: "Sure, I add milk.", inputTokens: 5, outputTokens: 7 };
  const json = { text: '{"a": "b"}', thinking: "Hm.", inputTokens: 5, outputTokens: 9 };
  const format = { responseFormat: { type: "json", schema } } as const;
  const server = { models: [thinker] };

  it("is asked for again with thinking, once and for all, and both answers count", async () => {
    const { ask, ollama } = await setUp([prose, json, json], { server });
    expect(await ask(format)).toMatchObject({ text: json.text, usage: { inputTokens: 10, outputTokens: 16 } });
    await ask(format);
    expect(ollama.chats.map(({ think }) => think)).toEqual([false, true, true]);
  });

  it.each([
    ["the option think says no", { think: false, server }, format, prose],
    ["the model cannot think", {}, format, prose],
    ["no format was asked for", { server }, {}, prose],
    ["the answer holds JSON", { server }, format, { text: 'Sure: {"a": "b"}' }],
    ["the answer is empty", { server }, format, { text: "" }],
    ["the answer was cut", { server }, format, { text: "Sure", doneReason: "length" }],
  ] as const)("is not asked for again if %s", async (_name, options, request, answer) => {
    const { ask, ollama } = await setUp([answer], options);
    expect((await ask(request)).text).toBe(answer.text);
    ollama.assertComplete();
  });
});

describe("preload", () => {
  it("loads the model with the context of the calls that follow", async () => {
    const { model, ask, ollama } = await setUp([{ text: "" }], { keepAlive: "1h" });
    await model.preload();
    await ask({ messages: [{ role: "user", content: "x".repeat(3_000) }] });
    const [loading, call] = ollama.requests
      .filter(({ path }) => path === "/api/chat")
      .map(({ body }) => JSON.parse(body));
    expect(loading).toMatchObject({ messages: [], keep_alive: "1h", options: { num_ctx: 8_192 } });
    expect(call?.options?.num_ctx).toBe(8_192);
  });

  it("asks for no context where that is left to the server", async () => {
    const { model, ollama } = await setUp([], { contextTokens: "server" });
    await model.preload({});
    const { options } = JSON.parse(ollama.requests.at(-1)?.body ?? "");
    expect(options).toEqual({ num_predict: expect.any(Number) });
  });

  it("fails as a call does", async () => {
    const { model } = await setUp([], { server: { models: [] } });
    await expect(model.preload()).rejects.toMatchObject({
      code: "model-failed",
      details: { reason: "unknown-model" },
    });
    const stop = AbortSignal.abort(new Error("no more"));
    await expect(model.preload({ signal: stop })).rejects.toThrow("no more");
  });
});

describe("the context size", () => {
  const words = (tokens: number) => [{ role: "user" as const, content: "abc".repeat(tokens) }];

  it("is a power of two with room for a second try, and never shrinks, as the server would reload the model", async () => {
    const { ask, ollama } = await setUp([{ text: "" }, { text: "" }, { text: "" }]);
    await ask({ messages: words(3_000) });
    await ask({ messages: words(10) });
    await ask({ messages: words(6_000), maxOutputTokens: 100 });
    expect(ollama.chats.map(({ options }) => options)).toEqual([
      { num_predict: 2_048, num_ctx: 8_192 },
      { num_predict: 2_048, num_ctx: 8_192 },
      { num_predict: 100, num_ctx: 8_192 },
    ]);
  });

  it("is at most the model's, and the answer gets what is left", async () => {
    const models = [{ name: "qwen3", contextLength: 2_048 }];
    const { ask, ollama } = await setUp([{ text: "" }], { server: { models } });
    await ask({ messages: words(1_000) });
    expect(ollama.chats[0]?.options).toEqual({ num_predict: 2_048 - 1_032, num_ctx: 2_048 });
  });

  it("is the same for an answer of twice the length", async () => {
    const { ask, ollama } = await setUp([{ text: "" }, { text: "" }]);
    await ask({ messages: words(1_100), maxOutputTokens: 2_048 });
    await ask({ messages: words(1_500), maxOutputTokens: 4_096 });
    expect(ollama.chats.map(({ options }) => (options as { num_ctx?: number }).num_ctx)).toEqual([8_192, 8_192]);
  });

  it("does not change what else is sent: a seed, and options of Ollama", async () => {
    const options = { top_k: 20, num_predict: 1, temperature: 2 };
    const { ask, ollama } = await setUp([{ text: "" }], { seed: 7, options });
    await ask({ temperature: 0 });
    expect(ollama.chats[0]?.options).toEqual({
      top_k: 20,
      seed: 7,
      temperature: 0,
      num_predict: 2_048,
      num_ctx: 8_192,
    });
  });

  it("is left to the server if wanted", async () => {
    const { ask, ollama } = await setUp([{ text: "" }], { contextTokens: "server" });
    await ask();
    expect(ollama.chats[0]?.options).toEqual({ num_predict: 2_048 });
  });

  it("is the given size, up to the model's", async () => {
    const models = [{ name: "qwen3", contextLength: 8_192 }];
    const first = await setUp([{ text: "" }], { contextTokens: 2_000, server: { models } });
    await first.ask();
    expect(first.ollama.chats[0]?.options).toEqual({ num_predict: 2_000 - 34, num_ctx: 2_000 });
    const second = await setUp([{ text: "" }], { contextTokens: 100_000, server: { models } });
    await second.ask();
    expect(second.ollama.chats[0]?.options).toMatchObject({ num_ctx: 8_192 });
  });

  it("is checked before the messages are sent: they may be too long for it", async () => {
    const models = [{ name: "qwen3", contextLength: 2_048 }];
    const { fail, ollama } = await setUp([], { server: { models } });
    const error = await fail({ messages: words(2_000) });
    expect(error.details).toEqual({ model: "ollama/qwen3", reason: "prompt-too-long" });
    expect(error.retryable).toBe(false);
    expect(error.message).toBe(
      "The messages have about 2032 tokens, but qwen3 has a context of 2048, including the answer.",
    );
    expect(ollama.chats).toEqual([]);
    const mine = await setUp([], { contextTokens: 1_024, server: { models } });
    expect((await mine.fail({ messages: words(2_000) })).message).toContain('"contextTokens" allows 1024');
  });

  it("leaves room for a short answer if only that was requested", async () => {
    const models = [{ name: "qwen3", contextLength: 2_048 }];
    const { ask, ollama } = await setUp([{ text: "" }], { server: { models } });
    await ask({ messages: words(2_000), maxOutputTokens: 10 });
    expect(ollama.chats[0]?.options).toEqual({ num_predict: 10, num_ctx: 2_048 });
  });
});

const hi = { text: "Hi" };
const asked = (paths: readonly { readonly path: string }[]) => paths.filter(({ path }) => path === "/api/show").length;
const answerWith = (facts: unknown) => ({ body: JSON.stringify(facts) });

checkNothingIsLeft();

describe("the server's facts about a model", () => {
  it("are requested once, even by simultaneous calls", async () => {
    const { ask, ollama } = await setUp([hi, hi, hi]);
    await Promise.all([ask(), ask()]);
    await ask();
    expect(asked(ollama.requests)).toBe(1);
    expect(JSON.parse(ollama.requests[0]?.body ?? "")).toEqual({ model: "qwen3" });
  });

  it.each<FakeOllamaShowAnswer>([
    { status: 500, error: "no" },
    { status: 404, body: "404 page not found" },
    { fault: "busy" },
    { fault: "html" },
    { fault: "unauthorized" },
    { fault: "cut-at-once" },
    { body: "no JSON" },
  ])("are unknown after %j, and requested again by the next call", async (answer) => {
    const { ask, ollama } = await setUp([hi, hi, hi], { server: { showScript: [answer] } });
    await ask();
    await ask();
    await ask();
    expect(asked(ollama.requests)).toBe(2);
    // False harms no model that cannot think.
    expect(ollama.chats.map(({ think }) => think)).toEqual([false, undefined, undefined]);
    ollama.assertComplete();
  });

  it.each([
    [{}, "qwen3", false],
    [null, "qwen3", false],
    [{}, "gpt-oss:20b", "low"],
    [{ capabilities: "thinking", details: null, model_info: [] }, "qwen3", false],
    [{ capabilities: ["thinking"], model_info: { "general.architecture": "gptoss" } }, "mine", "low"],
    [{ capabilities: ["thinking"], details: { family: "gemma4" } }, "mine", false],
    [{ capabilities: ["completion"], details: { family: "gemma3" } }, "mine", undefined],
  ])("may be %j, so that %s is called with think %j", async (facts, model, think) => {
    const models = [{ name: model, capabilities: ["completion", "thinking"] }];
    const { ask, ollama } = await setUp([hi], { model, server: { models, showScript: [answerWith(facts)] } });
    await ask();
    expect(ollama.chats[0]?.think).toBe(think);
  });

  it("limit the context only if they contain a valid length", async () => {
    for (const length of ["2048", 0, -1, 2.5, undefined]) {
      const facts = { model_info: { "general.architecture": "llama", "llama.context_length": length } };
      const { ask, ollama } = await setUp([hi], { server: { showScript: [answerWith(facts)] } });
      await ask();
      expect(ollama.chats[0]?.options).toMatchObject({ num_ctx: 8_192 });
    }
  });

  it("fail the call if the model is unknown, and are requested again by the next call", async () => {
    const { ask, fail, ollama } = await setUp([hi], { server: { showScript: [{ fault: "unknown-model" }] } });
    const error = await fail();
    expect(error.details).toEqual({ model: "ollama/qwen3", reason: "unknown-model", status: 404 });
    expect(error.message).toContain("Type: ollama pull qwen3");
    expect(ollama.chats).toEqual([]);
    expect((await ask()).text).toBe("Hi");
  });

  it("stay requested while one waiting call is left, and no longer when all are aborted", async () => {
    const { ask, ollama } = await setUp([hi], { server: { showScript: [{ fault: "hang" }, { fault: "hang" }] } });
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const refused = [first, second].map((each) => expect(ask({ signal: each.signal })).rejects.toBe("enough"));
    await ollama.waitForRequest("/api/show");
    first.abort("enough");
    await refused[0];
    expect(ollama.openSockets).toBe(1);
    second.abort("enough");
    await refused[1];
    await ollama.waitForDisconnect();
    const last = ask({ signal: third.signal });
    await ollama.waitForRequest("/api/show");
    ollama.release();
    expect((await last).text).toBe("Hi");
    expect(asked(ollama.requests)).toBe(2);
  });
});
