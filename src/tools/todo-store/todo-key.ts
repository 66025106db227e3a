import { AgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";

/** Throws `invalid-options` without a text: without its own key, a call would look like a repetition of the first. */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key === "string" && key !== "") return;
  failOption("context.idempotencyKey", key, "text that is the same for each attempt of a step");
}

/** Throws `todo-key-reused`. */
export function failKeyReused(idempotencyKey: string, operation: string, earlier: string): never {
  const message = `The idempotency key ${JSON.stringify(idempotencyKey)} was already used for "${earlier}"; "${operation}" needs one of its own.`;
  throw new AgentError("todo-key-reused", message, { details: { idempotencyKey, operation, earlier } });
}
