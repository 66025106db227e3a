/** @module planwright/testing */

export { type CollectedEvents, collectEvents } from "./collect-events.ts";
export type { ConformanceCase } from "./conformance/conformance-case.ts";
export { type PlannerConformanceOptions, plannerConformance } from "./conformance/planner-conformance.ts";
export { type RunStoreConformanceOptions, runStoreConformance } from "./conformance/run-store-conformance.ts";
export type { FakeOllamaModel } from "./fake-ollama/fake-models.ts";
export { startFakeOllama } from "./fake-ollama/fake-ollama.ts";
export {
  type FakeOllamaAnswer,
  type FakeOllamaBody,
  type FakeOllamaError,
  type FakeOllamaFault,
  type FakeOllamaFaultName,
  type FakeOllamaServerFault,
  type FakeOllamaShowAnswer,
  type FakeOllamaStreamFault,
  type FakeOllamaText,
  type FakeOllamaTextFault,
  fakeOllamaFaults,
} from "./fake-ollama/fake-ollama-answer.ts";
export type { FakeOllama, FakeOllamaOptions, FakeOllamaScriptEntry } from "./fake-ollama/fake-ollama-options.ts";
export type { FakeOllamaChat, FakeOllamaMessage, FakeOllamaRequest } from "./fake-ollama/fake-ollama-request.ts";
export { createFakeTool, type FakeCall, type FakeOutcome, type FakeTool, type FakeToolOptions } from "./fake-tool.ts";
export { createFaultyRunStore, type FaultyRunStore, type RunStoreFaults } from "./faulty-run-store.ts";
export {
  forEachKillPoint,
  type KilledRun,
  type KillPoint,
  type KillPointOptions,
  type MortalProcess,
} from "./for-each-kill-point.ts";
export { createManualClock, type ManualClock } from "./manual-clock.ts";
export { createRecordedModel, type RecordedModel, type RecordedModelOptions } from "./recorded-model.ts";
export {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedText,
} from "./scripted-model.ts";
export { createScriptedPlanner, type ScriptedPlanner } from "./scripted-planner.ts";
