import { join } from "node:path";
import { createAgent, createMemoryRunStore, type RunResult, type Tool } from "planwright";
import { createFakeTool, createManualClock, recordTools, replayTools } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../new-folder.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const error = (fields: object, message = "no answer") => Object.assign(new Error(message), fields);
const behind = (cause: unknown, fields: object = {}) => Object.assign(new TypeError("fetch failed", { cause }), fields);
const paying = (thrown: unknown) => createFakeTool({ name: "Pay", effect: "once", outcomes: [{ throws: thrown }] });

/** The outcome of a payment that throws this. */
async function pay(thrown: unknown): Promise<RunResult> {
  const clock = createManualClock();
  return clock.runUntil(createAgent({ tools: [paying(thrown)], clock }).execute(planOf("Pay")));
}

/** As the system reports a name with two addresses, neither of which answers. */
const bothAddresses = () => {
  const errors = ["::1", "127.0.0.1"].map((address) => error({ code: "ETIMEDOUT", syscall: "connect", address }));
  return Object.assign(new AggregateError(errors, ""), { code: "ETIMEDOUT" });
};

describe("a step that must run only once, whose error leaves its outcome open,", () => {
  const open: readonly (readonly [string, unknown])[] = [
    ["a time limit of a signal", new DOMException("The operation timed out", "TimeoutError")],
    ["a time limit of a client", error({ name: "APIConnectionTimeoutError" })],
    ["a time limit, by its code", error({ code: "TIMEOUT" })],
    ["an abort", new DOMException("This operation was aborted", "AbortError")],
    ["an abort, by its code", error({ code: "ABORT_ERR" })],
    ...[
      ...["ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"],
      ...["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
    ].map((code) => [code, error({ code })] as const),
    ["a connection that was lost behind another error", behind(error({ code: "ECONNRESET", syscall: "read" }))],
    ["the fourth cause", behind(behind(behind(behind(error({ code: "EPIPE" })))))],
    ["one of several errors", new AggregateError([error({ code: "ECONNREFUSED" }), error({ code: "ECONNRESET" })])],
    ["status 408", error({ status: 408 })],
    ["status 504", error({ status: 504 })],
    ["status 500 as text", error({ status: "500" })],
    ["statusCode 503", error({ statusCode: 503 })],
    ["response.status 502", error({ response: { status: 502 } })],
    ["response.statusCode 502", error({ code: "ERR_NON_2XX_3XX_RESPONSE", response: { statusCode: 502 } })],
    ["a thrown object", { code: "ETIMEDOUT" }],
    ["an error of its own that says so", error({ outcome: "unknown" })],
    ["a refusal that says so", error({ status: 400, outcome: "unknown" })],
    ["an error that contradicts itself", error({ retryable: true, outcome: "unknown" })],
    ["a cause that says so", behind(error({ outcome: "unknown" }), { retryable: true })],
  ];
  it.each(open)("is unknown: %s", async (_name, thrown) => {
    const { status, pending, steps } = await pay(thrown);
    expect(status).toBe("suspended");
    expect(pending).toMatchObject([{ kind: "outcome", stepId: "s1", error: { code: "outcome-unknown" } }]);
    expect(steps).toMatchObject([{ status: "unknown", attempts: 1 }]);
  });

  it("says what its tool threw, in an error with the stack of that", async () => {
    const { pending } = await pay(behind(error({ code: "ECONNRESET" }, "socket hang up")));
    expect(pending).toMatchObject([
      {
        error: {
          message:
            'Step "s1" (Pay) must run only once and failed without an answer (fetch failed): it is unknown whether it took effect.',
          details: { tool: "Pay", stepId: "s1" },
          cause: { name: "TypeError", message: "fetch failed", cause: { code: "ECONNRESET" } },
          stack: expect.stringContaining("TypeError: fetch failed"),
        },
      },
    ]);
  });

  it("is unknown beside a step that failed", async () => {
    const { result } = await runScenario(() => ({
      tools: [
        paying(error({ status: 504 })),
        createFakeTool({ name: "Bad", effect: "once", outcomes: [{ throws: error({ status: 402 }) }] }),
        createFakeTool({ name: "A", effect: "pure" }),
      ],
      plan: {
        steps: [step("pay", "Pay", { dependsOn: [] }), step("bad", "Bad", { dependsOn: [] }), step("a", "A")],
      },
      options: { concurrency: 2 },
      isResumable: false,
    }));
    expect(result).toMatchObject({
      status: "suspended",
      pending: [{ stepId: "pay", kind: "outcome" }],
      steps: [{ status: "unknown" }, { status: "failed" }, { status: "pending" }],
    });
  });

  it("is unknown for the iteration of a loop; no other one starts", async () => {
    const { result } = await runScenario(() => ({
      tools: [paying(error({ code: "EPIPE" }))],
      plan: { steps: [step("pay", "Pay", { forEach: "[1, 2]" })] },
    }));
    expect(result).toMatchObject({ status: "suspended", pending: [{ stepId: "pay", iteration: 0 }] });
  });

  it("is followed by undoing the other steps only once it is settled", async () => {
    let undone: string[] = [];
    const { result } = await runScenario(() => {
      undone = [];
      return {
        tools: [
          { ...createFakeTool({ name: "Hold", effect: "once" }), undo: () => void undone.push("hold") },
          paying(error({ code: "ECONNRESET" })),
        ],
        plan: planOf("Hold", "Pay"),
        options: { undoOnFailure: true },
        isResumable: false,
        executions: [
          ({ another, runId, result: suspended }) => {
            expect(suspended).toMatchObject({ status: "suspended", steps: [{ status: "completed" }, {}] });
            expect(undone).toEqual([]);
            return another().settle(runId, "s2", { failed: "no such payment" });
          },
        ],
      };
    });
    expect(result).toMatchObject({ status: "failed", steps: [{ status: "undone" }, { status: "failed" }] });
    expect(undone).toEqual(["hold"]);
  });

  it("is the same when it is replayed from a recording", async () => {
    const path = join(newFolder(), "calls.json");
    const thrown = error({ status: 504, syscall: "read" });
    const live = await createAgent({ tools: recordTools([paying(thrown)], path) }).execute(planOf("Pay"));
    const replayed = await createAgent({ tools: replayTools(path, { tools: [paying("never")] }) }).execute(
      planOf("Pay"),
    );
    expect([live.status, replayed.status]).toEqual(["suspended", "suspended"]);
  });
});

describe("a step that must run only once, whose error is an answer,", () => {
  const answers: readonly (readonly [string, unknown])[] = [
    ["an error of its own", new Error("The card was declined")],
    ["a text", "no"],
    ["a final error", error({ retryable: false })],
    ...[400, 402, 404, 409, 429].map((status) => [`status ${status}`, error({ status })] as const),
    ["a status that is none", error({ status: 5040, statusCode: -500, response: 504 })],
    ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "CERT_HAS_EXPIRED"].map(
      (code) => [code, behind(error({ code }))] as const,
    ),
    ["a connection that took too long", error({ code: "ETIMEDOUT", syscall: "connect" })],
    ["a client that repeats the code of that", error({ code: "ETIMEDOUT", cause: bothAddresses() })],
    ["a name with two addresses", behind(bothAddresses())],
    ["a name that was not found in time", error({ code: "ETIMEOUT", syscall: "queryA" })],
    ["a limit of a connection, by its name", error({ name: "ConnectTimeoutError", code: "UND_ERR_CONNECT_TIMEOUT" })],
    ["a proxy's own status for that", error({ status: 503, code: "ECONNREFUSED" })],
  ];
  it.each(answers)("is failed: %s", async (_name, thrown) => {
    expect(await pay(thrown)).toMatchObject({
      status: "failed",
      error: { code: "tool-failed", details: { attempts: 1 } },
      steps: [{ status: "failed" }],
    });
  });
});

