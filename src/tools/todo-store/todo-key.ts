import { AgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";

/** Throws `invalid-options` if the key is not text, or empty: all calls without a key would look like the first one. */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key === "string" && key !== "") return;
  failOption("context.idempotencyKey", key, "text that is the same for each attempt of a step");
}

/** Throws `todo-key-reused`. */
export function failKeyReused(idempotencyKey: string, operation: string, earlier: string): never {
  const message = `The idempotency key ${JSON.stringify(idempotencyKey)} was already used for "${earlier}"; "${operation}" needs one of its own.`;
  throw new AgentError("todo-key-reused", message, { details: { idempotencyKey, operation, earlier } });
}
