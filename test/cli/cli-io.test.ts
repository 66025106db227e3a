import { EventEmitter } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createCliAgent, createPlanner, createProcessIo } from "../../src/cli/cli-io.ts";

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

class FakeStream extends EventEmitter {
  write(_text: string): boolean {
    return true;
  }
}

function createFakeProcess() {
  const streams = { stdout: new FakeStream(), stderr: new FakeStream() };
  return Object.assign(new EventEmitter(), streams, {
    env: { NO_COLOR: "1" },
    exitCode: undefined as number | string | null | undefined,
  });
}

describe("createProcessIo", () => {
  it("aborts on the first Ctrl-C, and lets the second one end the process", () => {
    const host = createFakeProcess();
    const { signal } = createProcessIo(host);
    expect(signal.aborted).toBe(false);
    host.emit("SIGINT");
    expect(signal.reason).toBe("Ctrl-C was pressed");
    expect(host.listenerCount("SIGINT")).toBe(0);
  });

  it("handles SIGTERM once, and only while there is a listener", () => {
    const host = createFakeProcess();
    const { onTerminate } = createProcessIo(host);
    expect(host.listenerCount("SIGTERM")).toBe(0);
    const listener = vi.fn();
    onTerminate(listener)();
    expect(host.listenerCount("SIGTERM")).toBe(0);
    onTerminate(listener);
    host.emit("SIGTERM");
    expect(listener).toHaveBeenCalledOnce();
    expect(host.listenerCount("SIGTERM")).toBe(0);
  });

  it("ignores a closed pipe, but reports a full disk once, with exit code 1", () => {
    const host = createFakeProcess();
    createProcessIo(host);
    const write = vi.spyOn(host.stderr, "write");
    const broken = Object.assign(new Error("broken pipe"), { code: "EPIPE" });
    const full = Object.assign(new Error("disk full"), { code: "ENOSPC" });
    for (const stream of [host.stdout, host.stderr]) stream.emit("error", broken);
    expect([host.exitCode, write.mock.calls]).toEqual([undefined, []]);
    for (const stream of [host.stdout, host.stdout, host.stderr]) stream.emit("error", full);
    expect(host.exitCode).toBe(1);
    expect(write.mock.calls).toEqual([["planwright: the output cannot be written: disk full\n"]]);
  });

  it("passes on the streams and the environment", () => {
    const host = createFakeProcess();
    const { stdout, stderr, env } = createProcessIo(host);
    expect([stdout, stderr, env]).toEqual([host.stdout, host.stderr, host.env]);
  });
});
