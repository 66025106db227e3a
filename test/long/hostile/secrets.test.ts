import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAgent,
  createMemoryRunStore,
  defineTool,
  describePlan,
  isAgentError,
  type RunStore,
  sensitive,
  validatePlan,
} from "planwright";
import { createRunLog } from "planwright/log";
import { jsonSchema } from "planwright/schemas";
import { createSqliteRunStore } from "planwright/sqlite";
import { exportRun, toHtml, toMermaid } from "planwright/view";
import * as z from "zod/v4";
import { recordSpans } from "../../scenario/span-recorder.ts";
import { group, type Play, settle } from "./group.ts";

/** A secret that can be found in whatever form it is written. */
const secretOf = ({ int, pick }: Play) =>
  `sk-${pick(["live", 'a"b', "x/y+z", "é😀", "<b>", "a b"])}-${Array.from({ length: 12 }, () => int(36).toString(36)).join("")}`;

const formsOf = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("hex"),
  secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
];
const tells = (text: string, secret: string) => formsOf(secret).some((form) => text.includes(form));
const textOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const s = () => sensitive(z.string());

/** Schemas of an object with a secret at "k", and how its value is written. */
const zodForms: readonly (readonly [name: string, schema: () => z.ZodType, wrap: (secret: string) => unknown])[] = [
  ["plain", () => z.object({ k: s() }), (k) => ({ k })],
  ["meta", () => z.object({ k: z.string().meta({ sensitive: true }) }), (k) => ({ k })],
  ["optional", () => z.object({ k: s().optional() }), (k) => ({ k })],
  ["outside optional", () => z.object({ k: sensitive(z.string().optional()) }), (k) => ({ k })],
  ["nullable", () => z.object({ k: s().nullable() }), (k) => ({ k })],
  ["default", () => z.object({ k: s().default("x") }), (k) => ({ k })],
  ["prefault", () => z.object({ k: s().prefault("x") }), (k) => ({ k })],
  ["catch", () => z.object({ k: s().catch("x") }), (k) => ({ k })],
  ["readonly", () => z.object({ k: s().readonly() }), (k) => ({ k })],
  ["pipe", () => z.object({ k: s().pipe(z.string()) }), (k) => ({ k })],
  ["pipe, the other side", () => z.object({ k: z.string().pipe(s()) }), (k) => ({ k })],
  ["transform", () => z.object({ k: s().transform((text) => text.length) }), (k) => ({ k })],
  ["refine", () => z.object({ k: s().refine(() => true) }), (k) => ({ k })],
  ["preprocess", () => z.object({ k: z.preprocess((text) => text, s()) }), (k) => ({ k })],
  ["array", () => z.object({ k: z.array(s()) }), (k) => ({ k: [k, k] })],
  ["tuple", () => z.object({ k: z.tuple([z.number(), s()]) }), (k) => ({ k: [1, k] })],
  ["rest of a tuple", () => z.object({ k: z.tuple([z.number()], s()) }), (k) => ({ k: [1, k] })],
  ["record", () => z.object({ k: z.record(z.string(), s()) }), (k) => ({ k: { a: k } })],
  ["nested", () => z.object({ a: z.object({ b: z.object({ c: s() }) }) }), (c) => ({ a: { b: { c } } })],
  ["union", () => z.object({ k: z.union([z.number(), s()]) }), (k) => ({ k })],
  [
    "union of objects",
    () => z.object({ k: z.union([z.object({ a: z.number() }), z.object({ b: s() })]) }),
    (b) => ({ k: { b } }),
  ],
  [
    "discriminated",
    () =>
      z.object({
        k: z.discriminatedUnion("t", [z.object({ t: z.literal("a"), v: s() }), z.object({ t: z.literal("b") })]),
      }),
    (v) => ({ k: { t: "a", v } }),
  ],
  [
    "intersection",
    () => z.object({ k: z.object({ a: s() }).and(z.object({ b: z.number() })) }),
    (a) => ({ k: { a, b: 1 } }),
  ],
  ["lazy", () => z.object({ k: z.lazy(() => s()) }), (k) => ({ k })],
  ["catchall", () => z.object({}).catchall(s()), (k) => ({ k })],
  [
    "a whole object",
    () => z.object({ k: sensitive(z.object({ user: z.string(), list: z.array(z.string()) })) }),
    (k) => ({ k: { user: k, list: [k] } }),
  ],
  [
    "recursive",
    () => {
      const node: z.ZodType = z.object({ v: s(), next: z.lazy(() => node).optional() });
      return z.object({ k: node });
    },
    (v) => ({ k: { v, next: { v } } }),
  ],
];

