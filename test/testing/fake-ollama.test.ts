import { Ollama } from "ollama/browser";
import { createAgent, createLlmPlanner, createOllamaModel, createTodoStore } from "planwright";
import { type FakeOllamaAnswer, startFakeOllama } from "planwright/testing";
import { afterEach, describe, expect, it } from "vitest";

const started: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) await each.close();
});

type FakeOllamaOptions = Parameters<typeof startFakeOllama>[1];

async function start(answers: readonly FakeOllamaAnswer[], options?: FakeOllamaOptions) {
  const ollama = await startFakeOllama(answers, options);
  started.push(ollama);
  const model = createOllamaModel({ model: "qwen3", host: ollama.host, retry: { maxAttempts: 1 } });
  const ask = (signal = new AbortController().signal, given: object = {}) =>
    model.generate({ messages: [{ role: "user", content: "hi" }], responseFormat: { type: "text" }, signal, ...given });
  return { ollama, model, ask, client: new Ollama({ host: ollama.host }) };
}

describe("createOllamaModel", () => {
  it("plans with it as with a server", async () => {
    const { ollama, model } = await start(['{"steps":[{"do":"TodoStore.add","title":"milk"}]}']);
    const planner = createLlmPlanner({ model });
    const { output } = await createAgent({ tools: [createTodoStore()], planner }).run("we need milk");
    expect(output).toMatchObject({ title: "milk" });
    expect(ollama.chats[0]).toMatchObject({ model: "qwen3", stream: true, logprobs: true });
    ollama.assertComplete();
  });

  it("receives pieces, thoughts, counts, likelihoods and why it stopped", async () => {
    const logprobs = [
      { token: "He", logprob: -0.1 },
      { token: "llo", logprob: -0.5 },
    ];
    const { ask } = await start([
      { text: "Hello", deltas: ["H", "ello"], reasoning: "hm", usage: { inputTokens: 7, outputTokens: 9 } },
      { text: "Hello", logprobs, finishReason: "length" },
    ]);
    const pieces: string[] = [];
    const response = await ask(undefined, { onTextDelta: (piece: string) => pieces.push(piece) });
    expect(pieces).toEqual(["H", "ello"]);
    expect(response).toMatchObject({ text: "Hello", reasoning: "hm", finishReason: "stop" });
    expect(response.usage).toMatchObject({ inputTokens: 7, outputTokens: 9 });
    expect(await ask(undefined, { logprobs: true })).toMatchObject({ text: "Hello", finishReason: "length", logprobs });
  });

  it("fails as by a server: busy, another model, a script that is over or throws", async () => {
    const { ollama, ask } = await start([
      { status: 503, error: "server busy" },
      new Error("the runner died"),
      () => {
        throw new Error("mine");
      },
    ]);
    await expect(ask()).rejects.toMatchObject({ details: { reason: "busy", status: 503 } });
    await expect(ask()).rejects.toThrow(/the runner died/);
    await expect(ask()).rejects.toThrow(/The script threw: Error: mine/);
    await expect(ask()).rejects.toThrow(/The script has 3 answers; received 4 requests/);
    expect(ollama.assertComplete).toThrow(/3 answers; received 4 requests/);
    const { ask: askOther } = await start(["hi"], { models: ["llama3.2"] });
    await expect(askOther()).rejects.toMatchObject({ details: { reason: "unknown-model" } });
    const { ask: askKnown } = await start(["hi"], { models: ["qwen3:latest"] });
    expect(await askKnown()).toMatchObject({ text: "hi" });
  });

  it("is aborted while it hangs, and reads what a model can do", async () => {
    const { ask, model, ollama } = await start([{ hangs: "until-aborted" }], {
      capabilities: ["completion", "thinking"],
    });
    const aborting = new AbortController();
    const asked = ask(aborting.signal);
    await expect.poll(() => ollama.chats.length).toBe(1);
    aborting.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    expect(await model.getContextTokens?.(new AbortController().signal)).toBe(32_768);
    expect(ollama.chats[0]?.think).toBe(false);
    await model.preload();
    expect(ollama.chats).toHaveLength(1);
  });
});

describe("another client", () => {
  it("has whole answers, streams, and the names of models", async () => {
    const { client } = await start(
      [({ messages }) => `You said ${messages.at(-1)?.content}.`, { text: "Hi", reasoning: "hm" }],
      {
        models: ["qwen3"],
      },
    );
    const messages = [{ role: "user", content: "hello" }];
    const whole = await client.chat({ model: "qwen3", messages });
    expect(whole).toMatchObject({ message: { content: "You said hello." }, done: true, done_reason: "stop" });
    const parts = [];
    for await (const { message } of await client.chat({ model: "qwen3", messages, stream: true })) parts.push(message);
    expect(parts.map(({ content, thinking }) => [content, thinking])).toEqual([
      ["", "hm"],
      ["Hi", undefined],
      ["", undefined],
    ]);
    expect((await client.list()).models.map(({ name }) => name)).toEqual(["qwen3:latest"]);
    expect(await client.version()).toEqual({ version: "0.0.0" });
  });

  it("may send anything", async () => {
    const { ollama } = await start([]);
    const post = (path: string, body: string) => fetch(ollama.host + path, { method: "POST", body });
    expect((await post("/api/chat", "{")).status).toBe(400);
    expect((await post("/api/pull", "{}")).status).toBe(404);
    expect(await (await fetch(ollama.host)).text()).toBe("Ollama is running");
    await ollama.close();
    await ollama.close();
    await expect(fetch(ollama.host)).rejects.toThrow();
  });
});

it("answers and options are checked", async () => {
  await expect(startFakeOllama([3 as never])).rejects.toThrow(/answers\[0\]/);
  await expect(startFakeOllama("hi" as never)).rejects.toThrow(/answers/);
  await expect(startFakeOllama([], { models: "qwen3" as never })).rejects.toThrow(/models/);
  await expect(startFakeOllama([{ text: "ab", deltas: ["a"] }])).rejects.toThrow(/deltas/);
});
