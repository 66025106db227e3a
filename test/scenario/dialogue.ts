import {
  type Agent,
  type AgentOptions,
  createMemoryRunStore,
  defineTool,
  type PlanDraft,
  type RunSnapshot,
  type ToolEffect,
} from "planwright";
import * as z from "zod/v4";
import { createEngine } from "../../src/agent.ts";
import { AgentError } from "../../src/core/errors.ts";
import type { Turn, TurnReader, TurnRequest } from "../../src/core/turn.ts";
import { createExpressions } from "../../src/plan/expressions.ts";
import { resolveOptions } from "../../src/runs/run/engine-settings.ts";

/** What the reader of a dialogue was given, oldest first. */
export interface Dialogue {
  readonly agent: Agent;
  readonly turns: TurnRequest[];
}

/** How the lines of a test are read. */
export interface Reading {
  readonly read?: (turn: TurnRequest) => Turn | Promise<Turn>;
  readonly answer?: TurnReader["readAnswer"];
  readonly ask?: (turn: TurnRequest, refusal: AgentError<"cannot-plan">) => PlanDraft | undefined;
}

/** An agent whose lines are read by a few words: `say …`, `yes`, `never mind`, `undo`. All else is planned. */
export function createDialogue({
  read = readByWords,
  ask,
  answer = () => undefined,
  ...options
}: Partial<AgentOptions> & Reading = {}): Dialogue {
  const turns: TurnRequest[] = [];
  const settings = resolveOptions(
    { tools: dialogueTools(), planner: wordPlanner, store: createMemoryRunStore(), ...options },
    { canPlan: true },
  );
  const reader = {
    async readTurn(turn: TurnRequest) {
      turns.push(turn);
      return read(turn);
    },
    askAfter: async (turn: TurnRequest, refusal: AgentError<"cannot-plan">) => ask?.(turn, refusal),
    readAnswer: answer,
  };
  const agent = createEngine({
    ...settings,
    expressions: createExpressions(),
    loadTurns: async () => reader,
    loadWords: () => import("../../src/dialogue/say-run.ts"),
  });
  return { agent, turns };
}

/** `Add` changes something and can take it back, `Show` reads, `Send` cannot be taken back. All tell the log. */
export function dialogueTools(log: string[] = []) {
  const toolOf = (name: string, effect: ToolEffect) => ({
    name,
    effect,
    description: "Does as the test says",
    inputSchema: z.object({}),
    execute: async (_input: object, { runId }: { readonly runId: string }) => {
      log.push(`${name} ${runId}`);
      return { name };
    },
  });
  const undo = async (_done: object, { runId }: { readonly runId: string }) => {
    log.push(`undo ${runId}`);
  };
  return [
    defineTool({ ...toolOf("Add", "idempotent"), undo }),
    defineTool(toolOf("Send", "idempotent")),
    defineTool(toolOf("Show", "pure")),
  ];
}

export const question = {
  message: "Really?",
  display: "text",
  responseSchema: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] },
} as const;

/** Plans `add`, `send`, `show` and `ask`, several in a row, and refuses all else. */
export const wordPlanner = {
  name: "words",
  plan({ request }: { readonly request: string }): PlanDraft {
    const steps = request.split(" ").map((word, index) => {
      const id = `s${index + 1}`;
      const dependsOn = index === 0 ? [] : [`s${index}`];
      const tool = { add: "Add", send: "Send", show: "Show" }[word];
      if (tool !== undefined) return { id, tool, input: {}, dependsOn };
      if (word === "ask") return { id, wait: { ask: question }, dependsOn };
      const details = { reason: "not-understood", examples: ["add"] } as const;
      throw new AgentError("cannot-plan", `"${request}" is not understood.`, { details });
    });
    return { steps };
  },
};

export function readByWords({ request, runs }: TurnRequest): Turn {
  if (request.startsWith("say ")) return { status: "words", text: request.slice(4) };
  if (request === "undo") return { status: "undo", runId: runs[0]?.runId ?? "none" };
  const asks = request === "yes" || request === "never mind" ? runs.find(isWaiting) : undefined;
  const [item] = asks?.pending ?? [];
  if (asks === undefined || item?.kind !== "question") return { status: "request" };
  const place = { runId: asks.runId, stepId: item.stepId };
  return request === "yes" ? { status: "answer", ...place, answer: "yes" } : { status: "decline", ...place };
}

function isWaiting({ status }: RunSnapshot): boolean {
  return status === "suspended";
}
