import { describe, expect, it } from "vitest";
import { readExample } from "../../../../src/planners/rules/examples/example-sentence.ts";
import type { SlotType } from "../../../../src/planners/rules/slot-reading.ts";

const kinds: Readonly<Record<string, SlotType>> = {
  minutes: { kind: "number" },
  items: { kind: "list", item: "text" },
  state: {
    kind: "enum",
    values: [
      { words: ["on"], value: "ON" },
      { words: ["off"], value: "OFF" },
    ],
  },
};
const read = (phrase: string, input: Record<string, unknown>) =>
  readExample({ phrase, input }, (field) => kinds[field] ?? { kind: "text" });

describe("readExample", () => {
  it.each([
    ["is it raining in New York", { city: "New York" }, "is it raining in {city}"],
    ["IS IT RAINING IN PARIS", { city: "Paris" }, "IS IT RAINING IN {city}"],
    ["wake me in twenty five minutes", { minutes: 25 }, "wake me in {minutes} minutes"],
    ["wake me in 1,000 minutes", { minutes: 1000 }, "wake me in {minutes} minutes"],
    ["lights on", { state: "ON" }, "lights {state}"],
    ["buy milk, eggs and bread for Anna", { items: ["milk", "eggs", "bread"], who: "Anna" }, "buy {items} for {who}"],
    ['write "see you" to Bob', { text: "see you", to: "Bob" }, "write {text} to {to}"],
    // Not in the sentence, or not at a word's beginning.
    ["is it raining here", { city: "Paris" }, "is it raining here"],
    ["is it raining in Parisville", { city: "Paris" }, "is it raining in Parisville"],
    ["buy milk or eggs", { items: ["milk", "eggs"] }, "buy milk or eggs"],
    // Of two that overlap, the longer one; and never all of the sentence.
    ["play the best of jazz", { title: "the best of jazz", genre: "jazz" }, "play {title}"],
    ["Paris", { city: "Paris" }, "Paris"],
  ])("%s", (phrase, input, template) => {
    expect(read(phrase, input)?.template).toBe(template);
  });

  it("keeps apart what the words do not say", () => {
    expect(read("lights on", { state: "ON", room: "hall" })?.meaning).toBe('{"room":"hall"}');
    expect(read("is it raining in Paris", { city: "Paris" })?.meaning).toBe("{}");
  });

  it("leaves templates alone", () => {
    for (const phrase of ["weather in {city}", "(rain|snow)", "rain [today]"]) expect(read(phrase, {})).toBeUndefined();
  });
});
