import { type AgentEvent, createAgent, defineTool, type RunResult, sensitive } from "planwright";
import { createManualClock } from "planwright/testing";
import { z } from "zod/v4";
import type { AnyPlan } from "../../src/core/plan.ts";

export const secret = "4111-1111-1111-1111";

/** A tool that takes its time, fails as often as it is told, and returns what it is told. */
function worker() {
  const clock = createManualClock({ nowMs: Date.UTC(2026, 10, 24, 8) });
  const calls = new Map<string, number>();
  const tool = defineTool({
    name: "Work",
    description: "Works",
    inputSchema: z.object({
      says: z.unknown().optional(),
      fails: z.number().default(0),
      ms: z.number().default(100),
      card: sensitive(z.string()).optional(),
    }),
    effect: "idempotent",
    retry: { minDelayMs: 400, maxAttempts: 3 },
    needsApproval: ({ says }) => says === "ask",
    execute: async ({ says = "done", fails, ms, card }, { stepId, iteration }) => {
      const name = `${stepId} ${iteration}`;
      calls.set(name, (calls.get(name) ?? 0) + 1);
      await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
      if ((calls.get(name) ?? 0) <= fails) throw new Error(`refused ${says} for ${card}`);
      return says;
    },
  });
  return { clock, tool };
}

/** A run with its events, as `agent.events` gives them; what asks is approved after a day. */
export async function play(
  steps: readonly object[],
  options: object = {},
): Promise<{ events: readonly AgentEvent[]; result: RunResult }> {
  const { clock, tool } = worker();
  const agent = createAgent({ tools: [tool], clock, random: () => 1 });
  let result: RunResult = await clock.runUntil(agent.execute({ steps } as AnyPlan, { runId: "r1", ...options }));
  while (result.status === "suspended") {
    await clock.advance(86_400_000);
    const [item] = result.pending;
    result = await clock.runUntil(agent.approve("r1", item as never, { by: "ann", comment: "go" }).result);
  }
  const events: AgentEvent[] = [];
  for await (const event of agent.events("r1")) events.push(event);
  return { events, result };
}

/** Texts that would break out of HTML, SVG or Mermaid. */
export const hostile = [
  "end",
  "subgraph",
  'click n0 "javascript:alert(1)"',
  "<script>globalThis.hacked = true</script>",
  '"><img src=x onerror="globalThis.hacked = true">',
  "</pre></details></style><svg onload=globalThis.hacked=true>",
  "]]> --> n0 & %%{init: {}}%% ```",
  "#quot; #35; `code` **bold** [a](b) {{x}} |y|",
  "\u202ereversed \u2066hidden\u2069 \u0000 \ud800 \ufffe",
  "مرحبا بالعالم שלום",
  "<br/><b>x</b>&lt;i&gt;",
  "'-alert(1)-'",
  "x".repeat(100_000),
] as const;
