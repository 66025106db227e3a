import { createHash } from "node:crypto";
import { type AgentEvent, createAgent, createCalculator, isAgentError, type Plan } from "planwright";
import { toHtml, toMermaid } from "planwright/view";
import { describe, expect, it } from "vitest";
import { stylesheet, stylesheetHash } from "../../src/view/to-html.ts";
import { hostile, play, secret } from "./drawn-runs.ts";
import { everything, release } from "./instructive-run.ts";

const work = (id: string, input: object = {}, more: object = {}) => ({ id, tool: "Work", input, ...more });
/** How often a text is in a page. */
const count = (page: string, text: string) => page.split(text).length - 1;

describe("the page of a run", () => {
  it("has a bar for each attempt and delay, and what went in and came out", async () => {
    const { events } = await play([work("s1", { fails: 2, says: "bread" }), work("s2", { says: "butter" })]);
    const page = toHtml(events);
    expect(count(page, '<rect class="attempt failed"')).toBe(2 + 1);
    expect(count(page, '<rect class="backoff"')).toBe(2 + 1);
    // One more of each kind is in the legend.
    expect(count(page, '<rect class="attempt"')).toBe(2 + 1);
    expect(page).toContain("attempt 3: 100 ms");
    expect(page).toContain("delay before the next attempt: 800 ms");
    for (const text of ["bread", "butter", "3 attempts", ">completed</span>"]) expect(page).toContain(text);
  });

  it("draws what runs once or asks first above conditions, and a wait with its limit", () => {
    const step = work("s1", {}, { reasoning: "Why", when: "a.ok", forEach: "a.rows" });
    const wait = {
      id: "s2",
      wait: { event: "invoice.paid.late", timeoutMs: 86_400_000 },
      reasoning: "Why",
      when: "a.ok",
    };
    const record = {
      stepId: "s1",
      tool: "Work",
      input: {},
      status: "waiting",
      attempts: 1,
      effect: "once",
      iteration: 0,
    };
    const plan = { version: 2, id: "p", request: "", source: { planner: "given" }, createdAt: "", steps: [step, wait] };
    const pending = [{ kind: "approval", stepId: "s1", tool: "Work", input: {}, iteration: 0 }];
    const createdAt = "2026-11-24T08:00:00.000Z";
    const run = { runId: "r", status: "suspended", createdAt, updatedAt: createdAt, plan, steps: [record], pending };
    const texts = [...toHtml(run as never).matchAll(/<text x="14" y="\d+">(.*?)<\/text>/g)].map(([, text]) => text);
    expect(texts).toEqual([
      ...["Why", "Work", "once, asks first", "if a.ok", "for each a.rows", "0 of 1 iteration"],
      ...["Why", "wait for the event", "&quot;invoice.paid.late&quot;, at", "most 1 day", "if a.ok"],
    ]);
  });

  it("shows what waits, who decided, and executions without the day between them", async () => {
    const { events } = await play([work("s1"), work("s2", { says: "ask" })]);
    const page = toHtml(events);
    expect(page).toContain("waits for approval: 1 d");
    expect(page).toContain('class="pause"');
    for (const text of ["ann", "approved", "go", "200 ms, in 2 executions", "<dd>1 d</dd>"])
      expect(page).toContain(text);
    const waiting = toHtml(events.filter(({ sequence }) => sequence <= 5));
    expect(waiting).toContain("Waits for a decision about step &quot;s2&quot;.");
  });

  it("tells attempts, delays and replans in words, too, and what failed attempts said", async () => {
    const page = toHtml(await release(everything));
    for (const text of ["attempt 2: 900 ms, failed: registry.example.com answered 503", "replan 1: 1.9 s"]) {
      expect(page).toContain(`<li>${text}`);
    }
    // What a replan took away, and what was undone.
    expect(page).toMatch(/<details class="step"><summary>\s*<span class="what"><b>check<\/b>.*replaced/);
    expect(page).toContain(">3 undone</span>");
    expect(page).toContain("Not undone: build (its tool cannot undo it).");
    // The axis has the pause, and times without it.
    for (const label of [">42 min</text>", ">10 s</text>", ">38 s</text>"]) expect(page).toContain(label);
  });

  it("folds loops with their counts, and opens what failed, with its stack", async () => {
    const steps = [
      work("s1", { says: "${item}" }, { forEach: "[1,2,3,4,5]" }),
      work("s2", {}, { when: "false" }),
      work("s3", { fails: 9 }),
      work("s4"),
    ];
    const { events } = await play(steps, { undoOnFailure: false });
    const page = toHtml(events);
    expect(page).toContain("5 of 5");
    expect(page).toContain("<p>for each [1,2,3,4,5]</p>");
    expect(page).toContain("skipped: its condition was false");
    expect(page).toContain("skipped: a step before it failed");
    expect(page).toMatch(/<details class="step" open><summary>\s*<span class="what"><b>s3/);
    expect(page).toMatch(/Error: refused[^<]*\n\s+at /);
  });

  it("draws a result and a snapshot, too, with one bar a step", async () => {
    const { result } = await play([work("s1", { fails: 1 })]);
    const page = toHtml(result);
    expect(page).toContain("2 attempts: 600 ms");
    expect(count(page, '<rect class="attempt"')).toBe(1 + 1);
  });

  it("puts a replan beside the first plan", async () => {
    const { events } = await play([work("s1")]);
    const start = events[0] as Extract<AgentEvent, { type: "run-start" }>;
    const plan = start.plan as Plan;
    const steps = [...plan.steps, { id: "s9", tool: "Work", input: {} }];
    const revised = {
      type: "plan-revise",
      runId: "r1",
      sequence: 3,
      timestamp: start.timestamp,
      planner: "p",
      replan: 1,
      cause: {} as never,
      outcome: { status: "completed", plan: { ...plan, steps } },
    } as unknown as AgentEvent;
    const page = toHtml([...events.slice(0, 3), revised, ...events.slice(3)]);
    expect(page).toContain("Revision 1");
    expect(page).toMatch(/<b>s9<\/b> <span class="tool">Work<\/span> <ins>new<\/ins>/);
  });

  it("shows a run that goes on, one without a plan, and one without events", async () => {
    const { events } = await play([work("s1")]);
    expect(toHtml(events.slice(0, 2))).toContain(">running</span>");
    expect(toHtml([])).toContain("0 runs");
    const failed = {
      ...{ runId: "r2", status: "failed", request: "fly", createdAt: "2026-11-24T08:00:00.000Z", steps: [] },
      ...{ error: { name: "AgentError", code: "cannot-plan", message: "No.", retryable: false, details: {} } },
    };
    expect(toHtml(failed as never)).toContain("cannot-plan");
  });
});

