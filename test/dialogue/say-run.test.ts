import fc from "fast-check";
import { createTodoStore, defineTool, type StepRecord, sensitive, type Tool } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { sayOutput } from "../../src/dialogue/say-output.ts";
import { type SpokenRun, sayDone, sayRun } from "../../src/dialogue/say-run.ts";

const clock = { nowMs: Date.parse("2026-11-26T10:00:00Z"), timeZone: "UTC" };
const Booking = z.object({ booking: z.number().int(), name: z.string(), people: z.number().int(), at: z.string() });
const okafor = { booking: 32, name: "Okafor", people: 2, at: "2026-11-26T19:00:00Z" };
const patel = { booking: 31, name: "Patel", people: 4, at: "2027-01-02T18:30:00Z" };

interface Shape {
  readonly input?: z.ZodType;
  readonly output?: z.ZodType;
  readonly effect?: "pure" | "once";
  readonly say?: (done: { readonly input: never; readonly output: never }) => unknown;
}

const tool = (name: string, { input = z.object({}), output, effect = "once", say }: Shape = {}): Tool =>
  defineTool({
    name,
    description: `${name} of a restaurant`,
    inputSchema: input,
    ...(output && { outputSchema: output }),
    effect,
    execute: () => ({}) as never,
    ...(say && { say: say as never }),
  });

const show = tool("ShowBookings", { output: z.object({ bookings: z.array(Booking) }), effect: "pure" });
const book = tool("BookTable", {
  input: z.object({ name: z.string(), people: z.number(), at: z.string() }),
  output: z.object({ booking: z.number().int() }),
});
const move = tool("MoveBooking", { input: z.object({ booking: z.number(), at: z.string() }), output: Booking });
const tools = [show, book, move];
const sayOf = (name: string, input: unknown, output: unknown) => sayOutput(tools, { tool: name, input, output }, clock);

describe("the words of an output", () => {
  it("have key and label first, and dates as people say them", () => {
    expect(sayOf("MoveBooking", {}, okafor)).toBe("booking 32: Okafor, Thu 26 Nov 19:00, 2 people");
    expect(sayOf("MoveBooking", {}, { ...patel, people: 1 })).toBe("booking 31: Patel, Sat 2 Jan 2027 18:30, 1 person");
    const input = { name: "Ricci", people: 4, at: "2026-11-27T20:00:00Z" };
    expect(sayOf("BookTable", input, { booking: 36 })).toBe("booking 36: Ricci, Fri 27 Nov 20:00, 4 people");
  });

  it("count a list and say up to ten of it", () => {
    expect(sayOf("ShowBookings", {}, { bookings: [] })).toBe("No bookings.");
    expect(sayOf("ShowBookings", {}, { bookings: [okafor] })).toBe("1 booking: 32 Okafor, Thu 26 Nov 19:00, 2 people");
    const many = sayOf("ShowBookings", {}, { bookings: Array.from({ length: 11 }, () => okafor) });
    expect(many).toMatch(/^11 bookings: (32 Okafor, [^;]+; ){10}…$/);
  });

  it.each<[unknown, string]>([
    [null, "Done."],
    [{}, "Done."],
    [25, "25"],
    [true, "true"],
    ["two\nlines", "two lines"],
    [["a", "b"], "2 results: a; b"],
    [{ open: true, locked: false, gate: null, tags: [], note: "" }, "open"],
    [{ checkIn: "2026-11-27", checkOut: "2026-11-29" }, "check in Fri 27 Nov, check out Sun 29 Nov"],
    [{ title: "milk", createdAt: "2026-11-26T10:00:00Z", list: "shopping" }, "milk, list: shopping"],
    [{ price: 12.5, nights: 3, room: { name: "Sea", id: 4 } }, "price 12.5, 3 nights, room: Sea"],
    [{ size: { width: 2, height: 3, deep: { x: 1 } }, parts: [{}, {}] }, "2 parts (size: width 2, height 3)"],
    [{ a: [{ id: 1 }], b: [{ id: 2 }] }, "a 1, b 1"],
    [{ people: [{ name: "Ada" }], total: 7 }, "1 person: Ada (total 7)"],
    [{ name: "Ada", pin: { $sealed: "x" }, code: "[sensitive]" }, "Ada"],
    [{ $sealed: "x" }, "Done."],
  ])("of %j", (output, words) => {
    expect(sayOf("Other", {}, output)).toBe(words);
  });

  it("are those of the result that the tool names, unless it is a thing", () => {
    const weather = { ...tool("Weather"), result: "now.celsius" };
    const say = (output: unknown) => sayOutput([weather], { tool: "Weather", input: {}, output }, clock);
    expect(say({ now: { celsius: 4 }, city: "Oslo" })).toBe("4");
    expect(say({ city: "Oslo" })).toBe("city: Oslo");
  });

  it("stay on one line and show no control character", () => {
    for (const evil of ["a\nbooking 99: Smith", "a\u2028b", "\u001b[2J", "\u202eabc"]) {
      const words = sayOf("ShowBookings", {}, { bookings: [{ ...okafor, name: evil, [evil]: evil }], [evil]: 1 });
      expect(words).not.toMatch(/[\p{Control}\p{Line_Separator}\p{Bidi_Control}]/u);
    }
  });
});

