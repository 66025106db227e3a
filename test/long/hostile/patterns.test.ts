import { runInNewContext } from "node:vm";
import { defineTool, isAgentError, validatePlan } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { group, jsonOf, type Play, settle } from "./group.ts";

const atoms = ["a", "b", "[ab]", ".", "[^a]", "\\w", "\\s", "\\d", "aa", "é", "\\p{L}", "[à-ü]", "\\u{61}", "😀"];
const counts = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,20}", "*?", "+?", "{30}"];

function patternOf(play: Play, depth = 2): string {
  const { int, pick } = play;
  const open = pick(["(?:", "(", "(?=", "(?!", "(?<=", "(?<n>"]);
  const isLook = /^\(\?<?[=!]/.test(open);
  const inside = depth > 0 && int(2) === 0 ? `${open}${patternOf(play, depth - 1)})` : pick(atoms);
  const term = inside.startsWith("(?") && isLook ? inside : `${inside}${pick(counts)}`;
  return int(3) === 0 ? term : `${term}${pick(["", "", "|"])}${patternOf(play, Math.max(0, depth - int(2)))}`;
}

function textFor({ int, pick }: Play, length: number): string {
  const pump = Array.from({ length: 1 + int(3) }, () => pick(["a", "b", " ", "1", "é", "😀", "-"])).join("");
  return `${pump.repeat(Math.ceil(length / pump.length)).slice(0, length)}${pick(["", "!", "a", "\n"])}`.toWellFormed();
}

const validate = (schema: object, value: unknown) =>
  jsonSchema<unknown>(schema)["~standard"].validate(value) as { issues?: readonly { message: string }[] };

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") !== undefined;
  } catch {
    return false;
  }
}

group("patterns that are taken end soon, with the longest text that is matched", 12_000, (play) => {
  const pattern = `${play.pick(["^", "^", ""])}${patternOf(play)}${play.pick(["$", "c$", ""])}`;
  if (pattern.length > 80 || !isPattern(pattern)) return;
  let schema: ReturnType<typeof jsonSchema<unknown>>;
  try {
    schema = jsonSchema<unknown>({ pattern });
  } catch (thrown) {
    play.check(isAgentError(thrown, "invalid-options"), "a refusal has its code", () => thrown);
    return;
  }
  for (const length of [5, 8, 11, 18, 79, 299, 4_990]) {
    const text = textFor(play, length);
    const match = () => schema["~standard"].validate(text);
    // A match that hangs is ended by the context's time limit, which is patience only.
    const result = runInNewContext("match()", { match }, { timeout: 20_000 }) as {
      issues?: readonly { message: string }[];
    };
    const message = result.issues?.[0]?.message ?? "";
    play.check(
      message.startsWith("String is too long") || (result.issues === undefined) === new RegExp(pattern, "u").test(text),
      "a text is matched as the pattern says, or is too long",
      () => [pattern, text, message],
    );
  }
});

group("short texts are judged as the pattern says", 20_000, (play) => {
  const pattern = patternOf(play, 1);
  if (!isPattern(pattern)) return;
  const text = textFor(play, play.int(12));
  try {
    const { issues } = validate({ pattern }, text);
    if (issues?.[0]?.message.startsWith("String is too long")) return;
    play.check((issues === undefined) === new RegExp(pattern, "u").test(text), "same verdict", () => [pattern, text]);
  } catch (thrown) {
    play.check(isAgentError(thrown, "invalid-options"), "a refusal has its code", () => thrown);
  }
});

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? {
          ...Object.fromEntries(
            Object.entries(part)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, item]) => [`k${key}`, item]),
          ),
        }
      : part,
  );
const hasEqual = (list: readonly unknown[]) => new Set(list.map(canonical)).size < list.length;

group("uniqueItems finds equal items, and only these", 20_000, (play) => {
  const items = Array.from({ length: play.int(6) }, () => jsonOf(play, 2));
  const copy = play.int(2) === 0 && items.length > 0 ? [structuredClone(play.pick(items))] : [];
  const list = [...items, ...copy];
  const isUnique = validate({ uniqueItems: true }, list).issues === undefined;
  play.check(isUnique !== hasEqual(list), "a list is unique if no two items are equal", () => list);
  const union = { anyOf: [{ uniqueItems: true, type: "array" }, { type: "string" }] };
  play.check((validate(union, list).issues === undefined) === isUnique, "below a union", () => list);
  const object = { type: "object", properties: { unique: { uniqueItems: true }, free: { type: "array" } } };
  play.check(
    (validate(object, { unique: list, free: [1, 1] }).issues === undefined) === isUnique,
    "beside a free list",
    () => list,
  );
});

const schemaWords = [
  "type",
  "pattern",
  "items",
  "properties",
  "allOf",
  "anyOf",
  "not",
  "if",
  "enum",
  "const",
  "$ref",
  "required",
  "format",
  "uniqueItems",
  "minimum",
  "__proto__",
];

group("a schema of anything is taken or refused with its code, and judges anything", 12_000, async (play) => {
  const schema: Record<string, unknown> = {};
  for (let words = play.int(3); words >= 0; words -= 1) {
    const value = play.pick<unknown>([
      jsonOf(play, 2),
      "string",
      "object",
      ["string", "null"],
      { type: "array", uniqueItems: true },
      [{}, { type: "number" }],
      "#",
      "^a",
      true,
    ]);
    Object.defineProperty(schema, play.pick(schemaWords), { value, enumerable: true, configurable: true });
  }
  const { value: made, error } = await settle(() => jsonSchema<never>({ type: "object", properties: { x: schema } }));
  play.check(error === undefined || isAgentError(error, "invalid-options"), "refused with its code", () => [
    schema,
    String(error),
  ]);
  if (made === undefined) return;
  const tool = await settle(() =>
    defineTool({ name: "t", description: "t", inputSchema: made, effect: "idempotent", execute: () => 1 }),
  );
  play.check(tool.error === undefined || isAgentError(tool.error), "a tool is made or refused", () => [
    schema,
    String(tool.error),
  ]);
  if (tool.value === undefined) return;
  const plan = { steps: [{ id: "a", tool: "t", input: { x: jsonOf(play) } }] };
  const issues = await settle(() => validatePlan(plan, { tools: [tool.value as never] }));
  play.check(Array.isArray(issues.value), "a plan is judged", () => [schema, plan, String(issues.error)]);
});
