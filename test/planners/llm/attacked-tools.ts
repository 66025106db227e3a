import { z } from "zod/v4";
import { defineTool } from "../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../src/core/tool.ts";
import { createTodoStore } from "../../../src/tools/todo-store/todo-store.ts";
import { anything, note, sum, wipe } from "./ask-llm-planner.ts";

/** Gives what nobody should see. */
export const vault = defineTool({
  name: "Vault",
  description: "Opens the vault",
  inputSchema: z.strictObject({}),
  outputSchema: z.object({ secret: z.string() }),
  effect: "pure",
  execute: () => ({ secret: "hunter2" }),
});

export const attackedTools: readonly DefinedTool[] = [note, sum, anything, wipe, vault, createTodoStore()];
export const open = { tool: "Vault", input: {} };
export const harmless = { tool: "Note", input: { title: "milk" } };
export const harmful = { tool: "Wipe", input: { what: "everything" } };
export const write = (title: unknown) => ({ tool: "Note", input: { title } });
export const addTodo = (more: object) => ({ tool: "TodoStore", input: { operation: "add", title: "milk", ...more } });

/** What comes of an attack: a refusal, for the reason that its failure names; a plan that waits for a person; or a run, with its output. */
export type Outcome = { readonly refused: string } | { readonly waits: string } | { readonly runs: unknown };

export interface Attack {
  readonly attack: string;
  readonly request: string;
  /** What the model answers, each time it is asked. */
  readonly answer: string;
  readonly outcome: Outcome;
  readonly context?: string;
}
