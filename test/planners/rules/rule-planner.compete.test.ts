import { createAgent, defineTool, isAgentError, type Tool } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

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
