import * as z from "zod/v4";
import { type Clock, systemClock } from "../async/clock.ts";
import { settleOrAbort } from "../async/promises.ts";
import type { RetryOptions } from "../async/retry.ts";
import { defineTool } from "../core/define-tool.ts";
import type { DefinedTool, ToolContext, ToolEffect } from "../core/tool.ts";

/** Outcome of a call to a fake tool, `afterMs` later on the clock. @group Testing */
export type FakeOutcome = { readonly afterMs?: number } & (
  | { readonly returns: unknown }
  | { readonly throws: unknown }
  /** `until-aborted` rejects when the call's signal aborts; `forever` never settles. */
  | { readonly hangs: "until-aborted" | "forever" }
);

/** Call to a fake tool. @inline */
export interface FakeCall {
  readonly input: unknown;
  readonly context: ToolContext;
}

/** Options of {@link createFakeTool}. @inline */
export interface FakeToolOptions<TName extends string = string> {
  name: TName;
  /** Outcomes of the calls, in order; the last one is repeated. @default returns null */
  outcomes?: readonly FakeOutcome[] | undefined;
  /** Effect of a call. @default "idempotent", so that failures are retried; real tools are `once` by default */
  effect?: ToolEffect | undefined;
  retry?: RetryOptions | undefined;
  timeoutMs?: number | undefined;
  /** Clock for `afterMs`. @default the system clock */
  clock?: Clock | undefined;
}

/** Tool that accepts any input, returns scripted outcomes, and records its calls. @group Testing */
export interface FakeTool<TName extends string = string> extends DefinedTool<TName> {
  readonly calls: readonly FakeCall[];
}

/** Creates a {@link FakeTool}. {@includeCode ../../examples/20-test-an-agent.ts} @group Testing */
export function createFakeTool<const TName extends string>(options: FakeToolOptions<TName>): FakeTool<TName> {
  const { outcomes = [{ returns: null }], clock = systemClock, effect = "idempotent", ...rest } = options;
  const calls: FakeCall[] = [];
  const tool = defineTool({
    ...rest,
    effect,
    description: "Does as the test says",
    inputSchema: z.looseObject({}),
    execute: (input, context): Promise<unknown> => {
      const outcome = outcomes[Math.min(calls.length, outcomes.length - 1)];
      calls.push({ input, context });
      return perform(outcome, context, clock);
    },
  });
  return { ...tool, calls } as unknown as FakeTool<TName>;
}

async function perform(outcome: FakeOutcome | undefined, { signal }: ToolContext, clock: Clock): Promise<unknown> {
  const { afterMs } = outcome ?? {};
  if (afterMs !== undefined) await new Promise<void>((resolve) => clock.setTimeout(resolve, afterMs));
  if (outcome === undefined || "returns" in outcome) return outcome?.returns;
  if ("throws" in outcome) throw outcome.throws;
  const hanging = new Promise(() => {});
  return outcome.hangs === "forever" ? hanging : settleOrAbort(hanging, signal);
}
