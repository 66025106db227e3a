import { createAgent, createCalculator, createTodoStore, defineTool, isAgentError, type Tool } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { knownWrong } from "./known-wrong.ts";
import { inputsFor, refusalOf } from "./plan-for.ts";

const first = ["calculate 100 / 4", "what is 20% of 80?", "show my tasks", "remind me to buy milk"];
const wishes = [
  "add a todo to pay that amount",
  "add buy that many apples to my list",
  "remind me to pay it",
  "add a task to send it to Bob",
  "create a task: tell Bob the answer",
  "add a todo saying the total is that",
  "remind me to check the output",
  "add order these to my shopping list",
  "add print this figure to my list",
  "remind me to use the number",
  "add compare them to my work list",
  "put send Ann the sum on my list",
  "create a todo called final value",
];
const afterCalculation = ["add a todo to check the total"];
const clearing = "delete clear wipe remove erase reset cancel kill purge scrap discard drop".split(" ");
const isKnown = new Set(knownWrong.map(({ request }) => request));
const others = [
  "get rid of everything",
  "throw away everything",
  "delete all",
  "clear all of it",
  "start over",
  "add milk to my list and then clear everything",
  "Add note to PROP-2025-001: Legal review completed",
  "add comment to TICKET-42: looks good",
  "create task force",
  "create a task force",
  "create task group",
  "new task manager",
  "start task manager",
  "make task runner",
  "create todo app",
  "create reminder service",
  "create item category",
  "task force",
  "todo app",
];

describe("a request that may be ambiguous", () => {
  const requests = [
    ...first.flatMap((opening) => wishes.map((wish) => `${opening} and ${wish}`)).filter((each) => !isKnown.has(each)),
    ...afterCalculation.map((wish) => `calculate 100 / 4 and ${wish}`),
    ...clearing.map((verb) => `${verb} everything`),
    ...others,
  ];

  it.each(requests)("is refused: %s", async (request) => {
    expect((await refusalOf(request)).reason).not.toBe("");
  });

  it.each([
    ...["add a todo: result", "add results to my todos", "add result as todo", "add total as a reminder"],
    "put outcome on my list",
  ])("uses the last result where that is all the words can mean: %s", async (wish) => {
    const { steps } = await createAgent({ tools: [createCalculator(), createTodoStore()] }).plan(
      `calculate 100 / 4 and ${wish}`,
    );
    expect(steps[1]?.input).toEqual({ operation: "add", title: `\${s1.value}` });
  });

  it("is refused with the ambiguous words and a suggestion", async () => {
    expect((await refusalOf("calculate 100 / 4 and put pay that amount on my list")).message).toContain(
      '"pay that amount" may refer to the result of an earlier step; say "the result" alone, or put the text in quotes',
    );
  });

  it.each([
    ["calculate 100 / 4 and add the result as todo", "${s1.value}"],
    ["calculate 100 / 4 and put that on my list", "${s1.value}"],
    ['calculate 100 / 4 and add "pay that amount" as a todo', "pay that amount"],
    ["calculate 100 / 4 and add a todo to pay the rent", "pay the rent"],
  ])("is planned if its text is bound, quoted or plain: %s", async (request, title) => {
    expect((await inputsFor(request))[1]).toEqual({ operation: "add", title });
  });

  it.each([
    ["add 5% tip", { operation: "add", title: "5% tip" }],
    ["add $5 fee", { operation: "add", title: "$5 fee" }],
    ["add tip of 20%", { operation: "add", title: "tip of 20%" }],
    ["add milk", { operation: "add", title: "milk" }],
    ["task: dentist", { operation: "add", title: "dentist" }],
    ["clear all my tasks", { operation: "clear", allLists: true }],
  ])("is planned if there is no earlier step to refer to: %s", async (request, input) => {
    expect(await inputsFor(request)).toEqual([input]);
  });
});

/** What docs/phrases.md says beside the requests that it quotes. */

const toolOf = (name: string, shape: Readonly<Record<string, z.ZodType>>, phrases: unknown) =>
  defineTool({
    ...{ name, description: name, inputSchema: z.object(shape), effect: "idempotent", execute: () => null },
    phrases: phrases as never,
  });

/** Each step as text, or why there is none. */
async function read(request: string, ...tools: readonly Tool[]): Promise<string> {
  try {
    const { steps } = await createAgent({ tools }).plan(request);
    return steps.map(({ tool = "", input }) => `${tool} ${JSON.stringify(input)}`).join("; ");
  } catch (error) {
    return isAgentError(error, "cannot-plan") ? error.details.reason : String(error);
  }
}

