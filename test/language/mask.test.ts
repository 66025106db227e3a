import { describe, expect, it } from "vitest";
import { maskWords, plainLists } from "../../src/language/mask.ts";

function mask(text: string): string {
  const words: string[] = [];
  const tags: string[] = [];
  for (const word of text.split(" ")) {
    const [, marked] = /^\[(.*)\]$/.exec(word) ?? [];
    words.push(marked ?? word);
    tags.push(marked === undefined ? "other" : "title");
  }
  return maskWords(words, tags).join(" ");
}

describe("maskWords", () => {
  it.each([
    ["add [buy] [milk] to my list", "add ‹title› to my list"],
    ["add [milk] , [eggs] and [bread] please", "add ‹title› please"],
    ["change [milk] to [cream]", "change ‹title› to ‹title›"],
    ["‹number› ‹number› and ‹number›", "‹number› and ‹number›"],
    ["show my list", "show my list"],
  ])("makes the frame of %s", (text, frame) => {
    expect(mask(text)).toBe(frame);
  });
});

describe("plainLists", () => {
  it.each([
    ["show my to do list", "show my list"],
    ["put ‹title› on my ‹list› list please", "put ‹title› on my list please"],
    ["read my list of things to do to me", "read my list to me"],
    ["list of lawyers", "list of lawyers"],
    ["what do i have to do", "what do i have to do"],
  ])("calls the list of %s just a list", (text, plain) => {
    expect(plainLists(text.split(" ")).join(" ")).toBe(plain);
  });
});
