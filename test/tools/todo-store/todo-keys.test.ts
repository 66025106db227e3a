import { describe, expect, it } from "vitest";
import { foldText } from "../../../src/tools/storage/keyed-records.ts";
import {
  cleanListName,
  compareDue,
  isDueDate,
  parseDueDate,
  settleDue,
  titleKey,
  wordsOf,
} from "../../../src/tools/todo-store/todo-keys.ts";

describe("isDueDate", () => {
  it.each([
    "2026-11-22",
    "2024-02-29",
    "2000-02-29",
    "2026-11-22T18:00Z",
    "2026-11-22T18:00:00Z",
    "2026-11-22T18:00:00.123456789+05:30",
    "2026-12-31T23:59:59-11:00",
  ])("accepts %s", (text) => {
    expect(isDueDate(text)).toBe(true);
    expect(parseDueDate(text).dueMs).not.toBeNaN();
  });

  it.each([
    "",
    "tomorrow",
    "22.11.2026",
    "2026-11",
    "2026-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-1-2",
    "2026-11-22T18:00",
    "2026-11-22T24:00Z",
    "2026-11-22T18:60Z",
    "2026-11-22T18:00:61Z",
    "2026-11-22T18:00+24:00",
    "2026-11-22 18:00Z",
    "2026-11-22T18:00z",
    "2026-11-22\n",
    " 2026-11-22",
    "+002026-11-22",
    "２０２６-11-22",
  ])("refuses %j", (text) => {
    expect(isDueDate(text)).toBe(false);
  });
});

describe("compareDue", () => {
  const compare = (due: string, bound: string) => Math.sign(compareDue(parseDueDate(due), parseDueDate(bound)));

  it("compares calendar dates if the bound has no time", () => {
    expect(compare("2026-11-22", "2026-11-22")).toBe(0);
    expect(compare("2026-11-22T00:30:00+02:00", "2026-11-22")).toBe(0);
    expect(compare("2026-11-21T23:30:00-10:00", "2026-11-22")).toBe(-1);
    expect(compare("2026-11-23", "2026-11-22")).toBe(1);
  });

  it("treats a due date without a time as the end of its day", () => {
    expect(compare("2026-11-22", "2026-11-22T23:59:00+14:00")).toBe(1);
    expect(compare("2026-11-21", "2026-11-22T00:00:00Z")).toBe(-1);
  });

  it("compares times of different offsets", () => {
    expect(compare("2026-11-22T18:00:00+01:00", "2026-11-22T17:00:00Z")).toBe(0);
    expect(compare("2026-11-22T18:00:00+01:00", "2026-11-22T17:30:00Z")).toBe(-1);
  });
});

it("a moment is sorted by its day as it was written, then by its time", () => {
  const texts = [
    "2026-11-22T00:00+23:59",
    "2026-11-22T23:59:59.999Z",
    "2026-11-22T17:00-08:00",
    "2026-11-22T23:59:59.998-23:59",
    "2026-11-22",
    "2026-11-23T00:00+23:59",
  ];
  const orders = texts.map((text) => parseDueDate(text).dueOrder);
  expect(orders).toEqual([...new Set(orders)].sort((one, other) => one - other));
});

describe("settleDue", () => {
  it.each([
    [{}, undefined],
    [{ dueDate: "2026-11-22" }, { dueDate: "2026-11-22", dueAt: null }],
    [{ dueDate: "2026-11-22T17:00Z" }, { dueDate: null, dueAt: "2026-11-22T17:00Z" }],
    [{ dueAt: "2026-11-22T17:00Z" }, { dueDate: null, dueAt: "2026-11-22T17:00Z" }],
    [{ dueDate: null }, { dueDate: null, dueAt: null }],
    [{ dueAt: null }, { dueDate: null, dueAt: null }],
  ])("of %j", (due, settled) => expect(settleDue(due)).toEqual(settled));
});

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
