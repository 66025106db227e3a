import fc from "fast-check";
import { createAgent, defineTool, isAgentError, type StandardSchema, sensitive, validatePlan } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const secret = 'hunter2 "quoted"\\ and é';
const quote = (value: unknown) => `${value} is weak, and so is ${JSON.stringify(value)}`;

/** Schemas whose messages quote a sensitive value: at its own path, and at others. */
const schemas: Readonly<Record<string, StandardSchema<unknown, unknown>>> = {
  "at its path": z.object({
    key: sensitive(z.string()).refine(() => false, { error: ({ input }) => quote(input) }),
  }) as never,
  "at the root": z.object({ key: sensitive(z.string()) }).superRefine(({ key }, context) => {
    context.addIssue({ code: "custom", message: quote(key) });
  }) as never,
  "at another path": z
    .object({ key: sensitive(z.string()), user: z.string().default("ada") })
    .superRefine(({ key }, context) => {
      context.addIssue({ code: "custom", message: quote(key), path: ["user"] });
    }) as never,
  "in a list": z.object({ keys: sensitive(z.array(z.string())) }).superRefine(({ keys }, context) => {
    context.addIssue({ code: "custom", message: quote(keys[1]), path: ["keys", 1] });
  }) as never,
  "in a record": z
    .object({ of: z.record(z.string(), z.object({ key: sensitive(z.string()) })) })
    .superRefine(({ of }, context) => {
      context.addIssue({ code: "custom", message: quote(of.ada?.key) });
    }) as never,
};

describe("a message about an input", () => {
  it.each(Object.entries(schemas))("does not quote what is sensitive in it (%s)", async (_, inputSchema) => {
    const tool = defineTool({ name: "T", description: "t", inputSchema, effect: "idempotent", execute: () => null });
    const input = { key: secret, keys: ["other", secret], of: { ada: { key: secret } } };
    const known = Object.keys((inputSchema as unknown as { shape?: object }).shape ?? {});
    const own = Object.fromEntries(Object.entries(input).filter(([key]) => known.includes(key)));
    const plan = { steps: [{ id: "a", tool: "T", input: own }] };
    const issues = await validatePlan(plan, { tools: [tool] });
    expect(issues).toMatchObject([{ code: "invalid-input", message: expect.stringContaining("[sensitive] is weak") }]);
    const thrown = await createAgent({ tools: [tool] })
      .execute(plan)
      .catch((error: unknown) => error);
    expect(isAgentError(thrown, "invalid-plan")).toBe(true);
    expect(JSON.stringify([issues, thrown, String(thrown)])).not.toContain("hunter2");
  });

  it("quotes what is not", async () => {
    const inputSchema = jsonSchema({
      type: "object",
      properties: { key: { type: "string", sensitive: true }, size: { enum: ["small", "large"] } },
    });
    const tool = defineTool({ name: "T", description: "t", inputSchema, effect: "idempotent", execute: () => null });
    const plan = { steps: [{ id: "a", tool: "T", input: { key: "sm", size: "medium" } }] };
    const [issue] = await validatePlan(plan, { tools: [tool] });
    expect(issue?.message).toContain("small");
  });
});

it("a secret of one step is hidden in the paths and messages of another", async () => {
  const inputSchema = z.object({ key: sensitive(z.string()).optional(), text: z.string().optional() });
  const tool = defineTool({ name: "T", description: "t", inputSchema, execute: () => null });
  const steps = [
    { id: "a", tool: "T", input: { key: "hunter2x" } },
    { id: "b", tool: "T", input: { hunter2x: "1", text: 5 } },
    { id: "c", tool: "T", input: { "my hunter2x": "1" } },
  ];
  const issues = await validatePlan({ steps }, { tools: [tool] });
  expect(issues.map(({ code, path }) => [code, path])).toEqual([
    ["unknown-key", ["steps", 1, "input", "[sensitive]"]],
    ["invalid-input", ["steps", 1, "input", "text"]],
    ["unknown-key", ["steps", 2, "input", "my [sensitive]"]],
  ]);
  expect(JSON.stringify(issues)).not.toContain("hunter2x");
  const short = { id: "a", tool: "T", input: { key: "steps" } };
  const [issue] = await validatePlan({ steps: [short, steps[1]] }, { tools: [tool] });
  expect(issue?.path.slice(0, 3)).toEqual(["steps", 1, "input"]);
});

describe("a key that is a secret", () => {
  const key = "hunter2x";
  it.each<[string, z.ZodObject, object, string]>([
    ["beside it", z.object({ of: sensitive(z.string()) }), { of: key, [key]: 1 }, "unknown-key"],
    [
      "in a part",
      z.object({ of: sensitive(z.string()), a: z.strictObject({}) }),
      { of: key, a: { [key]: 1 } },
      "unknown-key",
    ],
    ["in a sensitive object", z.object({ of: sensitive(z.object({})) }), { of: { [key]: 1 } }, "unknown-key"],
    [
      "in a sensitive record",
      z.object({ of: sensitive(z.record(z.string(), z.number())) }),
      { of: { [key]: "b" } },
      "invalid-input",
    ],
    [
      "of a record",
      z.object({ of: z.record(sensitive(z.string().max(3)), z.number()) }),
      { of: { [key]: 1 } },
      "invalid-input",
    ],
  ])("is not shown where it stands %s", async (_, inputSchema, input, code) => {
    const tool = defineTool({ name: "T", description: "t", inputSchema, effect: "idempotent", execute: () => null });
    const issues = await validatePlan({ steps: [{ id: "a", tool: "T", input }] }, { tools: [tool] });
    expect(issues.map((issue) => issue.code)).toContain(code);
    expect(JSON.stringify(issues)).not.toContain(key);
    expect(issues.every(({ path }) => path.at(-1) === "[sensitive]")).toBe(true);
  });

  it("does not hide the name of a field, and is hidden however deep it stands", async () => {
    const inputSchema = z.object({ of: sensitive(z.object({ user: z.string(), more: z.any() })) });
    const tool = defineTool({ name: "T", description: "t", inputSchema, effect: "idempotent", execute: () => null });
    const anything = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes("$"));
    await fc.assert(
      fc.asyncProperty(anything, anything, async (more, user) => {
        const input = { of: { user, more, [key]: more } };
        const issues = await validatePlan({ steps: [{ id: "a", tool: "T", input }] }, { tools: [tool] });
        expect(issues.map(({ path }) => path.slice(3).join("."))).toEqual([
          "of.[sensitive]",
          ...(typeof user === "string" ? [] : ["of.user"]),
        ]);
        expect(JSON.stringify(issues)).not.toContain(key);
      }),
      { numRuns: 200 },
    );
  });
});
