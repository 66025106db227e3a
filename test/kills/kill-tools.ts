import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type ToolContext } from "planwright";
import { z } from "zod/v4";
import type { Journal } from "./journal.ts";
import type { KillSwitch } from "./kill-switch.ts";

/** What the tools of a killable process need. */
export interface KillToolsOptions {
  readonly journal: Journal;
  readonly killSwitch: KillSwitch;
  readonly effectMs: number;
}

/** A pause in which a process is likely to be disturbed. */
const retry = { minDelayMs: 60, maxDelayMs: 60 } as const;

const schema = z.object({ value: z.number() });

/** Tools that record their calls in the journal. The one that must not be repeated does not check whether it was. */
export function createKillTools({ journal, killSwitch, effectMs }: KillToolsOptions) {
  const perform = async (
    value: number,
    { idempotencyKey: key, attempt, signal }: ToolContext,
    isRepeatable: boolean,
  ) => {
    journal.write({ type: "begin", key, attempt });
    // Only a repeatable tool respects its signal.
    if (effectMs > 0) await sleep(effectMs, undefined, isRepeatable ? { signal } : {});
    if (!isRepeatable || journal.findEffect(key) === undefined) {
      killSwitch.pass("effect", () => journal.write({ type: "effect", key, value }));
    }
    journal.write({ type: "end", key, attempt });
    return { value };
  };
  /** Fails before it has done anything, so that it is retried after a pause. */
  const stumble = async (value: number, context: ToolContext, isRepeatable: boolean) => {
    if (context.attempt > 1) return perform(value, context, isRepeatable);
    journal.write({ type: "begin", key: context.idempotencyKey, attempt: 1 });
    throw Object.assign(new Error("stumbled"), { retryable: true });
  };
  const common = { inputSchema: schema, outputSchema: schema } as const;
  return [
    defineTool({
      ...common,
      name: "Put",
      description: "Takes effect once however often it is called with the same key",
      effect: "idempotent",
      execute: ({ value }, context) => perform(value, context, true),
      undo: ({ input }, context) => perform(-input.value, context, true),
    }),
    defineTool({
      ...common,
      name: "Send",
      description: "Takes effect each time it is called",
      effect: "once",
      execute: ({ value }, context) => perform(value, context, false),
      undo: ({ input }, context) => perform(-input.value, context, true),
    }),
    defineTool({
      ...common,
      name: "Ask",
      description: "Takes effect each time it is called, once somebody has approved",
      effect: "once",
      needsApproval: true,
      execute: ({ value }, context) => perform(value, context, false),
    }),
    defineTool({
      ...common,
      name: "Stumble",
      description: "As Put, but fails at first",
      effect: "idempotent",
      retry,
      execute: ({ value }, context) => stumble(value, context, true),
      undo: ({ input }, context) => stumble(-input.value, context, true),
    }),
    defineTool({
      ...common,
      name: "StumbleOnce",
      description: "As Send, but fails at first",
      effect: "once",
      retry,
      execute: ({ value }, context) => stumble(value, context, false),
      undo: ({ input }, context) => stumble(-input.value, context, true),
    }),
    defineTool({
      ...common,
      name: "Refuse",
      description: "Never does anything",
      effect: "idempotent",
      execute: () => {
        throw Object.assign(new Error("refused"), { retryable: false });
      },
    }),
  ] as const;
}
