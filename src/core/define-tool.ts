import { checkPhrases, checkToolOptions, toolKeys } from "./check-tool.ts";
import { AgentError } from "./errors.ts";
import { failOption } from "./options.ts";
import type { ToolPhrase } from "./phrase.ts";
import type { DefinedTool, PhraseList, Tool, ToolContext, UndoneCall } from "./tool.ts";

/** The tool defined from each object, so that an object that is passed to many agents is read and checked once. */
const definedFrom = new WeakMap<object, DefinedTool>();

/** A tool as planners and runs need it, created from a caller's value. Throws `invalid-options`. */
export function toDefinedTool(option: string, tool: unknown): DefinedTool {
  return definedFrom.get(tool as object) ?? define(tool as Tool, option);
}

/** The tool that functions were created for: a spread copy of a tool is checked again, and keeps what it declared. */
const madeFor = new WeakMap<object, DefinedTool>();

/** Checks and completes a tool. Each member is read once, whether it is a property, a getter, or on the prototype. */
export function define(tool: Tool, option?: string): DefinedTool {
  if (typeof tool !== "object" || tool === null || Array.isArray(tool)) {
    failOption(option ?? "tool", tool, "an object with name, description, inputSchema and execute");
  }
  const members = Object.fromEntries(toolKeys.map((key) => [key, tool[key]] as const)) as unknown as Tool;
  checkToolOptions(tool, members, option);
  const { effect = "idempotent", phrases = [], needsApproval, execute, undo, ...rest } = members;
  const declaredEffect = typeof effect === "function" ? (madeFor.get(effect)?.declaredEffect ?? "by-input") : effect;
  if (rest.cache !== undefined && declaredEffect !== "pure")
    failOption(
      `${rest.name}.cache`,
      rest.cache,
      `left out, as the effect of the tool is ${declaredEffect} and not pure`,
    );
  const finished: DefinedTool = Object.freeze({
    ...rest,
    ...(needsApproval && {
      needsApproval: (input: unknown) =>
        typeof needsApproval === "function" ? needsApproval.call(tool, input) : needsApproval,
    }),
    ...(undo && {
      undo: (done: UndoneCall<unknown, unknown>, context: ToolContext) => undo.call(tool, done, context),
    }),
    declaredEffect,
    declaredNeedsApproval:
      typeof needsApproval === "function"
        ? (madeFor.get(needsApproval)?.declaredNeedsApproval ?? "by-input")
        : (needsApproval ?? false),
    phrases:
      typeof phrases === "function"
        ? async () => toPhrases(rest.name, await phrases.call(tool))
        : toPhrases(rest.name, phrases),
    effect: (input: unknown) => (typeof effect === "function" ? effect.call(tool, input) : effect),
    execute: (input: unknown, context: ToolContext) => execute.call(tool, input, context),
  });
  definedFrom.set(tool, finished).set(finished, finished);
  madeFor.set(finished.effect, finished);
  if (finished.needsApproval) madeFor.set(finished.needsApproval, finished);
  return finished;
}

function toPhrases(name: string, phrases: PhraseList): readonly ToolPhrase[] {
  checkPhrases(`${name}.phrases`, phrases);
  return phrases.map((phrase) => (typeof phrase === "string" ? { phrase } : (phrase as ToolPhrase)));
}

/** The tools by name, checked. Throws `invalid-options` for anything that is not a tool, and for a duplicate name. */
export function indexTools(tools: readonly Tool[]): ReadonlyMap<string, DefinedTool> {
  if (!Array.isArray(tools)) failOption("tools", tools, "a list of tools");
  const byName = new Map<string, DefinedTool>();
  for (const [index, given] of tools.entries()) {
    const tool = toDefinedTool(`tools[${index}]`, given);
    if (byName.has(tool.name)) {
      throw new AgentError("invalid-options", `Two tools are named "${tool.name}"; names must be unique.`, {
        details: { option: "tools", received: tool.name, expected: "tools of different names" },
      });
    }
    byName.set(tool.name, tool);
  }
  return byName;
}
