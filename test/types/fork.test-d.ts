import { type AgentEvent, createAgent, type ForkOptions, type RunHandle } from "planwright";
import { describe, expectTypeOf, it } from "vitest";
import { calculator, clock, todos } from "./tools.ts";

const agent = createAgent({ tools: [calculator, todos] });
const free = createAgent({ tools: [clock] });
type Tools = typeof calculator | typeof todos;
const resources = { precision: { digits: 1 }, user: "u" };

describe("a fork", () => {
  it("takes resources if a tool needs some, and knows the tools", async () => {
    const options: ForkOptions<Tools> = { after: 3, runId: "r2", resources };
    const handle = agent.fork("r", options);
    expectTypeOf(handle).toEqualTypeOf<RunHandle<Tools>>();
    for await (const event of handle.events) expectTypeOf(event).toEqualTypeOf<AgentEvent<Tools>>();
    const { forkedFrom } = await handle.result;
    expectTypeOf(forkedFrom).toEqualTypeOf<{ readonly runId: string; readonly after: number } | undefined>();
    free.fork("r");
    // @ts-expect-error its tools need resources
    agent.fork("r", { after: 3 });
    // @ts-expect-error not a number
    free.fork("r", { after: "3" });
    expectTypeOf<ForkOptions<Tools>>().toExtend<ForkOptions>();
  });
});
