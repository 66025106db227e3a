import {
  createAgent,
  createCalculator,
  defineTool,
  describePlan,
  escapeTemplate,
  hashPlan,
  isAgentError,
  type PlanInput,
  validatePlan,
} from "planwright";
import * as z from "zod/v4";
import { anything, group, hostileNames, hostileTexts, jsonOf, type Play, settle, textOf } from "./group.ts";

const echo = defineTool({
  name: "echo",
  description: "returns its value",
  inputSchema: z.object({ value: z.any() }),
  effect: "idempotent",
  retry: { maxAttempts: 1 },
  execute: ({ value }) => ({ value }) as object,
});
const agent = createAgent({ tools: [echo], onWarning: () => {} });

/** What a run with one echo after another returns. */
const echoed = async (value: unknown, before: unknown = 1) => {
  const steps = [
    { id: "s1", tool: "echo", input: { value: before } },
    { id: "s2", tool: "echo", input: { value } },
  ];
  const result = await agent.execute({ steps } as never);
  return result.status === "completed" ? (result.output as { value: unknown }).value : result;
};
const json = (value: unknown) => JSON.stringify(value);

group("text that is escaped is never a reference", 2_500, async (play) => {
  const text = textOf(play);
  const value = await echoed(`${escapeTemplate(text)}|${escapeTemplate(text)}`, "wrong");
  play.check(value === `${text}|${text}`, "it arrives as it is", () => [text, value]);
  const plan = { steps: [{ id: "a", tool: "echo", input: { value: escapeTemplate(text) } }] };
  play.check((await validatePlan(plan, { tools: [echo] })).length === 0, "it has no issue", () => text);
});

group("a literal is untouched, and what a reference inserts is not read again", 2_500, async (play) => {
  const value = play.int(2) === 0 ? { $ref: "s1.value", more: jsonOf(play) } : jsonOf(play);
  const literal = await echoed({ $literal: value });
  play.check(json(literal) === json(value), "the literal", () => [value, literal]);
  const inserted = await echoed({ $ref: "s1.value" }, { $literal: { $ref: "s1", text: "${s1.value}", value } });
  play.check(json(inserted) === json({ $ref: "s1", text: "${s1.value}", value }), "what is inserted", () => [
    value,
    inserted,
  ]);
});

group("a path reads own properties and nothing else", 2_500, async (play) => {
  const value = jsonOf(play, 3);
  const keys: (string | number)[] = [];
  let at = value;
  let isThere = true;
  for (let depth = play.int(4); depth > 0 && isThere; depth -= 1) {
    const own: readonly (string | number)[] = Array.isArray(at) ? [...at.keys()] : Object.keys(Object(at));
    const key =
      typeof at === "object" && own.length > 0 && play.int(3) > 0
        ? play.pick(own)
        : play.pick<string | number>([...hostileNames, 0, 7]);
    isThere =
      typeof at === "object" &&
      at !== null &&
      (typeof key === "number") === Array.isArray(at) &&
      Object.hasOwn(at, key);
    keys.push(key);
    if (isThere) at = (at as Record<string | number, unknown>)[key];
  }
  const path = `s1.value${keys.map((key) => `[${JSON.stringify(key)}]`).join("")}`;
  const plan = {
    steps: [
      { id: "s1", tool: "echo", input: { value: { $literal: value } } },
      { id: "s2", tool: "echo", input: { value: { $ref: path } } },
    ],
  };
  const { value: result, error } = await settle(() => agent.execute(plan as never));
  if (result?.status === "completed") {
    const output = (result.output as { value: unknown }).value;
    play.check(isThere && json(output) === json(at), "it is what is there", () => [value, path, output]);
  } else {
    const refusal = error ?? result?.error;
    play.check(
      !isThere && isAgentError(refusal, error === undefined ? "invalid-reference" : "invalid-plan"),
      "it is missing",
      () => [value, path, refusal],
    );
  }
});

