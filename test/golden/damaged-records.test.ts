import fc from "fast-check";
import { type AgentEvent, createAgent, createMemoryRunStore, type RunStore } from "planwright";
import { createFakeTool, createManualClock, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { indexTools } from "../../src/core/define-tool.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { planOf, step } from "../scenario/plans.ts";
import { baseOptions, record } from "../scenario/resume-from.ts";
import type { Scenario } from "../scenario/run-scenario.ts";
import { withMethods } from "../scenario/two-processes.ts";

const down = { throws: new Error("down") };
const retry = { maxAttempts: 2, minDelayMs: 10 };

/** Runs whose steps fail, retry, need approval, loop, are undone, or must run only once. */
const scenarios: Readonly<Record<string, (clock: ManualClock) => Scenario>> = {
  retried: (clock) => ({
    tools: [
      createFakeTool({ name: "A", outcomes: [down, { returns: 1 }], retry, clock }),
      createFakeTool({ name: "B" }),
    ],
    plan: planOf("A", "B", "A"),
  }),
  failed: () => ({
    tools: [createFakeTool({ name: "A" }), createFakeTool({ name: "B", outcomes: [down], retry: { maxAttempts: 1 } })],
    plan: planOf("A", "B", "A"),
  }),
  once: () => ({ tools: [createFakeTool({ name: "A", effect: "once" })], plan: planOf("A", "A", "A") }),
  looped: () => ({
    tools: [createFakeTool({ name: "A", outcomes: [{ returns: { list: [1, 2, 3] } }, { returns: 1 }] })],
    plan: { steps: [step("l", "A"), step("e", "A", { forEach: "l.list" }), step("z", "A", { when: "size(e) == 3" })] },
  }),
  asked: () => ({
    tools: [{ ...createFakeTool({ name: "A" }), needsApproval: () => true }, createFakeTool({ name: "B" })],
    plan: planOf("B", "A", "B"),
  }),
  changed: () => ({
    tools: [{ ...createFakeTool({ name: "A" }), needsApproval: () => true }, createFakeTool({ name: "B" })],
    plan: planOf("B", "A", "B"),
    approvalTtlMs: 1e11,
    requestApproval: async () => ({ decision: "approve", by: "ada", comment: "less", input: { less: true } }),
  }),
  undone: () => ({
    tools: [
      { ...createFakeTool({ name: "A" }), undo: async () => {} },
      createFakeTool({ name: "B", outcomes: [down], retry: { maxAttempts: 1 } }),
    ],
    plan: planOf("A", "A", "B"),
    options: { undoOnFailure: true },
  }),
};

/** How one event of a record is damaged; the result replaces it. */
interface Damage {
  (event: AgentEvent, events: readonly AgentEvent[]): readonly unknown[];
  /** Whether the result may be an event that could have been recorded. */
  saysLess?: boolean;
}

const whole = { runId: "other" };
const wrong = [null, undefined, 5, -1, 1.5, "nope", "", true, [], {}, [null], { status: "nope" }, 1e12];

/** Fields that a resumed run depends on. Damage to other fields, such as the text of an error, cannot be detected. */
const fields = [
  ...["type", "runId", "sequence", "timestamp", "stepId", "tool", "iteration", "iterations", "attempts", "outcome"],
  ...["plan", "options", "tools", "metadata", "input", "effect", "pending", "reason", "kind", "version"],
  ...[
    "outcome.status",
    "outcome.error",
    "outcome.output",
    "plan.steps",
    "plan.steps.0",
    "plan.steps.1",
    "plan.steps.1.id",
  ],
  ...[
    "plan.steps.1.tool",
    "plan.steps.1.dependsOn",
    "plan.steps.1.input",
    "outcome.error.code",
    "outcome.error.details",
  ],
  ...[
    "options.maxSteps",
    "options.concurrency",
    "options.timeZone",
    "tools.0",
    "pending.0",
    "outcome.error.details.errors",
  ],
  ...["hash", "expiresAt", "outcome.by", "outcome.comment", "outcome.changed", "outcome.changed.input"],
  ...["outcome.changed.effect", "outcome.changed.hash", "pending.0.expiresAt"],
];

/** A copy of an event with another value at a path, or none; the event itself where it has no such path. */
function withField(event: AgentEvent, path: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(event)) as Record<string, unknown>;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let holder: Record<string, unknown> | undefined = copy;
  for (const key of keys) holder = holder?.[key] as Record<string, unknown> | undefined;
  if (typeof holder !== "object" || holder === null || !(last in holder)) return event;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.constantFrom(...wrong.filter((value) => value !== undefined)).map((value) => () => [value]),
  fc.constant<Damage>((event) => [{ ...event, ...whole }]),
  fc.constant<Damage>(() => []),
  fc.constant<Damage>((event) => [event, event]),
  fc.constant<Damage>((event) => [event, { ...event, sequence: event.sequence + 1 }]),
  fc.nat().map((at) => {
    const other: Damage = (event, events) => [{ ...events[at % events.length], sequence: event.sequence }];
    return Object.assign(other, { saysLess: true });
  }),
  fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...wrong)).map(([path, value]): Damage => {
    return (event) => [withField(event, path, value)];
  }),
);

