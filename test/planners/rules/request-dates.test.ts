import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/v4";
import { stepsFor, toolWith } from "./plan-for.ts";

const trip = toolWith({
  inputSchema: z.object({
    day: z.iso.date().optional(),
    time: z.iso.datetime().optional(),
    local: z.iso.datetime({ offset: true }).optional(),
    either: z.union([z.iso.date(), z.iso.datetime({ offset: true })]).optional(),
    note: z.string().optional(),
  }),
  phrases: ["leave {day}", "leave {day} at {note}", "return {time}", "meet {local}", "finish [by] {either}"],
});
/** Wednesday. */
const nowMs = Date.UTC(2026, 10, 25, 12);

async function planned(request: string, timeZone = "UTC") {
  const steps = await stepsFor(request, { tools: [trip], nowMs, timeZone }).catch(() => []);
  return steps.length === 1 ? steps[0]?.input : undefined;
}

describe("a slot for a date", () => {
  it.each([
    ["today", "2026-11-25"],
    ["tonight", "2026-11-25"],
    ["tomorrow", "2026-11-26"],
    ["tomorrow morning", "2026-11-26"],
    ["the day after tomorrow", "2026-11-27"],
    ["yesterday", "2026-11-24"],
    ["friday", "2026-11-27"],
    ["on friday", "2026-11-27"],
    ["wednesday", "2026-12-02"],
    ["this friday", "2026-11-27"],
    ["next friday", "2026-12-04"],
    ["next tuesday", "2026-12-01"],
    ["next fri", "2026-12-04"],
    ["sunday", "2026-11-29"],
    ["next week", "2026-12-02"],
    ["in 3 days", "2026-11-28"],
    ["in a week", "2026-12-02"],
    ["in two weeks", "2026-12-09"],
    ["in a fortnight", "2026-12-09"],
    ["march 5", "2027-03-05"],
    ["March the 5th", "2027-03-05"],
    ["5 march", "2027-03-05"],
    ["on the 5th", "2026-12-05"],
    ["the 5th of march 2028", "2028-03-05"],
    ["december 24, 2026", "2026-12-24"],
    ["sept 1", "2027-09-01"],
    ["dec 1st", "2026-12-01"],
    ["november 25", "2026-11-25"],
    ["2027-02-28", "2027-02-28"],
    ["the end of the month", "2026-11-30"],
  ])("takes %s", async (text, day) => expect(await planned(`leave ${text}`)).toEqual({ day }));

  it.each([
    "2027-02-30",
    "february 30 2027",
    "may",
    "the 5th",
    "5 milk",
    "in march",
    "fri",
    "milk",
    "friday 5pm",
    "in two hours",
    "5 to 7 march",
    '"tomorrow"',
  ])("does not take %s", async (text) => expect(await planned(`leave ${text}`)).toBeUndefined());

  it("leaves the time to the words after it", async () => {
    expect(await planned("leave friday at 5pm")).toEqual({ day: "2026-11-27", note: "5pm" });
  });
});

describe("a slot for a time", () => {
  it.each([
    ["return tomorrow at 5pm", { time: "2026-11-26T22:00:00.000Z" }],
    ["return at 5pm tomorrow", { time: "2026-11-26T22:00:00.000Z" }],
    ["return tomorrow", { time: "2026-11-26T05:00:00.000Z" }],
    ["return tomorrow evening", { time: "2026-11-27T00:00:00.000Z" }],
    ["return in two hours", { time: "2026-11-25T14:00:00.000Z" }],
    ["return at 2027-01-01T10:00:00+01:00", { time: "2027-01-01T09:00:00.000Z" }],
    ["meet tomorrow at half past eight", { local: "2026-11-26T08:30:00-05:00" }],
    ["meet at 7am", { local: "2026-11-26T07:00:00-05:00" }],
    ["finish by friday", { either: "2026-11-27" }],
    ["finish tomorrow evening", { either: "2026-11-26" }],
    ["finish by friday at noon", { either: "2026-11-27T12:00:00-05:00" }],
    ["return 9am to 10am", undefined],
  ])("reads %s in New York", async (request, input) => {
    expect(await planned(request, "America/New_York")).toEqual(input);
  });

  it("knows the hours that a zone skips or has twice", async () => {
    expect(await planned("meet on 2026-03-29 at 2:30", "Europe/Berlin")).toEqual({
      local: "2026-03-29T03:30:00+02:00",
    });
    expect(await planned("meet on 2026-10-25 at 2:30", "Europe/Berlin")).toEqual({
      local: "2026-10-25T02:30:00+02:00",
    });
    // The clocks of Cairo go from 00:00 to 01:00.
    expect(await planned("return 2027-04-30", "Africa/Cairo")).toEqual({ time: "2027-04-29T22:00:00.000Z" });
  });
});

describe("the library of dates", () => {
  const loaded = vi.fn();

  afterEach(() => {
    vi.doUnmock("chrono-node/en");
    vi.resetModules();
    loaded.mockClear();
  });

  /** A planner and tools whose modules are loaded anew, and tell when they load the library. */
  async function freshPlanner() {
    vi.resetModules();
    vi.doMock("chrono-node/en", async (original) => {
      loaded();
      return original();
    });
    const { createAgent, createCalculator, createTodoStore } = await import("../../../src/index.ts");
    return { createAgent, createCalculator, createTodoStore };
  }

  it("is loaded by the first request that may have a date, if a phrase has a slot for one", async () => {
    const { createAgent, createCalculator, createTodoStore } = await freshPlanner();
    const agent = createAgent({ tools: [createCalculator(), createTodoStore()] });
    const calculator = createAgent({ tools: [createCalculator()] });
    await agent.plan("add milk to my list");
    await agent.plan("stick some milk onto my list");
    await calculator.plan("what is 2 + 3");
    await calculator.plan("how many minutes are in 2 hours").catch(() => undefined);
    expect(loaded).not.toHaveBeenCalled();
    await agent.plan("remind me to call mom tomorrow at 5pm");
    expect(loaded).toHaveBeenCalledTimes(1);
  });
});
