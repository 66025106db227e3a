import type { JsonObject } from "../../core/json.ts";
import { findReferences } from "../../core/reference.ts";
import { parseWith } from "../../core/schema.ts";
import type { DefinedTool } from "../../core/tool.ts";

/** A step whose dependencies are not known yet. */
export interface UnchainedStep {
  readonly id: string;
  readonly tool: DefinedTool;
  readonly input: JsonObject;
}

/**
 * What each step waits for: the steps whose results it uses, and earlier steps of the same tool, unless both are
 * `pure`, as the steps of one tool work on the same things. Steps that one of these already waits for are left out.
 */
export function chainSteps(steps: readonly UnchainedStep[]): readonly (readonly string[])[] {
  const order = new Map(steps.map(({ id }, index) => [id, index]));
  const chains = new Map<DefinedTool, Chain>();
  return steps.map(({ id, tool, input }) => {
    const used = findReferences(input).map(({ reference }) => reference?.stepId ?? "");
    const chain = chains.get(tool) ?? { lastChange: undefined, reads: [] };
    chains.set(tool, chain);
    const waitsFor = new Set([...used.filter((step) => order.has(step)), ...link(chain, id, isPure(tool, input))]);
    return [...waitsFor].sort((left, right) => (order.get(left) ?? 0) - (order.get(right) ?? 0));
  });
}

/** The last step of a tool that is not pure, and the pure ones since. */
interface Chain {
  lastChange: string | undefined;
  reads: string[];
}

function link(chain: Chain, id: string, isPure: boolean): readonly string[] {
  const { lastChange, reads } = chain;
  const change = lastChange === undefined ? [] : [lastChange];
  if (isPure) {
    reads.push(id);
    return change;
  }
  chain.lastChange = id;
  chain.reads = [];
  return reads.length > 0 ? reads : change;
}

/** Whether a step has no effect. If that depends on an input that is not known yet, it is assumed to have one. */
function isPure(tool: DefinedTool, input: JsonObject): boolean {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect === "pure";
  if (findReferences(input).length > 0) return false;
  const parsed = parseWith(tool.inputSchema, input);
  return !(parsed instanceof Promise) && parsed.ok && tool.effect(parsed.value) === "pure";
}
