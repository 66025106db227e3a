import assert from "node:assert/strict";
import { createAgent, createFallbackPlanner, createLlmPlanner, createRulePlanner } from "planwright";
import { createFakeTool, createManualClock, createScriptedModel } from "planwright/testing";

// In an app: createOllamaModel({ model: "qwen3" }), or createAiSdkModel(…) of planwright/ai-sdk.
const model = createScriptedModel(['{"steps": [{"do": "Light", "room": "kitchen"}]}']);
const planner = createFallbackPlanner([createRulePlanner(), createLlmPlanner({ model })]);
const light = createFakeTool({ name: "Light", outcomes: [{ throws: new Error("busy") }, { returns: "on" }] });
const clock = createManualClock();
const agent = createAgent({ tools: [light], planner, clock });

// The rules refuse it, so the model is asked. The wait before the retry takes no time.
const run = await clock.runUntil(agent.run("light in the kitchen"));
assert.equal(run.output, "on");
assert.equal(light.calls.length, 2);
model.assertComplete();
console.log("planned by", run.plan?.source.planner);
