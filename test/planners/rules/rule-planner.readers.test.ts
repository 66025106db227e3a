import { describe, expect, it } from "vitest";
import { inputsFor, refusalOf } from "./plan-for.ts";

describe("what no phrase fits", () => {
  it.each([
    ["run me through my chores", [{ operation: "list" }]],
    ["walk me through whatever is still open on my task list", [{ operation: "list", status: "pending" }]],
    ["2 raised to its 9th power", [{ expression: "2 ^ 9" }]],
    ["the total of both numbers 7 and 12", [{ expression: "7 + 12" }]],
    ["how would one deduct six from fifteen", [{ expression: "15 - 6" }]],
    [
      "start with 8, halve it and add 3",
      [{ expression: "8 / 2" }, { expression: "x + 3", variables: { x: { $ref: "s1.value" } } }],
    ],
    [
      "calculate 100 / 4 and add result as todo",
      [{ expression: "100 / 4" }, { operation: "add", title: "${s1.value}" }],
    ],
  ])("is read by what was learned: %s", async (request, inputs) => {
    expect(await inputsFor(request)).toEqual(inputs);
  });

  it.each([
    ["calculate 5 * 5. shove that on my todo list", { operation: "add", title: "${s1.value}" }],
    ["calculate 5 * 5, then drop the answer into my list", { operation: "add", title: "${s1.value}" }],
    ["add milk to my list. that is done already", { operation: "complete", id: "${s1.id}" }],
  ])("takes the result of another wish: %s", async (request, last) => {
    const inputs = await inputsFor(request);
    expect(inputs).toHaveLength(2);
    const plain = JSON.parse(JSON.stringify(inputs[1]).replace(/\{"\$ref":"([^"]+)"\}/g, '"${$1}"'));
    expect(plain).toEqual(last);
  });

  it.each([
    "add milk to my list, and bin it",
    "mark milk as done and toss it",
    "show my list and hide it",
    "delete both",
    "mark both of them as done",
    "add milk and eggs to my list, then call it shopping",
    "shove that on my todo list",
    "that is done already",
  ])("loses nothing that is said of an earlier result, and makes no title of it: %s", async (request) => {
    expect((await refusalOf(request)).reason).toMatch(/^(?:not-understood|unbound|missing)$/);
  });
});
