import type { DefinedTool } from "./tool.ts";

const samples = new WeakMap<object, readonly string[]>();

/** Gives a tool requests that it serves, as users type them, which the rules plan: models see some as examples. @internal */
export function giveSamples(tool: DefinedTool, requests: readonly string[]): void {
  samples.set(tool, requests);
}

/** The requests that a tool was given. @internal */
export function samplesOf(tool: DefinedTool): readonly string[] {
  return samples.get(tool) ?? [];
}
