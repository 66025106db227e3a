import { expect, it } from "vitest";
import { otherWordings, trainedWordings } from "./engine-requests.ts";
import { type EngineOutcome, planWithModel } from "./plan-with-model.ts";
import { createAnsweringModel } from "./recorded-model.ts";

const options = { temperature: 0, grounding: "refuse", withRules: false } as const;

it.each(trainedWordings)("a tiny model's answer to $request becomes the right plan", async (request) => {
  expect(await planWithModel(createAnsweringModel(), request, options)).toMatchObject({ isRight: true });
});

it("a tiny model's answers to requests that it was not taught end in a valid plan or in a typed error", async () => {
  const outcomes: EngineOutcome[] = [];
  for (const request of otherWordings) outcomes.push(await planWithModel(createAnsweringModel(), request, options));
  const countOf = (wanted: EngineOutcome["kind"]) => outcomes.filter(({ kind }) => kind === wanted).length;
  expect([countOf("plan"), countOf("refusal"), countOf("wrong"), countOf("failed")]).toEqual([6, 5, 3, 1]);
  expect(outcomes.flatMap(({ failures }) => failures)).toEqual(["ungrounded", "ungrounded"]);
});
