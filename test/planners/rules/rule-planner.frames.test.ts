import { readFileSync } from "node:fs";
import { createCalculator, createRulePlanner, createTodoStore, isAgentError, type PlanStep } from "planwright";
import { describe, expect, it } from "vitest";
import { readDates } from "../../../src/dates/read-dates.ts";

/** What a step is expected to say. */
interface Wanted {
  readonly operation: string;
  readonly item?: string;
  readonly list?: string | boolean;
  readonly date?: string;
  readonly newTitle?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A sentence with places for a todo, a list and a tag. */
interface Frame extends Wanted {
  readonly frame: string;
}

interface Several {
  readonly request: string;
  readonly steps: readonly Wanted[];
}

type Input = Readonly<Record<string, unknown>>;

const items = ["milk", "call the plumber", "the quarterly report"];
const places = { list: "garden", tag: "home" };
const titleFrames = ["add T to my list", "remind me to T", "delete T", "mark T as done"];
const tools = [createCalculator(), createTodoStore()] as const;
const planner = createRulePlanner();
/** Thursday, 26 November 2026, 10:00 UTC. */
const clock = { nowMs: Date.UTC(2026, 10, 26, 10), timeZone: "UTC" };
const { signal } = new AbortController();

/** The steps of a plan; undefined if it is refused. */
async function plan(request: string): Promise<readonly PlanStep[] | undefined> {
  try {
    return (await planner.plan({ request, tools, maxSteps: 50, signal, ...clock } as never))
      .steps as readonly PlanStep[];
  } catch (thrown) {
    if (!isAgentError(thrown, "cannot-plan")) throw thrown;
    return undefined;
  }
}

/** A text as it is compared. */
function plain(text: unknown): string {
  return String(text ?? "")
    .toLowerCase()
    .replace(/[“”"'’.!?,]/g, "")
    .replace(/^(?:the|my|a|an|some|to) /, "")
    .trim();
}

const alike: Readonly<Record<string, readonly string[]>> = {
  search: ["search", "get", "list"],
  get: ["get", "search"],
  list: ["list", "search"],
};

function checkTitles(input: Input, { operation, item, newTitle }: Wanted): string | undefined {
  const isNamed = operation !== "list" && operation !== "clear" && input.id === undefined && input.index === undefined;
  if (item && isNamed && plain(input.title ?? input.query) !== plain(item)) return `title ${input.title}`;
  return newTitle !== undefined && plain(input.newTitle) !== plain(newTitle)
    ? `new title ${input.newTitle}`
    : undefined;
}

function checkPriority(input: Input, wanted: unknown): string | undefined {
  const made = input.priority ?? undefined;
  const isRight = wanted === "normal" ? made === undefined || made === "medium" : made === wanted;
  return isRight ? undefined : `priority ${made}`;
}

function checkTags(input: Input, { tags, addTags, removeTags }: Readonly<Record<string, unknown>>): string | undefined {
  if (removeTags !== undefined && input.removeTags === undefined) return "tags are not removed";
  const wanted = ((tags ?? addTags ?? []) as readonly string[]).map((tag) => tag.toLowerCase().replace("#", ""));
  if (wanted.length === 0) return undefined;
  const {
    tags: made = [],
    addTags: added = [],
    tag,
  } = input as Readonly<Record<string, readonly string[] | undefined>>;
  const all = [...made, ...added, ...(tag === undefined ? [] : [tag])].map((each) => String(each).toLowerCase());
  return all.join() === wanted.join() ? undefined : `tags ${all}`;
}

function checkList(input: Input, { operation, list }: Wanted): string | undefined {
  const made = operation === "update" ? (input.newList ?? input.list) : input.list;
  if (list === undefined || list === false)
    return input.list === undefined || /^(?:todos?|tasks?)$/.test(String(input.list))
      ? undefined
      : `list ${input.list}`;
  return plain(made) === plain(list === true ? places.list : list) ? undefined : `list ${made}`;
}

async function checkDate(input: Input, { operation, date }: Wanted): Promise<string | undefined> {
  const made = input.dueAt ?? input.dueDate;
  if (date === undefined) return made === undefined ? undefined : `date ${made}`;
  if (operation === "list") return (input.dueOn ?? input.dueBefore ?? input.dueAfter) ? undefined : "no range of days";
  const [said] = readDates(date, clock);
  if (said === undefined) return undefined;
  if (!String(made).startsWith(said.date)) return `date ${made}`;
  const hasTime = said.dateTime !== undefined && said.partOfDay === undefined;
  return hasTime && input.dueAt !== said.dateTime ? `time ${made}` : undefined;
}

/** What is wrong with a step; undefined if nothing is. */
async function check(step: PlanStep | undefined, wanted: Wanted): Promise<string | undefined> {
  if (wanted.operation === "calculate") return step?.tool === "Calculator" ? undefined : "no calculation";
  const input = (step?.input ?? {}) as Input;
  const { operation, fields = {} } = wanted;
  if (!(alike[operation] ?? [operation]).includes(String(input.operation))) return `operation ${input.operation}`;
  const status = fields.status === "open" ? "pending" : fields.status;
  return (
    checkTitles(input, wanted) ??
    checkPriority(input, fields.priority) ??
    checkTags(input, fields) ??
    (operation === "list" && status !== undefined && (input.status ?? "all") !== status ? "status" : undefined) ??
    checkList(input, wanted) ??
    (await checkDate(input, wanted))
  );
}

/** Plans requests, and prints how many are right, refused and wrong. */
class Tally {
  private right = 0;
  private refused = 0;
  private readonly wrong: string[] = [];

  constructor(private readonly name: string) {}

  async add(request: string, wanted: readonly Wanted[]): Promise<void> {
    const steps = await plan(request);
    if (steps === undefined) this.refused++;
    else {
      const found = steps.length === wanted.length ? undefined : `${steps.length} steps`;
      const why = found ?? (await this.firstFault(steps, wanted));
      if (why === undefined) this.right++;
      else this.wrong.push(`${request}: ${why} ${JSON.stringify(steps.map(({ input }) => input))}`);
    }
  }

  private async firstFault(steps: readonly PlanStep[], wanted: readonly Wanted[]): Promise<string | undefined> {
    for (const [index, each] of wanted.entries()) {
      const fault = await check(steps[index], each);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Of a hundred requests, how many may be planned wrongly. */
  expectWrong(atMost: number): void {
    const { name, right, refused, wrong } = this;
    const count = right + refused + wrong.length;
    const percent = (part: number) => `${((100 * part) / count).toFixed(1)} %`;
    console.log(
      `${name}: ${count}, right ${percent(right)}, refused ${percent(refused)}, wrong ${percent(wrong.length)}`,
    );
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual((count * atMost) / 100);
  }
}

describe.each(["young", "office"])("what %s people type", (hand) => {
  const textOf = (file: string) =>
    readFileSync(new URL(`../../language/frames/${hand}/${file}`, import.meta.url), "utf8");
  const linesOf = (file: string) => textOf(file).trim().split("\n");
  const rowsOf = <Row>(file: string) => linesOf(file).map((line) => JSON.parse(line) as Row);

  it("is planned as it is meant, or refused", async () => {
    const tally = new Tally(`${hand}, frames`);
    for (const row of rowsOf<Frame>("frames.jsonl"))
      for (const item of row.frame.includes("{item}") ? items : [""]) {
        const request = row.frame.replace("{item}", item).replace("{list}", places.list).replace("{tag}", places.tag);
        const tagged = JSON.parse(JSON.stringify(row).replaceAll("{tag}", places.tag)) as Frame;
        await tally.add(request, [{ ...tagged, item: row.item ?? item }]);
      }
    tally.expectWrong(3);
  });

  it("may be several wishes", async () => {
    const tally = new Tally(`${hand}, several`);
    for (const { request, steps } of rowsOf<Several>("several.jsonl")) await tally.add(request, steps);
    tally.expectWrong(4);
  });

  it("may have other words around it", async () => {
    const tally = new Tally(`${hand}, surroundings`);
    const wishes: readonly (readonly [string, Wanted])[] = [
      ["add milk to my shopping list", { operation: "add", item: "milk", list: "shopping" }],
      ["mark the report as done", { operation: "complete", item: "report" }],
      ["show me my tasks", { operation: "list" }],
    ];
    for (const { surrounding } of rowsOf<{ surrounding: string }>("surroundings.jsonl"))
      for (const [wish, wanted] of wishes) await tally.add(surrounding.replace("S", wish), [wanted]);
    tally.expectWrong(3);
  });

  it("keeps each title as it is, or is refused", async () => {
    const tally = new Tally(`${hand}, titles`);
    const operations = ["add", "add", "delete", "complete"];
    for (const item of linesOf("titles.txt"))
      for (const [index, frame] of titleFrames.entries())
        await tally.add(
          frame.replace("T", () => item),
          [{ operation: operations[index] ?? "", item }],
        );
    tally.expectWrong(3);
  });

  it("has no effect where it must be refused", async () => {
    const planned: unknown[] = [];
    for (const { request } of rowsOf<{ request: string }>("refuse.jsonl")) {
      const steps = (await plan(request)) ?? [];
      const reads = (step: PlanStep) =>
        step.tool === "Calculator" ||
        /^(?:list|get|search)$/.test(String((step.input as Input | undefined)?.operation));
      if (!steps.every(reads)) planned.push(request, steps);
    }
    expect(planned).toEqual([]);
  });
});