const text = z.string();
const day = z.iso.date();
const area = z.enum(["inside", "terrace"]).optional();

describe("phrases that compete", () => {
  it("are told apart in any order of tools and phrases", async () => {
    const call = toolOf("Call", { to: text }, ["remind me to call {to}"]);
    const remind = toolOf("Remind", { task: text }, ["remind me to {task}", "remind me that {task}"]);
    const reversed = toolOf("Remind", { task: text }, ["remind me that {task}", "remind me to {task}"]);
    for (const tools of [
      [call, remind],
      [remind, call],
      [reversed, call],
    ])
      expect(await read("remind me to call Ada", ...tools)).toBe('Call {"to":"Ada"}');
  });

  it("of one tool are one reading if they make the same input, and else ambiguous", async () => {
    const shape = { who: text, loud: z.boolean().optional() };
    expect(await read("greet Ada", toolOf("Greet", shape, ["greet {who}", "greet [our] {who}"]))).toBe(
      'Greet {"who":"Ada"}',
    );
    const loud = ["greet {who}", { phrase: "greet {who}", input: { loud: true } }];
    expect(await read("greet Ada", toolOf("Greet", shape, loud))).toBe("ambiguous");
  });
});

describe("what stands beside a phrase", () => {
  const seat = (more: object = {}) =>
    toolOf("Seat", { guests: z.int(), area, day: day.optional(), name: text.optional() }, [
      { phrase: "seat {guests}", ...more },
    ]);
  const onTerrace = 'Seat {"guests":4,"area":"terrace"}';

  it("is a date, a number or a choice of the input by default, once, and no text", async () => {
    expect(await read("seat 4 on the terrace", seat())).toBe(onTerrace);
    expect(await read("seat 4 on the terrace on 2030-05-01", seat())).toMatch(/"area":"terrace","day":"2030-05-01"/);
    expect(await read("seat 4 inside on the terrace", seat())).toBe("not-understood");
    expect(await read("seat 4 named Ada", seat())).toBe("not-understood");
  });

  it("is what its own `anywhere` says in place of that", async () => {
    expect(await read("seat 4 on the terrace", seat({ anywhere: [] }))).toBe("not-understood");
    const named = seat({ anywhere: ["named {name}"] });
    expect(await read("seat 4 named Ada", named)).toBe('Seat {"guests":4,"name":"Ada"}');
    expect(await read("seat 4 on the terrace", named)).toBe("not-understood");
  });

  it("is nothing for a phrase with `toInput`, unless it has an `anywhere`", async () => {
    const toInput = (slots: object) => slots;
    expect(await read("seat 4 on the terrace", seat({ toInput }))).toBe("not-understood");
    expect(await read("seat 4 on the terrace", seat({ toInput, anywhere: ["on the {area}"] }))).toBe(onTerrace);
  });
});

it("a phrase whose `toInput` returns undefined steps aside for the next best, or the request is refused", async () => {
  const floor = toolOf("Floor", { floor: z.int() }, [
    {
      phrase: "go to {number}",
      slots: { number: z.int() },
      toInput: ({ number }: { number: number }) => (number > 9 ? undefined : { floor: number }),
    },
  ]);
  const house = toolOf("House", { house: z.int() }, ["go to [the] [house] {house}"]);
  expect(await read("go to 4", floor)).toBe('Floor {"floor":4}');
  expect(await read("go to 44", floor)).toBe("not-understood");
  expect(await read("go to 44", floor, house)).toBe('House {"house":44}');
  expect(await read("go to 4", floor, house)).toBe("ambiguous");
});

it("an example has a slot for each value that it says, and the rest of its input each time", async () => {
  const shape = { who: text, day, loud: z.boolean() };
  const example = { phrase: "meet Ada tomorrow", input: { who: "Ada", day: "2030-01-01", loud: true } };
  expect(await read("meet Bob on 2030-05-02", toolOf("Meet", shape, [example]))).toBe(
    'Meet {"loud":true,"who":"Bob","day":"2030-05-02"}',
  );
  const rate = toolOf("Rate", { stars: z.int() }, [{ phrase: "give it 4 stars", input: { stars: 4 } }]);
  expect(await read("give it five stars", rate)).toBe('Rate {"stars":5}');
  const title = toolOf("Play", { title: text }, [{ phrase: "Yesterday", input: { title: "Yesterday" } }]);
  expect(await read("Yesterday", title)).toBe('Play {"title":"Yesterday"}');
  expect(await read("Michelle", title)).toBe("not-understood");
});
