import { readFile } from "node:fs/promises";
import type { ModelRequest, ToolContext } from "planwright";
import { createRecordedModel, createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import type { ScriptedModelOptions } from "../../src/testing/scripted-model.ts";

/** The name of the model that is recorded. */
export const qwen = { provider: "ollama", modelId: "qwen3" };

/** A request with a system message and this question. */
export function ask(content: string, rest: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [
      { role: "system", content: "You plan.\nBe brief." },
      { role: "user", content },
    ],
    signal: new AbortController().signal,
    ...rest,
  };
}

/** Records these answers to these requests, one after the other, and gives the text of the file. */
export async function record(
  path: string,
  answers: readonly ScriptedAnswer[],
  requests: readonly ModelRequest[],
  options: ScriptedModelOptions = {},
) {
  const scripted = createScriptedModel(answers, { ...qwen, ...options });
  const model = createRecordedModel({ mode: "record", model: scripted, path });
  for (const request of requests) await model.generate(request).catch(() => {});
  return { model, text: await readFile(path, "utf8") };
}

/** The context of a call. */
export function contextOf(signal = new AbortController().signal): ToolContext {
  return {
    signal,
    attempt: 1,
    idempotencyKey: "r1/s1",
    runId: "r1",
    stepId: "s1",
    resources: {},
    metadata: {},
    progress: () => {},
  };
}