const templates = [
  "${s1.value}",
  "${s1",
  "${}",
  "${$}",
  "$${s1.value}",
  "${s1.value.constructor}",
  "${__proto__}",
  "${s2}",
  "${s1['x']}",
  '${s1["a"]}',
  "${s1[0]}",
  "${s1[-1]}",
  "${item}",
  "${s1.value}}",
  "${ s1 }",
];
const expressions = [
  "true",
  "s1.value == 1",
  "s1",
  "[1, 2, 3]",
  "s1.value.map(x, x)",
  "1 / 0",
  "constructor",
  "__proto__",
  "has(s1.x)",
  "'a'.matches('(a+)+$')",
  "size([[1]].map(a, a))",
  "1 +",
  "a".repeat(500),
  "((((((((((1))))))))))",
  "[1,2,3].all(x, [1,2,3].all(y, x > y))",
  "this",
  "globalThis",
  "process.exit()",
  "s1.constructor.constructor('return 1')()",
];

function planOf(play: Play): unknown {
  const { int, pick } = play;
  if (int(8) === 0) return anything(play);
  const steps = Array.from({ length: int(4) }, (_, index) => {
    if (int(8) === 0) return anything(play);
    const step: Record<string, unknown> = {
      id: pick<unknown>([`s${index + 1}`, `s${index + 1}`, `s${index + 1}`, "s1", pick(hostileNames), textOf(play)]),
      tool: pick<unknown>(["echo", "echo", "echo", pick(hostileNames), "Echo"]),
      input: {
        value: pick<unknown>([
          1,
          jsonOf(play),
          pick(templates),
          { $ref: pick(["s1.value", "s2", "", "s1[", "__proto__"]) },
          { $literal: pick(templates) },
        ]),
      },
    };
    if (int(4) === 0) step.when = pick<unknown>([...expressions, anything(play)]);
    if (int(4) === 0) step.forEach = pick<unknown>([...expressions, anything(play)]);
    if (int(4) === 0) step.dependsOn = pick<unknown>([[], ["s1"], ["s9"], ["__proto__"], anything(play)]);
    if (int(8) === 0) step[pick(["wait", "reasoning", "retry", "__proto__x", "constructor"])] = anything(play);
    return step;
  });
  return {
    steps,
    ...(int(6) === 0 && { [pick(["version", "request", "id", "source", "createdAt", "x"])]: anything(play) }),
  };
}

group("any value is judged as a plan: a list of issues, and never a throw", 25_000, async (play) => {
  const plan = planOf(play);
  const { value: issues, error } = await settle(() => validatePlan(plan, { tools: [echo] }));
  play.check(Array.isArray(issues), "issues", () => [plan, String(error)]);
  play.check(
    issues?.every(({ code, path, message }) => typeof code === "string" && Array.isArray(path) && message.length > 0) ??
      false,
    "each has a code, a path and a message",
    () => issues,
  );
});

group("a plan runs, or is refused before anything has happened", 4_000, async (play) => {
  const plan = planOf(play) as PlanInput;
  let calls = 0;
  const counted = {
    ...echo,
    execute: ({ value }: { value: unknown }) => {
      calls += 1;
      return { value };
    },
  } as typeof echo;
  const issues = await validatePlan(plan, { tools: [counted] });
  const { value: result, error } = await settle(() =>
    createAgent({ tools: [counted], onWarning: () => {} }).execute(plan as never),
  );
  if (issues.length > 0)
    play.check(isAgentError(error, "invalid-plan") && calls === 0, "refused with its issues", () => [
      plan,
      issues,
      String(error),
    ]);
  else
    play.check(["completed", "failed", "suspended"].includes(result?.status ?? ""), "it ends as a result", () => [
      plan,
      String(error),
    ]);
  if (result?.error !== undefined) play.check(isAgentError(result.error), "with a code", () => result.error);
});

group("the description of a plan never throws, and is text", 8_000, async (play) => {
  const plan = planOf(play) as PlanInput;
  const isValid = (await validatePlan(plan, { tools: [echo] })).length === 0;
  const { value: text, error } = await settle(() => describePlan(plan as never, { tools: [echo] }));
  play.check(
    isValid ? typeof text === "string" : text !== undefined || isAgentError(error),
    "text or a coded error",
    () => [plan, String(error)],
  );
});

