/** @module planwright/testing */

export type { PostedMessages } from "../core/run-store.ts";
export { checkPhrases, type PhraseProblem } from "../planners/rules/check-phrases.ts";
export type { FoundNotes, NoteQuery, NoteRecord, NoteWrite } from "../tools/notes/note.ts";
export type { FoundTodos, TodoQuery, TodoRecord, TodoWrite } from "../tools/todo-store/todo-storage.ts";
export { type CollectedEvents, collectEvents } from "./collect-events.ts";
export type { ConformanceCase } from "./conformance/conformance-case.ts";
export { plannerConformance } from "./conformance/planner-conformance.ts";
export { runStoreConformance } from "./conformance/run-store-conformance.ts";
export { type FakeOllama, type FakeOllamaAnswer, startFakeOllama } from "./fake-ollama.ts";
export { createFakeTool, type FakeOutcome, type FakeTool } from "./fake-tool.ts";
export {
  createFaultyRunStore,
  type FaultyRunStore,
  forEachKillPoint,
  type KillPoint,
  type MortalProcess,
  type RunStoreFaults,
} from "./kill-points.ts";
export { createManualClock, type ManualClock } from "./manual-clock.ts";
export { createRecordedModel, type RecordedModel } from "./recorded-model.ts";
export { type ReplayedTools, recordTools, replayTools } from "./recorded-tools.ts";
export { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from "./scripted-model.ts";
export { createScriptedPlanner, type ScriptedPlanner } from "./scripted-planner.ts";
