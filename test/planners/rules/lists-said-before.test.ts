import { describe, expect, it } from "vitest";
import { createCalculator, createRulePlanner, createTodoStore, isAgentError } from "../../../src/index.ts";

const { signal } = new AbortController();
const clock = { nowMs: Date.UTC(2026, 10, 26, 10), timeZone: "UTC" };

/** The inputs of the steps; `refused` for no plan. */
async function inputsFor(request: string): Promise<unknown> {
  const asked = { request, tools: [createCalculator(), createTodoStore()], maxSteps: 50, signal, ...clock };
  try {
    return (await createRulePlanner().plan(asked as never)).steps.map(({ input }) => input);
  } catch (thrown) {
    if (!isAgentError(thrown, "cannot-plan")) throw thrown;
    return "refused";
  }
}

const add = (title: string, list?: string) => ({ operation: "add", title, ...(list && { list }) });

describe("what was said before", () => {
  it.each<readonly [string, unknown]>([
    ["show my shopping list and add eggs to it", [{ operation: "list", list: "shopping" }, add("eggs", "shopping")]],
    ["add milk to that list", "refused"],
    ["take eggs off it", "refused"],
    ["list done todos then clear them", "refused"],
    ["list done todos then clear it", "refused"],
    [
      "show my completed tasks and delete the second",
      [
        { operation: "list", status: "completed" },
        { operation: "delete", id: "${" + "s1.todos[1].id}" },
      ],
    ],
    ["delete item 1 and delete item 3", "refused"],
    ["if 5 plus 5 is 10, add milk", "refused"],
    ["- milk\n- eggs", [add("milk"), add("eggs")]],
    ["1. milk\n2. eggs", [add("milk"), add("eggs")]],
    ["- milk\n- cancel the gym", "refused"],
  ])("%s", async (request, wanted) => expect(await inputsFor(request)).toEqual(wanted));
});
