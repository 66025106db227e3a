import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutWishes } from "../../../src/planners/rules/cut-wishes.ts";
import { goldRows } from "../../eval/gold.ts";

/** The wishes of a text; one of which nobody can tell that it is one with `?`. */
const cut = (text: string) => cutWishes(text).map(({ text, isSure }) => (isSure ? text : `${text}?`));

describe("cutWishes", () => {
  it.each<[string, string[]]>([
    ["", []],
    ["thanks!", []],
    ["add milk", ["add milk"]],
    ["Add milk, eggs and bread to my list", ["Add milk, eggs and bread to my list"]],
    ["add milk. Show my list", ["add milk", "Show my list"]],
    ["add milk, then show my list", ["add milk", "show my list"]],
    ["add milk and what is left?", ["add milk", "what is left"]],
    ["1. add milk\n2. add eggs", ["add milk", "add eggs"]],
    ["1. add milk", ["add milk"]],
    ["milk\neggs", ["milk", "eggs"]],
    ["add milk and show my list", ["add milk", "show my list?"]],
    ["remind me to buy milk and call mom", ["remind me to buy milk", "call mom?"]],
    ["introduce Ann and Bob to each other", ["introduce Ann and Bob to each other"]],
    ["add milk and the order of Bob", ["add milk and the order of Bob"]],
    ['add "buy milk. Then eggs"', ['add "buy milk. Then eggs"']],
    ["Hi! Please add milk. Thanks, and show my list", ["Please add milk", "show my list"]],
    ["add milk, we have none. Show my list", ["add milk, we have none", "Show my list"]],
    ["add milk because we are out", ["add milk because we are out"]],
    ["as I am busy, show my list", ["as I am busy, show my list"]],
    ["We are out of milk. Add it to my list", ["We are out of milk", "Add it to my list?"]],
    ["if milk is on my list, delete it", ["if milk is on my list, delete it"]],
    ["Remind me at 5 p.m. to call Dr. Smith", ["Remind me at 5 p.m. to call Dr. Smith"]],
    ["between monday and thursday show my list", ["between monday and thursday show my list"]],
    ["添加牛奶。显示列表。", ["添加牛奶", "显示列表"]],
  ])("cuts %j", (text, wishes) => {
    expect(cut(text)).toEqual(wishes);
  });

  it("returns parts of the text in their order, which give it back with what is between them", () => {
    const words = fc.constantFrom("add milk", "and", ",", ".", "then", "show it", '"', "because", "5", "thanks", "\n");
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(words).map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let at = 0;
        let joined = "";
        for (const wish of cutWishes(text)) {
          expect(wish.start).toBeGreaterThanOrEqual(at);
          joined += text.slice(at, wish.start) + wish.text;
          at = wish.end;
        }
        expect(joined + text.slice(at)).toBe(text);
      }),
    );
  });

  it("leaves no letter of the project's own requests between wishes but connectors and courtesies", () => {
    const between = goldRows.flatMap(({ prompt }) => {
      let rest = prompt;
      for (const { text } of cutWishes(prompt)) rest = rest.replace(text, "|");
      return rest.toLowerCase().match(/\p{L}+/gu) ?? [];
    });
    expect([...new Set(between)].sort().join(" ")).toMatchInlineSnapshot(`"and hi one step thank then there two you"`);
  });
});
