// What real providers of the AI SDK send for a plan and make of what comes back, without a network: each gets a `fetch` that
// answers as its API does. Also what becomes of failures. For one major version of the SDK, whose packages are installed.
import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createAzure } from "@ai-sdk/azure";
import { createCerebras } from "@ai-sdk/cerebras";
import { createDeepSeek } from "@ai-sdk/deepseek";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createGroq } from "@ai-sdk/groq";
import { createMistral } from "@ai-sdk/mistral";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createXai } from "@ai-sdk/xai";
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { createAgent, createLlmPlanner, defineTool } from "planwright";
import { createAiSdkModel } from "planwright/ai-sdk";
import { z } from "zod";
import { answerTo } from "./wire.mjs";

const apiKey = "key";
const compatible = { name: "local", baseURL: "https://local.example/v1", supportsStructuredOutputs: true };
// Their packages for version 5 of the SDK have no strict mode.
const isOld = createGroq({ apiKey })("m").specificationVersion === "v2";
// `strict`: a closed schema is held strictly. `schema`: whether a schema is sent at all.
const providers = {
  openai: { make: (fetch) => createOpenAI({ apiKey, fetch })("gpt-5-mini"), strict: true },
  "openai chat": { make: (fetch) => createOpenAI({ apiKey, fetch }).chat("gpt-4o-mini"), strict: true },
  azure: { make: (fetch) => createAzure({ apiKey, resourceName: "r", fetch })("mine"), strict: true },
  anthropic: { make: (fetch) => createAnthropic({ apiKey, fetch })("claude-sonnet-4-5"), limit: true },
  "anthropic, older": { make: (fetch) => createAnthropic({ apiKey, fetch })("claude-3-haiku-20240307"), limit: true },
  google: { make: (fetch) => createGoogleGenerativeAI({ apiKey, fetch })("gemini-2.5-flash") },
  groq: { make: (fetch) => createGroq({ apiKey, fetch })("openai/gpt-oss-20b"), strict: !isOld },
  xai: { make: (fetch) => createXai({ apiKey, fetch })("grok-4"), strict: true, closedOnly: true },
  mistral: { make: (fetch) => createMistral({ apiKey, fetch })("mistral-small-latest") },
  cerebras: { make: (fetch) => createCerebras({ apiKey, fetch })("gpt-oss-120b"), strict: !isOld },
  deepseek: { make: (fetch) => createDeepSeek({ apiKey, fetch })("deepseek-chat"), schema: false },
  compatible: { make: (fetch) => createOpenAICompatible({ ...compatible, apiKey, fetch })("m"), strict: !isOld },
  openrouter: { make: (fetch) => createOpenRouter({ apiKey, fetch })("openai/gpt-5"), strict: true, closedOnly: true },
};

const note = defineTool({
  name: "Note",
  description: "Takes a note",
  inputSchema: z.object({ title: z.string(), count: z.number().optional() }),
  effect: "idempotent",
  execute: ({ title, count = "no" }) => `${title}: ${count} count`,
});
const tag = defineTool({
  name: "Tag",
  description: "Sets tags",
  inputSchema: z.object({ tags: z.record(z.string(), z.string()) }),
  effect: "idempotent",
  execute: () => null,
});

/** In a closed schema, the count is required, too. */
const closedKeys = '"required":["do","title","count"]';
const inputOf = (isClosed) => ({ title: "milk", ...(isClosed && { count: null }) });
const planOf = (isClosed) => ({ steps: [{ do: "Note", ...inputOf(isClosed) }] });

/** Runs "note milk" with replies in order, and tells what was sent and what came of it. */
async function play(provider, { tools = [note], replies }) {
  const sent = [];
  const fetch = async (url, init) => {
    const body = JSON.parse(init.body);
    const reply = replies[Math.min(sent.length, replies.length - 1)];
    sent.push({ url: String(url), body });
    return reply({ url: String(url), body, signal: init.signal });
  };
  const model = createAiSdkModel(provider.make(fetch), { retry: { minDelayMs: 1, maxDelayMs: 50 } });
  const agent = createAgent({ tools, planner: createLlmPlanner({ model }) });
  const retries = [];
  agent.on("model-retry", ({ error }) => retries.push(error.details.reason));
  const result = await agent.run("note milk");
  return { result, sent, retries };
}

