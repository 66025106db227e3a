import { createAgent, createMemoryRunStore, defineTool, type RunResult } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { forEachKillPoint, type KillPoint, type MortalProcess } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { answerLater } from "../scenario/answer-later.ts";

const runId = "r";
const step = (id: string) => ({ id, tool: "Note", input: { text: id } }) as const;

/** A run of two steps, and which processes have called its tool. */
function createScenario(effect: "idempotent" | "once" = "idempotent") {
  const calls: { readonly key: string; readonly generation: number }[] = [];
  const createNoting = ({ store, generation }: MortalProcess) => {
    const tool = defineTool({
      name: "Note",
      description: "Notes a text",
      inputSchema: z.object({ text: z.string() }),
      effect,
      async execute({ text }, { idempotencyKey: key }) {
        if (!store.hasCrashed) calls.push({ key, generation });
        return { text };
      },
    });
    return createAgent({ tools: [tool], store });
  };
  return {
    calls,
    run: (process: MortalProcess): Promise<RunResult> =>
      createNoting(process).execute({ steps: [step("a"), step("b")] }, { runId }),
    resume: (process: MortalProcess): Promise<RunResult> => createNoting(process).resume(runId),
  };
}

const recorded = [["run-start"], ["step-start"], ["step-end", "step-start"], ["step-end"], ["run-end"]] as const;
const allPoints: readonly KillPoint[] = recorded.flatMap((types, index) =>
  (["before", "after"] as const).map((side) => ({ side, append: index + 1, types })),
);

describe("forEachKillPoint", () => {
  it.each([
    ["at once", createMemoryRunStore],
    ["by promises", () => answerLater(createMemoryRunStore())],
    ["from a database", () => createSqliteRunStore({ path: ":memory:" })],
  ])(
    "kills a run at each point and lets another process finish it, with a store that answers %s",
    async (_name, createStore) => {
      const { calls, run, resume } = createScenario();
      const checked: KillPoint[] = [];
      const points = await forEachKillPoint({
        run: (process) => {
          calls.length = 0;
          return run(process);
        },
        resume,
        createStore,
        check: async ({ point, result, expected, store, refused }) => {
          checked.push(point);
          expect(result.status).toBe("completed");
          expect(result.output).toEqual(expected.output);
          expect(refused).toEqual([]);
          expect((await store.read(runId)).at(-1)?.type).toBe("run-end");
          // Only a step in flight is run again.
          const isInFlight = point.types[0] === "step-end" && point.side === "before";
          const isLost = point.append === 1 && point.side === "before";
          expect(calls).toHaveLength(isInFlight ? 3 : 2);
          if (isLost) expect(calls.map(({ generation }) => generation)).toEqual([2, 2]);
        },
      });
      expect(points).toEqual(allPoints);
      expect(checked).toEqual(allPoints);
    },
  );

  it("reports runs that are suspended", async () => {
    const { run, resume } = createScenario("once");
    const suspended: KillPoint[] = [];
    await forEachKillPoint({
      run,
      resume,
      check: ({ point, result }) => {
        if (result.status === "suspended") suspended.push(point);
      },
    });
    expect(suspended.map(({ side, append }) => `${side} ${append}`)).toEqual([
      "after 2",
      "before 3",
      "after 3",
      "before 4",
    ]);
  });

  it("lets several processes resume at once, of which one gets the run", async () => {
    const { run, resume } = createScenario();
    await forEachKillPoint({
      run,
      resume,
      resumers: 2,
      check: ({ point, result, refused }) => {
        expect(result.status).toBe("completed");
        const hasEnded = point.append === 5 && point.side === "after";
        expect(refused).toHaveLength(hasEnded ? 0 : 1);
        for (const error of refused) expect(error).toMatchObject({ code: "run-owned-elsewhere" });
      },
    });
  });

  it("finishes a run whose dead process gets errors", async () => {
    const { run, resume } = createScenario();
    let alive = 0;
    const counted = async (process: MortalProcess) => {
      alive++;
      return run(process).finally(() => alive--);
    };
    await forEachKillPoint({
      run: counted,
      resume,
      afterCrash: "throw",
      check: ({ result }) => expect(result.status).toBe("completed"),
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(alive).toBe(0);
  });

  it("reports the point at which a check has failed, with its error", async () => {
    const cause = new Error("not so");
    const { run, resume } = createScenario();
    const check = ({ point }: { point: KillPoint }) => {
      if (point.append === 3) throw cause;
    };
    const failure = forEachKillPoint({ run, resume, check });
    await expect(failure).rejects.toMatchObject({
      message: "Killed before append 3 (step-end, step-start): Error: not so",
      cause,
    });
  });

  it("reports the point at which the run could not be resumed", async () => {
    const { run } = createScenario();
    const resume = () => Promise.reject(new Error("no tools"));
    const failure = forEachKillPoint({ run, resume, check: () => {} });
    await expect(failure).rejects.toThrow("Killed after append 1 (run-start): Error: no tools");
  });

  it("reports a run that ends or fails instead of being killed", async () => {
    const { run, resume } = createScenario();
    let times = 0;
    const shorter = (process: MortalProcess) => {
      times++;
      return times === 1 ? run(process) : Promise.resolve({} as RunResult);
    };
    const ended = forEachKillPoint({ run: shorter, resume, check: () => {} });
    await expect(ended).rejects.toThrow("Killed before append 1 (run-start): Error: The run has ended with 0 appends.");
    times = 0;
    const failing = (process: MortalProcess) => {
      times++;
      return times === 1 ? run(process) : Promise.reject(new Error("no"));
    };
    const failed = forEachKillPoint({ run: failing, resume, check: () => {} });
    await expect(failed).rejects.toThrow("Killed before append 1 (run-start): Error: no");
  });

  it("refuses invalid options", async () => {
    const { run, resume } = createScenario();
    const options = { run, resume, check: () => {} };
    await expect(forEachKillPoint({ ...options, resumers: 0 })).rejects.toMatchObject({ code: "invalid-options" });
    await expect(forEachKillPoint({ ...options, run: undefined as unknown as typeof run })).rejects.toMatchObject({
      code: "invalid-options",
    });
    const unknown = { ...options, stores: 1 } as typeof options;
    await expect(forEachKillPoint(unknown)).rejects.toMatchObject({ code: "invalid-options" });
  });
});
