import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import {
  type AgentErrorLike,
  createAgent,
  createLlmPlanner,
  createOllamaModel,
  createTodoStore,
  type LanguageModel,
  type ModelRequest,
  type ModelResponse,
  type OllamaModelOptions,
} from "planwright";
import { afterAll, describe, expect, it } from "vitest";

// The contract of `createOllamaModel`, on a real server: npm run test:ollama
// OLLAMA_HOST: its address. OLLAMA_MODELS_UNDER_TEST: names of its models, with commas. OLLAMA_BINARY: the program, for a
// server that this test starts and ends; OLLAMA_MODELS tells it where its models are.
const { OLLAMA_HOST: host = "", OLLAMA_MODELS_UNDER_TEST: named = "", OLLAMA_BINARY: binary = "" } = process.env;
const server = `${host.includes("://") ? "" : "http://"}${host}`;
const wanted = named.split(",").map((name) => name.trim());
const models = host && named ? await findModels() : [];

/** Says what is missing, so that a green run does not claim what it did not show. */
function lack(what: string): void {
  console.info(`Not shown: ${what}.`);
}

if (!host) lack("anything, as OLLAMA_HOST names no server");
else if (!named) lack("anything, as OLLAMA_MODELS_UNDER_TEST names no model");

async function findModels(): Promise<string[]> {
  const { models } = await get<{ models: { name: string }[] }>("/api/tags");
  const { version } = await get<{ version: string }>("/api/version");
  console.info(`Ollama ${version} with ${models.map(({ name }) => name).join(", ")}`);
  const there = wanted.filter((name) => models.some((model) => model.name === name || model.name === `${name}:latest`));
  for (const name of wanted) if (!there.includes(name)) lack(`${name}, which the server does not have`);
  return there;
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(server + path);
  return (await response.json()) as T;
}

async function loaded(model: string) {
  const { models } = await get<{ models: { name: string; context_length: number; expires_at: string }[] }>("/api/ps");
  return models.find(({ name }) => name === model || name === `${model}:latest`);
}

/** With one thread, as several that share a busy processor wait for each other. */
function openModel(options: OllamaModelOptions) {
  return createOllamaModel({ host, options: { num_thread: 1 }, ...options });
}

interface Asked extends Partial<ModelRequest> {
  readonly text: string;
}

function ask({ text, ...rest }: Asked): ModelRequest {
  const signal = new AbortController().signal;
  return { messages: [{ role: "user", content: text }], temperature: 0, maxOutputTokens: 64, signal, ...rest };
}

const capitalSchema = {
  type: "object",
  properties: { city: { type: "string" }, size: { type: "string", enum: ["small", "large"] } },
  required: ["city", "size"],
  additionalProperties: false,
};
/** A grammar of it makes a model write for minutes, whatever it would like to write. */
const longSchema = { type: "array", items: { type: "integer", minimum: 1_000, maximum: 9_999 }, minItems: 2_000 };

/** An answer that would take long, up to the moment when its third piece arrives. */
function startLong(model: LanguageModel) {
  const controller = new AbortController();
  const startedMs = performance.now();
  let pieces = 0;
  let begin: (value: undefined) => void = () => {};
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const answer = model.generate(
    ask({
      text: "Write numbers.",
      responseFormat: { type: "json", schema: longSchema },
      maxOutputTokens: 3_000,
      signal: controller.signal,
      onTextDelta: () => {
        if (++pieces === 3) begin(undefined);
      },
    }),
  );
  // Whoever waits for the answer sees how it ends.
  answer.catch(() => begin(undefined));
  return { controller, answer, begun, startedMs };
}

