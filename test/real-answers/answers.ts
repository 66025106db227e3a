import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  createFallbackPlanner,
  createLlmPlanner,
  createRulePlanner,
  isAgentError,
  type LanguageModel,
  type ModelRequest,
  type ModelResponse,
} from "planwright";
import { tools } from "./tools.ts";

/*
 * Answers of real models, with how likely their tokens were. They are found by the last message, so that a change in how
 * answers are read and checked shows what it does to them. After a change of the prompt they are to be recorded again:
 *
 *   OLLAMA_HOST=127.0.0.1:11434 npx tsx test/real-answers/record.ts qwen2.5-coder:0.5b
 */

/** What the answers of a model were recorded with. */
export interface Recording {
  readonly model: string;
  /** A hash of what stands before the last message. */
  readonly prompt: string;
  readonly answers: Readonly<Record<string, Pick<ModelResponse, "text" | "finishReason" | "logprobs">>>;
}

export const models = ["qwen2.5-coder:0.5b", "qwen2.5-coder:1.5b"];

function pathOf(model: string, kind: string): URL {
  return new URL(`${model.replace(/\W+/g, "-")}.${kind}.json`, import.meta.url);
}

export const answersOf = (model: string): URL => pathOf(model, "answers");
export const outcomesOf = (model: string): URL => pathOf(model, "outcomes");

export function requests(): readonly string[] {
  return readFileSync(new URL("requests.txt", import.meta.url), "utf8")
    .trim()
    .split("\n");
}

/** The prompt that stands before each request, as a hash. */
export function hashOf({ messages }: Pick<ModelRequest, "messages">): string {
  const said = messages.slice(0, -1).map(({ role, content }) => [role, content]);
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 16);
}

/** What tells one call from another: all that follows the constant prompt. */
export function keyOf({ messages }: Pick<ModelRequest, "messages">, constant: number): string {
  return messages
    .slice(constant)
    .map(({ content }) => content)
    .join("\n---\n");
}

const clock = { nowMs: Date.UTC(2026, 10, 26, 10), timeZone: "UTC" };

/** Plans every request by the rules, then the model: its steps, or the reason why there are none. */
export async function outcomesWith(model: LanguageModel): Promise<Readonly<Record<string, unknown>>> {
  const planner = createFallbackPlanner([createRulePlanner(), createLlmPlanner({ model })]);
  const outcomes: Record<string, unknown> = {};
  for (const request of requests()) {
    const { signal } = new AbortController();
    try {
      const { steps, source } = await planner.plan({ request, tools, maxSteps: 20, signal, ...clock });
      const by = `${source?.planner}${source?.certainty === undefined ? "" : ` ${source.certainty}`}`;
      outcomes[request] = { by, steps: steps.map(({ tool, input }) => [tool, input]) };
    } catch (thrown) {
      if (!isAgentError(thrown, "cannot-plan")) throw thrown;
      outcomes[request] = `refused: ${thrown.details.reason}`;
    }
  }
  return outcomes;
}
