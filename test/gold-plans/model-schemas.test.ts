import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { generateSync } from "json-schema-faker";
import { expect, it } from "vitest";
import type { JsonSchema } from "../../src/core/json-schema.ts";
import { describeSchema } from "../../src/planners/llm/schemas/describe-schema.ts";
import { answerSchema, stepSchema } from "../../src/planners/llm/schemas/model-schema.ts";
import { resolvePointer } from "../../src/planners/llm/schemas/resolve-pointer.ts";
import { featureSchemas } from "../adapters/schemas/feature-schemas.ts";
import { goldFolder, goldSets, hasGold, readGoldTools } from "./gold.ts";

if (!hasGold) console.log(`Only schemas of our own are tested: the published tools are expected at ${goldFolder}`);

const published = hasGold ? goldSets.flatMap((set) => readGoldTools(set).map(({ inputSchema }) => inputSchema)) : [];
const schemas: readonly JsonSchema[] = [
  ...Object.entries(featureSchemas).map(([name, schema]) =>
    name === "recursion" ? (schema as JsonSchema) : { type: "object", properties: { value: schema as JsonSchema } },
  ),
  ...published.filter((_, index) => index % 8 === 0),
];

it.each(["plain", "strict", "grammar"] as const)(
  "what a tool takes may be written to a server of %s schemas",
  (dialect) => {
    const ajv = new Ajv2020({ strict: false });
    (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
    let checked = 0;
    const refused: string[] = [];
    for (const schema of schemas) {
      expect(describeSchema(schema)).not.toBe("");
      const first = stepSchema("T", schema, { optional: ["reasoning"], dialect });
      const isClosed = dialect === "strict" && first.isClosed;
      // What is not closed is sent in the plain form.
      const step =
        dialect === "strict" && !isClosed ? stepSchema("T", schema, { optional: [], dialect: "plain" }) : first;
      const { $defs } = answerSchema([step], { maxSteps: 9, dialect }).schema;
      const isWritable = ajv.compile({ ...step.schema.properties?.input, $defs });
      const isRight = ajv.compile(schema);
      for (let seed = 1; seed <= 3; seed += 1) {
        const value: unknown = JSON.parse(JSON.stringify(generateSync(schema as never, { seed })));
        if (!isRight(value)) continue;
        checked += 1;
        const written = isClosed ? withNulls(schema, value) : value;
        if (!isWritable(written)) refused.push(`${JSON.stringify(schema)}: ${JSON.stringify(written)}`);
      }
    }
    expect(refused).toEqual([]);
    expect(checked).toBeGreaterThan(2 * schemas.length);
  },
);

/** A closed schema wants each key: null is for one that is left out. */
function withNulls(given: JsonSchema, value: unknown, root = given): unknown {
  const schema = given.$ref === undefined ? given : (resolvePointer(root, given.$ref) ?? {});
  if (Array.isArray(value)) return value.map((item) => withNulls((schema.items ?? {}) as JsonSchema, item, root));
  const { properties } = schema;
  if (typeof value !== "object" || value === null || properties === undefined) return value;
  const object = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(properties).map((key) => [
      key,
      Object.hasOwn(object, key) ? withNulls(properties[key] as JsonSchema, object[key], root) : null,
    ]),
  );
}
