import { describe, expect, it } from "vitest";
import { checkNothingIsLeft, setUp } from "./setup-ollama.ts";

const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const thinker = { name: "qwen3", family: "qwen3", capabilities: ["completion", "thinking"] };

checkNothingIsLeft();

describe("an answer", () => {
  it("has text, thinking, usage and why it stopped; only text is told as it comes", async () => {
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
  ])("that stopped for %j has the reason %s", async (doneReason, finishReason) => {
    const { ask } = await setUp([{ text: "Hi", doneReason }]);
    expect((await ask()).finishReason).toBe(finishReason);
  });

  it("may come without counts, or with 0 of them", async () => {
    const { ask } = await setUp([{ fault: "no-metrics" }, { text: "", inputTokens: 0, outputTokens: 0 }]);
    expect((await ask()).usage).toEqual({});
    expect(await ask()).toEqual({ text: "", finishReason: "stop", usage: {} });
  });

  it.each(["one-byte-chunks", "extra-fields"] as const)("survives %s", async (fault) => {
    const { ask, deltas } = await setUp([{ fault, text: "“Ünïcödé” 🦙🦙\n{}", thinking: "Hm… 🤔" }]);
    expect(await ask()).toMatchObject({ text: "“Ünïcödé” 🦙🦙\n{}", reasoning: "Hm… 🤔", finishReason: "stop" });
    expect(deltas.join("")).toBe("“Ünïcödé” 🦙🦙\n{}");
  });

  it("of thinking alone has no text", async () => {
    const { ask, deltas } = await setUp([{ fault: "thinking-only", text: "{}" }]);
    expect(await ask()).toMatchObject({ text: "", reasoning: "{}" });
    expect(deltas).toEqual([]);
  });

  it("of white space until the tokens were used up was cut", async () => {
    const { ask } = await setUp([{ fault: "white-space" }]);
    expect((await ask()).finishReason).toBe("length");
  });

  it("of white space without end is cut, and its connection closed", async () => {
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

  it("of some white space goes on", async () => {
    const text = `${" ".repeat(400)}a${" ".repeat(400)}b`;
    const { ask } = await setUp([{ text }]);
    expect(await ask()).toMatchObject({ text, finishReason: "stop" });
  });

  it("that is too long is none", async () => {
    const { fail, deltas } = await setUp([{ fault: "large" }]);
    const error = await fail();
    expect(error.details).toEqual({ model: "ollama/qwen3", reason: "invalid-response" });
    expect(error.message).toContain("longer than 1048576 characters");
    expect(deltas.join("").length).toBeLessThanOrEqual(1_048_576);
  });

  it("can be told to nobody", async () => {
    const { ask } = await setUp([{ text: "Hi" }]);
    expect((await ask({ onTextDelta: undefined })).text).toBe("Hi");
  });
});

describe("a request", () => {
  it("has the messages, and no more than is needed", async () => {
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
        options: { num_predict: 2_048, num_ctx: 4_096 },
      },
    ]);
    expect(ollama.requests.map(({ path }) => path)).toEqual(["/api/show", "/api/chat"]);
  });

  it("has the format, temperature and the most tokens that were asked for, and headers", async () => {
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

  it("says nothing about thinking where the model cannot", async () => {
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
  ] as const)("with think %j to %j says %j", async (think, model, expected, outputTokens) => {
    const { ask, ollama } = await setUp([{ text: "Hi" }], { think, server: { models: [model] } });
    await ask();
    expect(ollama.chats[0]).toMatchObject({ think: expected, options: { num_predict: outputTokens } });
  });

  it("is sent again without thinking where the server refuses that, and later ones go without", async () => {
    const { ask, ollama } = await setUp([{ fault: "thinking-unsupported" }, { text: "Hi" }, { text: "Hi" }], {
      server: { models: [thinker] },
    });
    expect((await ask()).text).toBe("Hi");
    await ask();
    expect(ollama.chats.map(({ think }) => think)).toEqual([false, undefined, undefined]);
  });

  it("is not sent a third time", async () => {
    const { fail, ollama } = await setUp([{ fault: "thinking-unsupported" }, { fault: "thinking-unsupported" }], {
      server: { models: [thinker] },
    });
    expect((await fail()).details).toMatchObject({ reason: "rejected", status: 400 });
    ollama.assertComplete();
  });
});

describe("the context", () => {
  const words = (tokens: number) => [{ role: "user" as const, content: "abc".repeat(tokens) }];

  it("grows with the messages by 1024, and never shrinks, as the server would load the model again", async () => {
    const { ask, ollama } = await setUp([{ text: "" }, { text: "" }, { text: "" }]);
    await ask({ messages: words(3_000) });
    await ask({ messages: words(10) });
    await ask({ messages: words(6_000), maxOutputTokens: 100 });
    expect(ollama.chats.map(({ options }) => options)).toEqual([
      { num_predict: 2_048, num_ctx: 5_120 },
      { num_predict: 2_048, num_ctx: 5_120 },
      { num_predict: 100, num_ctx: 6_144 },
    ]);
  });

  it("is at most the model's: the answer gets what is left", async () => {
    const models = [{ name: "qwen3", contextLength: 2_048 }];
    const { ask, ollama } = await setUp([{ text: "" }], { server: { models } });
    await ask({ messages: words(1_000) });
    expect(ollama.chats[0]?.options).toEqual({ num_predict: 2_048 - 1_032, num_ctx: 2_048 });
  });

  it("is what was asked for, up to the model's", async () => {
    const models = [{ name: "qwen3", contextLength: 8_192 }];
    const first = await setUp([{ text: "" }], { contextTokens: 2_000, server: { models } });
    await first.ask();
    expect(first.ollama.chats[0]?.options).toEqual({ num_predict: 2_000 - 34, num_ctx: 2_000 });
    const second = await setUp([{ text: "" }], { contextTokens: 100_000, server: { models } });
    await second.ask();
    expect(second.ollama.chats[0]?.options).toMatchObject({ num_ctx: 8_192 });
  });

  it("that has no room for the messages is told before they are sent", async () => {
    const models = [{ name: "qwen3", contextLength: 2_048 }];
    const { fail, ollama } = await setUp([], { server: { models } });
    const error = await fail({ messages: words(2_000) });
    expect(error.details).toEqual({ model: "ollama/qwen3", reason: "prompt-too-long" });
    expect(error.retryable).toBe(false);
    expect(error.message).toBe(
      "The messages have about 2032 tokens, and qwen3 has a context of 2048, answer included.",
    );
    expect(ollama.chats).toEqual([]);
    const mine = await setUp([], { contextTokens: 1_024, server: { models } });
    expect((await mine.fail({ messages: words(2_000) })).message).toContain('"contextTokens" allows 1024');
  });

  it("has room for a short answer where one was asked for", async () => {
    const models = [{ name: "qwen3", contextLength: 2_048 }];
    const { ask, ollama } = await setUp([{ text: "" }], { server: { models } });
    await ask({ messages: words(2_000), maxOutputTokens: 10 });
    expect(ollama.chats[0]?.options).toEqual({ num_predict: 10, num_ctx: 2_048 });
  });
});
