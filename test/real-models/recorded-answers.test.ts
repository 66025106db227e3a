import { expect, it } from "vitest";
import { otherWordings, trainedWordings } from "./engine-requests.ts";
import { type EngineOutcome, planWithModel } from "./plan-with-model.ts";
import { createAnsweringModel } from "./recorded-model.ts";

const options = { temperature: 0, grounding: "refuse", withRules: false } as const;

it.each(trainedWordings)("the recorded answer of a tiny model to $request becomes the right plan", async (request) => {
  expect(await planWithModel(createAnsweringModel(), request, options)).toMatchObject({ isRight: true });
});

it("the recorded answers of a tiny model to other requests become valid plans or typed errors", async () => {
  const outcomes: EngineOutcome[] = [];
  for (const request of otherWordings) outcomes.push(await planWithModel(createAnsweringModel(), request, options));
  const countOf = (wanted: EngineOutcome["kind"]) => outcomes.filter(({ kind }) => kind === wanted).length;
  expect([countOf("plan"), countOf("refusal"), countOf("wrong"), countOf("failed")]).toEqual([6, 5, 3, 1]);
  expect(outcomes.flatMap(({ failures }) => failures)).toEqual(["ungrounded", "ungrounded"]);
});