const mark = { type: "string", sensitive: true };
const jsonForms: readonly (readonly [name: string, schema: object, wrap: (secret: string) => unknown])[] = [
  ["properties", { properties: { k: mark } }, (k) => ({ k })],
  ["items", { properties: { k: { type: "array", items: mark } } }, (k) => ({ k: [k] })],
  ["prefixItems", { properties: { k: { type: "array", prefixItems: [mark] } } }, (k) => ({ k: [k] })],
  ["contains", { properties: { k: { type: "array", contains: mark } } }, (k) => ({ k: [k] })],
  ["additionalProperties", { additionalProperties: mark }, (k) => ({ k })],
  ["patternProperties", { patternProperties: { "^k": mark } }, (k) => ({ k })],
  ["unevaluatedProperties", { unevaluatedProperties: mark }, (k) => ({ k })],
  ["allOf", { allOf: [{ properties: { k: mark } }] }, (k) => ({ k })],
  ["anyOf", { properties: { k: { anyOf: [{ type: "number" }, mark] } } }, (k) => ({ k })],
  ["oneOf", { properties: { k: { oneOf: [{ type: "number" }, mark] } } }, (k) => ({ k })],
  ["then", { if: {}, ...JSON.parse(`{"then":${JSON.stringify({ properties: { k: mark } })}}`) }, (k) => ({ k })],
  ["else", { if: { not: {} }, else: { properties: { k: mark } } }, (k) => ({ k })],
  ["dependentSchemas", { dependentSchemas: { k: { properties: { k: mark } } } }, (k) => ({ k })],
  ["$ref", { properties: { k: { $ref: "#/$defs/s" } }, $defs: { s: mark } }, (k) => ({ k })],
  ["$anchor", { properties: { k: { $ref: "#s" } }, $defs: { s: { ...mark, $anchor: "s" } } }, (k) => ({ k })],
  [
    "beside $ref",
    { properties: { k: { $ref: "#/$defs/s", sensitive: true } }, $defs: { s: { type: "string" } } },
    (k) => ({ k }),
  ],
  ["not of not", { properties: { k: { not: { not: mark } } } }, (k) => ({ k })],
];

/** Runs one step with a secret, and returns all that is told of it by the library, as texts. */
async function play(
  schema: unknown,
  input: unknown,
  execute: (input: unknown, context: { progress: (value: never) => void }) => unknown,
  more: object = {},
) {
  const lines: unknown[][] = [];
  const write = (...args: unknown[]) => void lines.push(args);
  const recorded = recordSpans({ content: "all" });
  const warnings: unknown[] = [];
  const store = createMemoryRunStore();
  const tool = defineTool({
    name: "t",
    description: "d",
    inputSchema: schema as z.ZodType,
    effect: "idempotent",
    retry: { maxAttempts: 2, minDelayMs: 0 },
    execute: execute as never,
  });
  const next = defineTool({
    name: "n",
    description: "d",
    inputSchema: z.object({ v: z.any() }),
    effect: "idempotent",
    execute: () => 1,
  });
  const log = createRunLog({ debug: write, info: write, warn: write, error: write });
  const agent = createAgent({
    tools: [tool, next],
    store,
    observers: [log, recorded.observer],
    onWarning: (warning) => warnings.push(warning),
    onListenerError: () => {},
    ...more,
  });
  const shown: unknown[] = [];
  agent.subscribe((event) => shown.push(event));
  const plan = { steps: [{ id: "s1", tool: "t", input }] };
  const issues = await validatePlan(plan, { tools: [tool] });
  const result = await agent.execute(plan as never, { runId: "r" });
  const { output: _output, ...told } = result;
  const stored = await store.read("r");
  const snapshot = await agent.getRun("r");
  const texts = {
    issues,
    told: { ...told, steps: told.steps.map(({ output: _hidden, ...step }) => step) },
    shown,
    stored,
    snapshot,
    listed: await agent.listRuns(),
    lines,
    spans: recorded.spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    warnings,
    page: toHtml(stored as never),
    pages: toHtml([snapshot as never, result as never]),
    chart: toMermaid(stored as never),
    document: await exportRun({ store, runId: "r" }),
    described: describePlan(plan as never, { tools: [tool] }),
    // Its plan is the one that was given, to be executed.
    dry: await agent.dryRun(plan as never).then(({ steps }) => steps, String),
  };
  return { result, texts };
}

