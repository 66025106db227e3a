import { existsSync, readFileSync } from "node:fs";
import { defineTool, type PlanInput, type RunResult, type Tool } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import { createBuiltInTools, createTalkAgent } from "./talk-agent.ts";

const folder = new URL("../../../shared/eval/talks/", import.meta.url);
const isMissing = !existsSync(folder);
if (isMissing) console.log(`The talks are not said: they are expected at ${folder.pathname}`);

interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
  readonly effect?: string | undefined;
  readonly target?: unknown;
  readonly undone?: readonly string[];
}

interface Reply {
  readonly kind: string;
  readonly text?: string | undefined;
  readonly display?: string;
  readonly options?: readonly string[] | undefined;
  readonly steps: readonly Step[];
}

interface Expected {
  readonly kind: string;
  readonly after?: string;
  readonly about?: unknown;
  readonly or?: readonly Expected[];
}

interface Talk {
  readonly id: string;
  readonly app: string;
  readonly setup?: readonly { readonly dueAt?: string }[];
  readonly turns: readonly { readonly say: string; readonly expect: Expected }[];
}

interface Judge {
  judge(expected: Expected, reply: Reply): string | undefined;
  isRead(step: Step): boolean;
  expectedSteps(expected: Expected, world: object): Promise<readonly Step[]>;
}

interface Todo {
  readonly id: string;
  readonly completed: boolean;
}

async function createWorld({ app, setup = [] }: Talk) {
  const isBuiltIn = app === "builtin";
  const own = isBuiltIn ? undefined : await import(new URL(`apps/${app}.tools.mjs`, folder).href);
  const tools: readonly Tool[] = own === undefined ? createBuiltInTools() : own.tools(z).map(defineTool);
  const { agent, say } = createTalkAgent({ tools });
  const runs = async (steps: readonly object[], options = {}): Promise<RunResult> =>
    (await agent.execute({ steps } as PlanInput, options)) as RunResult;
  const listOf = (tool: string) => async (): Promise<Readonly<Record<string, readonly Todo[]>>> =>
    isBuiltIn ? ((await runs([{ id: "l", tool, input: { operation: "list", limit: 1_000 } }])).output as never) : {};
  for (const { dueAt, ...todo } of setup) {
    const due = dueAt && (dueAt.length > 10 ? { dueAt: `${dueAt}:00Z` } : { dueDate: dueAt });
    const input = { operation: "add", ...todo, ...(due || {}) };
    expect(await runs([{ id: "s", tool: "TodoStore", input }])).toMatchObject({ status: "completed" });
  }
  const snapshot = async () => (await listOf("TodoStore")()).todos ?? [];
  const notes = async () => (await listOf("Notes")()).notes ?? [];
  return { runs, say, snapshot, notes, seen: new Set<string>() };
}

type World = Awaited<ReturnType<typeof createWorld>>;

async function reply(world: World, line: string): Promise<Reply> {
  const before = await world.snapshot();
  const run = await world.say(line);
  const item = run.status === "suspended" ? run.pending?.find(({ kind }) => kind === "question") : undefined;
  // An answer returns the run that asked: what it had done in an earlier turn is not done now.
  const isNew = ({ stepId, iteration }: { readonly stepId: string; readonly iteration?: number }) => {
    const id = [run.runId, stepId, iteration].join();
    return !world.seen.has(id) && world.seen.add(id);
  };
  const done = run.steps.filter((step) => step.status === "completed" && step.tool !== "wait" && isNew(step));
  const steps: Step[] = done.map(({ tool, input, output, effect }) => {
    const target = before.find(({ id }) => id === (output as Partial<Todo> | null)?.id);
    return { tool, input: input as Step["input"], output, effect, ...(target && { target }) };
  });
  steps.push(...changesBeside(before, await world.snapshot(), steps));
  if (item?.kind === "question") {
    const options = item.options?.map(({ label, description }) => [label, description].join(" "));
    return { kind: "question", text: item.message, display: item.display, options, steps };
  }
  if (run.status === "failed") return { kind: "refuse", text: run.text ?? run.error?.message, steps };
  const kind = steps.length > 0 ? "plan" : run.status === "suspended" ? "waits" : "answer";
  return { kind, text: run.text, steps };
}

