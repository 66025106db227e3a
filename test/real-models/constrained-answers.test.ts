import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { define } from "../../src/core/define-tool.ts";
import type { DefinedTool } from "../../src/core/tool.ts";
import { createOllamaModel } from "../../src/index.ts";
import { checkAnswer } from "../../src/planners/llm/check-answer.ts";
import { promptOf } from "../../src/planners/llm/prompt/system-prompt.ts";
import { toTool } from "../eval/call-tools.ts";
import { readRows } from "../eval/data.ts";
import { schemasWithValues } from "../planners/llm/schemas/sample-schemas.ts";
import { type Engine, missingEnginePackages, startEngine } from "./start-engine.ts";

const missing = missingEnginePackages();
if (missing.length > 0) {
  console.info(`Skipped: grammars (${missing.join(", ")} not installed; run node test/real-models/install.mjs).`);
}
const callsFile = "../shared/eval/function-calling.jsonl";
const hasCalls = existsSync(callsFile);
if (!hasCalls) console.info(`Only schemas of our own become grammars: published tools are expected at ${callsFile}`);

/** What is left of the context of the tiny model is for its answer. */
const maxRequest = 60;

const samples = schemasWithValues.map(([name, inputSchema]): [string, readonly DefinedTool[]] => [
  name,
  [define({ name: "T", description: name, inputSchema, execute: () => null })],
]);
const published = (hasCalls ? readRows(callsFile) : []).map(({ prompt, tools = [] }): [string, DefinedTool[]] => [
  prompt,
  tools.map(toTool),
]);

/** Samples with rules that no grammar states: patterns, what becomes of a value, both of two schemas, a key like a reference. */
const beyondGrammars = new Set([
  "texts with rules",
  "coerced values",
  "transforms",
  "intersections of unions",
  "keys of odd names",
  "templates",
]);
/** A grammar states the form of a reference, not which steps there are, and that there are digits, not how many. */
const beyondAnyGrammar = /is not the id of a step|is not a reference|Infinity is not JSON/;

describe.skipIf(missing.length > 0)("llama.cpp", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = (await startEngine()) as Engine;
  });
  afterAll(() => engine?.close());

  it("writes, under a grammar of each schema, answers that are valid plans", { timeout: 600_000 }, async () => {
    const models = [1, 2, 3].map((seed) =>
      createOllamaModel({ model: engine.model, host: engine.host, retry: { maxAttempts: 1 }, seed }),
    );
    const unexplained: string[] = [];
    let [whole, valid] = [0, 0];
    for (const [request, tools] of [...samples, ...published]) {
      const options = { instructions: undefined, examples: [], expressions: false, maxSteps: 3 } as const;
      const { schema } = await promptOf(tools, { ...options, dialect: "grammar" });
      const { steps, ...others } = schema.properties ?? {};
      // The tiny model knows none of these tools: it would write no steps.
      const withSteps = { ...schema, properties: { ...others, steps: { ...steps, minItems: 1 } } };
      for (const model of models) {
        const { text, finishReason } = await model.generate({
          messages: [{ role: "user", content: request.slice(0, maxRequest) }],
          responseFormat: { type: "json", schema: withSteps },
          temperature: 1.2,
          maxOutputTokens: 700,
          signal: new AbortController().signal,
        });
        if (finishReason !== "stop") continue;
        whole += 1;
        const answer = await checkAnswer(text, {
          ...{ tools: new Map(tools.map((tool) => [tool.name, tool])), request, typed: request, instructions: "" },
          ...{ planned: [], shown: [], kept: [], prefix: "s", expressions: false, maxSteps: 10 },
          ...{ isReplan: false, mayAskAgain: false, isWhole: true, grounding: "off" },
        });
        if (answer.type !== "problem") valid += 1;
        else if (!beyondGrammars.has(request) && !beyondAnyGrammar.test(answer.problems.join(" "))) {
          unexplained.push(`${request}: ${answer.problems.join(" ")}\n   ${text}`);
        }
      }
    }
    console.info(`${samples.length + published.length} sets; of ${whole} whole answers ${valid} are valid`);
    expect(unexplained).toEqual([]);
    expect(valid).toBeGreaterThan(samples.length);
  });
});
