import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describeTool } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { createCliAgent } from "../../src/cli/cli-io.ts";
import { newFolder } from "../new-folder.ts";
import { call } from "./call-with-db.ts";
import { callCli, createFakeAgent, createFakeIo } from "./fake-io.ts";

describe("planwright tools", () => {
  it("lists the name, the effect and the description of each tool", async () => {
    const tools = [
      createFakeTool({ name: "Fake", effect: "once" }),
      { ...createFakeTool({ name: "Other", effect: "pure" }), description: "clears\u001b[2J\nthe screen" },
    ];
    const { stdout, stderr, exitCode } = await callCli(["tools"], createFakeIo({ agent: createFakeAgent({ tools }) }));
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`Fake (once)\n  ${tools[0]?.description}\nOther (pure)\n  clears\\u001b[2J\\nthe screen\n`);
  });

  it("prints the full descriptions with --json, and creates no file", async () => {
    const folder = newFolder();
    const { stdout, exitCode } = await call(join(folder, "todo.db"), "--json", "tools");
    expect(exitCode).toBe(0);
    const { agent, close } = await createCliAgent({ planner: { type: "rules" }, db: undefined });
    expect(JSON.parse(stdout)).toEqual({ tools: await Promise.all(agent.tools.map((tool) => describeTool(tool))) });
    close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
