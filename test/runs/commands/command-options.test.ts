import { createAgent } from "planwright";
import { describe, expect, it } from "vitest";
import { readOptions } from "../../../src/core/option-tables.ts";
import { readSettleOptions } from "../../../src/runs/commands/command-options.ts";
import { readCloseOptions, resumeOptions } from "../../../src/runs/run/run-options.ts";

const codeOf = (call: () => unknown) => {
  try {
    call();
  } catch (thrown) {
    return (thrown as { code: string; message: string }).message;
  }
  throw new Error("It was taken.");
};

describe("the options of resuming", () => {
  it("are those that are not stored with a run", () => {
    const options = { resources: 1, signal: new AbortController().signal, throwOnFailure: true };
    expect(readOptions(resumeOptions, options)).toEqual(options);
    expect(readOptions(resumeOptions, {})).toEqual({ throwOnFailure: false });
  });

  it.each([[{ concurrency: 2 }], [{ signal: 1 }], [{ throwOnFailure: "yes" }], [{ runId: "r" }]])(
    "do not include %j",
    (wrong) => {
      expect(() => readOptions(resumeOptions, wrong as never)).toThrow(
        expect.objectContaining({ code: "invalid-options" }),
      );
    },
  );

  it("are checked before anything is read", async () => {
    const agent = createAgent({ tools: [] });
    await expect(agent.resume("r", { more: 1 } as never)).rejects.toMatchObject({ code: "invalid-options" });
    await expect(agent.resume(7 as never)).rejects.toMatchObject({ code: "invalid-options" });
    for (const concurrency of [0, 1.5, "2", Number.NaN])
      await expect(agent.resumeAll({ concurrency } as never)).rejects.toThrow(/concurrency/);
    await expect(agent.resumeAll({ signal: 1 } as never)).rejects.toThrow(/signal/);
    expect(() => agent.settle("r", "s1", {})).toThrow(expect.objectContaining({ code: "invalid-options" }));
    expect(() => agent.settle(7 as never, "s1", { retry: true })).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  });
});

describe("the options of settling", () => {
  it.each([
    [{ output: 1 }, { output: 1 }],
    [{ output: undefined }, { output: undefined }],
    [{ retry: true }, { retry: true }],
    [{ failed: "no" }, { failed: "no" }],
  ] as const)("state the outcome of the step: %j", (options, settlement) => {
    expect(readSettleOptions("s1", options)).toEqual({
      ref: { stepId: "s1" },
      settlement,
      resumes: true,
      options: { throwOnFailure: false },
    });
  });

  it("may name the iteration, and what the run needs", () => {
    const options = { iteration: 2, retry: true, resources: 1, throwOnFailure: true } as const;
    expect(readSettleOptions("s1", options)).toEqual({
      ref: { stepId: "s1", iteration: 2 },
      settlement: { retry: true },
      resumes: true,
      options: { resources: 1, throwOnFailure: true },
    });
  });

  it.each([
    [{}, "none"],
    [{ output: 1, retry: true }, "output and retry"],
    [{ output: undefined, failed: "no" }, "output and failed"],
    [{ retry: false }, "retry"],
    [{ retry: undefined }, "retry"],
    [{ failed: "" }, "failed"],
    [{ failed: 1 }, "failed"],
    [{ retry: true, iteration: -1 }, "iteration"],
    [{ retry: true, iteration: 0.5 }, "iteration"],
    [{ retry: true, signal: {} }, "signal"],
    [{ retry: true, more: 1 }, "more"],
  ])("cannot be %j", (options, what) => {
    expect(codeOf(() => readSettleOptions("s1", options as never))).toContain(what);
  });

  it("require a step id", () => {
    expect(() => readSettleOptions("" as never, { retry: true })).toThrow(/stepId/);
    expect(() => readSettleOptions(1 as never, { retry: true })).toThrow(/stepId/);
  });
});

describe("the options of closing", () => {
  it("set the time limit", () => {
    expect(readCloseOptions({})).toBe(10_000);
    expect(readCloseOptions({ timeoutMs: 0 })).toBe(0);
    for (const timeoutMs of [-1, Number.POSITIVE_INFINITY, "1"])
      expect(() => readCloseOptions({ timeoutMs } as never)).toThrow(/timeoutMs/);
    expect(() => readCloseOptions({ after: 1 } as never)).toThrow(/after/);
  });
});
