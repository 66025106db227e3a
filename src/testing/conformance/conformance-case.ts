import assert from "node:assert/strict";
import { type AgentErrorCode, isAgentError } from "../../core/errors.ts";
import { describeThrown } from "../../core/text.ts";

/** Requirement as a case for any test runner: `it(name, run)`. @group Testing */
export interface ConformanceCase {
  readonly name: string;
  /** If the requirement is not met, rejects with an `AssertionError`, whose `cause` is the thrown error, if any. */
  run(this: void): Promise<void>;
}

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

export function assertSame(actual: unknown, expected: unknown): void {
  assert.deepStrictEqual(toPlain(actual), toPlain(expected));
}

function toPlain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

export async function assertFails(operation: () => unknown, code: AgentErrorCode): Promise<void> {
  const failure = await failureOf(operation);
  assert.ok(failure !== undefined, `nothing was thrown; expected an AgentError "${code}"`);
  if (isAgentError(failure.thrown, code)) return;
  const was = isAgentError(failure.thrown) ? `an AgentError "${failure.thrown.code}"` : String(failure.thrown);
  throw new assert.AssertionError({
    message: `${was} was thrown; expected an AgentError "${code}"`,
    operator: "fails",
  });
}

export async function failureOf(operation: () => unknown): Promise<{ readonly thrown: unknown } | undefined> {
  try {
    await operation();
    return undefined;
  } catch (thrown) {
    return { thrown };
  }
}
