/**
 * Features as they are switched on but have nothing to do. `tool` and `agent` are options beside the plain ones, `run` those of
 * each run; `change` makes the plan of the plain one.
 */
export const features = {
  "run options that change nothing": { run: { throwOnFailure: false } },
  "tool: needsApproval that says no": { tool: { needsApproval: () => false } },
  "agent: needsApproval that says no": { agent: { needsApproval: () => false } },
  "tool: concurrency 100": { tool: { concurrency: 100 } },
  "tool: rateLimit, a million a second": { tool: { rateLimit: { limit: 1_000_000, intervalMs: 1_000 } } },
  "tool: circuitBreaker that stays closed": { tool: { circuitBreaker: {} } },
  "run: budget of 1 000 calls": { run: { budget: { toolCalls: 1_000 } } },
  "run: undoOnFailure, tool with undo": { tool: { undo: () => undefined }, run: { undoOnFailure: true } },
  "run: maxReplans 3, planner with replan": {
    agent: { planner: { name: "Idle", plan: neverAsked, replan: neverAsked } },
    run: { maxReplans: 3 },
  },
  "run: onStepFailure continue": { run: { onStepFailure: "continue" } },
  "run: concurrency 4, steps in a row": { run: { concurrency: 4 } },
  "run: concurrency 4, independent steps": {
    run: { concurrency: 4 },
    change: (steps) => steps.map((step) => ({ ...step, dependsOn: [] })),
  },
  "plan: one `when` that is true": {
    change: ([first, second, ...others]) => [first, { ...second, when: "s1.value > 0" }, ...others],
  },
};

function neverAsked() {
  throw new Error("No run of these asks for a plan.");
}