function checkHidden({ check }: Play, texts: object, secret: string, label: string): void {
  for (const [place, value] of Object.entries(texts))
    check(!tells(textOf(value), secret), `${label} hides it in ${place}`, () => [
      secret,
      textOf(value).slice(0, 1_500),
    ]);
}

group("a secret in every form of zod's schemas is shown in nothing", 900, async (chance) => {
  const [name, schema, wrap] = chance.pick(zodForms);
  const secret = secretOf(chance);
  const { value: made, error } = await settle(async () => play(schema(), wrap(secret), () => 1));
  // A form that cannot be held may be refused, if the refusal hides it, too.
  if (made === undefined)
    chance.check(
      isAgentError(error) && !tells(textOf(error) + String(error), secret),
      `${name} is refused`,
      () => error,
    );
  else {
    chance.check(made.result.status === "completed", `${name} runs`, () => made.result.error);
    checkHidden(chance, made.texts, secret, name);
  }
});

group("a secret in every form of JSON Schema is shown in nothing", 600, async (chance) => {
  const [name, schema, wrap] = chance.pick(jsonForms);
  const secret = secretOf(chance);
  const { value: made, error } = await settle(async () =>
    play(jsonSchema<unknown>({ type: "object", ...schema }), wrap(secret), () => 1),
  );
  if (made === undefined)
    chance.check(
      isAgentError(error) && !tells(textOf(error) + String(error), secret),
      `${name} is refused`,
      () => error,
    );
  else {
    chance.check(made.result.status === "completed", `${name} runs`, () => made.result.error);
    checkHidden(chance, made.texts, secret, name);
  }
});

group(
  "a secret that a tool quotes in errors, causes, details, stacks and progress is shown in nothing",
  900,
  async (chance) => {
    const secret = secretOf(chance);
    const fail = chance.pick<() => unknown>([
      () => new Error(`no ${secret}`),
      () => new Error("no", { cause: new Error(`because ${secret}`) }),
      () => Object.assign(new Error("no"), { details: { [secret]: secret, list: [secret] } }),
      () => Object.assign(new Error("no"), { code: secret }),
      () => new AggregateError([new Error(secret)], secret),
      () => secret,
      () => ({ message: secret, [secret]: 1 }),
      () => {
        const error = new Error(`first ${secret}`);
        void error.stack;
        error.message = "changed";
        return error;
      },
      () => Object.assign(new Error("no"), { name: secret }),
      () => new Error(`https://user:${encodeURIComponent(secret)}@example.com/?key=${encodeURIComponent(secret)}`),
    ]);
    const execute = (_input: unknown, { progress }: { progress: (value: never) => void }) => {
      progress({ at: secret, [secret]: [secret] } as never);
      throw fail();
    };
    const { result, texts } = await play(z.object({ k: s() }), { k: secret }, execute);
    chance.check(result.status === "failed", "it fails", () => result.status);
    checkHidden(chance, texts, secret, String(fail).slice(0, 90));
  },
);

