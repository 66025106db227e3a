import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "../../src/async/clock.ts";
import { countPending } from "../../src/async/promises.ts";
import { describeThrown } from "../../src/core/text.ts";
import { checkChat, parseBody } from "./check-chat.ts";
import { FakeModels, showModel } from "./fake-models.ts";
import type {
  FakeOllama,
  FakeOllamaChat,
  FakeOllamaOptions,
  FakeOllamaRequest,
  FakeOllamaScriptEntry,
} from "./fake-ollama-options.ts";
import { errorReply, type FakeReply, jsonReply, sendReply, textReply } from "./fake-reply.ts";
import { Arrivals, Gate } from "./gate.ts";
import { loadObject, replyToChat, replyToShow } from "./reply-to-chat.ts";

const dripMs = 1_000;

/**
 * Starts a server on a free port of this machine that behaves like Ollama: the same paths, checks, errors and streams,
 * except `/api/generate` and everything that changes models. Chat requests are answered from a script:
 *
 * ```ts
 * const ollama = await startFakeOllama({ script: [{ fault: "busy" }, { text: "Hello" }] });
 * const model = createOllamaModel({ model: "qwen3", host: ollama.host, retry: { minDelayMs: 0 } });
 * // …
 * ollama.assertComplete();
 * await ollama.close();
 * ```
 *
 * Its work takes no time on a manual clock: wait for a request before you move the clock.
 *
 * {@includeCode ../../../examples/22-fake-models.ts}
 * @group Models
 */
