import { type AgentErrorCode, type AgentErrorData, isAgentError, type Jsonify, type PlanIssue } from "planwright";
import { describe, expectTypeOf, it } from "vitest";
import type { CalculationProblem, TodoMatch } from "../../src/core/errors.ts";
import type { SchemaIssue } from "../../src/core/schema.ts";

describe("Jsonify", () => {
  it("keeps JSON types", () => {
    expectTypeOf<Jsonify<string>>().toBeString();
    expectTypeOf<Jsonify<5 | "a" | true | null>>().toEqualTypeOf<5 | "a" | true | null>();
    expectTypeOf<Jsonify<{ a: number; b: { c: string[] } }>>().toEqualTypeOf<{ a: number; b: { c: string[] } }>();
    expectTypeOf<Jsonify<unknown>>().toBeUnknown();
    expectTypeOf<Jsonify<Record<string, number>>>().toEqualTypeOf<Record<string, number>>();
  });

  it("converts Date to text at any place", () => {
    expectTypeOf<Jsonify<Date>>().toBeString();
    expectTypeOf<Jsonify<{ at: Date; list: Date[]; maybe: Date | null }>>().toEqualTypeOf<{
      at: string;
      list: string[];
      maybe: string | null;
    }>();
  });

  it("uses the return type of toJSON", () => {
    expectTypeOf<Jsonify<{ toJSON(): { at: Date } }>>().toEqualTypeOf<{ at: string }>();
    expectTypeOf<Jsonify<{ price: { toJSON(key: string): number } }>>().toEqualTypeOf<{ price: number }>();
    expectTypeOf<Jsonify<URL>>().toBeString();
  });

  it("converts undefined to null", () => {
    expectTypeOf<Jsonify<undefined>>().toBeNull();
    expectTypeOf<Jsonify<void>>().toBeNull();
    expectTypeOf<Jsonify<{ a: string } | undefined>>().toEqualTypeOf<{ a: string } | null>();
    expectTypeOf<Jsonify<(string | undefined)[]>>().toEqualTypeOf<(string | null)[]>();
  });

  it("makes keys optional that may be undefined, and omits functions and symbols", () => {
    const symbol = Symbol("s");
    expectTypeOf<Jsonify<{ a?: string; b: string | undefined; c: string }>>().toEqualTypeOf<{
      a?: string;
      b?: string;
      c: string;
    }>();
    expectTypeOf<Jsonify<{ a: string; f(): void; g?: () => number; [symbol]: string }>>().toEqualTypeOf<{
      a: string;
    }>();
  });

  it("keeps keys of the types any and unknown", () => {
    // biome-ignore lint/suspicious/noExplicitAny: what JSON.parse and many clients return
    type Loose = Jsonify<{ data: any; more: unknown }>;
    expectTypeOf<keyof Loose>().toEqualTypeOf<"data" | "more">();
  });

  it("keeps tuples, readonly lists and unions", () => {
    expectTypeOf<Jsonify<[Date, number]>>().toEqualTypeOf<[string, number]>();
    expectTypeOf<Jsonify<readonly Date[]>>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Jsonify<{ t: "a"; at: Date } | { t: "b" }>>().toEqualTypeOf<{ t: "a"; at: string } | { t: "b" }>();
  });

  it("supports recursive types", () => {
    interface Node {
      at: Date;
      children: Node[];
    }
    expectTypeOf<Jsonify<Node>["children"][number]["children"][number]["at"]>().toBeString();
  });
});

describe("isAgentError", () => {
  const thrown: unknown = null;

  it("narrows to the details of a code", () => {
    if (isAgentError(thrown, "invalid-plan")) {
      expectTypeOf(thrown.code).toEqualTypeOf<"invalid-plan">();
      expectTypeOf(thrown.details.issues).toEqualTypeOf<readonly PlanIssue[]>();
    }
    if (isAgentError(thrown, "timeout")) expectTypeOf(thrown.details.scope).toEqualTypeOf<"run" | "planner" | "step">();
    // @ts-expect-error there is no such code
    isAgentError(thrown, "nope");
  });

  it("narrows to a union of all details, distinguished by code", () => {
    if (!isAgentError(thrown)) return;
    expectTypeOf(thrown.code).toEqualTypeOf<AgentErrorCode>();
    if (thrown.code === "invalid-tool-input") {
      expectTypeOf(thrown.details.issues).toEqualTypeOf<readonly SchemaIssue[]>();
    }
    expectTypeOf(thrown.cause).toBeUnknown();
  });

  it("narrows a thrown value to an error with toJSON, and data to data", () => {
    if (isAgentError(thrown, "timeout")) expectTypeOf(thrown.toJSON()).toEqualTypeOf<AgentErrorData<"timeout">>();
    const failed = {} as { readonly error?: AgentErrorData };
    if (!isAgentError(failed.error, "timeout")) return;
    expectTypeOf(failed.error.details.scope).toEqualTypeOf<"run" | "planner" | "step">();
    // @ts-expect-error data is its own JSON
    failed.error.toJSON();
  });

  it("narrows to the errors of tools by their codes", () => {
    if (!isAgentError(thrown)) return;
    switch (thrown.code) {
      case "calculation-failed":
        expectTypeOf(thrown.details.problem).toEqualTypeOf<CalculationProblem>();
        break;
      case "todo-ambiguous":
        expectTypeOf(thrown.details.matches).toEqualTypeOf<readonly TodoMatch[]>();
        break;
    }
  });
});