/** Changes that no step of the run explains, such as the undoing of an earlier run. */
function changesBeside(before: readonly Todo[], after: readonly Todo[], steps: readonly Step[]): readonly Step[] {
  const explained = new Set(steps.map(({ output }) => (output as Partial<Todo> | null)?.id));
  const clears = steps.some(({ input }) => input.operation === "clear");
  const added = after.filter(({ id }) => !before.some((was) => was.id === id));
  const pairs = [
    ...before.map((was) => [was, after.find(({ id }) => id === was.id)] as const),
    ...added.map((now) => [undefined, now] as const),
  ];
  return pairs.flatMap(([was, now]) => {
    const { id } = (was ?? now) as Todo;
    if (JSON.stringify(was) === JSON.stringify(now) || explained.has(id) || (clears && now === undefined)) return [];
    const how = was === undefined ? "restore" : now === undefined ? "delete" : "reopen";
    const isSo = how !== "reopen" || (was?.completed === true && now?.completed === false);
    const undone = isSo ? ["undo", how] : ["undo"];
    return [{ tool: "TodoStore", input: { operation: "undo" }, output: now, target: was ?? now, undone }];
  });
}

interface Said {
  readonly line: string;
  /** What should have been done, if something else was. */
  readonly steps?: readonly Step[];
}

async function replay(world: World, earlier: readonly Said[]): Promise<void> {
  for (const { line, steps } of earlier) {
    if (steps === undefined) await reply(world, line);
    else if (steps.length > 0)
      await world.runs(
        steps.map((step) => ({ ...step, dependsOn: [] })),
        { thread: "talk" },
      );
  }
}

/** What a question is about cannot be told from its words: one that can be answered so counts. */
function fitsDisplay(about: unknown, display: string | undefined): boolean {
  const all = [about].flat();
  const isYesNo = (each: unknown) => each === "confirm" || each === "restore";
  if (display === "confirm") return all.some((each) => isYesNo(each) || each === "note-or-title");
  return display !== "text" || !all.every(isYesNo);
}

function forDisplay(expected: Expected, display: string | undefined): Expected {
  if (expected.or) return { ...expected, or: expected.or.map((each) => forDisplay(each, display)) };
  const about = fitsDisplay(expected.about, display) ? undefined : expected.about;
  return expected.kind === "question" ? { ...expected, about: [about] } : expected;
}

function withoutWords(expected: Expected): Expected {
  return expected.or
    ? { ...expected, or: expected.or.map(withoutWords) }
    : ({ ...expected, says: undefined, saysNot: undefined } as Expected);
}

/** Each turn is judged as if the earlier ones had gone as expected: behind a wrong one the talk is put right. */
async function judgeTalk(talk: Talk, { judge, isRead, expectedSteps }: Judge) {
  const earlier: Said[] = [];
  const [right, wrong]: [string[], string[]] = [[], []];
  let world = await createWorld(talk);
  let lastKind: string | undefined;
  for (const [at, { say: line, expect: all }] of talk.turns.entries()) {
    const said = await reply(world, line);
    const or = all.or?.filter(({ after }) => after === undefined || after === lastKind);
    const wanted = or === undefined ? all : { ...all, or };
    const loose = forDisplay(wanted, said.display);
    const hasChanged = said.steps.some((step) => !isRead(step));
    const isRight = judge(loose, said) === undefined;
    if (isRight) right.push(`${talk.id}.${at + 1}`);
    else if (hasChanged && judge(withoutWords(loose), said) !== undefined) wrong.push(`${talk.id}.${at + 1}`);
    const first = or?.[0] ?? wanted;
    lastKind = isRight ? said.kind : first.kind;
    // A question that was due and only asks otherwise stays open, so that the next line can answer it.
    const isAsked = first.kind === "question" && said.kind === "question" && !hasChanged;
    if (isRight || isAsked) earlier.push({ line });
    else {
      world = await createWorld(talk);
      await replay(world, earlier);
      const due = { line, steps: await expectedSteps(wanted, world) };
      await replay(world, [due]);
      earlier.push(due);
    }
  }
  return { right, wrong };
}

it.skipIf(isMissing)("64 of the 84 turns of 14 talks are right, and none changes what nobody asked for", async () => {
  const talks = readFileSync(new URL("talks.jsonl", folder), "utf8").trim().split("\n");
  const judge: Judge = await import(new URL("judge.mjs", folder).href);
  const judged = [];
  for (const talk of talks) judged.push(await judgeTalk(JSON.parse(talk), judge));
  const right = judged.flatMap((each) => each.right);
  console.log(`${right.length} turns are right`);
  expect(judged.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(right.length).toBeGreaterThanOrEqual(64);
});
