import { expect, it } from "vitest";
import { stepsFor } from "../planners/rules/plan-for.ts";

it.each([
  ["what is 15% of 80", ["Evaluate 15% * 80"]],
  ["Calculate 100 / 4 and add the result as a todo", ["Evaluate 100 / 4", "Add a todo titled with the result"]],
  [
    "add milk and eggs to my shopping list",
    ['Add the todo "milk" to the list "shopping"', 'Add the todo "eggs" to the list "shopping"'],
  ],
  ["delete the second one", ["Delete todo 2"]],
  ["check off the last one on my shopping list", ['Complete the last todo on the list "shopping"']],
  ["show my todos", ["Show the todos"]],
  ["clear my list", ["Clear the todo list"]],
  ["clear my shopping list", ['Clear the list "shopping"']],
  // Where the input says more, so do the words.
  ["show my open tasks", ["Show my open tasks"]],
  ["remind me to call Bob tomorrow", ["Remind me to call Bob tomorrow"]],
  ["what is 6 times 2, and double it", ["Evaluate 6 * 2 * 2"]],
  [`add "a $\{s1.value} note" to my list`, ['Add the todo "a $' + '{s1.value} note"']],
])("%s: the reasons", async (request, reasons) => {
  expect((await stepsFor(request as string)).map(({ reasoning }) => reasoning)).toEqual(reasons);
});