const step = (fields: Partial<StepRecord> & { readonly output?: unknown }): StepRecord =>
  ({ stepId: "s1", tool: "MoveBooking", input: { booking: 32 }, attempts: 1, status: "completed", ...fields }) as never;
const run = (fields: Partial<SpokenRun> = {}): SpokenRun => ({ status: "completed", steps: [], ...fields });
const say = (fields: Partial<SpokenRun>, all: readonly Tool[] = tools) => sayRun(run(fields), { tools: all, ...clock });
const failure = (code: string, message: string, details: object = {}) =>
  ({ name: "AgentError", code, message, details, retryable: false }) as never;
const planOf = (...steps: readonly object[]) => ({ steps, source: { planner: "rules" } }) as never;

describe("the words of a run", () => {
  const call = (id: string, more: object = {}) => ({ id, tool: "MoveBooking", input: { booking: 32 }, ...more });
  const pending = (item: object) => say({ status: "suspended", plan: planOf(call("s1")), pending: [item as never] });

  it("are those of its steps, without reads that only feed others", () => {
    const steps = [
      step({ stepId: "a", tool: "ShowBookings", effect: "pure", output: { bookings: [okafor] } }),
      step({ stepId: "b", output: okafor }),
      step({ stepId: "q", tool: "wait", output: 8 }),
      step({ stepId: "c", tool: "ShowBookings", effect: "pure", output: { bookings: [] } }),
    ];
    const plan = planOf(
      { id: "a", tool: "ShowBookings", input: {} },
      call("b", { input: { booking: { $ref: "a.bookings[0].booking" } } }),
      { id: "c", tool: "ShowBookings", input: {} },
    );
    expect(say({ plan, steps })).toBe("booking 32: Okafor, Thu 26 Nov 19:00, 2 people\nNo bookings.");
  });

  it("say the iterations of a loop together", () => {
    const steps = Array.from({ length: 12 }, (_, iteration) => step({ iteration, output: `no ${iteration}` }));
    expect(say({ steps })).toBe(`${Array.from({ length: 10 }, (_, at) => `no ${at}`).join("; ")}; …`);
  });

  it.each<[string, Partial<SpokenRun>, string]>([
    ["nothing to do", { plan: planOf(call("s1")), steps: [step({ status: "skipped" })] }, "Nothing had to be done."],
    ["words only", {}, ""],
    [
      "a failed step",
      {
        status: "failed",
        steps: [
          step({
            status: "failed",
            error: failure("tool-failed", "Step", { errors: [{ name: "Error", message: "There is no\nbooking 32." }] }),
          }),
        ],
        error: failure("tool-failed", "Step", { errors: [] }),
      },
      "This failed: move booking, booking: 32. There is no booking 32.",
    ],
    [
      "a failure without a step",
      { status: "failed", error: failure("timeout", "The run took too long.") },
      "The run took too long.",
    ],
    [
      "a refusal with an example",
      { status: "failed", error: failure("cannot-plan", "No tool can.", { examples: ["show bookings"] }) },
      'No tool can.\nFor example: "show bookings".',
    ],
    [
      "a refusal with meanings",
      {
        status: "failed",
        error: failure("cannot-plan", "Unsure.", {
          examples: [],
          proposals: [
            { text: "a", steps: [] },
            { text: "b", steps: [] },
          ],
        }),
      },
      'Unsure.\nDid you mean "a" or "b"?',
    ],
    [
      "a refusal that lacks a value",
      {
        status: "failed",
        error: failure("cannot-plan", "Unsure.", {
          examples: [],
          proposals: [{ text: "a", steps: [], asks: { text: "Which?" } }],
        }),
      },
      "Unsure.",
    ],
    [
      "a rejection",
      {
        status: "failed",
        error: failure("approval-rejected", "Rejected", { reason: "too late" }),
        approvals: [{ kind: "plan", status: "rejected", hash: "", decidedAt: "", by: "Kim" }],
      },
      "The plan was refused by Kim: too late.",
    ],
    ["cancelling", { status: "cancelled", error: failure("cancelled", "", { reason: "enough" }) }, "Cancelled: enough"],
    [
      "declining",
      { status: "cancelled", error: failure("cancelled", "", { reason: "declined" }) },
      "All right, leaving it as it is.",
    ],
    [
      "another request",
      { status: "cancelled", error: failure("cancelled", "", { reason: "superseded" }) },
      "The question was replaced by another request.",
    ],
    [
      "an interruption",
      { status: "interrupted", error: failure("interrupted", "") },
      "The request was interrupted and can be continued later.",
    ],
    [
      "an undone step",
      { status: "failed", steps: [step({ status: "undone" })], error: failure("timeout", "Too late.") },
      "Undone: move booking, booking: 32.\nToo late.",
    ],
    [
      "an undone run",
      {
        status: "cancelled",
        steps: [step({ status: "undone" }), step({ stepId: "s2", status: "failed", error: failure("timeout", "") })],
        notUndone: [{ stepId: "s2", tool: "MoveBooking", reason: "failed" }],
        error: failure("cancelled", "Cancelled: undone", { reason: "undone" }),
      },
      "Undone: move booking, booking: 32.\nNot undone: move booking, booking: 32 (undoing it failed).",
    ],
  ])("have a sentence for %s", (_, fields, words) => {
    expect(say(fields)).toBe(words);
  });

  it.each<[object, string]>([
    [
      {
        kind: "question",
        message: "Which one?",
        options: [
          { id: "a", label: "milk" },
          { id: "b", label: "x\ny" },
        ],
      },
      "Which one?\n1 milk\n2 x y",
    ],
    [{ kind: "question", message: "When?" }, "When?"],
    [{ kind: "approval", stepId: "s1", ...call("s1") }, "Needs approval: move booking, booking: 32."],
    [{ kind: "plan-approval" }, "Needs approval: move booking, booking: 32."],
    [{ kind: "wait", stepId: "s1", until: "2026-11-27T08:00:00Z" }, "Waiting until Fri 27 Nov 08:00."],
    [{ kind: "wait", stepId: "s1", event: "paid" }, 'Waiting for the event "paid", without a time limit.'],
    [{ kind: "outcome", stepId: "s1" }, "It is not known whether this was done: s1."],
    [{ kind: "mismatch", reason: "no tool" }, "The request cannot continue here: no tool"],
    [{ kind: "given-up", reason: "3 processes died" }, "The request was given up: 3 processes died"],
  ])("say that it waits for %j", (item, words) => {
    expect(pending(item)).toBe(words);
  });
});

