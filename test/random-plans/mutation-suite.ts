import fc from "fast-check";
import { createAgent, createMemoryRunStore, type PlanInput, validatePlan } from "planwright";
import { expect } from "vitest";
import { pathToRepeat, type SuiteOptions } from "./model-suite.ts";
import { type Mutation, mutations } from "./mutations.ts";
import { createCountedTools, validDrafts, validPlan } from "./valid-plans.ts";

const mutationCase = fc.record({
  drafts: validDrafts,
  mutation: fc.constantFrom(...Object.keys(mutations)),
  picks: fc.array(fc.nat(99), { minLength: 3, maxLength: 3 }),
});

/** Breaks many valid plans, each in one place, and checks the reported issues; and that unbroken plans run. */
export async function mutateMany({ numRuns, seed }: SuiteOptions): Promise<void> {
  const seen = new Map<string, number>();
  const property = fc.asyncProperty(mutationCase, async ({ drafts, mutation, picks }) => {
    seen.set(mutation, (seen.get(mutation) ?? 0) + 1);
    const plan = validPlan(drafts);
    await checkValid(plan);
    let count = 0;
    const pick = <T>(from: readonly T[]): T => from[(picks[count++ % picks.length] ?? 0) % from.length] as T;
    await checkBroken(plan, mutations[mutation] as Mutation, pick);
  });
  try {
    await fc.assert(property, { numRuns, seed, ...pathToRepeat() });
  } finally {
    console.log(
      `mutation: PLANWRIGHT_SEED=${seed}, ${numRuns} plans, ${seen.size} of ${Object.keys(mutations).length} mutations`,
    );
  }
}

async function checkValid(plan: object): Promise<void> {
  const { tools, calls } = createCountedTools();
  const text = JSON.stringify(plan);
  expect(await validatePlan(plan, { tools }), text).toEqual([]);
  const { status, error } = await createAgent({ tools }).execute(plan as PlanInput);
  expect({ status, error }, text).toEqual({ status: "completed", error: undefined });
  expect(calls.length).toBeGreaterThan(0);
}

async function checkBroken(
  valid: ReturnType<typeof validPlan>,
  mutate: Mutation,
  pick: <T>(from: readonly T[]) => T,
): Promise<void> {
  const { tools, calls } = createCountedTools();
  const mutated = mutate(valid, pick);
  const { code, path, maxSteps } = mutated;
  const plan = "plan" in mutated ? mutated.plan : valid;
  const issues = await validatePlan(plan, { tools, maxSteps });
  const found = issues.map((issue) => `${issue.code} at ${issue.path.join(".")}`);
  const text = describe(plan);
  if (path === undefined)
    expect(
      issues.map((issue) => issue.code),
      text,
    ).toContain(code);
  else expect(found, text).toContain(`${code} at ${path.join(".")}`);
  const store = createMemoryRunStore();
  const agent = createAgent({ tools, store });
  const events: unknown[] = [];
  agent.subscribe((event) => events.push(event));
  const running = agent.execute(plan as PlanInput, { maxSteps });
  await expect(running, text).rejects.toMatchObject({ code: "invalid-plan", details: { issues } });
  expect(calls, text).toEqual([]);
  expect(events, text).toEqual([]);
  expect((await store.list()).runs, text).toEqual([]);
}

/** Most broken plans can still be printed. */
function describe(plan: unknown): string {
  try {
    return JSON.stringify(plan);
  } catch {
    return "a plan that is not JSON";
  }
}
