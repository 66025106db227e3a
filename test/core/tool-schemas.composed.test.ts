import { composed, sensitive } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { toJsonSchema } from "../../src/core/schema.ts";

describe("composed", () => {
  it.each([
    ["zod 4", z.object({ body: composed(z.string().min(1)), to: z.string() })],
    ["zod 3", z3.object({ body: composed(z3.string().min(1)), to: z3.string() })],
  ])("marks a field of %s in its JSON Schema, and changes nothing else", async (_name, schema) => {
    const { properties } = await toJsonSchema(schema, "input");
    expect(properties?.body).toMatchObject({ type: "string", minLength: 1, composed: true });
    expect(properties?.to).not.toHaveProperty("composed");
    expect((await schema["~standard"].validate({ body: "", to: "a" })).issues).toHaveLength(1);
  });

  it.each([
    ["zod 4", z],
    ["zod 3", z3 as unknown as typeof z],
  ])("marks a field of %s in whatever form it has", async (_name, zod) => {
    const text = () => composed(zod.string());
    const forms = {
      text: text(),
      optional: text().optional(),
      nullable: text().nullable(),
      nullish: text().nullish(),
      default: text().default("x"),
      catch: text().catch("x"),
      refined: text().refine(() => true),
      described: text().describe("d"),
      short: text().max(9),
      branded: text().brand("b"),
      readonly: text().readonly(),
      transformed: text().transform((value) => value),
      "pipe from": text().pipe(zod.string()),
      "pipe into": zod.string().pipe(text()),
      preprocessed: zod.preprocess((value) => value, text()),
      lazy: zod.lazy(text),
    };
    const { properties = {} } = await toJsonSchema(
      zod.object({ ...forms, holder: zod.object({ text: text() }) }),
      "input",
    );
    const marked = Object.keys(properties).filter((name) => properties[name]?.composed === true);
    expect(marked).toEqual(Object.keys(forms));
  });

  it("may be marked as sensitive, too", async () => {
    const { properties } = await toJsonSchema(z.object({ body: sensitive(composed(z.string())) }), "input");
    expect(properties?.body).toMatchObject({ composed: true, sensitive: true });
  });

  it("takes only schemas of zod", () => {
    expect(() => composed({} as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});