export async function startFakeOllama(options: FakeOllamaOptions = {}): Promise<FakeOllama> {
  const { createServer } = await countPending(import("node:http"));
  const fake = new FakeOllamaServer(options);
  const server = createServer((request, response) => void fake.handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  fake.attach(server);
  return fake;
}

class FakeOllamaServer implements FakeOllama {
  host = "";
  readonly requests: FakeOllamaRequest[] = [];
  readonly chats: FakeOllamaChat[] = [];
  private readonly models: FakeModels;
  /** All connections, and those with a request. */
  private readonly sockets = new Set<Socket>();
  private readonly used = new Set<Socket>();
  private readonly arrived = new Map<string, Arrivals<FakeOllamaRequest>>();
  private readonly disconnected = new Arrivals<FakeOllamaRequest>();
  /** One for each answer that has not ended. */
  private readonly gates = new Set<Gate>();
  private readonly waitingForIdle: (() => void)[] = [];
  private shows = 0;
  private server: Server | undefined;
  private closing: Promise<void> | undefined;

  constructor(private readonly options: FakeOllamaOptions) {
    this.models = new FakeModels(options.models);
  }

  get openSockets(): number {
    return this.used.size;
  }

  readonly waitForRequest = (path = "/api/chat"): Promise<FakeOllamaRequest> => {
    return this.arrivalsAt(path).next();
  };

  readonly waitForDisconnect = (): Promise<FakeOllamaRequest> => {
    return this.disconnected.next();
  };

  readonly waitForIdle = async (): Promise<void> => {
    if (this.used.size > 0) await new Promise<void>((resolve) => this.waitingForIdle.push(resolve));
  };

  readonly release = (): void => {
    for (const gate of this.gates) gate.open();
  };

  readonly assertComplete = (): void => {
    const { script = [], otherwise, showScript = [] } = this.options;
    const { length: asked } = this.chats;
    if (asked < script.length || (asked > script.length && otherwise === undefined)) {
      throw new Error(`The script has ${script.length} answers; ${asked} were asked for.`);
    }
    if (this.shows < showScript.length) {
      throw new Error(`The script for /api/show has ${showScript.length} answers; ${this.shows} were asked for.`);
    }
  };

  readonly close = (): Promise<void> => {
    this.closing ??= this.closeAll();
    return this.closing;
  };

  private async closeAll(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server?.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
    await this.waitForIdle();
  }

  /** Starts to watch a listening server. */
  attach(server: Server): void {
    this.server = server;
    this.host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.once("close", () => {
        this.sockets.delete(socket);
        this.used.delete(socket);
        if (this.used.size === 0) for (const resolve of this.waitingForIdle.splice(0)) resolve();
      });
    });
  }

  /** Answers a request. Never rejects. */
  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.used.add(incoming.socket);
    const request = await readRequest(incoming).catch(() => undefined);
    // The client disconnected while it was sending.
    if (request === undefined) return;
    const gate = new Gate();
    this.gates.add(gate);
    let reply: FakeReply | undefined;
    response.once("close", () => {
      this.gates.delete(gate);
      gate.open();
      const isOurs = reply?.cut !== undefined || this.closing !== undefined;
      if (!response.writableFinished && !isOurs) this.disconnected.add(request);
    });
    this.requests.push(request);
    const making = this.reply(request);
    this.arrivalsAt(request.path).add(request);
    reply = await making;
    await sendReply(response, reply, (isDrip) => this.hold(gate, isDrip));
  }

  private arrivalsAt(path: string): Arrivals<FakeOllamaRequest> {
    const arrivals = this.arrived.get(path) ?? new Arrivals();
    this.arrived.set(path, arrivals);
    return arrivals;
  }

  private async reply({ method, path, body }: FakeOllamaRequest): Promise<FakeReply> {
    switch (`${method === "HEAD" ? "GET" : method} ${path}`) {
      case "GET /":
        return textReply("Ollama is running");
      case "GET /api/version":
        return jsonReply({ version: "0.0.0" });
      case "GET /api/tags":
        return jsonReply(this.models.tags());
      case "GET /api/ps":
        return jsonReply({ models: [] });
      case "POST /api/show":
        return this.replyToShow(body);
      case "POST /api/chat":
        return this.replyToChat(body);
      default:
        return textReply("404 page not found", { status: 404 });
    }
  }

  private replyToShow(body: string): FakeReply {
    const parsed = parseBody(body);
    if ("status" in parsed) return errorReply(parsed);
    const name = parsed.value.model ?? parsed.value.name;
    if (typeof name !== "string" || name === "") return errorReply({ status: 400, error: "model is required" });
    const model = this.models.find(name);
    const truth = () => {
      return model ? jsonReply(showModel(model)) : errorReply({ status: 404, error: `model '${name}' not found` });
    };
    const answer = this.options.showScript?.[this.shows];
    this.shows++;
    return answer === undefined ? truth() : replyToShow(answer, name, truth);
  }

  private async replyToChat(body: string): Promise<FakeReply> {
    const checked = checkChat(body, this.models);
    if (!checked.ok) return errorReply(checked.error);
    const { chat } = checked;
    const lines = { chat, nowMs: (this.options.clock ?? systemClock).now() };
    if (chat.messages.length === 0) return jsonReply(loadObject(lines));
    const entry = this.nextEntry(chat);
    try {
      return replyToChat(typeof entry === "function" ? await entry(chat) : entry, lines);
    } catch (thrown) {
      return errorReply({ status: 500, error: `The script threw: ${describeThrown(thrown)}` });
    }
  }

  private nextEntry(chat: FakeOllamaChat): FakeOllamaScriptEntry {
    const { script = [], otherwise } = this.options;
    const entry = script[this.chats.length] ?? otherwise;
    this.chats.push(chat);
    const error = `The script has ${script.length} answers; this is request ${this.chats.length}.`;
    return entry ?? { status: 500, error };
  }

  /** Waits until the test, its second on the clock, or the end of the connection opens the gate. */
  private async hold(gate: Gate, isDrip: boolean): Promise<void> {
    const { clock } = this.options;
    const timer = isDrip ? clock?.setTimeout(() => gate.open(), dripMs) : undefined;
    await gate.pass();
    if (timer !== undefined) clock?.clearTimeout(timer);
  }
}

async function readRequest(incoming: IncomingMessage): Promise<FakeOllamaRequest> {
  const decoder = new TextDecoder();
  let body = "";
  for await (const chunk of incoming) body += decoder.decode(chunk as Uint8Array, { stream: true });
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  const path = new URL(incoming.url ?? "/", "http://127.0.0.1").pathname;
  return {
    method: incoming.method ?? "GET",
    path,
    headers: Object.fromEntries(headers),
    body: body + decoder.decode(),
  };
}