group("a secret that a schema refuses is not quoted in the refusal", 1_500, async (chance) => {
  const secret = secretOf(chance);
  const schema = chance.pick<unknown>([
    z.object({ k: s().max(3) }),
    z.object({ k: s().refine(() => false) }),
    z.object({ k: sensitive(z.enum(["a", "b"])) }),
    z.object({ k: sensitive(z.literal("a")) }),
    jsonSchema<unknown>({ type: "object", properties: { k: { ...mark, const: "a" } } }),
    jsonSchema<unknown>({ type: "object", properties: { k: { ...mark, maxLength: 3 } } }),
  ]);
  const tool = defineTool({
    name: "t",
    description: "d",
    inputSchema: schema as z.ZodType,
    effect: "idempotent",
    execute: () => 1,
  });
  const plan = { steps: [{ id: "s1", tool: "t", input: { k: secret } }] };
  const issues = await validatePlan(plan, { tools: [tool] });
  chance.check(issues.length > 0 && !tells(textOf(issues), secret), "in issues", () => issues);
  const agent = createAgent({ tools: [tool], onWarning: () => {} });
  const { error } = await settle(() => agent.execute(plan as never));
  chance.check(isAgentError(error, "invalid-plan"), "it is refused", () => error);
  chance.check(!tells(textOf(error) + String((error as Error).stack), secret), "in the error", () => [
    secret,
    String((error as Error).stack),
  ]);
});

group("a secret that a reference or a template moves stays one", 600, async (chance) => {
  const secret = secretOf(chance);
  const store = createMemoryRunStore();
  const giver = defineTool({
    name: "g",
    description: "d",
    inputSchema: z.object({}),
    effect: "idempotent",
    outputSchema: z.object({ k: s(), open: z.string() }),
    execute: () => ({ k: secret, open: "open" }),
  });
  const got: unknown[] = [];
  const taker = defineTool({
    name: "t",
    description: "d",
    inputSchema: z.object({ v: z.any() }),
    effect: "idempotent",
    execute: ({ v }) => void got.push(v),
  });
  const events: unknown[] = [];
  const agent = createAgent({
    tools: [giver, taker],
    store,
    onWarning: () => {},
    needsApproval: (question) => chance.int(3) === 0 && question.kind === "step" && question.tool === "t",
    requestApproval: async (request) => {
      events.push(request);
      return "approve";
    },
  });
  agent.subscribe((event) => events.push(event));
  const v = chance.pick<unknown>([
    { $ref: "s1.k" },
    "${s1.k}",
    "a ${s1.k} b ${s1.open}",
    { $ref: "s1" },
    [{ deep: { $ref: "s1.k" } }],
  ]);
  const plan = {
    steps: [
      { id: "s1", tool: "g", input: {} },
      { id: "s2", tool: "t", input: { v }, when: chance.pick(["true", "s1.k != ''"]) },
    ],
  };
  const result = await agent.execute(plan as never, { runId: "r" });
  chance.check(result.status === "completed" && tells(textOf(got), secret), "the tool gets it", () => [
    result.error,
    got,
  ]);
  const stored = await store.read("r");
  const texts = {
    events,
    stored,
    snapshot: await agent.getRun("r"),
    page: toHtml(stored),
    chart: toMermaid(stored),
    document: await exportRun({ store, runId: "r" }),
  };
  checkHidden(chance, texts, secret, textOf(v));
});

group("what was stored is not in the files of a database once it is deleted", 60, async (chance) => {
  const folder = mkdtempSync(join(tmpdir(), "planwright-hostile-"));
  try {
    const marks = Array.from({ length: 3 }, () => `mark-${secretOf(chance).slice(-12)}`);
    const store = createSqliteRunStore({ path: join(folder, "runs.db") });
    const tool = defineTool({
      name: "t",
      description: "d",
      inputSchema: z.object({ v: z.string() }),
      effect: "idempotent",
      execute: ({ v }) => ({ v: v.repeat(1 + chance.int(200)) }),
    });
    const agent = createAgent({ tools: [tool], store: store as RunStore, onWarning: () => {} });
    for (const [index, v] of marks.entries())
      await agent.execute({ steps: [{ id: "s1", tool: "t", input: { v } }] } as never, {
        runId: `r${index}`,
        metadata: { v },
      });
    const bytes = () =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("\n");
    chance.check(
      marks.every((one) => bytes().includes(one)),
      "it was there",
    );
    await agent.deleteRun("r0");
    if (chance.int(2) === 0) await agent.deleteRun("r1");
    else {
      const { deleted } = await agent.prune({ before: new Date(Date.now() + 10_000).toISOString(), keep: 0 });
      chance.check(deleted === 2, "the others are pruned", () => deleted);
    }
    if (chance.int(2) === 0) store.close();
    chance.check(
      !bytes().includes(marks[0] as string) && !bytes().includes(marks[1] as string),
      "it is gone",
      () => marks,
    );
    store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