describe.skipIf(models.length === 0).each(models)("a real Ollama with %s", (name) => {
  const model = openModel({ model: name });

  it("streams an answer of a schema, with the probability of each token", async () => {
    const deltas: string[] = [];
    const answer = await model.generate(
      ask({
        text: "What is the capital of France, and is it small or large?",
        responseFormat: { type: "json", schema: capitalSchema },
        logprobs: true,
        onTextDelta: (delta) => deltas.push(delta),
      }),
    );
    expect(answer).toMatchObject({ finishReason: "stop", usage: { inputTokens: expect.any(Number) } });
    expect(Object.keys(JSON.parse(answer.text))).toEqual(["city", "size"]);
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.join("")).toBe(answer.text);
    const { logprobs = [] } = answer;
    if (logprobs.length === 0) return lack(`probabilities of ${name}, as this server reports none`);
    expect(logprobs.map(({ token }) => token).join("")).toBe(answer.text);
    expect(Math.min(...logprobs.map(({ logprob }) => logprob))).toBeLessThan(0);
  });

  it("has probabilities of an answer in which characters are split over tokens", async () => {
    const schema = { type: "object", properties: { word: { const: "żółć 🦙" } }, required: ["word"] };
    const request = ask({ text: "Answer.", responseFormat: { type: "json", schema }, logprobs: true });
    const { text, logprobs } = await model.generate(request);
    expect(JSON.parse(text)).toEqual({ word: "żółć 🦙" });
    if (logprobs === undefined) return lack(`probabilities of ${name} where characters are split`);
    expect(logprobs.map(({ token }) => token).join("").length).toBeGreaterThanOrEqual(text.length);
  });

  it("cuts an answer where it was told to", async () => {
    const answer = await model.generate(
      ask({ text: "Write.", responseFormat: { type: "json", schema: longSchema }, maxOutputTokens: 5, logprobs: true }),
    );
    expect(answer.finishReason).toBe("length");
    expect(answer.logprobs?.length ?? 5).toBe(5);
  });

  it("tells its context, and refuses what does not fit it", async () => {
    const context = await model.getContextTokens?.(new AbortController().signal);
    expect(context).toBeGreaterThan(255);
    const small = openModel({ model: name, contextTokens: 256 });
    expect(await small.getContextTokens?.(new AbortController().signal)).toBe(256);
    const tooLong = small.generate(ask({ text: "word ".repeat(400) }));
    await expect(tooLong).rejects.toMatchObject({ details: { reason: "prompt-too-long" } });
  });

  it("is free at once when a request is cancelled", async () => {
    await model.preload();
    const { controller, answer, begun, startedMs } = startLong(model);
    await begun;
    const msPerPiece = (performance.now() - startedMs) / 3;
    controller.abort("enough");
    await expect(answer).rejects.toBe("enough");
    const nextMs = performance.now();
    await model.generate(ask({ text: "Say hello.", maxOutputTokens: 3 }));
    const tookMs = performance.now() - nextMs;
    console.info(`After a cancelled answer the next one took ${Math.round(tookMs)} ms.`);
    // It would have written thousands of tokens.
    expect(tookMs).toBeLessThan(Math.max(msPerPiece * 300, 5_000));
  });

  it("is loaded by preload, with the context of later requests, and for as long as keepAlive says", async () => {
    await openModel({ model: name, keepAlive: 0 }).generate(ask({ text: "Hi", maxOutputTokens: 1 }));
    await expect.poll(() => loaded(name)).toBeUndefined();
    const kept = openModel({ model: name, keepAlive: "30m" });
    await kept.preload();
    const before = await loaded(name);
    expect(Date.parse(before?.expires_at ?? "") - Date.now()).toBeGreaterThan(20 * 60_000);
    await kept.generate(ask({ text: "Say hello." }));
    expect((await loaded(name))?.context_length).toBe(before?.context_length);
  });

  it("plans by an agent, or says why not", async () => {
    const agent = createAgent({ tools: [createTodoStore()], planner: createLlmPlanner({ model }) });
    const outcome = await agent.plan("Add a todo to buy milk").then(
      ({ steps }) => JSON.stringify(steps[0]?.input),
      ({ code, message }: AgentErrorLike) => `${code}: ${message}`,
    );
    console.info(`${name} plans: ${outcome}`);
    expect(outcome).not.toContain("model-failed");
    await agent.close();
  });

  it("thinks if it can, and is not asked to if it cannot", async ({ skip }) => {
    const response = await fetch(`${server}/api/show`, { method: "POST", body: JSON.stringify({ model: name }) });
    const { capabilities } = (await response.json()) as { capabilities?: string[] };
    const thinking = openModel({ model: name, think: true });
    const answer = await thinking.generate(ask({ text: "Say hello.", maxOutputTokens: 2_048, logprobs: true }));
    expect(answer.text).not.toBe("");
    if (capabilities?.includes("thinking")) return expect(answer.reasoning).toBeDefined();
    lack(`thinking of ${name}, which cannot`);
    skip();
  });
});

describe.skipIf(models.length === 0)("a real Ollama", () => {
  it("says which model it does not have, and how to get it", async () => {
    const missing = openModel({ model: "no-such-model:0b" });
    const failed = { code: "model-failed", retryable: false, details: { reason: "unknown-model" } };
    await expect(missing.generate(ask({ text: "Hi" }))).rejects.toMatchObject(failed);
    await expect(missing.generate(ask({ text: "Hi" }))).rejects.toThrow("Type: ollama pull no-such-model:0b");
    await expect(missing.preload()).rejects.toMatchObject(failed);
    expect(await missing.getContextTokens?.(new AbortController().signal)).toBeUndefined();
  });

  it("serves two agents in turns, each with its own answers", async () => {
    const [first = "", second = first] = models;
    if (models.length === 1) lack("two models in turns, as only one is under test: one model has two prompts");
    const say = (model: string, word: string) => {
      const schema = { type: "object", properties: { word: { const: word } }, required: ["word"] };
      const system = { role: "system" as const, content: `You know ${word}. `.repeat(50) };
      const request = ask({ text: "Answer.", responseFormat: { type: "json", schema } });
      return openModel({ model }).generate({ ...request, messages: [system, ...request.messages] });
    };
    const words = ["apple", "beech", "cedar", "dates"];
    const answers = await Promise.all(words.map((word, index) => say(index % 2 === 0 ? first : second, word)));
    expect(answers.map(({ text }: ModelResponse) => JSON.parse(text).word)).toEqual(words);
  });
});

describe.skipIf(models.length === 0)("a server of its own", () => {
  let child: ChildProcess | undefined;

  /** Ends its runners, too. */
  const kill = async () => {
    const pid = child?.pid;
    if (child === undefined || pid === undefined || child.signalCode !== null) return;
    const exited = once(child, "exit");
    process.kill(-pid, "SIGKILL");
    await exited;
  };
  afterAll(kill);

  it("that stops in between interrupts its answer, and is then unreachable", async ({ skip }) => {
    if (!binary) {
      lack("a server that stops in between, as OLLAMA_BINARY names no program");
      return skip();
    }
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    child = spawn(binary, ["serve"], {
      env: { ...process.env, OLLAMA_HOST: address, OLLAMA_NOPRUNE: "1" },
      stdio: "ignore",
      detached: true,
    });
    await expect
      .poll(() =>
        fetch(`http://${address}/api/version`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true);
    const [name = ""] = models;
    const model = openModel({ model: name, host: address, retry: { maxAttempts: 1 } });
    const { answer, begun } = startLong(model);
    await begun;
    await kill();
    await expect(answer).rejects.toMatchObject({ code: "model-failed", details: { reason: "interrupted" } });
    const next = model.generate(ask({ text: "Hi" }));
    await expect(next).rejects.toMatchObject({ code: "model-failed", details: { reason: "unreachable" } });
    await expect(next).rejects.toThrow("ollama serve");
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