/** A process that resumes from the contents of a store, in every possible way. */
async function resumeFromDamaged(create: (clock: ManualClock) => Scenario, events: readonly unknown[], runId: string) {
  const clock = createManualClock({ nowMs: Date.UTC(2026, 1, 1) });
  const { tools, plan, options, isResumable: _, ...rest } = create(clock);
  const calls: string[] = [];
  const counted = tools.map((tool) => ({
    ...tool,
    execute: (...args: Parameters<typeof tool.execute>) => {
      calls.push(args[1].idempotencyKey);
      return tool.execute(...args);
    },
  }));
  await Promise.all([...indexTools(counted).values()].map(toolFingerprint));
  const memory = createMemoryRunStore();
  const appended: AgentEvent[] = [];
  const append: RunStore["append"] = (id, more, { sequence, ...o }) => {
    appended.push(...more);
    return memory.append(id, more, { sequence: sequence - events.length, ...o });
  };
  const read = () => [...events, ...appended] as readonly AgentEvent[];
  const store = withMethods(memory, { append, read });
  const agent = createAgent({ ...baseOptions(clock), ...rest, tools: counted, store });
  const outcomeOf = async (work: () => Promise<unknown>): Promise<unknown> => {
    try {
      return JSON.parse(JSON.stringify((await clock.runUntil(work())) ?? null));
    } catch (thrown) {
      return thrown;
    }
  };
  const looked = await outcomeOf(() => agent.getRun(runId));
  const again = await outcomeOf(() => agent.run(plan as never, { ...options, runId }));
  const resumed = await outcomeOf(() => agent.resume(runId));
  return { looked, again, resumed, calls, appended };
}

const isTyped = (outcome: unknown) => outcome instanceof Error && "code" in outcome && outcome.name === "AgentError";

describe.each(Object.entries(scenarios))("a record with one damaged event, of a run that is %s", (_name, create) => {
  it("throws a typed error, or ends as it would have: no tool is called that would not have been", async () => {
    const { recorded, result } = await record(create);
    const { runId } = result;
    const untouched = await Promise.all(
      Array.from({ length: recorded.length + 1 }, (_, end) => resumeFromDamaged(create, recorded.slice(0, end), runId)),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), damages, async (length, place, damage) => {
        const end = 1 + (length % recorded.length);
        const at = place % end;
        const events = recorded.slice(0, end);
        const damaged = events.flatMap((event, index) => (index === at ? damage(event, events) : [event]));
        const { looked, again, resumed, calls, appended } = await resumeFromDamaged(create, damaged, runId);
        // Losing an event and those after it is like an earlier death of the process; so is an event that states less,
        // such as a retry in place of an end.
        const before = [untouched[end], untouched[damaged.length], ...(damage.saysLess ? [untouched[at]] : [])];
        if (JSON.stringify(damaged) === JSON.stringify(recorded.slice(0, damaged.length))) return;
        for (const outcome of [looked, again, resumed])
          if (outcome instanceof Error) expect(isTyped(outcome), String(outcome.stack)).toBe(true);
        if (isTyped(looked)) {
          expect(looked).toMatchObject({
            code: "store-failed",
            details: { problem: expect.stringMatching(/^(corrupt|wrong-format)$/), runId },
          });
          expect([calls, appended]).toEqual([[], []]);
          expect([again, resumed].map(isTyped)).toEqual([true, true]);
        } else expect(before.some((one) => calls.every((key) => one?.calls.includes(key)))).toBe(true);
      }),
      { numRuns: Number(process.env.DAMAGED_RECORDS ?? 150), seed: 7 },
    );
  });
});
