import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LanguageModel, ModelRequest } from "../../src/index.ts";

/** What the tiny model answers at temperature 0, by the request that it is asked about: it sees nothing else. */
export type RecordedAnswers = Record<string, string>;

export const answersPath = join(import.meta.dirname, "answers.json");

/** The request in a prompt: what the server shows to the tiny model. */
export function requestOf({ messages }: Pick<ModelRequest, "messages">): string {
  const first = messages.find(({ role }) => role === "user");
  if (first === undefined) throw new Error("the prompt has no user message");
  return first.content.split("Request:\n").at(-1) ?? "";
}

/** The tiny model without its engine: it gives the answers that were recorded. */
export function createAnsweringModel(): LanguageModel {
  const answers: RecordedAnswers = JSON.parse(readFileSync(answersPath, "utf8"));
  return {
    provider: "ollama",
    modelId: "micro-planner",
    async generate(request) {
      const text = answers[requestOf(request)];
      if (text === undefined)
        throw new Error("there is no recorded answer: npx tsx test/real-models/record-answers.ts");
      return { text, finishReason: "stop", usage: {} };
    },
  };
}
