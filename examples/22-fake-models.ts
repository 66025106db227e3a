import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createLlmPlanner, createOllamaModel, createTodoStore } from "planwright";
import { createManualClock, createRecordedModel, createScriptedModel, startFakeOllama } from "planwright/testing";

// In an app: createOllamaModel({ model: "qwen2.5-coder:1.5b" }), once.
const real = createScriptedModel(["no idea", '{"steps": [{"do": "TodoStore.add", "title": "milk"}]}']);
const path = join(mkdtempSync(join(tmpdir(), "planwright-")), "model.json");
const recording = createRecordedModel({ path, model: real, mode: "record" });
// What was read of a time depends on the day.
const clock = createManualClock();
const tools = [createTodoStore()] as const;
const first = createAgent({ tools, clock, planner: createLlmPlanner({ model: recording }) });
const { model: asked, attempts, certainty } = (await first.plan("we need milk")).source;
console.log(asked, "tries:", attempts, "certainty:", certainty, "requests:", real.requests.length);

// In later tests the file answers.
const model = createRecordedModel({ path });
const second = createAgent({ tools, clock, planner: createLlmPlanner({ model }) });
console.log((await second.plan("we need milk")).steps[0]?.input);
model.assertComplete();

// For an app that asks a server: its address is all that a test changes.
const ollama = await startFakeOllama(['{"steps": [{"do": "TodoStore.add", "title": "oats"}]}']);
const planner = createLlmPlanner({ model: createOllamaModel({ model: "qwen3", host: ollama.host }) });
console.log((await createAgent({ tools, planner }).plan("we need oats")).steps[0]?.input);
await ollama.close();
