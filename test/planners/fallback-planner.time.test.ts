import { getEventListeners } from "node:events";
import { createFallbackPlanner, defineTool, type PlanDraft, type PlanRequest } from "planwright";
import { createManualClock, createScriptedModel } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod/v4";
import { ask, failure } from "./ask-fallback-planner.ts";
import { draft, fails, hangs, plannerOf, planRequest, works } from "./fake-planners.ts";

describe("a planner that takes too long", () => {
  const timeout = (planner: string, ms: number) =>
    failure(planner, "timeout", `The planner "${planner}" took longer than its ${ms} ms.`);

  it("has an equal share of the remaining time, and the last planner all of it", async () => {
    const asked: [string, number | undefined, number][] = [];
    const clock = createManualClock();
    const startMs = clock.now();
    const behave = (name: string, answersAfterMs: number) =>
      plannerOf(name, ({ timeoutMs }) => {
        asked.push([name, timeoutMs, clock.now() - startMs]);
        return new Promise(
          (_resolve, reject) => void clock.setTimeout(() => reject(new Error("late")), answersAfterMs),
        );
      });
    const chain = createFallbackPlanner([behave("a", 10), behave("b", 1_000), behave("c", 1_000)], { clock });
    const { request } = planRequest({ timeoutMs: 90 });
    const planning = Promise.resolve(chain.plan(request));
    await expect(clock.runUntil(planning)).rejects.toMatchObject({
      code: "planning-failed",
      details: { failures: [{ code: "planning-failed" }, timeout("b", 40), timeout("c", 40)] },
    });
    expect(asked).toEqual([
      ["a", 30, 0],
      ["b", 40, 10],
      ["c", 40, 50],
    ]);
  });

  it("has its own limit, but never more than the remaining time", async () => {
    const limits: (number | undefined)[] = [];
    const slow = plannerOf("slow", ({ timeoutMs }) => {
      limits.push(timeoutMs);
      return new Promise(() => {});
    });
    await ask([slow, slow, slow], { timeoutMs: 40 }, { timeoutMs: 90 });
    expect(limits).toEqual([40, 40, 10]);
  });

  it("has no limit without a timeout, and no limit of its own with Infinity", async () => {
    const first = fails("first");
    const second = works("second");
    await ask([first, second], { timeoutMs: Number.POSITIVE_INFINITY }, { timeoutMs: 90 });
    expect([first, second].map(({ requests }) => requests[0]?.timeoutMs)).toEqual([90, 90]);
    const free = works("free");
    await ask([free], {}, {});
    expect(free.requests[0]?.timeoutMs).toBeUndefined();
  });

  it("may still answer immediately when no time is left", async () => {
    const clock = createManualClock();
    const busy = plannerOf("busy", async () => {
      await clock.advance(500);
      throw new Error("blocked everything");
    });
    const second = works("second");
    const chain = createFallbackPlanner([busy, second], { clock, timeoutMs: 1_000 });
    const { request } = planRequest({ timeoutMs: 90 });
    // Its timer has come due: it is left behind after 90 ms, and the next one has nothing left.
    expect(await chain.plan(request)).toMatchObject({ source: { planner: "second", failures: [timeout("busy", 90)] } });
    expect(second.requests[0]?.timeoutMs).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it("is aborted by its signal, and abandoned if it ignores that", async () => {
    const stubborn = hangs("stubborn");
    const { plan } = await ask([stubborn, works("second")], { timeoutMs: 50 });
    expect(stubborn.requests[0]?.signal).toMatchObject({
      aborted: true,
      reason: { code: "timeout", details: { scope: "planner", timeoutMs: 50 } },
    });
    expect(plan?.source?.failures).toEqual([timeout("stubborn", 50)]);
  });

  it.each(["a plan", "an error"])("is ignored when it answers late with %s", async (what) => {
    const clock = createManualClock();
    const late = plannerOf(
      "late",
      () =>
        new Promise<PlanDraft>((resolve, reject) => {
          clock.setTimeout(() => (what === "a plan" ? resolve(draft) : reject(new Error("late"))), 60);
        }),
    );
    const second = plannerOf("second", () => new Promise((resolve) => void clock.setTimeout(() => resolve(draft), 30)));
    const { request, emitted } = planRequest();
    const plan = await clock.runUntil(
      Promise.resolve(createFallbackPlanner([late, second], { clock, timeoutMs: 50 }).plan(request)),
    );
    expect(plan.source).toEqual({ planner: "second", failures: [timeout("late", 50)] });
    expect(emitted).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("is abandoned, too, if the check of its plan takes too long", async () => {
    const slow = defineTool({
      name: "A",
      description: "Has a schema that never answers",
      inputSchema: z.looseObject({
        ok: z
          .literal(true)
          .refine(() => new Promise<boolean>(() => {}))
          .optional(),
      }),
      effect: "idempotent",
      execute: () => null,
    });
    const first = works("first", { steps: [{ id: "s1", tool: "A", input: { ok: true }, dependsOn: [] }] });
    const { plan } = await ask([first, works("second")], { timeoutMs: 50 }, { tools: [slow] });
    expect(plan?.source).toEqual({ planner: "second", failures: [timeout("first", 50)] });
  });

  it("is limited by the machine's clock by default", async () => {
    vi.useFakeTimers();
    try {
      const planning = createFallbackPlanner([hangs(), works("second")], { timeoutMs: 50 }).plan(planRequest().request);
      await vi.advanceTimersByTimeAsync(50);
      expect(await planning).toMatchObject({ source: { planner: "second" } });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("an abandoned planner", () => {
  it.each(["timed out", "failed", "answered"])("emits no events and calls no model once it has %s", async (how) => {
    let own: PlanRequest | undefined;
    const model = createScriptedModel(["yes"]);
    const busy = plannerOf("busy", (request) => {
      own = request;
      if (how === "failed") throw new Error("no");
      return how === "answered" ? draft : new Promise(() => {});
    });
    const { emitted } = await ask([busy, works("second")], { timeoutMs: 50 });
    const before = emitted.length;
    const [step] = draft.steps;
    own?.emit?.({ type: "plan-delta", planner: "busy", attempt: 1, index: 0, step: step as never });
    expect(emitted).toHaveLength(before);
    const call = own?.generate?.(model, { messages: [], signal: new AbortController().signal });
    await expect(call).rejects.toMatchObject({
      code: "cancelled",
      message: expect.stringContaining('"busy" has ended'),
    });
    expect(model.requests).toEqual([]);
  });

  it("emits events and calls models as the request provides while it plans", async () => {
    const model = createScriptedModel(["one", "two"]);
    const calling = plannerOf("calling", async ({ generate, emit, signal }) => {
      const response = await generate?.(model, { messages: [{ role: "user", content: "?" }], signal });
      await emit?.({ type: "plan-delta", planner: "calling", attempt: 1, index: 0, step: draft.steps[0] as never });
      return { ...draft, source: { planner: "calling", model: response?.text } };
    });
    const { plan, emitted } = await ask([calling]);
    expect(plan?.source?.model).toBe("one");
    expect(emitted).toHaveLength(1);
    const generate = vi.fn<NonNullable<PlanRequest["generate"]>>((asked, request) => asked.generate(request));
    expect((await ask([calling], {}, { generate })).plan?.source?.model).toBe("two");
    expect(generate).toHaveBeenCalledTimes(1);
  });
});

describe("cancelling", () => {
  it.each([0, 1, 2])("stops planner %i, and calls no other one", async (index) => {
    const clock = createManualClock();
    const { request, controller, emitted } = planRequest({ timeoutMs: 1_000 });
    const planners = [0, 1, 2].map((at) => (at === index ? hangs(`${at}`) : fails(`${at}`)));
    const planning = Promise.resolve(createFallbackPlanner(planners, { clock }).plan(request));
    planning.catch(() => undefined);
    await clock.advance(1);
    expect(clock.pendingTimers).toBe(1);
    controller.abort(new Error("enough"));
    await expect(planning).rejects.toThrow("enough");
    expect(planners[index]?.requests[0]?.signal).toMatchObject({ aborted: true, reason: controller.signal.reason });
    expect(planners.map(({ requests }) => requests.length)).toEqual([0, 1, 2].map((at) => (at <= index ? 1 : 0)));
    expect(emitted).toHaveLength(index);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("prevents the first call if it came before", async () => {
    const first = works("first");
    const { request, controller } = planRequest();
    controller.abort(new Error("enough"));
    await expect(createFallbackPlanner([first]).plan(request)).rejects.toThrow("enough");
    expect(first.requests).toEqual([]);
  });

  it("prevents the next call if it comes while a failure is reported", async () => {
    const clock = createManualClock();
    const { request, controller } = planRequest({
      timeoutMs: 1_000,
      emit: async () => controller.abort(new Error("enough")),
    });
    const second = hangs("second");
    await expect(createFallbackPlanner([fails("first"), second], { clock }).plan(request)).rejects.toThrow("enough");
    expect(second.requests).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("rejects with its own reason instead of the planner's error", async () => {
    const { request, controller } = planRequest();
    const polite = plannerOf(
      "polite",
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("oh well")), { once: true });
        }),
    );
    const planning = createFallbackPlanner([polite, works("second")]).plan(request);
    controller.abort(new Error("enough"));
    await expect(planning).rejects.toThrow("enough");
  });
});
