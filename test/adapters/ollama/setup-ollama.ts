import { getEventListeners } from "node:events";
import {
  type AgentErrorLike,
  type Clock,
  createOllamaModel,
  isAgentError,
  type ModelRequest,
  type ModelResponse,
  type OllamaModel,
  type OllamaModelOptions,
} from "planwright";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { startFakeOllama } from "../../fake-ollama/fake-ollama.ts";
import type { FakeOllama, FakeOllamaOptions } from "../../fake-ollama/fake-ollama-options.ts";

/** A promise, and what settles it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A clock whose timers fire at once; it remembers for how long they were set. */
export function createInstantClock(): Clock & { readonly delaysMs: readonly number[] } {
  const delaysMs: number[] = [];
  return {
    delaysMs,
    now: () => 1_000,
    setTimeout: (callback, delayMs) => {
      delaysMs.push(delayMs);
      return setImmediate(callback);
    },
    clearTimeout: (timer) => clearImmediate(timer as NodeJS.Immediate),
  };
}

/** A model on a fake server of its own, and one signal for all its calls. */
export interface Setup {
  readonly ollama: FakeOllama;
  readonly model: OllamaModel;
  readonly controller: AbortController;
  readonly deltas: string[];
  ask(request?: Partial<ModelRequest>): Promise<ModelResponse>;
  /** What a call that must fail fails with. */
  fail(request?: Partial<ModelRequest>): Promise<AgentErrorLike<"model-failed">>;
}

const open: Setup[] = [];
let consoleSpies: ReturnType<typeof vi.spyOn>[] = [];

/** For a test file: each test must leave no connection, no listener, and no word on the console. */
export function checkNothingIsLeft(): void {
  beforeEach(() => {
    consoleSpies = (["log", "warn", "error", "info"] as const).map((name) => vi.spyOn(console, name));
  });
  afterEach(async () => {
    for (const { ollama, controller } of open.splice(0)) {
      await ollama.waitForIdle();
      expect(ollama.openSockets).toBe(0);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
      await ollama.close();
    }
    for (const spy of consoleSpies) {
      expect(spy.mock.calls).toEqual([]);
      spy.mockRestore();
    }
  });
}

/** See {@link Setup}. */
export async function setUp(
  script: NonNullable<FakeOllamaOptions["script"]>,
  { server, ...options }: Partial<OllamaModelOptions> & { server?: FakeOllamaOptions } = {},
): Promise<Setup> {
  const ollama = await startFakeOllama({ script, ...server });
  const model = createOllamaModel({ model: "qwen3", host: ollama.host, clock: createInstantClock(), ...options });
  const controller = new AbortController();
  const deltas: string[] = [];
  const ask = (request: Partial<ModelRequest> = {}) =>
    model.generate({
      messages: [{ role: "user", content: "Hello" }],
      signal: controller.signal,
      onTextDelta: (delta) => deltas.push(delta),
      ...request,
    });
  const fail = async (request?: Partial<ModelRequest>) => {
    const thrown: unknown = await ask(request).then(
      () => new Error("It did not fail."),
      (error: unknown) => error,
    );
    if (!isAgentError(thrown, "model-failed")) throw thrown;
    return thrown;
  };
  const setup = { ollama, model, controller, deltas, ask, fail };
  open.push(setup);
  return setup;
}
