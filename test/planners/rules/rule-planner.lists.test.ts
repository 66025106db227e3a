import { createCalculator, createRulePlanner, createTodoStore, isAgentError } from "planwright";
import { describe, expect, it } from "vitest";

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
    [
      "list done todos then clear them",
      [
        { operation: "list", status: "completed" },
        { operation: "clear", onlyCompleted: true },
      ],
    ],
    ["list my open todos then clear them", "refused"],
    ["list my high priority todos then clear them", "refused"],
    [
      "add staples to the office list, then let me see what is still open on it",
      [add("staples", "office"), { operation: "list", list: "office", status: "pending" }],
    ],
    [
      "add staples to the office list and read it back to me",
      [add("staples", "office"), { operation: "list", list: "office" }],
    ],
    [
      "add ring bank, then move that one to the admin list",
      [add("ring bank"), { operation: "update", newList: "admin", id: "${" + "s1.id}" }],
    ],
    [
      "rename bread to butter and set it due december 10",
      [
        { operation: "update", title: "bread", newTitle: "butter" },
        { operation: "update", dueDate: "2026-12-10", id: "${" + "s1.id}" },
      ],
    ],
    ["add milk and eggs, then complete it", "refused"],
    ["add milk and eggs to my shopping list, tag it food", "refused"],
    ["add wine and cheese tasting to the events list, tag it social", "refused"],
    [
      "what is overdue and what is due today",
      [
        { operation: "list", dueBefore: "2026-11-26T10:00:00+00:00", status: "pending" },
        { operation: "list", dueOn: "2026-11-26" },
      ],
    ],
    [
      "show my tasks due after monday and before friday",
      [{ operation: "list", dueAfter: "2026-11-30", dueBefore: "2026-12-04" }],
    ],
    ["list done todos then clear it", "refused"],
    [
      "show my completed tasks and delete the second",
      [
        { operation: "list", status: "completed" },
        { operation: "delete", id: "${" + "s1.todos[1].id}" },
      ],
    ],
    ["delete item 1 and delete item 3", "refused"],
    ["complete the third and the first", "refused"],
    [
      "complete item 1 and delete item 3",
      [
        { operation: "complete", index: 1 },
        { operation: "delete", index: 3 },
      ],
    ],
    ["if 5 plus 5 is 10, add milk", "refused"],
    ["- milk\n- eggs", [add("milk"), add("eggs")]],
    ["1. milk\n2. eggs", [add("milk"), add("eggs")]],
    ["- milk\n- cancel the gym", "refused"],
  ])("%s", async (request, wanted) => expect(await inputsFor(request)).toEqual(wanted));
});
