import { parseArgs } from "node:util";
import { createOllamaModel } from "../../src/index.ts";
import { otherWordings, trainedWordings } from "./engine-requests.ts";
import { type EngineOptions, type EngineOutcome, planWithModel } from "./plan-with-model.ts";
import { type Engine, missingEnginePackages, startEngine } from "./start-engine.ts";

/*
 * How the LLM planner does with the tiny model and the rules behind it:
 *   npx tsx test/real-models/evaluate.ts [--samples 20] [--misses] [--model FILE.gguf]
 */
const { values } = parseArgs({
  options: { samples: { type: "string", default: "20" }, misses: { type: "boolean" }, model: { type: "string" } },
});

const modes: readonly (EngineOptions & { readonly samples: number })[] = [
  { temperature: 0, grounding: "refuse", samples: 1 },
  { temperature: 0.8, grounding: "refuse", samples: Number(values.samples) },
  { temperature: 1.6, grounding: "refuse", samples: Number(values.samples) },
  // The same without the check shows what it catches.
  { temperature: 1.6, grounding: "off", samples: Number(values.samples) },
];

const requests = [...trainedWordings, ...otherWordings];

async function measure(engine: Engine, { samples, ...options }: (typeof modes)[number]): Promise<string> {
  const outcomes: EngineOutcome[] = [];
  const model = createOllamaModel({ model: engine.model, host: engine.host });
  for (let sample = 0; sample < samples; sample++) {
    for (const request of requests) {
      const outcome = await planWithModel(model, request, options);
      outcomes.push(outcome);
      if (values.misses && outcome.kind === "wrong")
        console.error(request.request, JSON.stringify(outcome.draft?.steps));
    }
  }
  const count = (test: (outcome: EngineOutcome) => boolean) => outcomes.filter(test).length;
  const of = (kind: EngineOutcome["kind"]) => count((outcome) => outcome.kind === kind);
  const cells = [
    options.temperature,
    options.grounding,
    outcomes.length,
    of("plan"),
    of("wrong"),
    `${of("refusal")} (${count(({ kind, isRight }) => kind === "refusal" && isRight)} rightly)`,
    count(({ failures }) => failures.includes("ungrounded")),
    count(({ failures }) => failures.includes("invalid-plan") || failures.includes("no-json")),
    `${of("fallback")} (${count(({ kind, isRight }) => kind === "fallback" && isRight)} right)`,
    of("failed"),
  ];
  return `| ${cells.join(" | ")} |`;
}

const engine = await startEngine({ modelPath: values.model });
if (engine === undefined) {
  console.error(`Not installed: ${missingEnginePackages().join(", ")}. Run node test/real-models/install.mjs`);
  process.exitCode = 2;
} else {
  try {
    console.log(
      "| temperature | grounding | requests | right | wrong | refused | caught by grounding | did not hold | by the rules | no plan |",
    );
    console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (const mode of modes) console.log(await measure(engine, mode));
  } finally {
    await engine.close();
  }
}
