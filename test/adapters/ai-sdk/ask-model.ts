import type { ModelRequest } from "planwright";
import { type AiSdkLanguageModel, createAiSdkModel } from "planwright/ai-sdk";

/** A request of one message. */
export function ask(rest: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: "user", content: "Hi" }], signal: new AbortController().signal, ...rest };
}

/** Asks, and gathers what was told on the way. */
export async function generateFrom(model: AiSdkLanguageModel, rest: Partial<ModelRequest> = {}) {
  const deltas: string[] = [];
  const once = createAiSdkModel(model, { retry: { maxAttempts: 1 } });
  const response = await once.generate(ask({ onTextDelta: (delta) => deltas.push(delta), ...rest }));
  return { response, deltas };
}

/** A stream that says one thing and then nothing, and remembers why it was cancelled. */
export function silentStream() {
  const cancelled: unknown[] = [];
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue({ type: "text-delta", id: "t", delta: "Once" }),
    cancel: (reason) => void cancelled.push(reason),
  });
  return { stream, cancelled };
}

/** A promise, and what resolves it. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A turn of the event loop, in which all promises settle that can. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
