export { type CollectedEvents, collectEvents } from "./collect-events.ts";
export { createFakeTool, type FakeCall, type FakeOutcome, type FakeTool, type FakeToolOptions } from "./fake-tool.ts";
export { createManualClock, type ManualClock } from "./manual-clock.ts";
export { createScriptedPlanner, type ScriptedPlanner } from "./scripted-planner.ts";