describe("an error that says what became of the call", () => {
  it("is believed before the table, on any cause, the outermost first: it is tried again", async () => {
    for (const thrown of [
      error({ status: 504, outcome: "not-done" }),
      error({ code: "ECONNRESET", outcome: "not-done", cause: error({ outcome: "unknown" }) }),
      behind(error({ code: "ECONNRESET", outcome: "not-done" })),
      error({ status: 504, retryable: true }),
    ]) {
      const { status, error: failed } = await pay(thrown);
      expect([status, failed?.details]).toMatchObject(["failed", { attempts: 3 }]);
    }
  });

  it("is not tried again if it is final, too, nor does it change other effects", async () => {
    expect(await pay(error({ outcome: "not-done", retryable: false }))).toMatchObject({
      error: { details: { attempts: 1 }, cause: { outcome: "not-done", retryable: false } },
    });
    const clock = createManualClock();
    const tool = createFakeTool({
      name: "A",
      effect: "idempotent",
      outcomes: [{ throws: error({ outcome: "unknown" }) }],
    });
    const result = await clock.runUntil(createAgent({ tools: [tool], clock }).execute(planOf("A")));
    expect(result).toMatchObject({ status: "failed", error: { details: { attempts: 3 } } });
  });

  it.each([
    ["itself", (outcome: string) => error({ outcome, retryable: false })],
    ["a cause", (outcome: string) => behind(behind(error({ outcome })), { retryable: false })],
  ])(
    "is stored: resuming calls a step again whose error states it of %s, and asks about others",
    async (_name, make) => {
      for (const outcome of ["not-done", "done"]) {
        const { result, recorded } = await runScenario(() => ({
          tools: [
            createFakeTool({ name: "Pay", effect: "once", outcomes: [{ throws: make(outcome) }, { returns: 1 }] }),
          ],
          plan: planOf("Pay"),
          isResumable: false,
          executions: [],
        }));
        expect(result.status).toBe("failed");
        const store = createMemoryRunStore();
        await store.append(result.runId, JSON.parse(JSON.stringify(recorded)), { sequence: 1 });
        const again = createFakeTool({ name: "Pay", effect: "once", outcomes: [{ returns: "paid" }] });
        const resumed = await createAgent({ tools: [again], store }).resume(result.runId);
        expect(resumed.status).toBe(outcome === "not-done" ? "completed" : "suspended");
        expect(again.calls).toHaveLength(outcome === "not-done" ? 1 : 0);
      }
    },
  );

  it("is believed of a call that was cut off", async () => {
    const tool: Tool = {
      ...createFakeTool({ name: "Pay", effect: "once" }),
      timeoutMs: 20,
      retry: { maxAttempts: 1 },
      execute: (_input, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(behind(signal.reason, { outcome: "not-done" })));
        }),
    };
    const clock = createManualClock();
    const result = await clock.runUntil(createAgent({ tools: [tool], clock }).execute(planOf("Pay")));
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "timeout", cause: { outcome: "not-done" } },
      steps: [{ status: "failed" }],
    });
  });
});