const good = ({ url, body }) => answerTo(url, body, JSON.stringify(planOf(JSON.stringify(body).includes(closedKeys))));
const failing =
  (status, error, headers = {}) =>
  () =>
    new Response(
      JSON.stringify({ error: { message: "No.", type: "error", code: null, param: null, status, ...error } }),
      {
        status,
        headers: { "content-type": "application/json", ...headers },
      },
    );

/** What a request holds, wherever its API puts it. */
function look(body) {
  const text = JSON.stringify(body);
  return {
    hasSchema: text.includes('"enum":["Note"]') || text.includes('"const":"Note"'),
    isStrict: text.includes('"strict":true'),
    isClosed: text.includes(closedKeys),
    limit:
      body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? body.generationConfig?.maxOutputTokens,
  };
}

let runs = 0;
const failures = [];
for (const [name, provider] of Object.entries(providers)) {
  const { strict, closed = strict !== undefined, schema = true, closedOnly = false, limit = false } = provider;
  const check = async (label, options, expected) => {
    runs += 1;
    try {
      const played = await play(provider, options);
      await expected(played);
    } catch (thrown) {
      failures.push(`${name}, ${label}: ${thrown.message}`);
    }
  };

  await check("a closed set of tools", { replies: [good] }, ({ result, sent: [{ body }, ...more] }) => {
    assert.equal(result.status, "completed", JSON.stringify(result.error));
    assert.equal(result.output, "milk: no count");
    assert.deepEqual(more, []);
    const seen = look(body);
    assert.deepEqual([seen.hasSchema, seen.isStrict, seen.isClosed], [schema, strict === true, closed]);
    assert.equal(seen.limit !== undefined, limit, `limit ${seen.limit}`);
    assert.ok(result.usage.inputTokens > 0 && result.usage.outputTokens > 0, JSON.stringify(result.usage));
  });
  await check("an open set of tools", { tools: [note, tag], replies: [good] }, ({ result, sent: [{ body }] }) => {
    assert.equal(result.status, "completed", JSON.stringify(result.error));
    const seen = look(body);
    assert.deepEqual([seen.hasSchema, seen.isStrict], [schema && !closedOnly, false]);
  });

  const busy = failing(429, { type: "rate_limit_error" }, { "retry-after": "0" });
  const reset = () => {
    throw Object.assign(new TypeError("fetch failed"), {
      cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
    });
  };
  const broken = ({ url, body }) => answerTo(url, body, '{"steps": [', { fault: "error" });
  const malformed = ({ url, body }) => answerTo(url, body, '{"steps": [', { fault: "malformed" });
  const cut = ({ url, body }) => answerTo(url, body, '{"steps": [', { fault: "cut" });
  for (const [label, reply] of Object.entries({
    429: busy,
    500: failing(500, {}),
    503: failing(503, {}),
    529: failing(529, { type: "overloaded_error" }),
    "a lost connection": reset,
    "an error in the stream": broken,
    "a malformed line": malformed,
    "a stream that breaks off": cut,
  })) {
    await check(`${label}, then an answer`, { replies: [reply, good] }, ({ result, retries }) => {
      assert.equal(result.status, "completed", JSON.stringify(result.error));
      assert.equal(retries.length, 1);
    });
  }
  const quota = failing(429, { code: "insufficient_quota", type: "insufficient_quota" });
  const later = failing(429, {}, { "retry-after": "86400" });
  for (const [label, reply, reason] of [
    ["no quota left", quota, undefined],
    ["429 for a day", later, "busy"],
    ["401", failing(401, {}), "unauthorized"],
  ]) {
    await check(label, { replies: [reply] }, ({ result, sent, retries }) => {
      assert.equal(result.status, "failed");
      assert.deepEqual([sent.length, retries], [1, []]);
      if (reason !== undefined) assert.match(JSON.stringify(result.error), new RegExp(`${reason}|planning-failed`));
    });
  }
}
assert.deepEqual(failures, []);
console.log(`${Object.keys(providers).length} models of providers: ${runs} runs as they should be`);
