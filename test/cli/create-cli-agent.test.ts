import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createCliAgent, createPlanner } from "../../src/cli/cli-io.ts";

it("createPlanner creates the rule planner, or a model planner with the rules as fallback", () => {
  expect(createPlanner({ type: "rules" }).name).toBe("rules");
  const planner = createPlanner({ type: "ollama", model: "qwen3", host: undefined });
  expect(planner.name).toBe("fallback");
  expect(planner.replan).toBeTypeOf("function");
});

it.each(["0.0.0.0", "0.0.0.0:11434", "http://box:1", "box"])("createPlanner accepts the host %s", (host) => {
  expect(createPlanner({ type: "ollama", model: "qwen3", host }).name).toBe("fallback");
});

it("createCliAgent opens no database for a planner that cannot be created, and closes it if the agent cannot", async () => {
  const db = join(mkdtempSync(join(tmpdir(), "planwright-")), "runs.db");
  await expect(createCliAgent({ planner: { type: "ollama", model: "", host: undefined }, db })).rejects.toThrow();
  expect(existsSync(db)).toBe(false);
  await expect(createCliAgent({ planner: { type: "rules" }, db }, { onWarning: 5 } as never)).rejects.toThrow();
  // SQLite keeps this file as long as the database is open.
  expect([existsSync(db), existsSync(`${db}-wal`)]).toEqual([true, false]);
});
