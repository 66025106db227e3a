import { writeFileSync } from "node:fs";
import { createOllamaModel } from "../../src/index.ts";
import { otherWordings, trainedWordings } from "./engine-requests.ts";
import { planWithModel } from "./plan-with-model.ts";
import { answersPath, type RecordedAnswers, requestOf } from "./recorded-model.ts";
import { missingEnginePackages, startEngine } from "./start-engine.ts";

/*
 * Records what the tiny model answers at temperature 0, for the tests that run without the engine:
 *   npx tsx test/real-models/record-answers.ts
 */
const engine = await startEngine();
if (engine === undefined) {
  console.error(`Not installed: ${missingEnginePackages().join(", ")}. Run node test/real-models/install.mjs`);
  process.exitCode = 2;
} else {
  try {
    const model = createOllamaModel({ model: engine.model, host: engine.host });
    const answers: RecordedAnswers = {};
    const recording = {
      ...model,
      generate: async (request: Parameters<typeof model.generate>[0]) => {
        const response = await model.generate(request);
        answers[requestOf(request)] ??= response.text;
        return response;
      },
    };
    for (const request of [...trainedWordings, ...otherWordings])
      await planWithModel(recording, request, { temperature: 0, grounding: "refuse", withRules: false });
    writeFileSync(answersPath, `${JSON.stringify(answers, undefined, 2)}\n`);
  } finally {
    await engine.close();
  }
}
