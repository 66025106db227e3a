import { EventEmitter } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { createProcessIo } from "../../src/cli/cli-io.ts";

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
