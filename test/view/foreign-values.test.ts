import { createAgent, createCalculator, isAgentError } from "planwright";
import { toHtml, toMermaid } from "planwright/view";
import { describe, expect, it } from "vitest";
import { play } from "./drawn-runs.ts";

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
      'Option "run" must be a run as getRun or a finished call returns it (listRuns lists only summaries: call getRun for each), or the list of its events; received an object.',
    );
    expect(() => toMermaid(undefined as never)).toThrow('Option "run" must be a plan, or a run as getRun');
  });
});
