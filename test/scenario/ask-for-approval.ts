import type { AgentEvent, PendingItem, RunResult } from "planwright";
import { createFakeTool, type FakeTool } from "planwright/testing";
import type { FakeToolOptions } from "../../src/testing/fake-tool.ts";

/** A fake tool whose steps need approval. */
export function askingTool(name: string, options: Omit<FakeToolOptions, "name"> = {}): FakeTool {
  return { ...createFakeTool({ name, ...options }), declaredNeedsApproval: true, needsApproval: () => true };
}

type PendingApproval = Extract<PendingItem, { kind: "approval" }>;

/** The item for approving a step that a run waits for. Throws if there is none. */
export function approvalOf({ pending }: RunResult, stepId: string, iteration?: number): PendingApproval {
  const isIt = (item: PendingItem): item is PendingApproval =>
    item.kind === "approval" && item.stepId === stepId && item.iteration === iteration;
  const found = pending?.find(isIt);
  if (found === undefined) throw new Error(`Step "${stepId}" waits for no approval.`);
  return found;
}

/** The hash of the plan whose approval a run waits for. Throws if there is none. */
export function planHashOf({ pending }: RunResult): string {
  const [item] = pending ?? [];
  if (item?.kind !== "plan-approval") throw new Error("No plan waits for approval.");
  return item.hash;
}

/** Events as text: the type, and the step each is about. */
export function eventTexts(events: readonly AgentEvent[]): readonly string[] {
  return events.map((event) => {
    const { stepId, iteration } = event as { stepId?: string; iteration?: number };
    return `${event.type}${stepId === undefined ? "" : ` ${stepId}`}${iteration === undefined ? "" : `[${iteration}]`}`;
  });
}

/** How each step ended, as text. */
export function statuses({ steps }: RunResult): readonly string[] {
  return steps.map(({ stepId, status }) => `${stepId} ${status}`);
}

/** The first request for the approval of a step. Throws if there is none. */
export function requestOf(events: readonly AgentEvent[]): { readonly hash: string } {
  for (const event of events) if (event.type === "approval-request" && event.kind === "step") return event;
  throw new Error("Nothing was asked.");
}
