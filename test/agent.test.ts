import { describe, expect, it } from "vitest";
import { createAgent } from "../src/agent.ts";
import { createOrchestrator } from "../src/orchestrator/orchestrator.ts";
import { createFakeTool } from "../src/testing/fake-tool.ts";

const refused = expect.objectContaining({ code: "invalid-options" });
const { inputSchema: _, ...bare } = createFakeTool({ name: "Bare" });

describe("createAgent", () => {
  it.each([
    [undefined],
    [null],
    ["tools"],
    [{}],
    [{ tools: [bare] }],
    [{ tools: [{ name: "X" }] }],
    [{ tools: [null] }],
  ])("refuses %j as options, as does createOrchestrator", (options) => {
    expect(() => createAgent(options as never)).toThrow(refused);
    expect(() => createOrchestrator(options as never)).toThrow(refused);
  });

  it("refuses what is no listener", () => {
    const agent = createAgent({ tools: [] });
    for (const listener of [undefined, null, "log"]) {
      expect(() => agent.on("run-end", listener as never)).toThrow(refused);
      expect(() => agent.subscribe(listener as never)).toThrow(refused);
    }
    expect(() => agent.on(undefined as never, () => {})).toThrow(refused);
    expect(() => agent.off("run-end", () => {})).not.toThrow();
  });
});
