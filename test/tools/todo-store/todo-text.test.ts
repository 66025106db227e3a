import { describe, expect, it } from "vitest";
import { foldText } from "../../../src/tools/storage/keyed-records.ts";
import { cleanListName, titleKey, wordsOf } from "../../../src/tools/todo-store/todo-keys.ts";

describe("foldText", () => {
  it("removes case and superfluous spaces", () => {
    expect(foldText("  Buy\t the\u00a0 MILK\n")).toBe("buy the milk");
    expect(foldText("Ａｐｐｌｅ")).toBe("apple");
  });
});

describe("titleKey", () => {
  it.each([
    ["Buy milk!", "buy milk"],
    ['"Buy milk."', "buy milk"],
    ["oat-milk, cold", "oat milk cold"],
    ["Mom's birthday", "moms birthday"],
    ["Mom’s birthday", "moms birthday"],
    ["C++", "c++"],
    ["C#", "c#"],
    ["50%", "50%"],
    ["-5", "\u22125"],
    ["5", "5"],
    ["Straße ÄNDERN", "straße ändern"],
    ["🎂", "🎂"],
    ["!!!", "!!!"],
    ["...", "..."],
  ])("of %j is %j", (title, key) => {
    expect(titleKey(title)).toBe(key);
  });
});

describe("wordsOf", () => {
  it("returns each word once", () => {
    expect(wordsOf("The car, the CAR")).toEqual(["the", "car"]);
    expect(wordsOf("?")).toEqual(["?"]);
  });
});

describe("cleanListName", () => {
  it.each([
    ["my Shopping list", "Shopping"],
    ["Shopping", "Shopping"],
    ["the work  List", "work"],
    ["to-do list", "todos"],
    ["My To Do List", "todos"],
    ["list", "todos"],
    ["my list", "todos"],
    ["Tasks", "todos"],
    ["my", "my"],
    ["wishlist", "wishlist"],
    ["myths", "myths"],
    ["__proto__", "__proto__"],
  ])("of %j is %j", (name, clean) => {
    expect(cleanListName(name)).toBe(clean);
  });
});