const shuffled = (value: unknown, { int }: Play): unknown => {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, { int } as Play));
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  const entries = Object.entries(value).sort(() => int(3) - 1);
  for (const [key, item] of entries)
    Object.defineProperty(copy, key, {
      value: shuffled(item, { int } as Play),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return copy;
};

group(
  "the hash of a plan is of what it says: the order of keys is nothing, each change is another",
  8_000,
  async (play) => {
    const step = (id: string) => ({ id, tool: "echo", input: { value: jsonOf(play) }, dependsOn: [] as string[] });
    const plan = { request: textOf(play), steps: [step("s1"), step("s2")] };
    const hash = await hashPlan(plan as never);
    play.check(/^[\da-f]{64}$/.test(hash), "64 digits", () => hash);
    play.check((await hashPlan(shuffled(plan, play) as never)) === hash, "another order of keys", () => plan);
    play.check(
      (await hashPlan({ ...JSON.parse(json(plan) as string), id: "x", createdAt: "2026-01-01T00:00:00.000Z" })) ===
        hash,
      "through JSON, with an id",
      () => plan,
    );
    const [first, second] = plan.steps as [ReturnType<typeof step>, ReturnType<typeof step>];
    const changes: readonly object[] = [
      { ...plan, request: `${plan.request}.` },
      { ...plan, steps: [second, first] },
      { ...plan, steps: [first] },
      { ...plan, steps: [first, { ...second, tool: "other" }] },
      { ...plan, steps: [first, { ...second, dependsOn: ["s1"] }] },
      { ...plan, steps: [first, { ...second, input: { ...second.input, __proto: 1 } }] },
      { ...plan, steps: [first, { ...second, input: { value: [second.input.value] } }] },
      { ...plan, steps: [first, { ...second, when: "true" }] },
    ];
    for (const changed of changes) play.check((await hashPlan(changed as never)) !== hash, "a change", () => changed);
  },
);

group("what was approved by its hash runs, and nothing else", 1_500, async (play) => {
  const plan = { request: "r", steps: [{ id: "s1", tool: "echo", input: { value: { $literal: jsonOf(play) } } }] };
  const other = {
    ...plan,
    steps: [{ id: "s1", tool: "echo", input: { value: { $literal: { changed: jsonOf(play) } } } }],
  };
  const approvedHash = await hashPlan(plan as never);
  play.check((await agent.execute(plan as never, { approvedHash })).status === "completed", "it runs", () => plan);
  const refused = await settle(() => agent.execute(other as never, { approvedHash }));
  play.check(isAgentError(refused.error, "plan-not-approved"), "another does not", () => [other, refused]);
});

const characters = [
  ..."0123456789+-*/%^().,eE xπ√!=<>&|$",
  "sqrt",
  "pi",
  "factorial",
  "ln",
  "1e999",
  "9".repeat(400),
  "(".repeat(300),
  "constructor",
  "__proto__",
  "eval",
  "min(",
  "max(",
];
const calculator = createCalculator();

group("an expression of the calculator has a value or a coded error, soon", 25_000, async (play) => {
  let expression = "";
  for (let parts = 1 + play.int(12); parts > 0; parts -= 1) expression += play.pick(characters);
  const { value, error } = await settle(() =>
    calculator.execute({ expression } as never, { signal: new AbortController().signal } as never),
  );
  if (error !== undefined)
    play.check(isAgentError(error, "calculation-failed"), "no other error", () => [expression, String(error)]);
  else play.check(Number.isFinite(Object(value).value), "a finite number", () => [expression, value]);
});

const planner = createAgent({ tools: [createCalculator(), echo], onWarning: () => {} });

group("any request is planned or refused with its code", 4_000, async (play) => {
  const words = [
    "calculate",
    "1 + 1",
    "and",
    "then",
    "add",
    "the result",
    "to",
    "my list",
    "if",
    "not",
    "delete",
    "all",
    ...hostileTexts,
  ];
  let request = "";
  for (let parts = 1 + play.int(10); parts > 0; parts -= 1) request += `${play.pick(words)} `;
  const { value: plan, error } = await settle(() => planner.plan(request));
  if (plan === undefined)
    play.check(isAgentError(error, "cannot-plan") || isAgentError(error, "invalid-request"), "refused", () => [
      request,
      String(error),
    ]);
  else
    play.check((await validatePlan(plan, { tools: [calculator, echo] })).length === 0, "its plan is valid", () => [
      request,
      plan,
    ]);
});
