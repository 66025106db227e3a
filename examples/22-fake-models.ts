import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createLlmPlanner, createOllamaModel, createTodoStore } from "planwright";
import { createManualClock, createRecordedModel, fakeOllamaFaults, startFakeOllama } from "planwright/testing";

const text = '{"steps": [{"do": "TodoStore.add", "title": "milk"}]}';
const fake = await startFakeOllama({
  script: [{ fault: "busy" }, { fault: "fence", text }],
});
console.log(fakeOllamaFaults.length, "faults, such as", fakeOllamaFaults[0]);

// Without `host`, the server of this machine.
const ollama = createOllamaModel({ model: "qwen3", host: fake.host, retry: { minDelayMs: 1 } });
const path = join(mkdtempSync(join(tmpdir(), "planwright-")), "qwen3.json");
const recording = createRecordedModel({ path, model: ollama, mode: "record" });
// What was read of a time depends on the day.
const clock = createManualClock();
const tools = [createTodoStore()] as const;
const first = createAgent({ tools, clock, planner: createLlmPlanner({ model: recording }) });
const { model: asked, attempts, certainty } = (await first.plan("we need milk")).source;
console.log(asked, "tries:", attempts, "certainty:", certainty, "requests:", fake.chats.length);
await fake.close();

// In later tests the file answers.
const model = createRecordedModel({ path });
const second = createAgent({ tools, clock, planner: createLlmPlanner({ model }) });
console.log((await second.plan("we need milk")).steps[0]?.input);
model.assertComplete();
