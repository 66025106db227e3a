import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Schema } from "effect";
import { defineTool, type InferToolInput } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { number, object, optional, string } from "valibot";
import { describe, expectTypeOf, it } from "vitest";

interface Order {
  to: string;
  cents?: number | undefined;
}

describe("the type of a tool's input", () => {
  it("is inferred from a JSON Schema that is written in place", () => {
    const tool = defineTool({
      name: "Pay",
      description: "Pays",
      inputSchema: jsonSchema({
        type: "object",
        properties: {
          to: { type: "string" },
          cents: { type: "integer" },
          kind: { enum: ["gift", "debt"] },
          tags: { type: "array", items: { type: ["string", "null"] } },
          place: { anyOf: [{ type: "string" }, { type: "object", properties: { lat: { type: "number" } } }] },
          pair: { type: "array", prefixItems: [{ type: "string" }, { const: 1 }], items: { type: "boolean" } },
          map: { type: "object", additionalProperties: { type: "number" } },
          any: {},
        },
        required: ["to", "kind"],
      }),
      execute: (input) => input.to,
    });
    expectTypeOf<InferToolInput<typeof tool>>().toEqualTypeOf<{
      to: string;
      kind: "gift" | "debt";
      cents?: number;
      tags?: (string | null)[];
      place?: string | { lat?: number };
      pair?: [string, 1, ...boolean[]];
      map?: { [key: string]: number };
      any?: unknown;
    }>();
  });

  it("is what is given for any other JSON Schema", () => {
    const tool = defineTool({
      name: "Pay",
      description: "Pays",
      inputSchema: jsonSchema<Order>(JSON.parse("{}")),
      execute: ({ to }) => to,
    });
    expectTypeOf<InferToolInput<typeof tool>>().toEqualTypeOf<Order>();
  });

  it("is inferred from ArkType, valibot and Effect", () => {
    const base = { name: "Pay", description: "Pays" };
    const ark = defineTool({
      ...base,
      inputSchema: type({ to: "string", "cents?": "number" }),
      execute: ({ to }) => to,
    });
    const valibot = defineTool({
      ...base,
      inputSchema: toStandardJsonSchema(object({ to: string(), cents: optional(number()) })),
      execute: ({ to }) => to,
    });
    const effect = defineTool({
      ...base,
      inputSchema: Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.Struct({ to: Schema.String }))),
      execute: ({ to }) => to,
    });
    expectTypeOf<InferToolInput<typeof ark>>().toEqualTypeOf<{ to: string; cents?: number }>();
    expectTypeOf<InferToolInput<typeof valibot>>().toEqualTypeOf<{ to: string; cents?: number | undefined }>();
    expectTypeOf<InferToolInput<typeof effect>>().toEqualTypeOf<{ readonly to: string }>();
  });
});
