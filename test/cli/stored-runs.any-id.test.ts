import { join } from "node:path";
import { createFakeTool } from "planwright/testing";
import { expect, it } from "vitest";
import { createCliAgent } from "../../src/cli/cli-io.ts";
import { newFolder } from "../new-folder.ts";
import { call, fakeIo } from "./call-with-db.ts";
import { callCli, createFakeIo } from "./fake-io.ts";

it("show, watch and resume find a run by any id, and treat other words as a request", async () => {
  const db = join(newFolder(), "todo.db");
  const io = fakeIo(db, { tools: [createFakeTool({ name: "Fake" })] });
  const { agent, close } = await io.createAgent({ planner: { type: "rules" }, db });
  await agent.execute({ steps: [{ id: "a", tool: "Fake", input: {} }] }, { runId: "nightly" });
  close();
  for (const name of ["show", "watch", "resume"]) {
    expect((await call(db, name, "nightly")).stdout).toMatch(name === "show" ? /^nightly\n/ : /Result/);
    expect((await call(db, name, "--", "nightly")).exitCode).toBe(2);
  }
  expect((await call(db, "show", "tasks")).stdout).toContain("count: 0");
  const unknown = await call(db, "show", "order-4711");
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain(`There is no run "order-4711" in "${db}". To list the runs: planwright`);
  const kept = await callCli(["show", "order-4711"], { ...createFakeIo(), createAgent: createCliAgent });
  expect(kept.stderr).toContain("To show a stored run: planwright show order-4711 --db ./todo.db");
  expect((await call(db, "resume", "order-4711")).stderr).toContain('There is no run "order-4711"');
  const watched = await callCli(["watch", "movies"], { ...createFakeIo(), createAgent: createCliAgent });
  expect(watched.stderr).toContain("To watch a stored run: planwright watch movies --db ./todo.db");
});
