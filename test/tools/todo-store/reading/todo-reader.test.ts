import { describe, expect, it } from "vitest";
import type { PhraseContext } from "../../../../src/core/tool.ts";
import { loadDateReader } from "../../../../src/dates/read-dates.ts";
import { tokenize } from "../../../../src/language/tokens.ts";
import { wordForms } from "../../../../src/language/word-forms.ts";
import { findDates } from "../../../../src/planners/rules/request-dates.ts";
import { createTodoReader } from "../../../../src/tools/todo-store/reading/todo-reader.ts";
import { fromWritten } from "../../../../training/assemble.ts";
import { readSentences } from "../../../../training/read-sentences.ts";
import { toTodoModel, trainTodos } from "../../../../training/train-todos.ts";

// Half of the written sentences, quickly: what is tested is how they are read, not how well it is learned.
const sentences = readSentences("training/sentences").filter((_, index) => index % 2 === 0);
const reader = createTodoReader(toTodoModel(trainTodos(fromWritten(sentences), [], { epochs: 2, classEpochs: 3 })));
/** Sunday, 22 November 2026. */
const clock = { nowMs: Date.UTC(2026, 10, 22, 12), timeZone: "Europe/Berlin" };
const none: PhraseContext = { previous: undefined, ...clock };

const readDates = await loadDateReader();

function read(text: string, context: PhraseContext = none) {
  const tokens = tokenize(text);
  const readings = reader.read({
    text,
    tokens,
    forms: wordForms(tokens),
    dates: findDates({ text, tokens }, clock, readDates),
  });
  return { probability: readings[0]?.probability ?? 0, inputs: readings[0]?.toInputs(context) };
}

describe("the reader of todos", () => {
  it.each([
    ["add milk to my list", [{ operation: "add", title: "milk" }]],
    ["add milk, eggs and bread to my list", [{ title: "milk" }, { title: "eggs" }, { title: "bread" }]],
    ["put candles on my shopping list", [{ operation: "add", title: "candles", list: "shopping" }]],
    ["what is on my list", [{ operation: "list" }]],
    ["is milk on my list", [{ operation: "search", query: "milk" }]],
    ["remove milk from my list", [{ operation: "delete", title: "milk" }]],
    ["delete the second one from my list", [{ operation: "delete", index: 2 }]],
    ["mark call the bank as done", [{ operation: "complete", title: "call the bank" }]],
    ["clear my shopping list", [{ operation: "clear", list: "shopping" }]],
  ])("reads %s", (text, expected) => {
    const { probability, inputs } = read(text);
    expect(probability).toBeGreaterThan(0.3);
    expect(inputs).toMatchObject(expected);
  });

  it.each([
    ["add milk to my list tomorrow at 5pm", [{ title: "milk", dueAt: "2026-11-23T17:00:00+01:00" }]],
    ["tomorrow at 5pm add milk to my list", [{ title: "milk", dueAt: "2026-11-23T17:00:00+01:00" }]],
    ["put candles on my list by friday", [{ operation: "add", title: "candles", dueDate: "2026-11-27" }]],
    ["what is on my list for tomorrow", [{ operation: "list", dueOn: "2026-11-23" }]],
    ["add read march 5 news to my list", [{ title: "read march 5 news" }]],
  ])("reads when something is due in %s", (text, expected) => {
    expect(read(text).inputs).toMatchObject(expected);
  });

  it.each([
    "what is on my list tomorrow at 5pm",
    "what is on my list before friday",
    "add milk to my list after friday",
    "mark call the bank tomorrow as done",
  ])("leaves the date in %s over", (text) => expect(read(text).inputs).toHaveProperty("left"));

  it("puts a reference where words stand for an earlier result, and misses it where there is none", () => {
    const previous = { $ref: "s1.value" };
    expect(read("add the result to my list", { ...none, previous }).inputs).toMatchObject([{ title: previous }]);
    expect(read("add the result to my list").inputs).toEqual({ unbound: "the result" });
  });

  it.each(["play some jazz", "book a table for two", "what is the capital of peru"])("is not sure of %s", (text) => {
    expect(read(text).probability).toBeLessThan(0.5);
  });
});