describe("an error that lies, or cannot be read,", () => {
  const throwing = (...keys: readonly string[]) =>
    Object.defineProperties(
      new Error("hostile"),
      Object.fromEntries(
        keys.map((key) => [
          key,
          {
            get: () => {
              throw new Error("hidden");
            },
          },
        ]),
      ),
    );
  const all = ["outcome", "code", "syscall", "status", "statusCode", "response", "cause", "errors", "retryable"];
  const own = error({ outcome: "maybe" });
  own.cause = own;
  const endless = (): Error => Object.defineProperty(new Error("more"), "cause", { get: endless });
  const wide = (): AggregateError =>
    Object.defineProperty(new AggregateError([]), "errors", { get: () => Array.from({ length: 1_000 }, wide) });
  const revoked = (target: object) => {
    const { proxy, revoke } = Proxy.revocable(target, {});
    revoke();
    return proxy;
  };

  const failing: readonly (readonly [string, unknown])[] = [
    ["getters that throw", throwing(...all)],
    ...[true, "NOT-DONE", "done", { toString: () => "not-done" }, ["not-done"], 0, null, new String("not-done")].map(
      (outcome) => [`outcome ${typeof outcome} ${JSON.stringify(outcome)}`, error({ outcome })] as const,
    ),
    [
      "fields of other kinds",
      error({ code: {}, syscall: 1, status: [504], statusCode: {}, response: "504", errors: 5 }),
    ],
    ["an error that is its own cause", own],
    ["endless causes", endless()],
    ["endless lists of errors", wide()],
    ["a list that cannot be read", error({ errors: revoked([]), response: revoked({}), cause: revoked({}) })],
    ["an error that cannot be read", revoked(new Error("gone"))],
    ["nothing", undefined],
  ];
  it.each(failing)("is an error as any other: %s", async (_name, thrown) => {
    expect(await pay(thrown)).toMatchObject({ status: "failed", steps: [{ status: "failed", attempts: 1 }] });
  });

  it("still leaves the outcome open if another field says so", async () => {
    const readable = Object.assign(throwing("outcome", "code", "cause"), { status: 504 });
    expect((await pay(readable)).status).toBe("suspended");
    expect((await pay(error({ outcome: "maybe", code: "ECONNRESET" }))).status).toBe("suspended");
  });

  it("is believed once: what it answers later does not count", async () => {
    let asked = 0;
    const changing = Object.defineProperty(new Error("changing"), "outcome", {
      get: () => (asked++ === 0 ? "not-done" : "unknown"),
    });
    const { status, steps } = await pay(changing);
    expect([status, steps[0]?.status, steps[0]?.attempts]).toEqual(["suspended", "unknown", 1]);
  });
});
