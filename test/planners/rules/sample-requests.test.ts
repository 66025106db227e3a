import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import type { DefinedTool } from "../../../src/core/tool.ts";
import { calculator, refusalOf, stepsFor, todos, toolWith, weather } from "./plan-for.ts";
import { refusedRequests } from "./refused-requests.ts";

const room = toolWith({
  name: "Room",
  inputSchema: z.object({
    room: z.string(),
    seats: z.number().optional(),
    day: z.iso.date().optional(),
    size: z.enum(["small", "large"]).optional(),
    projector: z.boolean().optional(),
    guests: z.array(z.string()).optional(),
  }),
  phrases: [
    "book [the] {room} room (for|on) {day}",
    "book a {size} room named {room}",
    "{seats} seats in {room}",
    "turn {projector} the projector in {room}",
    "invite {guests} to {room}",
  ],
});
const letters = z.string().regex(/^[A-Z]{3}$/);
const airport = toolWith({
  name: "Airport",
  inputSchema: z.object({ code: z.string() }),
  phrases: [
    { phrase: "flights from {code}", slots: { code: letters } },
    { phrase: "flights from home", input: { code: "OSL" } },
  ],
});
const throwing = toolWith({
  name: "Throwing",
  phrases: [
    {
      phrase: "explode {text}",
      toInput: () => {
        throw new Error("no");
      },
    },
  ],
});

const toolSets: Readonly<Record<string, readonly DefinedTool[]>> = {
  "the built-in tools": [calculator, todos],
  "own tools": [weather, room, airport, throwing],
  "all of them": [weather, calculator, room, todos],
};
const requests = refusedRequests.flatMap(([, lines]) => lines);

describe.each(Object.entries(toolSets))("the examples of refusals with %s", (_, tools) => {
  it("are planned when they are typed", async () => {
    const examples = new Set<string>();
    let refused = 0;
    for (const request of requests) {
      const refusal = await refusalOf(request, { tools }).catch(() => undefined);
      if (refusal === undefined) continue;
      refused++;
      expect(refusal.examples.length, request).toBeGreaterThan(0);
      expect(refusal.examples.length).toBeLessThanOrEqual(6);
      for (const example of refusal.examples) examples.add(example);
    }
    expect(refused).toBeGreaterThan(200);
    for (const example of examples) {
      expect(example).not.toMatch(/[{}[\]|]/);
      const steps = await stepsFor(example, { tools, maxSteps: 1 });
      expect(steps, example).toHaveLength(1);
    }
  });
});

describe("examples", () => {
  it("fill each kind of slot with something that fits", async () => {
    const { examples } = await refusalOf("hi", { tools: [room] });
    expect(examples).toEqual([
      "book room room for tomorrow",
      "book a small room named room",
      "20 seats in room",
      "turn on the projector in room",
      "invite guests to room",
    ]);
  });

  it("are those of the phrases that can be filled", async () => {
    expect((await refusalOf("hi", { tools: [airport, throwing] })).examples).toEqual(["flights from home"]);
  });

  it("say something to do where one is said", async () => {
    expect((await refusalOf("remind me to")).examples).toContain("remind me that I need to call Anna");
  });

  it("are of these tools alone", async () => {
    const [first] = (await refusalOf("hi", { tools: [weather] })).examples;
    expect(first).toBe("weather in Paris");
    const rival = toolWith({ name: "Rival", phrases: ["weather in {text}"] });
    const { examples } = await refusalOf("hi", { tools: [weather, rival] });
    expect(examples).toEqual(["is it warm in Paris", "how warm is it in Paris"]);
  });
});
