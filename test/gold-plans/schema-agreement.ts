import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { generateSync } from "json-schema-faker";
import { jsonSchema } from "planwright/schemas";
import { seededRandom } from "../kills/seeded-random.ts";

/** How often `jsonSchema` and ajv say the same of a value. */
export interface Agreement {
  readonly schemas: number;
  readonly values: number;
  readonly valid: number;
  readonly same: number;
  readonly misses: readonly string[];
}

/** Compares the verdicts on values made from each schema, and on damaged copies of them. */
export function compareWithAjv(schemas: readonly object[], { perSchema = 6, seed = 17 } = {}): Agreement {
  const random = seededRandom(seed);
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  const misses: string[] = [];
  let [values, valid, same] = [0, 0, 0];
  for (const schema of schemas) {
    const ours = jsonSchema(schema);
    const theirs = ajv.compile(schema);
    for (const value of valuesOf(schema, perSchema, random)) {
      const isValid = theirs(value);
      const result = ours["~standard"].validate(value) as { issues?: unknown };
      values += 1;
      if (isValid) valid += 1;
      if (isValid === (result.issues === undefined)) same += 1;
      else misses.push(`${JSON.stringify(schema)} of ${JSON.stringify(value)}: ajv says ${isValid}`);
    }
  }
  return { schemas: schemas.length, values, valid, same, misses };
}

function* valuesOf(schema: object, count: number, random: () => number): Generator<unknown> {
  for (let index = 0; index < count; index += 1) {
    const seed = Math.floor(random() * 2 ** 31);
    const value = JSON.parse(JSON.stringify(generateSync(schema as never, { seed }) ?? null));
    yield value;
    for (let times = 0; times < 4; times += 1) yield damaged(value, random);
  }
}

const strangers: readonly unknown[] = [
  null,
  true,
  "",
  "text",
  "7",
  0,
  -1,
  1.5,
  2 ** 60,
  1e20,
  [],
  [1, "a"],
  {},
  { a: 1 },
];

/** A copy in which one part is replaced, left out or added. */
function damaged(value: unknown, random: () => number): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  if (typeof value !== "object" || value === null || random() < 0.1) return pick(strangers);
  if (Array.isArray(value)) {
    const at = Math.floor(random() * (value.length + 1));
    const kind = random();
    if (kind < 0.3) return [...value.slice(0, at), pick(strangers), ...value.slice(at)];
    if (kind < 0.5) return [...value, ...value.slice(-1)];
    return value.map((item, index) => (index === at ? damaged(item, random) : item));
  }
  const keys = Object.keys(value);
  const key = pick(keys);
  if (key === undefined || random() < 0.15) return { ...value, [pick(["extra", "0", "__proto__x"])]: pick(strangers) };
  if (random() < 0.2) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
  return { ...value, [key]: damaged((value as Record<string, unknown>)[key], random) };
}
