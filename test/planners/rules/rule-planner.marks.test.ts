import fc from "fast-check";
import { createRulePlanner, type DefinedTool, defineTool, isAgentError, type PlanDraft } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { requestOf } from "./plan-for.ts";

/** 10,000 in the long suite. */
const numRuns = Number(process.env.RUNS ?? 200) * 5;

const given = { description: "For tests", execute: () => null };
const message = z.string().meta({ slot: "message" });

/** Ten tools as people write them, each with requests in the words of its phrases. */
const apps: readonly { readonly tool: DefinedTool; readonly requests: readonly string[] }[] = [
  {
    tool: defineTool({
      ...{ ...given, name: "BookRoom", effect: "once" },
      inputSchema: z.object({ room: z.string(), day: z.iso.date(), hours: z.number().optional() }),
      phrases: ["book room {room} on {day}", "book room {room} on {day} for {hours} hours"],
    }),
    requests: ["book room Orion on 3 march", "book room Orion on 3 march for 2 hours"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "Transfer", effect: "once" },
      inputSchema: z.object({ to: z.string(), euros: z.number() }),
      phrases: ["send {euros} euros to {to}", "pay {to} {euros} euros"],
    }),
    requests: ["send 20 euros to Ada", "pay Ada 20 euros"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "Refund", effect: "once" },
      inputSchema: z.object({ order: z.number().int(), reason: z.string().optional() }),
      phrases: ["refund order {order} [because {reason}]"],
    }),
    requests: ["refund order 1042", "refund order 1042 because it broke"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "MoveLesson", effect: "idempotent" },
      inputSchema: z.object({ pupil: z.string(), from: z.iso.date(), to: z.iso.date() }),
      phrases: ["move {pupil}'s lesson from {from} to {to}"],
    }),
    requests: ["move Emma's lesson from 3 march to 5 march"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "Tag", effect: "idempotent" },
      inputSchema: z.object({ item: z.string(), tags: z.array(z.string()) }),
      phrases: ["tag {item} with {tags}", "label {item} as {tags}"],
    }),
    requests: ["tag milk with cold", "label milk as cold and fresh"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "Plant", effect: "idempotent" },
      inputSchema: z.object({ crop: z.string(), bed: z.number().int(), month: z.iso.date().optional() }),
      phrases: ["plant {crop} in bed {bed}", "plant {crop} in bed {bed} on {month}"],
    }),
    requests: ["plant leeks in bed 4", "plant leeks in bed 4 on 2 may"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "Dim", effect: "idempotent" },
      inputSchema: z.object({ lamp: z.enum(["kitchen", "hall"]), percent: z.number() }),
      phrases: ["dim the {lamp} light to {percent} percent"],
    }),
    requests: ["dim the hall light to 40 percent"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "Sales", effect: "pure" },
      inputSchema: z.object({ shop: z.string(), period: z.string().meta({ slot: "range", when: "past" }).optional() }),
      phrases: ["sales of {shop}", "sales of {shop} {period}", "what did {shop} sell {period}"],
    }),
    requests: ["sales of Berlin", "sales of Berlin last week", "what did Berlin sell last month"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "Remind", effect: "idempotent" },
      inputSchema: z.object({ who: z.string(), at: z.iso.datetime({ offset: true }), of: z.string() }),
      phrases: ["remind {who} of {of} at {at}"],
    }),
    requests: ["remind Ben of rent at 16:00 tomorrow"],
  },
  {
    tool: defineTool({
      ...{ ...given, name: "Mail", effect: "once" },
      inputSchema: z.object({ to: z.string(), text: message }),
      phrases: ["mail {to} that {text}", "tell {to}: {text}"],
    }),
    requests: ["mail Ada that we are late", "tell Ada: all is well"],
  },
];

/** Pieces of a request that mean something, each with what an input has that uses it whole. */
const marks: readonly (readonly [text: string, used: RegExp])[] = [
  ["on 7 july", /-07-07/],
  ["until 9 august 2031", /2031-08-09/],
  ["at 17:45", /17:45/],
  ["for 3 days", /\b(?:3|72)\b/],
  ["77 km", /\b77\b/],
  ["$66", /\b66\b/],
  ["55 dollars", /\b55\b/],
  ["number 88", /\b88\b/],
  ["the 44th", /\b44/],
  ['"blue moon"', /blue moon/],
  ["#urgent", /urgent/],
  ["x@y.example", /x@y\.example/],
  ["https://x.example/a", /https:\/\/x\.example\/a/],
  ["1h30", /\b1\.5\b|\b90\b|1h30/],
];

/** Pieces that forbid, allow or repeat something, so that nothing is certain. */
const signals = [
  ...["not", "never", "don't", "or Carl", "except Carl", "instead of Carl", "unless it rains", "if it rains"],
  ...["every day", "evry day", "each week", "no wait, Carl", "Petra told me that"],
];

/** A request of a tool, by its number in a list, so that a failure says little more than the request. */
const pairs = apps.flatMap(({ tool, requests }) => requests.map((request) => ({ tool, request })));
const anyRequest = fc.record({ pair: fc.nat(pairs.length - 1), place: fc.double({ min: 0, max: 1, noNaN: true }) });
const requestOfPair = (pair: number) => pairs[pair] as (typeof pairs)[number];

/** A request with a piece between two of its words. */
function insert(request: string, piece: string, place: number): string {
  const words = request.split(" ");
  const at = Math.min(words.length, Math.floor(place * (words.length + 1)));
  return [...words.slice(0, at), piece, ...words.slice(at)].join(" ");
}