describe("the page of many runs", () => {
  it("says what a run waits for, and which runs were refused", () => {
    const base = { createdAt: "2026-11-24T08:00:00.000Z", updatedAt: "2026-11-24T08:00:00.000Z", metadata: {} };
    const waiting = {
      ...base,
      runId: "w",
      status: "suspended",
      steps: [],
      pending: [{ kind: "wait", stepId: "s1", event: "paid" }],
    };
    const refused = {
      ...base,
      runId: "f",
      status: "failed",
      steps: [],
      error: { code: "cannot-plan", message: "No." },
    };
    const what = "for the event &quot;paid&quot;, without a time limit";
    expect(toHtml(waiting as never)).toContain(`Waits ${what}.`);
    expect(toHtml(refused as never)).toContain('<span class="pill calm">refused</span>');
    const page = toHtml([waiting, refused] as never);
    for (const text of [what, "What was refused", "No."]) expect(page).toContain(text);
    expect(page).not.toContain("What failed");
  });

  it("lists what failed, what waits, what is slow, and what it cost", async () => {
    const good = await play([work("s1", { ms: 5_000 })]);
    const bad = await play([work("s1", { fails: 9 })]);
    const waiting = (await play([work("s1", { says: "ask" })])).events.slice(0, 3);
    const page = toHtml([good.events, bad.result, waiting]);
    for (const heading of ["What failed", "What waits", "Slowest steps", "Tools", "All runs"]) {
      expect(page).toContain(`>${heading}</h2>`);
    }
    expect(page).toContain("tool-failed");
    expect(page).toContain(">5 s</td>");
  });
});

describe("sensitive values", () => {
  it("are in no byte of a page, whatever it is drawn from", async () => {
    const { events, result } = await play([work("s1", { card: secret, fails: 9 }), work("s2", { card: secret })]);
    for (const drawn of [events, result, [events, result]]) expect(toHtml(drawn as never)).not.toContain(secret);
  });

  it("are hidden by the paths of the tools, even if they were recorded as they were", async () => {
    const { events } = await play([work("s1", { card: secret })]);
    const bare = JSON.parse(JSON.stringify(events).replaceAll("[sensitive]", secret)) as AgentEvent[];
    expect(JSON.stringify(bare)).toContain(secret);
    expect(toHtml(bare)).not.toContain(secret);
    expect(toHtml(bare)).toContain("[sensitive]");
  });
});

