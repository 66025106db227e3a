import { connect } from "node:net";
import { Ollama } from "ollama/browser";
import { createManualClock } from "planwright/testing";
import { afterEach, describe, expect, it } from "vitest";
import { startFakeOllama } from "./fake-ollama.ts";
import { fakeOllamaFaults } from "./fake-ollama-answer.ts";
import type { FakeOllama, FakeOllamaOptions } from "./fake-ollama-options.ts";

const open: FakeOllama[] = [];

async function start(options?: FakeOllamaOptions) {
  const ollama = await startFakeOllama(options);
  open.push(ollama);
  return ollama;
}

afterEach(async () => {
  for (const ollama of open.splice(0)) {
    await ollama.close();
    expect(ollama.openSockets).toBe(0);
  }
});

const messages = [{ role: "user", content: "Hello" }];

function post(ollama: FakeOllama, path: string, body: unknown, init: RequestInit = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${ollama.host}${path}`, { method: "POST", body: text, ...init });
}

async function chat(ollama: FakeOllama, fields: object = {}) {
  const response = await post(ollama, "/api/chat", { model: "m", messages, ...fields });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

async function chatLines(ollama: FakeOllama): Promise<readonly Record<string, unknown>[]> {
  const { text } = await chat(ollama);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Reads a streamed answer chunk by chunk; undefined at its end. */
async function reader(ollama: FakeOllama) {
  const { body } = await post(ollama, "/api/chat", { model: "m", messages });
  const chunks = body?.pipeThrough(new TextDecoderStream()).getReader();
  return async () => (await chunks?.read())?.value;
}

describe("startFakeOllama", () => {
  it("serves the paths that clients request", async () => {
    const ollama = await start({ models: [{ name: "qwen3", family: "qwen3" }] });
    const get = async (path: string) => (await fetch(ollama.host + path)).text();
    expect(await get("/")).toBe("Ollama is running");
    expect(JSON.parse(await get("/api/version"))).toEqual({ version: "0.0.0" });
    expect(JSON.parse(await get("/api/tags"))).toMatchObject({
      models: [{ name: "qwen3:latest", model: "qwen3:latest", details: { family: "qwen3" } }],
    });
    expect(JSON.parse(await get("/api/ps"))).toEqual({ models: [] });
    expect(await get("/api/nothing")).toBe("404 page not found");
    expect((await fetch(ollama.host, { method: "HEAD" })).status).toBe(200);
    expect(ollama.requests.map(({ method, path }) => `${method} ${path}`)).toContain("GET /api/tags");
    expect(JSON.parse(await get("/api/tags")).models).toHaveLength(1);
    expect(JSON.parse(await (await fetch(`${(await start()).host}/api/tags`)).text())).toEqual({ models: [] });
  });

  it("reports the configured facts about a model", async () => {
    const capabilities = ["completion", "thinking"];
    const models = [{ name: "big:70b", family: "gptoss", capabilities, contextLength: 131_072 }];
    const client = new Ollama({ host: (await start({ models })).host });
    expect(await client.show({ model: "big:70b" })).toMatchObject({
      capabilities,
      details: { family: "gptoss" },
      model_info: { "general.architecture": "gptoss", "gptoss.context_length": 131_072 },
    });
    await expect(client.show({ model: "big" })).rejects.toThrow("model 'big' not found");
  });

  it.each([
    ["", 400, "missing request body"],
    ["{}", 400, "model is required"],
    ["nonsense", 400, "invalid character 'n' looking for beginning of value"],
  ])("responds to /api/show with the body %j by status %i", async (body, status, error) => {
    const response = await post(await start(), "/api/show", body);
    expect([response.status, await response.json()]).toEqual([status, { error }]);
  });

  it("responds to /api/show from its script first", async () => {
    const ollama = await start({ showScript: [{ fault: "busy" }, { status: 400, error: "no" }, { body: "{}" }] });
    const answers = [];
    for (const _ of [1, 2, 3, 4]) answers.push((await post(ollama, "/api/show", { name: "m" })).status);
    expect(answers).toEqual([503, 400, 200, 200]);
  });
});

describe("a chat", () => {
  it("is streamed in the format that the client library reads", async () => {
    const ollama = await start({ script: [{ text: "Grüße 🦙", thinking: "Hm.", inputTokens: 3, outputTokens: 0 }] });
    const client = new Ollama({ host: ollama.host });
    const parts = [];
    for await (const part of await client.chat({ model: "m", messages, stream: true })) parts.push(part);
    expect(parts.map(({ message }) => message.thinking ?? "").join("")).toBe("Hm.");
    expect(parts.map(({ message }) => message.content).join("")).toBe("Grüße 🦙");
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: "stop", prompt_eval_count: 3 });
    expect(parts.at(-1)).not.toHaveProperty("eval_count");
    ollama.assertComplete();
  });

  it("is one object if no stream was requested", async () => {
    const ollama = await start({ script: [{ text: "Hi", thinking: "Hm.", doneReason: null }] });
    const { type, text } = await chat(ollama, { stream: false });
    expect(type).toBe("application/json; charset=utf-8");
    expect(JSON.parse(text)).toMatchObject({ message: { content: "Hi", thinking: "Hm." }, done: true, eval_count: 2 });
    expect(JSON.parse(text)).not.toHaveProperty("done_reason");
    expect(JSON.parse(text).created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
  });

  it("has probabilities if they are asked for", async () => {
    const logprobs = [
      { token: "Hi ", logprob: -2 },
      { token: "you", logprob: 0 },
    ];
    const text = "Hi you";
    const ollama = await start({ script: [{ text, logprobs }, { text }, { text: "Hi", logprobs }, { text }] });
    const told = async (fields: object) => JSON.parse((await chat(ollama, { stream: false, ...fields })).text);
    expect((await told({ logprobs: true })).logprobs).toMatchObject([...logprobs]);
    expect((await told({ logprobs: true })).logprobs).toEqual([
      { token: "Hi y", logprob: -0.01, bytes: [72, 105, 32, 121] },
      { token: "ou", logprob: -0.01, bytes: [111, 117] },
    ]);
    expect((await told({ logprobs: true })).error).toContain('The tokens of "logprobs" must be the pieces of "text".');
    expect(await told({})).not.toHaveProperty("logprobs");
  });

  it("without messages loads or unloads the model", async () => {
    const ollama = await start();
    expect((await chat(ollama, { messages: [] })).text).toContain('"done_reason":"load"');
    expect((await chat(ollama, { messages: undefined, keep_alive: 0 })).text).toContain('"done_reason":"unload"');
    ollama.assertComplete();
  });

  it.each([
    [{ model: "" }, 400, "model is required"],
    [{ model: 7 }, 400, "json: cannot unmarshal number into Go struct field ChatRequest.model of type string"],
    [
      { messages: "Hi" },
      400,
      "json: cannot unmarshal string into Go struct field ChatRequest.messages of type []api.Message",
    ],
    [{ stream: [] }, 400, "json: cannot unmarshal array into Go struct field ChatRequest.stream of type bool"],
    [{ logprobs: 1 }, 400, "json: cannot unmarshal number into Go struct field ChatRequest.logprobs of type bool"],
    [
      { options: true },
      400,
      "json: cannot unmarshal bool into Go struct field ChatRequest.options of type map[string]interface {}",
    ],
    [{ model: "other" }, 404, "model 'other' not found"],
    [{ think: true }, 400, '"m" does not support thinking'],
    [{ think: "max" }, 400, '"m" does not support thinking'],
    [{ think: "much" }, 400, 'invalid think value: "much" (must be "high", "medium", "low", "max", true, or false)'],
    [{ think: 1 }, 400, 'think must be a boolean or string ("high", "medium", "low", "max", true, or false)'],
    [{ tools: [{}] }, 400, '"m" does not support tools'],
    [{ options: { num_predict: "9" } }, 500, 'option "num_predict" must be of type integer'],
    [{ options: { temperature: "9" } }, 500, 'option "temperature" must be of type float32'],
    [{ options: { stop: "x" } }, 500, 'option "stop" must be of type array'],
    [{ format: "xml" }, 500, 'invalid format: "\\"xml\\""; expected "json" or a valid JSON Schema object'],
  ])("with %j is refused with status %i", async (fields, status, error) => {
    const ollama = await start({ models: [{ name: "m", capabilities: ["completion"] }] });
    const refused = await chat(ollama, fields);
    expect([refused.status, JSON.parse(refused.text)]).toEqual([status, { error }]);
    expect(ollama.chats).toEqual([]);
  });

  it.each(["[]", "7"])("with the body %s is refused", async (body) => {
    expect((await post(await start(), "/api/chat", body)).status).toBe(400);
  });

  it.each([
    { think: false },
    { think: null, options: null, stream: null },
    { tools: [{}] },
    { format: null },
    { format: "" },
    { format: "json" },
    { format: {} },
    { options: { temperature: null, unknown: "x", stop: ["x"] } },
  ])("with %j is accepted", async (fields) => {
    expect((await chat(await start({ script: [{ text: "Hi" }] }), fields)).status).toBe(200);
  });
});

describe("the script of answers", () => {
  it("is used in order, and may compute answers from the request", async () => {
    const ollama = await start({
      script: [{ text: "one" }, ({ model }) => ({ text: model }), async () => ({ status: 418, error: "teapot" })],
    });
    expect((await chatLines(ollama))[0]).toMatchObject({ message: { content: "one" } });
    expect((await chatLines(ollama))[0]).toMatchObject({ message: { content: "m" } });
    expect(() => ollama.assertComplete()).toThrow("The script has 3 answers; 2 were asked for.");
    expect(await chat(ollama)).toMatchObject({ status: 418, text: '{"error":"teapot"}' });
    ollama.assertComplete();
  });

  it("responds with an error when it is used up, unless otherwise is given", async () => {
    const ollama = await start();
    expect(await chat(ollama)).toMatchObject({
      status: 500,
      text: '{"error":"The script has 0 answers; this is request 1."}',
    });
    expect(() => ollama.assertComplete()).toThrow("The script has 0 answers; 1 were asked for.");
    const other = await start({ otherwise: { fault: "busy" } });
    expect([(await chat(other)).status, (await chat(other)).status]).toEqual([503, 503]);
    other.assertComplete();
  });

  it("responds with an error when it throws", async () => {
    const script = [
      () => {
        throw new Error("oops");
      },
    ];
    expect(await chat(await start({ script }))).toMatchObject({
      status: 500,
      text: '{"error":"The script threw: Error: oops"}',
    });
  });

  it("is incomplete while a scripted answer of /api/show is not used", async () => {
    const ollama = await start({ showScript: [{ fault: "html" }] });
    expect(() => ollama.assertComplete()).toThrow("The script for /api/show has 1 answers; 0 were asked for.");
    await (await post(ollama, "/api/show", { model: "m" })).text();
    ollama.assertComplete();
  });
});

describe("a fault", () => {
  const content = async (fault: (typeof fakeOllamaFaults)[number], text?: string) => {
    const lines = await chatLines(await start({ script: [{ fault, text }] }));
    return lines.map(({ message }) => (message as { content: string } | undefined)?.content ?? "").join("");
  };

  it("is one of the exported list", () => {
    expect(fakeOllamaFaults).toHaveLength(28);
    expect(new Set(fakeOllamaFaults).size).toBe(28);
  });

  it("of the text changes it", async () => {
    expect(await content("fence", "{}")).toBe("```json\n{}\n```");
    expect(await content("prose", "{}")).toMatch(/^Sure.+\n\n\{\}\n\nLet me/);
    expect(await content("think-tag", "{}")).toMatch(/^<think>\n.+\n<\/think>\n\n\{\}$/);
    expect(await content("thinking-only", "{}")).toBe("");
    expect(await content("empty")).toBe("");
    expect(await content("two-objects", "{}")).toBe("{}\n{}");
    expect(await content("refusal")).toContain("I can't help");
    expect(await content("cut-short", "{}🦙")).toBe("{}");
    expect(await content("cut-short", '{"a":1}')).toBe('{"a"');
    expect(await content("white-space")).toMatch(/^\s{30}$/);
    expect((await content("large")).length).toBe(2_000_000);
  });

  it("of the token limit reports the done reason length", async () => {
    for (const fault of ["cut-short", "white-space"] as const) {
      const lines = await chatLines(await start({ script: [{ fault }] }));
      expect(lines.at(-1)).toMatchObject({ done: true, done_reason: "length" });
    }
  });

  it.each([
    ["busy", 503, '{"error":"server busy, please try again.  maximum pending requests exceeded"}'],
    ["crash", 500, "model runner has unexpectedly stopped"],
    ["format-rejected", 500, "failed to parse grammar"],
    ["thinking-unsupported", 400, 'does not support thinking"'],
    ["prompt-too-long", 400, "exceeds the available context size"],
    ["unknown-model", 404, "model 'm' not found"],
    ["unauthorized", 401, '{"error":"unauthorized"}'],
    ["html", 502, "<html>"],
  ] as const)("of the server, %s, responds with status %i", async (fault, status, text) => {
    const answer = await chat(await start({ script: [{ fault }] }));
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  it("of the stream changes a streamed answer", async () => {
    const text = "one two three four";
    const lines = (fault: (typeof fakeOllamaFaults)[number]) =>
      start({ script: [{ fault, text }] }).then((ollama) => chatLines(ollama));
    expect((await lines("error-mid-stream")).at(-1)).toHaveProperty("error");
    expect((await lines("error-mid-stream")).length).toBe(4);
    expect((await lines("silent-end")).at(-1)).toMatchObject({ done: false });
    expect((await lines("no-metrics")).at(-1)).not.toHaveProperty("eval_count");
    expect((await lines("extra-fields"))[0]).toHaveProperty("shiny");
    await expect(lines("cut")).rejects.toThrow("terminated");
    await expect(lines("cut-at-once")).rejects.toThrow("fetch failed");
  });

  it("of the stream changes an unstreamed answer, too", async () => {
    const whole = async (fault: (typeof fakeOllamaFaults)[number]) =>
      chat(await start({ script: [{ fault, text: "Grüße" }] }), { stream: false });
    expect(await whole("error-mid-stream")).toMatchObject({ status: 500 });
    expect(JSON.parse((await whole("silent-end")).text)).toMatchObject({ done: false });
    expect(JSON.parse((await whole("no-metrics")).text)).not.toHaveProperty("eval_count");
    expect(JSON.parse((await whole("extra-fields")).text)).toHaveProperty("shiny");
    expect(JSON.parse((await whole("one-byte-chunks")).text)).toMatchObject({ message: { content: "Grüße" } });
    await expect(whole("cut")).rejects.toThrow("fetch failed");
  });

  it("can split a character", async () => {
    const ollama = await start({ script: [{ fault: "one-byte-chunks", text: "ü" }] });
    const { body } = await post(ollama, "/api/chat", { model: "m", messages });
    const chunks: Uint8Array[] = [];
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      text += decoder.decode(chunk, { stream: true });
    }
    expect(chunks.map((chunk) => new TextDecoder().decode(chunk)).join("")).toContain("\uFFFD\uFFFD");
    expect(text).toContain('"content":"ü"');
  });

  it("can be any other response", async () => {
    const ollama = await start({
      script: [{ body: "x", status: 201, headers: { "x-a": "b" } }, { body: "" }],
    });
    expect(await chat(ollama)).toEqual({ status: 201, type: "application/x-ndjson", text: "x" });
    expect(await chat(ollama)).toMatchObject({ status: 200, text: "" });
  });
});

describe("a waiting test", () => {
  it("gets each request once, even one that came before", async () => {
    const ollama = await start({ script: [{ text: "1" }, { text: "2" }] });
    const early = ollama.waitForRequest();
    await chat(ollama);
    await post(ollama, "/api/show", { model: "m" });
    await chat(ollama, { think: false });
    expect(JSON.parse((await early).body)).not.toHaveProperty("think");
    expect(JSON.parse((await ollama.waitForRequest()).body)).toHaveProperty("think");
    expect((await ollama.waitForRequest("/api/show")).method).toBe("POST");
    await ollama.waitForIdle();
  });

  it("is notified when a client disconnects", async () => {
    const ollama = await start({ script: [{ fault: "hang" }, { fault: "hang-mid-stream" }] });
    for (const _ of [1, 2]) {
      const controller = new AbortController();
      const answer = post(ollama, "/api/chat", { model: "m", messages }, { signal: controller.signal }).catch(() => {});
      await ollama.waitForRequest();
      expect(ollama.openSockets).toBe(1);
      controller.abort();
      await answer;
      expect((await ollama.waitForDisconnect()).path).toBe("/api/chat");
      await ollama.waitForIdle();
      expect(ollama.openSockets).toBe(0);
    }
  });

  it("releases a hanging answer, even before it hangs", async () => {
    for (const fault of ["hang", "hang-mid-stream"] as const) {
      const ollama = await start({ script: [{ fault, text: "one two three four" }] });
      const answer = chat(ollama);
      await ollama.waitForRequest();
      ollama.release();
      expect((await answer).text).toContain('"done":true');
    }
    const ollama = await start({ script: [{ fault: "drip", text: "Hi" }] });
    const answer = chat(ollama, { stream: false });
    await ollama.waitForRequest();
    ollama.release();
    expect((await answer).text).toContain('"done":true');
  });

  it("receives a slow answer line by line with each release", async () => {
    const ollama = await start({ script: [{ fault: "drip", text: "one two " }] });
    const next = await reader(ollama);
    for (const content of ["one ", "two ", ""]) {
      ollama.release();
      expect(JSON.parse((await next()) ?? "")).toMatchObject({ message: { content } });
    }
    expect(await next()).toBe(undefined);
  });

  it("receives a slow answer line by line with the clock", async () => {
    const clock = createManualClock();
    const ollama = await start({ script: [{ fault: "drip", text: "one two " }], clock });
    const next = await reader(ollama);
    for (const content of ["one ", "two ", ""]) {
      const line = next();
      await clock.advance(1_000);
      expect(JSON.parse((await line) ?? "")).toMatchObject({ message: { content } });
    }
    expect(await next()).toBe(undefined);
    expect(clock.pendingTimers).toBe(0);
  });

  it("leaves no timer behind when the client of a slow answer disconnects", async () => {
    const clock = createManualClock();
    const ollama = await start({ script: [{ fault: "drip" }], clock });
    const controller = new AbortController();
    const response = await post(ollama, "/api/chat", { model: "m", messages }, { signal: controller.signal });
    expect(clock.pendingTimers).toBe(1);
    controller.abort();
    await ollama.waitForDisconnect();
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(0);
    await expect(response.text()).rejects.toThrow("aborted");
  });
});

describe("the close method", () => {
  it("ends hanging answers, refuses new requests, and can be called twice", async () => {
    const ollama = await start({ script: [{ fault: "hang" }] });
    const answer = expect(chat(ollama)).rejects.toThrow("fetch failed");
    await ollama.waitForRequest();
    await Promise.all([ollama.close(), ollama.close()]);
    await answer;
    await expect(fetch(ollama.host)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it("does not wait for a client that has not sent its whole request", async () => {
    const ollama = await start();
    const socket = connect(Number(new URL(ollama.host).port), "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write("POST /api/chat HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{");
    const other = await fetch(ollama.host);
    expect(await other.text()).toBe("Ollama is running");
    await ollama.close();
    await closed;
    expect(ollama.requests.map(({ path }) => path)).toEqual(["/"]);
  });
});
