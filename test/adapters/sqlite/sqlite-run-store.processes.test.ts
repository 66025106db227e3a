import type { AgentEvent } from "planwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChildWork } from "./processes/child-work.ts";
import { buildChild, type Child, startChild } from "./processes/start-child.ts";
import { checkIntegrity, drivers, newPath, openStore } from "./sqlite-files.ts";

/** How many processes are killed while they record, with each driver. */
const kills = Number(process.env.SQLITE_KILLS ?? 20);

/** How many times four processes execute 30 runs each, on one file. */
const rounds = Number(process.env.SQLITE_ROUNDS ?? 1);

let built: ReturnType<typeof buildChild>;
beforeAll(() => {
  built = buildChild();
});
afterAll(() => built.remove());

function start(work: Partial<ChildWork> & { path: string; driver: string }): Child {
  return startChild(built.script, { work: "append", runId: "r", count: 50, name: "child", ...work });
}

/** Lets processes begin as near to one moment as can be, and waits until all have ended well. */
async function runTogether(children: readonly Child[]): Promise<void> {
  await Promise.all(children.map(({ ready }) => ready));
  for (const child of children) child.go();
  const codes = await Promise.all(children.map(({ ended }) => ended));
  expect(codes).toEqual(children.map(() => 0));
  expect(children.flatMap(({ lines }) => lines.filter((line) => line.startsWith("failed")))).toEqual([]);
}

function writerOf(event: AgentEvent): unknown {
  if (event.type === "run-start") return event.metadata.writer;
  return event.type === "step-start" ? event.reasoning : undefined;
}

// All pairs of drivers: one process may run on another version of Node than the next.
const pairs = drivers.flatMap((driver, index) => drivers.slice(index).map((other) => [driver, other] as const));

describe.each(pairs)("processes with %s and %s", (...names) => {
  it("can create a file at the same time", async () => {
    const path = newPath();
    const children = [...names, ...names].map((driver, index) => {
      return start({ path, driver, runId: `r${index}`, name: `child${index}`, count: 2 });
    });
    await runTogether(children);
    const store = openStore(path, { driver: names[0] });
    for (const [index] of children.entries()) expect(store.read(`r${index}`)).toHaveLength(2);
    expect(checkIntegrity(path, names[0])).toBe("ok");
  });

  it("record in the same run without a gap or a repeated number", async () => {
    const path = newPath();
    const children = names.map((driver, index) => start({ path, driver, name: `child${index}` }));
    await runTogether(children);
    const events = await openStore(path, { driver: names[0] }).read("r");
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    for (const [index, { lines }] of children.entries()) {
      const own = events.filter((event) => writerOf(event) === `child${index}`);
      expect(lines).toEqual(own.map(({ sequence }) => String(sequence)));
      expect(lines).toHaveLength(50);
    }
    expect(checkIntegrity(path, names[0])).toBe("ok");
  });

  it("record in different runs without disturbing each other", async () => {
    const path = newPath();
    const children = names.map((driver, index) => start({ path, driver, runId: `r${index}` }));
    await runTogether(children);
    const store = openStore(path, { driver: names[0] });
    for (const [index, { lines }] of children.entries()) {
      expect(lines).toEqual(Array.from({ length: 50 }, (_, line) => String(line + 1)));
      expect(store.read(`r${index}`)).toHaveLength(50);
    }
  });

  it("claim a run at the same time, and one gets it", async () => {
    const path = newPath();
    const children = [...names, ...names].map((driver, index) => {
      return start({ path, driver, work: "claim", name: `child${index}` });
    });
    await Promise.all(children.map(({ ready }) => ready));
    for (const child of children) child.go();
    await Promise.all(children.map(({ ended }) => ended));
    const lines = children.flatMap((child) => child.lines);
    expect(lines.filter((line) => line === "fence 1")).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("failed run-owned-elsewhere"))).toHaveLength(children.length - 1);
  });
});

describe.each(drivers)("four processes with %s", (driver) => {
  it(`execute 30 runs each on one file, ${rounds} times`, { timeout: 300_000 + rounds * 60_000 }, async () => {
    for (let round = 1; round <= rounds; round++) {
      const path = newPath();
      const children = [1, 2, 3, 4].map((number) =>
        start({ path, driver, work: "run", name: `child${number}`, count: 30 }),
      );
      await runTogether(children);
      expect(children.flatMap(({ lines }) => lines)).toEqual(Array(120).fill("completed"));
    }
  });
});

describe.each(drivers)("a process that is killed while it records with %s", (driver) => {
  it(`loses no event whose recording was confirmed, ${kills} times`, { timeout: 300_000 + kills * 2_000 }, async () => {
    const path = newPath();
    let recorded = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const child = start({ path, driver, count: 100_000, name: `child${kill}` });
      // In the midst of opening, the first time of a file that is not there yet, and so on to in the midst of the 13th event.
      child.killAfter((kill - 1) % 13);
      await child.ready;
      child.go();
      expect(await child.ended).toBeNull();
      const store = openStore(path, { driver });
      const events = await store.read("r");
      store.close();
      expect(child.lines.filter((line) => line.startsWith("failed"))).toEqual([]);
      // The one event that it could not tell of any more may be there, too.
      const last = recorded + child.lines.length;
      expect([last, last + 1]).toContain(events.length);
      expect(child.lines).toEqual(child.lines.map((_, index) => String(recorded + index + 1)));
      const own = events.slice(recorded);
      expect(own.map(writerOf)).toEqual(own.map(() => `child${kill}`));
      recorded = events.length;
    }
    expect(checkIntegrity(path, driver)).toBe("ok");
  });
});
