import { existsSync, readFileSync } from "node:fs";
import { createCalculator, createRulePlanner, createTodoStore, defineTool, isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const sentences = new URL("../../../../shared/eval/fresh/", import.meta.url);
const files = ["plans-single", "plans-multi", "plans-reject"].map((name) => new URL(`${name}.jsonl`, sentences));

type Fields = Readonly<Record<string, unknown>>;

/** The templates are data that each user of the store can read; what they mean is said here anew. */
const loaded = createTodoStore().phrases;
const templates = typeof loaded === "function" ? await loaded() : loaded;

const orders: Readonly<Record<string, Fields>> = {
  newest: { sort: "created", reverse: true },
  oldest: { sort: "created" },
  due: { sort: "due" },
  "latest due": { sort: "due", reverse: true },
  priority: { sort: "priority" },
  title: { sort: "title" },
};

function daysOf(range: unknown, nowMs: number): Fields {
  if (typeof range !== "string") return {};
  const [from = "..", to] = range.split("/");
  if (to === undefined) return { dueOn: from };
  const beside = (day: string, days: number) =>
    day.length > 10 ? day : new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const isOverdue = from === ".." && (to.length > 10 ? to.slice(0, 10) <= today : to < today);
  return {
    ...(from === ".." ? {} : { dueAfter: beside(from, -1) }),
    ...(to === ".." ? {} : { dueBefore: beside(to, 1) }),
    ...(isOverdue ? { status: "pending" } : {}),
  };
}

interface Context {
  readonly previous?: unknown;
  readonly before?: { readonly input: Fields } | undefined;
  readonly nowMs: number;
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the whole meaning of a store in one place
function meaningOf(
  phrase: string,
  input: Fields,
  found: Fields,
  { previous, before, nowMs }: Context,
): Fields | undefined {
  const { operation } = input;
  const { place, listBefore, doing, labelled, due, urgency, order, range, index, end, ...rest } = found;
  const { operation: last, list: said, query, ...filters } = (before?.input ?? {}) as Fields;
  const list = place ?? rest.list ?? (listBefore === undefined ? undefined : said);
  const isAlone = Object.keys(found).length === 1 && /^(?:add|clear)$/.test(String(last));
  if (listBefore !== undefined && said === undefined && last !== "list" && !isAlone) return undefined;
  if (listBefore !== undefined && phrase.startsWith("(show") && last === "list") return undefined;
  const fields: Record<string, unknown> = {
    ...{ ...input, ...rest, ...daysOf(range, nowMs), ...orders[String(order)] },
    ...(list !== undefined && { list }),
    ...((doing ?? labelled) !== undefined && { title: doing ?? labelled }),
    ...(typeof due === "string" && { [due.length > 10 ? "dueAt" : "dueDate"]: due }),
    ...(urgency !== undefined && { priority: urgency === "urgent" ? "high" : "low" }),
  };
  // Sentences without slots are only shown; a bare "my list" is asked for only at first.
  if (!/[({]/.test(phrase) || (/^\[?\(my/.test(phrase) && operation === "list" && before)) return undefined;
  if (operation === "clear" && /\((?:it|them)\|/.test(phrase)) {
    const { status, ...others } = filters;
    const shown = phrase.includes("(them|") ? "completed" : undefined;
    if (last !== "list" || status !== shown || Object.keys(others).length > 0) return undefined;
    return { ...fields, list: said, ...(shown && { onlyCompleted: true }) };
  }
  if (operation === "search")
    return { ...fields, query: String(fields.query).replace(/^(?:the|an?|my|our|any|some) /i, "") };
  if (index !== undefined || end !== undefined) return { ...fields, index: index ?? -1 };
  const title = phrase.includes(" its ") || phrase.startsWith("give it") ? previous : fields.title;
  if (typeof title !== "object" || title === null) return fields;
  if (last === "search") return { ...fields, title: query };
  if (operation === "add") return fields;
  if (last === "list" || last === "clear" || (last === operation && last !== "update")) return undefined;
  return { ...fields, title: undefined, id: { $ref: `${(title as { $ref: string }).$ref}.id` } };
}

const phrases = templates.map(({ phrase, input = {}, slots = {}, anywhere, destructive = false, known = false }) => ({
  ...{ phrase, slots, destructive, known },
  ...(anywhere && { anywhere }),
  toInput(found: Fields, context: Context): never | undefined {
    return meaningOf(phrase, input, found, context) as never;
  },
}));

const text = z.string().optional();
const chores = defineTool({
  name: "Chores",
  description: "Keeps chores",
  inputSchema: z.discriminatedUnion("operation", [
    z.looseObject({ operation: z.literal("add"), title: z.string(), dueDate: text, dueAt: text, list: text }),
    z.looseObject({ operation: z.enum(["list", "clear"]), list: text }),
    z.looseObject({ operation: z.literal("search"), query: z.string(), list: text }),
    z.looseObject({ operation: z.enum(["get", "complete", "reopen", "update", "delete"]), title: text, id: text }),
  ]),
  outputSchema: z.union([
    z.object({ id: z.string(), title: z.string(), tags: z.array(z.string()) }),
    z.object({ todos: z.array(z.object({ id: z.string() })), count: z.number() }),
    z.object({ cleared: z.number() }),
  ]),
  phrases,
  effect: ({ operation }) => (/^(?:list|get|search)$/.test(operation) ? "pure" : "idempotent"),
  execute: () => ({ cleared: 0 }),
});

const nowMs = Date.UTC(2026, 10, 26, 10);
const { signal } = new AbortController();

/** The steps of a plan without the name of the tool; a refusal is its reason. */
async function plan(request: string, store: unknown): Promise<unknown> {
  const asked = { request, tools: [createCalculator(), store], maxSteps: 50, signal, nowMs, timeZone: "UTC" };
  try {
    const { steps } = await createRulePlanner().plan(asked as never);
    return steps.map(({ input, when, dependsOn }) => ({ input, when, dependsOn }));
  } catch (thrown) {
    if (!isAgentError(thrown, "cannot-plan")) throw thrown;
    return "refused";
  }
}

const isThere = files.every((file) => existsSync(file));
if (!isThere) console.log(`skipped: there are no sentences at ${sentences.pathname}`);

describe.skipIf(!isThere)("a todo store of one's own", () => {
  it.each(files)("is planned for like the built-in one: %s", async (file) => {
    const store = createTodoStore();
    const differing: unknown[] = [];
    for (const line of readFileSync(file, "utf8").trim().split("\n")) {
      const { prompt } = JSON.parse(line) as { readonly prompt: string };
      const [own, wanted] = [await plan(prompt, chores), await plan(prompt, store)];
      try {
        expect(own).toEqual(wanted);
      } catch {
        differing.push([prompt, own, wanted]);
      }
    }
    expect(differing).toEqual([]);
  });
});
