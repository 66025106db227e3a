import {
  AgentError,
  createAgent,
  createMemoryRunStore,
  type DefinedTool,
  defineTool,
  sensitive,
  type Tool,
  type ToolContext,
} from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { define, indexTools } from "../../src/core/define-tool.ts";

const context: ToolContext = {
  signal: new AbortController().signal,
  attempt: 1,
  idempotencyKey: "r/s1",
  runId: "r",
  stepId: "s1",
  resources: undefined,
  metadata: {},
  progress: () => undefined,
};

const least = {
  name: "Echo",
  description: "Says it again",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }: { text: string }) => text,
};

describe("defineTool", () => {
  it("applies its defaults", () => {
    const tool = defineTool(least);
    expect(tool).toMatchObject({
      name: "Echo",
      description: "Says it again",
      declaredEffect: "once",
      phrases: [],
    });
    expect(tool.effect({})).toBe("once");
    expect(tool.execute({ text: "hi" }, context)).toBe("hi");
    expect(Object.isFrozen(tool)).toBe(true);
  });

  it("keeps the given options", () => {
    const outputSchema = z3.string();
    const tool = defineTool({
      ...least,
      outputSchema,
      effect: "once",
      retry: { maxAttempts: 2 },
      timeoutMs: Number.POSITIVE_INFINITY,
      result: "value",
    });
    expect(tool).toMatchObject({ retry: { maxAttempts: 2 }, timeoutMs: Number.POSITIVE_INFINITY, result: "value" });
    expect(tool.outputSchema).toBe(outputSchema);
    expect([tool.declaredEffect, tool.effect({})]).toEqual(["once", "once"]);
  });

  it("calls a function for the effect of an input", () => {
    const tool = defineTool({ ...least, effect: ({ text }) => (text === "" ? "pure" : "once") });
    expect(tool.declaredEffect).toBe("by-input");
    expect([tool.effect({ text: "" }), tool.effect({ text: "a" })]).toEqual(["pure", "once"]);
  });

  it.each([
    [undefined, false],
    [false, false],
    [true, true],
    [() => true, "by-input"],
  ] as const)("records what was declared about approval: %s", (needsApproval, declaredNeedsApproval) => {
    expect(defineTool({ ...least, needsApproval })).toMatchObject({ declaredNeedsApproval });
  });

  it("treats undo: undefined as no undo", () => {
    expect(defineTool({ ...least, undo: undefined })).not.toHaveProperty("undo");
  });

  it("accepts plain text as a phrase", () => {
    const toInput = () => ({ text: "x" });
    const tool = defineTool({ ...least, phrases: ["say {text}", { phrase: "repeat", input: { text: "x" }, toInput }] });
    expect(tool.phrases).toEqual([{ phrase: "say {text}" }, { phrase: "repeat", input: { text: "x" }, toInput }]);
  });

  it("accepts a function that loads phrases, and checks them when it is called", async () => {
    const load = async (phrases: () => Promise<readonly string[]>) => {
      const tool = defineTool({ ...least, phrases });
      return typeof tool.phrases === "function" ? tool.phrases() : undefined;
    };
    expect(await load(async () => ["say {text}"])).toEqual([{ phrase: "say {text}" }]);
    await expect(load(async () => [5] as never)).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("keeps this, so execute can use other members of its options", () => {
    const options = {
      ...least,
      execute(this: { description: string }) {
        return this.description;
      },
    };
    expect(defineTool(options).execute({}, context)).toBe("Says it again");
  });

  it("checks its options immediately", () => {
    expect(() => defineTool({ ...least, name: "" })).toThrow(AgentError);
  });

  it("parses nothing: inputs arrive parsed, and errors pass through", () => {
    const boom = new Error("boom");
    const tool = defineTool({
      ...least,
      execute: () => {
        throw boom;
      },
    });
    expect(() => tool.execute({ text: 5 }, context)).toThrow(boom);
  });
});

describe("indexTools", () => {
  it("returns the tools by name, in order", () => {
    const [a, b] = [defineTool({ ...least, name: "A" }), defineTool({ ...least, name: "B" })];
    expect([...indexTools([b, a])]).toEqual([
      ["B", b],
      ["A", a],
    ]);
    expect(indexTools([]).size).toBe(0);
  });

  it("refuses two tools of the same name", () => {
    const index = () => indexTools([defineTool(least), defineTool({ ...least, description: "Another" })]);
    expect(index).toThrow('Two tools are named "Echo"');
    expect(index).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });

  it("refuses a value that is not a list", () => {
    expect(() => indexTools(undefined as unknown as [])).toThrow('"tools" must be a list of tools; it is missing');
  });

  it.each<[string, unknown, string]>([
    [
      "nothing",
      undefined,
      '"tools[1]" must be an object with name, description, inputSchema and execute; it is missing.',
    ],
    [
      "a class",
      class {},
      '"tools[1]" must be an object with name, description, inputSchema and execute; received a function',
    ],
    [
      "a list",
      [],
      '"tools[1]" must be an object with name, description, inputSchema and execute; received an array of length 0',
    ],
    ["an object without a name", {}, '"tools[1].name" must be 1 to 64 letters'],
    ["a name", { name: "X" }, '"X.description" must be text; it is missing'],
    [
      "a tool without a schema",
      { ...defineTool(least), inputSchema: undefined },
      '"Echo.inputSchema" must be a schema',
    ],
    ["a member that is a mistake", { ...least, retries: 3 }, 'Unknown option "Echo.retries". The options are name, '],
    ["a wrong effect", { ...least, effect: "twice" }, '"Echo.effect" must be one of pure, idempotent, once'],
    [
      "a wrong effect of a getter",
      Object.create({
        ...least,
        get effect() {
          return "twice";
        },
      }),
      '"Echo.effect" must be',
    ],
    [
      "limits that cannot be, of a checked tool",
      { ...defineTool(least), concurrency: 0 },
      '"Echo.concurrency" must be',
    ],
  ])("refuses %s in the list", (_name, tool, message) => {
    const index = () => indexTools([defineTool({ ...least, name: "First" }), tool as Tool]);
    expect(index).toThrow(message);
    expect(index).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });

  it("reports the same errors for an object as defineTool", () => {
    for (const wrong of [
      { description: 5 },
      { timeoutMs: 0 },
      { execute: "x" },
      { undo: 1 },
      { phrases: [5] },
      { rateLimit: {} },
    ]) {
      const tool = { ...least, ...wrong } as Tool;
      const messageOf = (call: () => unknown) => {
        try {
          return String(call());
        } catch (thrown) {
          return (thrown as Error).message;
        }
      };
      expect(messageOf(() => indexTools([tool]))).toBe(messageOf(() => define(tool)));
    }
  });

  it("accepts an instance of a class, with prototype, getters and private members", async () => {
    class Echo implements Tool {
      readonly name = "Echo";
      readonly inputSchema = z.object({ text: z.string() });
      readonly #suffix = "!";
      readonly undone: unknown[] = [];
      get description() {
        return `Says it again${this.#suffix}`;
      }
      effect({ text }: { text: string }) {
        return text === this.#suffix ? ("pure" as const) : ("once" as const);
      }
      needsApproval({ text }: { text: string }) {
        return text === this.#suffix;
      }
      async phrases() {
        return [`echo${this.#suffix} {text}`];
      }
      execute({ text }: { text: string }) {
        return text + this.#suffix;
      }
      undo({ output }: { output: unknown }) {
        this.undone.push(output);
      }
    }
    const given = new Echo();
    const tool = indexTools([given]).get("Echo") as DefinedTool;
    expect(tool).toMatchObject({
      description: "Says it again!",
      declaredEffect: "by-input",
      declaredNeedsApproval: "by-input",
    });
    expect([tool.effect({ text: "!" }), tool.effect({ text: "a" })]).toEqual(["pure", "once"]);
    expect(tool.needsApproval?.({ text: "!" })).toBe(true);
    expect(await (tool.phrases as () => Promise<unknown>)()).toEqual([{ phrase: "echo! {text}" }]);
    expect(tool.execute({ text: "a" }, context)).toBe("a!");
    tool.undo?.({ input: {}, output: "a!" }, context);
    expect(given.undone).toEqual(["a!"]);
  });

  it("reads each member of an object once, and keeps a defined tool", () => {
    let reads = 0;
    const tool = {
      ...least,
      get timeoutMs() {
        reads++;
        return 5;
      },
    };
    expect(indexTools([tool]).get("Echo")).toMatchObject({ timeoutMs: 5 });
    expect(reads).toBe(1);
    const made = defineTool(least);
    expect(indexTools([made]).get("Echo")).toBe(made);
  });

  it("reads an object once, however many agents it is passed to", async () => {
    const reads: string[] = [];
    const tool = new Proxy(least as Tool, {
      get: (target, key, receiver) => {
        if (typeof key === "string") reads.push(key);
        return Reflect.get(target, key, receiver);
      },
    });
    const plan = { steps: [{ id: "s1", tool: "Echo", input: { text: "hi" } }] };
    for (let count = 0; count < 3; count++) {
      expect(await createAgent({ tools: [tool] }).execute(plan)).toMatchObject({ status: "completed", output: "hi" });
    }
    expect(reads.length).toBeGreaterThan(5);
    expect(reads).toEqual([...new Set(reads)]);
  });

  it("keeps the declarations of a checked tool when it is spread, and applies overriding ones", () => {
    const made = defineTool({ ...least, effect: "pure", needsApproval: true, phrases: ["echo {text}"] });
    const [same] = [...indexTools([{ ...made, timeoutMs: 5, calls: [] } as Tool]).values()];
    expect(same).toMatchObject({
      declaredEffect: "pure",
      declaredNeedsApproval: true,
      timeoutMs: 5,
      phrases: made.phrases,
    });
    const [other] = [...indexTools([{ ...made, effect: "once", needsApproval: () => true } as Tool]).values()];
    expect(other).toMatchObject({ declaredEffect: "once", declaredNeedsApproval: "by-input" });
    expect(other?.effect({})).toBe("once");
  });

  it("calls what a copy overrides on the copy, and what it does not on the original", () => {
    const methods = {
      execute(this: Tool) {
        return this.description;
      },
      effect(this: Tool) {
        return this.description === "copy" ? "once" : "pure";
      },
    } as const;
    const made = define({ ...least, ...methods });
    const copies = indexTools([
      { ...made, description: "copy", name: "Same" },
      { ...made, description: "copy", name: "Own", execute: methods.execute },
    ]);
    const told = [...copies.values()].map((tool) => [tool.effect({}), tool.execute({}, context)]);
    expect(told).toEqual([
      ["pure", "Says it again"],
      ["pure", "copy"],
    ]);
  });

  it("lets a copy with another schema seal its new secret, under a new fingerprint", async () => {
    const made = defineTool({ ...least, execute: () => null });
    const copy = { ...made, inputSchema: z.object({ text: sensitive(z.string()) }) };
    const plan = { steps: [{ id: "s1", tool: "Echo", input: { text: "hunter-2" } }] } as const;
    const run = async (tool: Tool) => {
      const store = createMemoryRunStore();
      const { runId } = await createAgent({ tools: [tool], store }).execute(plan as never);
      const events = await store.read(runId);
      return { text: JSON.stringify(events), print: events[0]?.type === "run-start" ? events[0].tools[0] : undefined };
    };
    const [before, after, again] = [await run(made), await run(copy), await run(made)];
    expect([before, after, again].map(({ text }) => text.includes("hunter-2"))).toEqual([true, false, true]);
    expect(after.print).toMatchObject({ sensitive: { input: ["/text"], output: [] } });
    expect(after.print?.schemaHash).not.toBe(before.print?.schemaHash);
    expect(again.print).toEqual(before.print);
  });
});
