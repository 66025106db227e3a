import { writeFileSync } from "node:fs";
import { createOllamaModel, type LanguageModel } from "planwright";
import { answersOf, hashOf, keyOf, outcomesOf, outcomesWith, type Recording } from "./answers.ts";

const [name = "qwen2.5-coder:0.5b", options = "{}"] = process.argv.slice(2);
const real = createOllamaModel({
  model: name,
  host: process.env.OLLAMA_HOST,
  options: JSON.parse(options) as Record<string, unknown>,
});
const answers: Record<string, Recording["answers"][string]> = {};
let prompt = "";
let constant = 0;

/** The model, whose answers are kept. */
const kept: LanguageModel = {
  ...real,
  getContextTokens: async () => 8_192,
  generate: async (request) => {
    constant ||= request.messages.length - 1;
    prompt ||= hashOf(request);
    const { text, finishReason, logprobs, usage } = await real.generate(request);
    const rounded = logprobs?.map(({ token, logprob }) => ({ token, logprob: Number(logprob.toFixed(4)) }));
    answers[keyOf(request, constant)] = { text, finishReason, ...(rounded && { logprobs: rounded }) };
    process.stderr.write(".");
    return { text, finishReason, usage, ...(rounded && { logprobs: rounded }) };
  },
};

const outcomes = await outcomesWith(kept);
const recording: Recording = { model: name, prompt, answers };
writeFileSync(answersOf(name), `${JSON.stringify(recording)}\n`);
writeFileSync(outcomesOf(name), `${JSON.stringify(outcomes, null, 2)}\n`);
