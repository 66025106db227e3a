import fc from "fast-check";
import type { TodoStoreInput } from "planwright";
import { describe, expect, it } from "vitest";
import { callsOf } from "./todo-calls.ts";

const scoped = () => callsOf({ scope: ({ resources }) => resources?.user ?? "" });

describe("a scope", () => {
  it("hides the todos of other scopes", async () => {
    const { call } = scoped();
    const { id } = await call({ operation: "add", title: "a" }, { user: "ada", key: "k" });
    await call({ operation: "add", title: "a" }, { user: "bob", key: "k" });
    expect(await call({ operation: "list" }, { user: "bob" })).toMatchObject({ count: 1 });
    await expect(call({ operation: "get", id }, { user: "bob" })).rejects.toMatchObject({ code: "todo-not-found" });
    await expect(call({ operation: "delete", id }, { user: "bob" })).rejects.toMatchObject({ code: "todo-not-found" });
    expect(await call({ operation: "clear", allLists: true }, { user: "bob" })).toEqual({ cleared: 1 });
    expect(await call({ operation: "list" }, { user: "ada" })).toMatchObject({ count: 1 });
  });

  it("must be a text, or the call fails", async () => {
    const { call } = scoped();
    await expect(call({ operation: "list" })).rejects.toMatchObject({
      code: "todo-scope-missing",
      details: { received: "empty text" },
      retryable: false,
    });
    const untyped = callsOf({ scope: () => Object(undefined) });
    await expect(untyped.call({ operation: "list" })).rejects.toMatchObject({ details: { received: "object" } });
  });

  it("never reveals or changes todos of another one, under random calls", async () => {
    const names = ["milk", "eggs", "wash the car"];
    const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
    const id = fc.integer({ min: 1, max: 12 }).map((index) => `t${index}`);
    const target = fc.oneof(
      fc.record({ title: pick(...names) }),
      fc.record({ id }),
      fc.record({ index: pick(1, 2, -1) }),
    );
    const input: fc.Arbitrary<TodoStoreInput> = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ operation: pick("add" as const), title: pick(...names), list: pick("A", "b") }),
      },
      fc
        .tuple(pick("get" as const, "complete" as const, "reopen" as const, "delete" as const), target)
        .map(([operation, rest]) => ({ operation, ...rest })),
      target.map((rest) => ({ operation: "update" as const, ...rest, newTitle: "new" })),
      fc.record({ operation: pick("clear" as const), list: pick("a", "B") }),
      pick({ operation: "clear" as const, allLists: true }),
      fc.record({ operation: pick("search" as const), query: pick(...names) }),
    );
    // Keys repeat within and over scopes, as they do where every user's runs count from 1.
    const step = fc.record({
      user: pick("ada", "bob", "ada\u0000"),
      key: pick("1", "2", "3", "4", "5", "6", "7"),
      input,
    });

    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { call } = scoped();
      const owners = new Map<string, string>();
      for (const { user, key, input } of steps) {
        const before = await snapshot(call, user);
        const answer = await call(input, { user, key }).catch((error: unknown) => error);
        expect(await snapshot(call, user)).toEqual(before);
        for (const id of idsIn(answer)) {
          if (input.operation === "add" && !owners.has(id)) owners.set(id, user);
          expect(owners.get(id)).toBe(user);
        }
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });
});

/** What everyone but one user has. */
async function snapshot(call: ReturnType<typeof scoped>["call"], user: string) {
  const others = ["ada", "bob", "ada\u0000"].filter((name) => name !== user);
  return Promise.all(others.map((name) => call({ operation: "list" }, { user: name })));
}

/** The ids that an output or an error shows. */
function idsIn(answer: unknown): readonly string[] {
  const shown = answer instanceof Error ? { ...answer, message: answer.message } : answer;
  return JSON.stringify(shown).match(/(?<="id":")t\d+|(?<=\(id )t\d+/g) ?? [];
}
