import { isDeepStrictEqual } from "node:util";
import {
  createAgent,
  createMemoryRunStore,
  isAgentError,
  type JsonValue,
  type PlanIssue,
  type RunResult,
  validatePlan,
} from "planwright";
import type { GoldPlan, GoldTool } from "./gold.ts";
import { type GoldCall, goldTools, outputOf } from "./gold-tools.ts";

/** What came of a plan: nothing, if all is as it should be. */
export interface Outcome {
  /** As the set says: valid, or with the issues that it names. */
  readonly validation?: string;
  /** Completed with the right inputs and outputs, or refused before any call. */
  readonly run?: string;
  /** The same after the run was cut off and resumed; only for valid plans. */
  readonly resume?: string;
}

/** Validates a plan, runs it, cuts the run off at a random event and resumes it. `random` is between 0 and 1. */
export async function playPlan(
  gold: GoldPlan,
  byName: ReadonlyMap<string, GoldTool>,
  random: number,
): Promise<Outcome> {
  const offered = gold.tools.map((name) => byName.get(name) as GoldTool);
  const calls: GoldCall[] = [];
  const tools = goldTools(offered, gold, (call) => calls.push(call));
  const issues = await validatePlan(gold.plan, { tools });
  const validation = judgeIssues(gold, issues);
  const store = createMemoryRunStore();
  const agent = createAgent({ tools, store });
  if (!gold.expect.valid) return { validation, run: await judgeRefusal(() => agent.execute(gold.plan), calls) };
  if (issues.length > 0) return { validation };
  const expected = expectedCalls(gold, byName);
  const result = await agent.execute(gold.plan);
  const run = judgeRun(gold, { result, expected, calls });
  if (run !== undefined) return { validation, run };

  const events = await store.read(result.runId);
  const kept = events.slice(0, 1 + Math.floor(random * (events.length - 1)));
  const ended = new Set(kept.flatMap((event) => (event.type === "step-end" ? [event.stepId] : [])));
  const second = createMemoryRunStore();
  await second.append(result.runId, kept, { sequence: 1 });
  const repeated: GoldCall[] = [];
  const again = createAgent({ tools: goldTools(offered, gold, (call) => repeated.push(call)), store: second });
  const resumed = await again.resume(result.runId);
  const twice = repeated.find(({ stepId }) => ended.has(stepId));
  const resume =
    twice === undefined
      ? judgeRun(gold, { result: resumed, expected, calls: repeated })
      : `${twice.stepId} had completed, and was called again`;
  return { validation, run, resume };
}

function judgeIssues({ expect }: GoldPlan, issues: readonly PlanIssue[]): string | undefined {
  if (expect.valid) return issues.length === 0 ? undefined : JSON.stringify(issues.slice(0, 3));
  const missing = expect.issues.filter(
    ({ code, path }) =>
      !issues.some((issue) => issue.code === code && isDeepStrictEqual(issue.path.map(String), path.map(String))),
  );
  return missing.length === 0 ? undefined : `missing: ${JSON.stringify(missing)} in ${JSON.stringify(issues)}`;
}

async function judgeRefusal(
  execute: () => PromiseLike<unknown>,
  calls: readonly unknown[],
): Promise<string | undefined> {
  try {
    await execute();
  } catch (thrown) {
    if (calls.length > 0) return "refused after a call";
    return isAgentError(thrown) && thrown.code === "invalid-plan" ? undefined : String(thrown);
  }
  return "not refused";
}

interface Played {
  readonly result: RunResult;
  readonly expected: ReadonlyMap<string, GoldCall & { readonly output: JsonValue }>;
  readonly calls: readonly GoldCall[];
}

function judgeRun({ plan }: GoldPlan, { result, expected, calls }: Played): string | undefined {
  if (result.status !== "completed") return `${result.status}: ${JSON.stringify(result.error)}`;
  for (const { stepId, input } of calls) {
    if (!isDeepStrictEqual(input, expected.get(stepId)?.input)) return `${stepId} got ${JSON.stringify(input)}`;
  }
  const outputs = new Map(result.steps.map(({ stepId, output }) => [stepId, output]));
  const wrong = plan.steps.find(({ id }) => !isDeepStrictEqual(outputs.get(id), expected.get(id)?.output));
  return wrong === undefined ? undefined : `${wrong.id} put out ${JSON.stringify(outputs.get(wrong.id))}`;
}

/** What each step must get and put out, worked out without the library. */
function expectedCalls(gold: GoldPlan, byName: ReadonlyMap<string, GoldTool>): Played["expected"] {
  const done = new Map<string, GoldCall & { output: JsonValue }>();
  const lookUp = (reference: string): JsonValue => {
    const [id = "", ...keys] = reference.split(/[.[\]]/).filter((part) => part !== "");
    return keys.reduce<unknown>(
      (value, key) => (value as Record<string, unknown>)[key],
      done.get(id)?.output,
    ) as JsonValue;
  };
  const open = [...gold.plan.steps];
  while (open.length > 0) {
    const next = open.findIndex(({ input }) =>
      referencesIn(input).every((reference) => done.has(/^\w+/.exec(reference)?.[0] ?? "")),
    );
    const [{ id, tool, input }] = open.splice(next, 1) as [(typeof open)[number]];
    const call = { stepId: id, input: fill(input, lookUp) };
    done.set(id, { ...call, output: outputOf(byName.get(tool) as GoldTool, gold, call) });
  }
  return done;
}

const inText = /\$\{([^{}]+)\}/g;

function referencesIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [...value.matchAll(inText)].map(([, reference = ""]) => reference);
  if (typeof value !== "object" || value === null) return [];
  const { $ref } = value as { $ref?: unknown };
  return typeof $ref === "string" ? [$ref] : Object.values(value).flatMap(referencesIn);
}

function fill(value: unknown, lookUp: (reference: string) => JsonValue): unknown {
  if (typeof value === "string")
    return value.replace(inText, (_, reference: string) => {
      const found = lookUp(reference);
      return typeof found === "string" ? found : JSON.stringify(found);
    });
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fill(item, lookUp));
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === "string" && Object.keys(value).length === 1) return lookUp($ref);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, lookUp)]));
}
