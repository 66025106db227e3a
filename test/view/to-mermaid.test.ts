import type { Plan, PlanStep } from "planwright";
import { toMermaid } from "planwright/view";
import { describe, expect, it } from "vitest";
import { hostile, play } from "./drawn-runs.ts";

const planOf = (steps: readonly Partial<PlanStep>[]) =>
  ({ version: 1, id: "p", request: "", source: { planner: "given" }, createdAt: "", steps }) as unknown as Plan;
const step = (id: string, more: object = {}) => ({ id, tool: "Work", input: {}, ...more });

describe("a flowchart", () => {
  it("has an edge for what waits for what, and no other", () => {
    const steps = [
      step("a"),
      step("b"),
      step("c", { dependsOn: ["a"], input: { x: { $ref: "b.value" } } }),
      step("d", { dependsOn: [], when: 'c.ok && b.name == "a"' }),
      step("e", { dependsOn: ["a"], forEach: "d.items" }),
    ];
    expect(toMermaid(planOf(steps))).toMatchInlineSnapshot(`
      "flowchart TD
        n0["a<br/>Work"]:::planned
        n1["b<br/>Work"]:::planned
        n2["c<br/>Work"]:::planned
        n3{{"d<br/>Work<br/>if c#46;ok #38;#38; b#46;name #61;#61; #34;a#34;"}}:::planned
        n4["e<br/>Work<br/>for each d#46;items"]:::planned
        n0 --> n1
        n0 --> n2
        n1 --> n2
        n2 --> n3
        n1 --> n3
        n0 --> n4
        n3 --> n4
        classDef planned fill:#f6f6f4,stroke:#8a8a80,color:#1c1c1a
      "
    `);
  });

  it("shows the states of a run", async () => {
    const steps = [
      step("s1", { input: { says: "x" }, forEach: "[1,2]" }),
      step("s2", { when: "false" }),
      step("s3", { input: { fails: 9 } }),
      step("s4"),
    ];
    const { events, result } = await play(steps);
    expect(toMermaid(events)).toMatchInlineSnapshot(`
      "flowchart TD
        n0["s1<br/>Work<br/>for each #91;1#44;2#93;<br/>2 of 2 iterations"]:::completed
        n1{{"s2<br/>Work<br/>if false"}}:::skipped
        n2["s3<br/>Work"]:::failed
        n3["s4<br/>Work"]:::skipped
        n0 --> n1
        n1 --> n2
        n2 --> n3
        classDef completed fill:#e3f1e6,stroke:#2f7d46,color:#12351d
        classDef failed fill:#fbe4e1,stroke:#b3261e,color:#4a0f0b
        classDef skipped fill:#ffffff,stroke:#8a8a80,color:#5c5c55,stroke-dasharray:4
      "
    `);
    expect(toMermaid(result)).toBe(toMermaid(events));
  });

  it("cuts long names, never within a character", () => {
    const label = toMermaid(planOf([step(`${"s".repeat(38)}😀xyz`, { tool: "T".repeat(40) })])).split('"')[1];
    expect(label).toBe(`${"s".repeat(38)}…<br/>${"T".repeat(40)}`);
  });

  it("says why a step is there and what it waits for", () => {
    const steps = [
      step("a", { reasoning: "Find all" }),
      { id: "b", wait: { event: "paid", timeoutMs: 90_000 }, reasoning: "Wait for it" },
      { id: "c", wait: { until: { $ref: "a.due" } } },
    ];
    const text = toMermaid(planOf(steps as never));
    expect(text).toContain('n0["a<br/>Find all<br/>Work"]');
    expect(text).toContain(
      'n1["b<br/>Wait for it<br/>wait for the event #34;paid#34;#44; at most 1<br/>minute 30 seconds"]',
    );
    expect(text).toContain('n2["c<br/>wait until a#46;due"]');
  });

  it("says which steps run only once and which asked first, where a run tells", async () => {
    const { events } = await play([step("s1", { input: { says: "ask" } })]);
    expect(toMermaid(events)).toContain('"s1<br/>Work<br/>asks first"');
    const once = { stepId: "s1", tool: "Work", input: {}, status: "unknown", attempts: 1, effect: "once" };
    const run = { runId: "r", status: "suspended", createdAt: "", plan: planOf([step("s1")]), steps: [once] };
    expect(toMermaid(run as never)).toContain('"s1<br/>Work<br/>once"');
  });

  it("stays within what Mermaid reads", () => {
    const chain = planOf(Array.from({ length: 1_000 }, (_, index) => step(`s${index}`)));
    const ids = (index: number) => Array.from({ length: index }, (_, before) => `s${before}`);
    const dense = planOf(Array.from({ length: 300 }, (_, index) => step(`s${index}`, { dependsOn: ids(index) })));
    const wide = planOf(Array.from({ length: 2_000 }, (_, index) => step(`s${index}`, { dependsOn: [] })));
    for (const plan of [chain, dense, wide]) {
      const text = toMermaid(plan);
      expect(text.split("-->").length).toBeLessThanOrEqual(500);
      expect(text.length).toBeLessThan(50_000);
      expect(text).toMatch(/… \d+ more/);
    }
  });

  it("has only its own syntax, whatever steps and tools are called", () => {
    for (const name of hostile) {
      const text = toMermaid(planOf([step("end", { tool: name, when: name }), step("subgraph", { tool: name })]));
      for (const line of text.trimEnd().split("\n").slice(1)) {
        expect(line).toMatch(
          /^ {2}(n\d+(\["|\{\{")[\p{L}\p{M}\p{N} …#;<>br/]*("\]|"\}\}):::\w+|n\d+ --> n\d+|classDef \w+ [\w:#,-]+)$/u,
        );
      }
    }
  });

  it("is one node for a run without a plan", () => {
    const run = { runId: "r", status: "failed", createdAt: "2026-11-24T08:00:00.000Z", steps: [] };
    expect(toMermaid(run as never)).toBe('flowchart TD\n  n0["no plan"]\n');
  });
});