async function planOrRefuse(text: string, tool: DefinedTool): Promise<PlanDraft | undefined> {
  try {
    return await createRulePlanner().plan(requestOf(text, { tools: [tool] }));
  } catch (error) {
    if (isAgentError(error, "cannot-plan")) return undefined;
    throw error;
  }
}

const inputsOf = ({ steps }: PlanDraft) => JSON.stringify(steps.map(({ input, wait }) => [input, wait]));
/** True if a step has the piece as it was typed: in a message, or in a name that it may belong to. */
const isCopied = (plan: PlanDraft, piece: string) =>
  inputsOf(plan).includes(JSON.stringify(piece).slice(1, -1)) || inputsOf(plan).includes(piece.replace(/^"|"$/g, ""));

describe("a mark in any place of a request", () => {
  it("is planned by none of the tools' phrases without it", async () => {
    for (const { tool, requests } of apps)
      for (const request of requests) expect(await planOrRefuse(request, tool), request).toBeDefined();
  });

  it("is used whole, or the request is not planned", async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, fc.constantFrom(...marks), async ({ pair, place }, [mark, used]) => {
        const { tool, request } = requestOfPair(pair);
        const text = insert(request, mark, place);
        const plan = await planOrRefuse(text, tool);
        if (plan === undefined) return;
        expect(used.test(inputsOf(plan)) || isCopied(plan, mark), `${text}: ${inputsOf(plan)}`).toBe(true);
      }),
      { numRuns },
    );
  }, 120_000);

  it("is never planned if it forbids, allows or repeats something, except word for word in a message", async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, fc.constantFrom(...signals), async ({ pair, place }, signal) => {
        const { tool, request } = requestOfPair(pair);
        const text = insert(request, signal, place);
        const plan = await planOrRefuse(text, tool);
        if (plan === undefined) return;
        const [step] = plan.steps as readonly {
          readonly input?: { readonly text?: unknown; readonly reason?: unknown };
        }[];
        const isMessage =
          plan.steps.length === 1 && String(step?.input?.text ?? step?.input?.reason ?? "").includes(signal);
        expect(isMessage, `${text}: ${inputsOf(plan)}`).toBe(true);
      }),
      { numRuns },
    );
  }, 120_000);
});

describe("a plan", () => {
  it("leaves no word of a request over", async () => {
    const words = "blue quickly forty Berlin maybe extra with under the of and again".split(" ");
    const extra = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((all) => all.join(" "));
    const free = /^(?:the|of|and|with|under|again|quickly|maybe|just)$/;
    await fc.assert(
      fc.asyncProperty(anyRequest, extra, async ({ pair, place }, piece) => {
        const { tool, request } = requestOfPair(pair);
        const text = insert(request, piece, place);
        const plan = await planOrRefuse(text, tool);
        if (plan === undefined) return;
        const inputs = inputsOf(plan).toLowerCase();
        const isKept = (word: string) =>
          free.test(word) || inputs.includes(word.toLowerCase()) || (word === "forty" && inputs.includes("40"));
        const left = piece.split(" ").filter((word) => !isKept(word));
        expect(left, `${text}: ${inputs}`).toEqual([]);
      }),
      { numRuns },
    );
  }, 120_000);
});

describe("any sentence", () => {
  const mail = apps.find(({ tool }) => tool.name === "Mail")?.tool as DefinedTool;
  const words =
    "the train leaves at 5pm and not tomorrow, if you want: 20 euros or two? don't forget milk (really) please thanks on friday because I can't come it that \"quoted\"".split(
      " ",
    );
  const sentence = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 12 }).map((all) => all.join(" "));

  it("arrives as a message, word for word", async () => {
    await fc.assert(
      fc.asyncProperty(sentence, async (text) => {
        // A message that is one quoted text is taken without its quotes.
        fc.pre(!/^"/.test(text) && !/^it\b|^that\b/.test(text));
        const plan = await planOrRefuse(`mail Ada that ${text}`, mail);
        expect(
          plan?.steps.map(({ input }) => input),
          text,
        ).toEqual([{ to: "Ada", text }]);
      }),
      { numRuns },
    );
  }, 120_000);
});

describe("where a text ends", () => {
  const name = fc.constantFrom("key", "old lamp", "report on sales", "Ada", "marketing", "letter");
  const link = fc.constantFrom("to", "with", "for", "under");
  const toolOf = (phrase: string, who: z.ZodType = z.string(), what: z.ZodType = z.string()) =>
    defineTool({
      ...{ ...given, name: "Own", effect: "idempotent" },
      inputSchema: z.object({ who, what }),
      phrases: [phrase],
    } as never) as DefinedTool;

  it("is asked if the word behind a name stands there twice, and certain if it stands there once", async () => {
    await fc.assert(
      fc.asyncProperty(name, name, name, link, async (one, other, third, word) => {
        const tool = toolOf(`hand {what} ${word} {who}`);
        expect(await planOrRefuse(`hand ${one} ${word} ${other} ${word} ${third}`, tool)).toBeUndefined();
        expect(inputsOf((await planOrRefuse(`hand ${one} ${word} ${third}`, tool)) as PlanDraft)).toContain(
          `"what":"${one}"`,
        );
      }),
      { numRuns },
    );
  }, 120_000);

  it("is asked if a message begins by continuing the name before it", async () => {
    const tool = toolOf("tell {who} [that] {what}", z.string().meta({ slot: "word" }), message);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("and", "or", ","), name, async (joiner, other) => {
        expect(await planOrRefuse(`tell Ada ${joiner} ${other} that I am home`, tool)).toBeUndefined();
        expect(await planOrRefuse(`tell Ada that ${other} ${joiner} the rest is here`, tool)).toBeDefined();
      }),
      { numRuns },
    );
  }, 120_000);
});
