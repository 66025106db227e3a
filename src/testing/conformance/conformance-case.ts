import assert from "node:assert/strict";
import { describeThrown } from "../../core/describe-thrown.ts";
import { type AgentErrorCode, isAgentError } from "../../core/errors.ts";

/** One thing that every implementation must do, for whichever test runner there is: `it(name, run)`. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an `AssertionError` of `node:assert` if it is not so; `cause` is what was thrown, if that shows it. */
  run(this: void): Promise<void>;
}

/** A case of its own name: whatever it throws, it is that something is not so. */
export function conformanceCase(name: string, check: () => Promise<void>): ConformanceCase {
  return {
    name,
    async run() {
      try {
        await check();
      } catch (thrown) {
        if (thrown instanceof assert.AssertionError) throw thrown;
        const message = isAgentError(thrown) ? `${thrown.code}: ${thrown.message}` : describeThrown(thrown);
        throw Object.assign(new assert.AssertionError({ message }), { cause: thrown });
      }
    },
  };
}

/** Asserts that both are the same JSON: a key without a value counts for nothing. */
export function assertSame(actual: unknown, expected: unknown): void {
  assert.deepStrictEqual(toPlain(actual), toPlain(expected));
}

function toPlain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Asserts that an operation fails with a code, be it at once or by a rejection. */
export async function assertFails(operation: () => unknown, code: AgentErrorCode): Promise<void> {
  const failure = await failureOf(operation);
  assert.ok(failure !== undefined, `nothing was thrown; an AgentError "${code}" must be`);
  if (isAgentError(failure.thrown, code)) return;
  const was = isAgentError(failure.thrown) ? `an AgentError "${failure.thrown.code}"` : String(failure.thrown);
  throw new assert.AssertionError({ message: `${was} was thrown; an AgentError "${code}" must be`, operator: "fails" });
}

/** What an operation throws, or rejects with; undefined if it does not. */
export async function failureOf(operation: () => unknown): Promise<{ readonly thrown: unknown } | undefined> {
  try {
    await operation();
    return undefined;
  } catch (thrown) {
    return { thrown };
  }
}