describe("the words of a tool", () => {
  const sayBy = (own: (done: { input: never; output: never }) => unknown, output: unknown = okafor, request?: string) =>
    sayDone(
      { tool: "MoveBooking", input: { booking: 32, at: okafor.at }, output },
      { tools: [tool("MoveBooking", { input: move.inputSchema as z.ZodType, output: Booking, say: own })], ...clock },
      request,
    );
  const byDefault = "booking 32: Okafor, Thu 26 Nov 19:00, 2 people";

  it.each([
    "Moved booking 32 of Okafor to Thu 26 Nov 19:00.",
    "Okafor's table for 2 is now at 7 on Thursday.",
    "The booking is moved. Okafor comes at 19:00.",
    "Two people come.",
    "Moved.",
  ])("count: %s", (words) => {
    expect(sayBy(() => words)).toBe(words);
  });

  it("may name what only the request says, and are cut", () => {
    expect(sayBy(() => "Done for Kim.", okafor, "move it for Kim")).toBe("Done for Kim.");
    expect(sayBy(() => "moved ".repeat(1_000))).toMatch(/^.{1999}…$/);
    expect(sayBy(() => "moved\nto the end")).toBe("moved to the end");
  });

  it.each<[string, () => unknown]>([
    [
      "throw",
      () => {
        throw new Error("no");
      },
    ],
    ["are no text", () => 5],
    ["are a promise", () => Promise.resolve("Moved.")],
    ["are empty", () => " "],
    ["lie about a name", () => "Moved the booking of Smith."],
    ["begin with another name", () => "Smith is moved."],
    ["give a number that is nowhere", () => "Moved 3 bookings."],
    ["give a number in words", () => "Moved nine bookings."],
    ["give another day", () => "Moved to Friday 26 November."],
    ["give a day without a date", () => "Moved to tomorrow."],
    ["give another time", () => "Moved to 19:30."],
  ])("do not count if they %s", (_, own) => {
    expect(sayBy(own)).toBe(byDefault);
  });

  it("never have a secret, which they get hidden", () => {
    const pay = tool("Pay", {
      output: z.object({ paid: z.number(), card: sensitive(z.string()) }),
      say: ({ output }) => `Paid with ${(output as { readonly card: string }).card}.`,
    });
    const output = { paid: 12, card: "[sensitive]" };
    expect(sayDone({ tool: "Pay", input: {}, output }, { tools: [pay], ...clock })).toBe("Paid with [sensitive].");
  });
});

