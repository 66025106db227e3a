// An Ollama-compatible server with a real llama.cpp engine and the tiny model of this folder, on 127.0.0.1 only.
// Endpoints: GET /, /api/version, /api/tags, /api/ps; POST /api/show, /api/chat, /api/generate.
// Prints one line of JSON, with `port` and `model`, once it listens.
//
//   node test/real-models/ollama-server.mjs [MODEL.gguf]
//     --port 11435         0 takes any that is free
//     --name micro-planner
//     --ctx 512            tokens; what the model was trained for, unless told otherwise
//     --max-queue 512      requests beyond this get a 503
//     --stop-with-stdin    stop when stdin ends, so that the server never outlives who started it
import { statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { createEngine } from "./server/engine.mjs";
import { HttpError } from "./server/http-error.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: "string", default: "11435" },
    name: { type: "string", default: "micro-planner" },
    ctx: { type: "string" },
    "max-queue": { type: "string", default: "512" },
    "stop-with-stdin": { type: "boolean", default: false },
  },
});
const modelPath = positionals[0] ?? join(import.meta.dirname, "micro-planner.gguf");
const modelName = `${values.name}:latest`;
const maxQueue = Number(values["max-queue"]);
const startedAt = new Date().toISOString();
const engine = await createEngine({ modelPath, contextSize: values.ctx && Number(values.ctx) });

// The prompt that the model gets is short, whatever the client sends: only the first user message is rendered. But the client
// sizes `num_ctx` by its own estimate of all messages, and must not find its long system prompt too long for this model.
const reportedContextLength = 32_768;

const details = {
  parent_model: "",
  format: "gguf",
  family: "llama",
  families: ["llama"],
  parameter_size: "587K",
  quantization_level: "Q8_0",
};
const listed = { name: modelName, model: modelName, size: statSync(modelPath).size, digest: "0".repeat(64), details };
const shown = {
  modelfile: "",
  parameters: "",
  template: "{{ .Prompt }}",
  details,
  model_info: { "general.architecture": "llama", "llama.context_length": reportedContextLength },
  capabilities: ["completion"],
  modified_at: startedAt,
};

const pages = {
  "/api/version": () => ({ version: "0.0.0-micro" }),
  "/api/tags": () => ({ models: [{ ...listed, modified_at: startedAt }] }),
  "/api/ps": () => ({
    models: [{ ...listed, expires_at: startedAt, size_vram: 0, context_length: reportedContextLength }],
  }),
};

let pending = 0;

const server = createServer(async (request, response) => {
  try {
    await answer(request, response);
  } catch (error) {
    const status = error instanceof HttpError ? error.status : 500;
    if (response.headersSent) response.end(`${JSON.stringify({ error: error.message })}\n`);
    else sendJson(response, status, { error: error.message });
  }
});

async function answer(request, response) {
  const path = new URL(request.url, "http://localhost").pathname;
  if (request.method === "GET" && path === "/") return response.end("Ollama is running");
  if (request.method === "GET" && Object.hasOwn(pages, path)) return sendJson(response, 200, pages[path]());
  if (request.method !== "POST" || !["/api/show", "/api/chat", "/api/generate"].includes(path)) {
    throw new HttpError(404, "404 page not found");
  }
  const body = await readBody(request);
  checkModel(body.model ?? body.name);
  if (path === "/api/show") return sendJson(response, 200, shown);
  if (body.think) throw new HttpError(400, `"${body.model}" does not support thinking`);
  if (pending >= maxQueue) {
    throw new HttpError(503, "server busy, please try again.  maximum pending requests exceeded");
  }
  return generate(body, path === "/api/chat", response);
}

async function readBody(request) {
  const received = await text(request);
  if (received === "") throw new HttpError(400, "missing request body");
  try {
    return JSON.parse(received);
  } catch (error) {
    throw new HttpError(400, error.message);
  }
}

function checkModel(name) {
  if (!name) throw new HttpError(400, "model is required");
  if (name !== modelName && `${name}:latest` !== modelName) throw new HttpError(404, `model '${name}' not found`);
}

async function generate(body, isChat, response) {
  const begin = process.hrtime.bigint();
  const line = (content, more) => ({
    model: body.model,
    created_at: new Date().toISOString(),
    ...(isChat ? { message: { role: "assistant", content } } : { response: content }),
    done: false,
    ...more,
  });
  const prompt = promptOf(body, isChat);
  if (prompt === undefined) {
    const reason = body.keep_alive === 0 ? "unload" : "load";
    return sendJson(response, 200, line("", { done: true, done_reason: reason }));
  }
  const isStream = body.stream !== false;
  const result = await generateUntilClosed(response, {
    prompt,
    format: body.format,
    options: body.options ?? {},
    onText: isStream ? (content) => writeLine(response, line(content)) : undefined,
  });
  if (result === undefined) return;
  const total = Number(process.hrtime.bigint() - begin);
  const end = {
    done: true,
    done_reason: result.doneReason,
    total_duration: total,
    load_duration: 1,
    ...result.metrics,
  };
  if (!isStream) return sendJson(response, 200, line(result.text, end));
  writeLine(response, line("", end));
  response.end();
}

/** What the engine gives, or undefined once the client has gone: it is stopped then. */
async function generateUntilClosed(response, request) {
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  pending++;
  try {
    return await engine.generate({ ...request, signal: controller.signal });
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    pending--;
  }
}

/** The prompt as the model was trained, or undefined if there is nothing to answer. */
function promptOf(body, isChat) {
  if (!isChat) return body.prompt ? (body.raw ? body.prompt : render(body.prompt)) : undefined;
  if (!body.messages?.length) return undefined;
  // The first one ends with the request. A later one lists what is wrong with a plan, which this model cannot read.
  const first = body.messages.find(({ role }) => role === "user")?.content ?? "";
  return render(first.split("Request:\n").at(-1));
}

function render(request) {
  return `U: ${request}\nA: `;
}

function sendJson(response, status, value) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(value));
}

function writeLine(response, value) {
  if (response.destroyed) return;
  if (!response.headersSent) response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.write(`${JSON.stringify(value)}\n`);
}

async function stop() {
  server.close();
  server.closeAllConnections();
  await engine.dispose();
  process.exit(0);
}

server.listen(Number(values.port), "127.0.0.1", () => {
  console.log(JSON.stringify({ port: server.address().port, model: modelName, contextSize: engine.contextSize }));
});
process.once("SIGTERM", stop);
if (values["stop-with-stdin"]) process.stdin.on("end", stop).resume();
