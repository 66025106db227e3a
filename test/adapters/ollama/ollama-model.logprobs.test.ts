import { describe, expect, it } from "vitest";
import { checkNothingIsLeft, setUp } from "./setup-ollama.ts";

checkNothingIsLeft();

/** An answer of one line for each message. */
function lines(...messages: { content?: string; thinking?: string; logprobs?: unknown }[]) {
  const body = messages.map(({ logprobs, ...message }) => ({ message, logprobs, done: false }));
  return { body: [...body, { done: true, message: {} }].map((line) => JSON.stringify(line)).join("\n") };
}

describe("the probabilities of an answer", () => {
  const logprobs = [
    { token: '{"a"', logprob: -0.5 },
    { token: ': "🦙', logprob: -3 },
    { token: '"}', logprob: 0 },
  ];

  it("are asked for without others, and told if they are asked for", async () => {
    const { ask, ollama } = await setUp([{ text: '{"a": "🦙"}', logprobs }, { text: "{}" }]);
    expect((await ask({ logprobs: true })).logprobs).toEqual(logprobs);
    expect(await ask()).not.toHaveProperty("logprobs");
    expect(ollama.chats.map((chat) => [chat.logprobs, chat.top_logprobs])).toEqual([
      [true, undefined],
      [undefined, undefined],
    ]);
  });

  it.each(["one-byte-chunks", "extra-fields", "fence"] as const)("survive %s", async (fault) => {
    const { ask } = await setUp([{ fault, text: "“Ünïcödé” 🦙" }]);
    const { text, logprobs } = await ask({ logprobs: true });
    expect(logprobs?.map(({ token }) => token).join("")).toBe(text);
  });

  it("are absent if the server cannot say", async () => {
    const { ask } = await setUp([{ text: "{}", logprobs: false }]);
    expect(await ask({ logprobs: true })).toEqual({
      text: "{}",
      finishReason: "stop",
      usage: { inputTokens: 2, outputTokens: 1 },
    });
  });

  it("are of the answer, not of the thinking before it", async () => {
    const { ask } = await setUp([
      { text: "{}", thinking: "Let me think about it." },
      lines(
        { thinking: "Hm.", logprobs: [{ token: "Hm.", logprob: -9 }] },
        { content: "", logprobs: [{ token: "</think>", logprob: -8 }] },
        { content: "{}", logprobs: [{ token: "{}", logprob: -1 }] },
      ),
    ]);
    expect((await ask({ logprobs: true })).logprobs).toEqual([{ token: "{}", logprob: -0.01 }]);
    expect((await ask({ logprobs: true })).logprobs).toEqual([{ token: "{}", logprob: -1 }]);
  });

  it.each([
    ["of a part of the text", [{ token: "{", logprob: -1 }]],
    ["without a number", [{ token: '{"a":1}', logprob: null }]],
    ["above one", [{ token: '{"a":1}', logprob: 0.5 }]],
    ["without tokens", [{ logprob: -1 }, null]],
    ["that are no list", "sure"],
  ])("%s are left out", async (_, wrong) => {
    const { ask } = await setUp([lines({ content: '{"a":1}', logprobs: wrong })]);
    const answer = await ask({ logprobs: true });
    expect(answer.text).toBe('{"a":1}');
    expect(answer).not.toHaveProperty("logprobs");
  });

  it("cover a character that is split over tokens", async () => {
    const split = [{ token: "ab" }, { token: "\ufffd\ufffd" }, { token: "\ufffd\ufffd" }];
    const { ask } = await setUp([
      lines({ content: "ab🦙", logprobs: split.map(({ token }) => ({ token, logprob: -1 })) }),
    ]);
    expect((await ask({ logprobs: true })).logprobs).toHaveLength(3);
  });
});

describe("getContextTokens", () => {
  const server = { models: [{ name: "qwen3", contextLength: 8_192 }] };

  it.each([
    [undefined, 8_192],
    ["server", 8_192],
    [2_048, 2_048],
    [32_768, 8_192],
  ] as const)("with the option %s is %s, and asks once", async (contextTokens, expected) => {
    const { model, ask, controller, ollama } = await setUp([{ text: "Hi" }], { server, contextTokens });
    expect(await model.getContextTokens?.(controller.signal)).toBe(expected);
    expect(await model.getContextTokens?.(controller.signal)).toBe(expected);
    await ask();
    expect(ollama.requests.map(({ path }) => path)).toEqual(["/api/show", "/api/chat"]);
  });

  it("is the option, or unknown, if the server does not say", async () => {
    const silent = { showScript: [{ fault: "crash" }, { fault: "unknown-model" }] } as const;
    const { model, controller } = await setUp([], { server: silent });
    expect(await model.getContextTokens?.(controller.signal)).toBeUndefined();
    expect(await model.getContextTokens?.(controller.signal)).toBeUndefined();
    const other = await setUp([], { server: { showScript: [{ fault: "html" }] }, contextTokens: 512 });
    expect(await other.model.getContextTokens?.(other.controller.signal)).toBe(512);
  });

  it("rejects with the reason of its signal", async () => {
    const { model, controller, ollama } = await setUp([], { server: { showScript: [{ fault: "hang" }] } });
    const asked = model.getContextTokens?.(controller.signal);
    await ollama.waitForRequest("/api/show");
    controller.abort("enough");
    await expect(asked).rejects.toBe("enough");
    await expect(model.getContextTokens?.(controller.signal)).rejects.toBe("enough");
  });
});