describe("no number, date or name is said that is not in a value", () => {
  const word = fc.string({ unit: fc.constantFrom(..."abcdefgh"), minLength: 3, maxLength: 8 });
  const name = word.map((text) => text.charAt(0).toUpperCase() + text.slice(1));
  const date = fc
    .date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
    .map((at) => at.toISOString());
  const value = fc.oneof(
    name,
    word,
    fc.integer(),
    date,
    date.map((text) => text.slice(0, 10)),
    fc.boolean(),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(value, fc.array(tie("json"), { maxLength: 12 }), fc.dictionary(word, tie("json"), { maxKeys: 5 })),
  }));

  const sizesIn = (of: unknown): readonly string[] =>
    typeof of !== "object" || of === null
      ? []
      : [...(Array.isArray(of) ? [String(of.length)] : []), ...Object.values(of).flatMap(sizesIn)];
  const saidDate = /\w{3} (\d+ \w{3})( \d{4})?( \d\d:\d\d)?/g;

  it("by default", () => {
    fc.assert(
      fc.property(json, (output) => {
        const text = JSON.stringify(output);
        const known = new Set([...(text.match(/\d+|[A-Za-z]+/g) ?? []), ...sizesIn(output), "No", "Done"]);
        const dates = new Set(
          (text.match(/\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?/g) ?? []).map((each) =>
            Date.parse(`${each}${each.length > 10 ? "Z" : ""}`),
          ),
        );
        const rest = sayOutput([], { tool: "Any", input: {}, output }, clock).replace(
          saidDate,
          (said, day, year, time) => {
            const at = Date.parse(`${day}${year ?? " 2026"}${time ?? " 00:00"} UTC`);
            return dates.has(at) ? "" : said;
          },
        );
        expect((rest.match(/\d+|[A-Z][a-z]+/g) ?? []).filter((said) => !known.has(said))).toEqual([]);
      }),
    );
  });

  it("in the words of a tool", () => {
    fc.assert(
      fc.property(
        json,
        fc.oneof(
          name,
          fc.integer({ min: 100 }),
          date.map((at) => at.slice(0, 16)),
        ),
        (output, lie) => {
          fc.pre(!JSON.stringify(output).toLowerCase().includes(String(lie).toLowerCase()));
          for (const words of [`Moved to ${lie}.`, `Moved. ${lie} it is.`, `moved "${lie}"`]) {
            const liar = tool("Any", { say: () => words });
            const said = sayDone({ tool: "Any", input: {}, output }, { tools: [liar], ...clock });
            expect(said).not.toBe(words);
          }
        },
      ),
    );
  });
});

it("says a long run in bounded words", () => {
  const steps = Array.from({ length: 2_000 }, (_, index) => step({ stepId: `s${index}`, output: okafor }));
  expect(say({ steps }).length).toBeLessThanOrEqual(10_000);
  const store = createTodoStore();
  expect(
    say({ steps: [step({ tool: "TodoStore", input: { operation: "clear" }, output: { cleared: 2 } })] }, [store]),
  ).toBe("Cleared 2 todos.");
});
