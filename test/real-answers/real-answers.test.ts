import { existsSync, readFileSync } from "node:fs";
import type { LanguageModel } from "planwright";
import { describe, expect, it } from "vitest";
import { answersOf, hashOf, keyOf, models, outcomesOf, outcomesWith, type Recording, requests } from "./answers.ts";

function read<T>(url: URL): T {
  return JSON.parse(readFileSync(url, "utf8")) as T;
}

describe.each(models)("recorded answers of %s", (name) => {
  const { answers, prompt }: Recording = existsSync(answersOf(name))
    ? read(answersOf(name))
    : { model: name, prompt: "", answers: {} };
  const hashes = new Set<string>();
  let constant = 0;
  const model: LanguageModel = {
    provider: "ollama",
    modelId: name,
    schemas: "grammar",
    getContextTokens: async () => 8_192,
    generate: async (request) => {
      constant ||= request.messages.length - 1;
      if (request.messages.length === constant + 1) hashes.add(hashOf(request));
      const answer = answers[keyOf(request, constant)];
      if (answer === undefined)
        throw new Error(`There is no answer to ${JSON.stringify(request.messages.at(-1)?.content)}: record again.`);
      return { ...answer, usage: {} };
    },
  };

  it("become the plans that are written down", async () => {
    expect(requests().length).toBeGreaterThanOrEqual(60);
    expect(await outcomesWith(model)).toEqual(read(outcomesOf(name)));
  });

  it("were given to the prompt of today (else: npx tsx test/real-answers/record.ts, see answers.ts)", () => {
    expect([...hashes]).toEqual([prompt]);
  });
});