describe("hostile and large values", () => {
  it("are text, cut with their length said", async () => {
    const { events } = await play([
      work("s1", { says: hostile.map((text) => text.toWellFormed()) }),
      work("s2", { says: "y".repeat(500_000) }),
    ]);
    const page = toHtml(events);
    expect(page).not.toMatch(/<script|<img|<svg onload|javascript:alert\(1\)"/);
    expect(page).not.toMatch(/(?![\t\n])\p{Cc}|[\u202e\u2066\ufffe]/u);
    expect(page).toContain("500\u202f000 characters in all");
    expect(page.length).toBeLessThan(100_000);
  });

  it.each([
    ["rows", (index: number) => (index % 7 === 0 ? { dependsOn: [] } : {})],
    ["layers", (index: number) => ({ dependsOn: index < 20 ? [] : [1, 7, 19].map((back) => `s${index - back}`) })],
  ])("of a thousand steps in %s are a page of less than a megabyte", async (_name, after) => {
    const input = { says: { text: "x".repeat(2_000), list: [1, 2, 3] }, ms: 1 };
    const { events } = await play(Array.from({ length: 1_000 }, (_, index) => work(`s${index}`, input, after(index))));
    expect(Buffer.byteLength(toHtml(events))).toBeLessThan(1_000_000);
  });

  it("of a hundred thousand events are drawn, too", async () => {
    const says = Array.from({ length: 2_000 }, (_, index) => index);
    const steps = [work("s0", { says }), work("s1", { ms: 0 }, { forEach: "s0", concurrency: 50 })];
    const { events } = await play(steps, { maxSteps: 3_000 });
    const [start, ...rest] = events;
    const iterations = rest.filter(({ type }) => type.startsWith("step-"));
    const many = [start, ...Array.from({ length: 25 }, () => iterations).flat(), ...rest.slice(-1)] as AgentEvent[];
    expect(many.length).toBeGreaterThan(100_000);
    expect(toHtml(many).length).toBeLessThan(500_000);
  });
});

it("allows its one stylesheet and nothing else", async () => {
  const { events } = await play([work("s1")]);
  const page = toHtml(events);
  expect(createHash("sha256").update(stylesheet).digest("base64")).toBe(stylesheetHash);
  expect(page).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${stylesheetHash}&#39;`);
  expect(page).not.toMatch(/ style=|<script|<link|https?:\/\/(?!www\.w3\.org)/);
});

/** Copies of a value in which one part, at any depth, is another value. */
function* mutationsOf(value: unknown): Generator<unknown> {
  for (const other of [null, undefined, 7, "text", true, [], {}, [null], [7], { steps: 7 }]) yield other;
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value))
    for (const other of mutationsOf(item)) {
      const copy: object = Array.isArray(value) ? [...value] : { ...value };
      Object.assign(copy, { [key]: other });
      yield copy;
    }
}

describe("what is no run and no plan", () => {
  it("is drawn or refused with a code, whatever it is", async () => {
    const { events, result } = await play([{ id: "a", tool: "Work", input: { fails: 1 } }]);
    let refused = 0;
    for (const drawn of [result, events, result.plan, [result]])
      for (const foreign of mutationsOf(drawn))
        for (const draw of [toHtml, toMermaid])
          try {
            expect(typeof draw(foreign as never)).toBe("string");
          } catch (thrown) {
            if (!isAgentError(thrown, "invalid-options")) throw thrown;
            refused++;
          }
    expect(refused).toBeGreaterThan(100);
  });

  it("is refused with what went wrong as the cause", async () => {
    const { events } = await play([{ id: "a", tool: "Work", input: { fails: 1 } }]);
    for (const draw of [toHtml, toMermaid])
      expect(() => draw([...events, null] as never)).toThrow(
        expect.objectContaining({ code: "invalid-options", cause: expect.any(TypeError) }),
      );
  });

  it.each<[string, () => unknown, string | undefined]>([
    ["throws", () => new Error("no"), undefined],
    ["returns a promise", () => Promise.reject(new Error("no")), undefined],
    ["returns no text", () => 5, undefined],
    ["returns 1 MB", () => "y".repeat(1e6), `${"y".repeat(299)}…`],
  ])("a describeCall that %s is not the fault of the run", async (_name, make, expected) => {
    const { events } = await play([{ id: "a", tool: "Work", input: {} }]);
    const describeCall = () => {
      const made = make();
      if (made instanceof Error) throw made;
      return made as string;
    };
    const page = toHtml(events, { describeCall });
    if (expected === undefined) expect(page).toBe(toHtml(events));
    else expect(page).toContain(`<b>a</b> ${expected} <span`);
  });

  it("is told what can be drawn", async () => {
    const agent = createAgent({ tools: [createCalculator()] });
    await agent.run("2+2");
    const { runs } = await agent.listRuns();
    expect(() => toHtml(runs as never)).toThrow(
      'Option "run" must be a run from getRun, the result of run, resume or a similar call, or a list of the events of a run (listRuns returns only summaries: call getRun for each); received an object.',
    );
    expect(() => toMermaid(undefined as never)).toThrow('Option "run" must be a plan, or a run from getRun');
  });
});
