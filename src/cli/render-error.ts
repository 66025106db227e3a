import { type AgentErrorLike, isAgentError } from "../core/errors.ts";
import type { PendingItem, PlanFallbackEvent } from "../core/events.ts";
import type { RunSnapshot } from "../core/run-result.ts";
import { describeStepRef, describeWait } from "../core/step.ts";
import { printable } from "../core/text.ts";
import type { CliOptions } from "./parse-arguments.ts";

/** An error as readable lines. For a request that cannot be planned they include examples of what can be. */
export function renderError(error: unknown): string[] {
  if (isAgentError(error, "cannot-plan")) return renderRefusal(error);
  return [`planwright: ${describeError(error)}`];
}

function describeError(error: unknown): string {
  if (isAgentError(error, "run-owned-elsewhere")) {
    const { runId } = error.details;
    return `Run "${printable(runId)}" is active in another process. If that has died, try again in half a minute.`;
  }
  const { message } = error as { message?: unknown };
  if (isAgentError(error, "missing-dependency") && error.details.packages.includes("libsql")) {
    const others = 'With npx: "npx -p planwright -p libsql planwright …". Installed globally: "npm install -g libsql".';
    return `${printable(error.message)} ${others}`;
  }
  return printable(typeof message === "string" ? message : String(error));
}

/** One line: a planner returned no plan, and which one is asked instead. A model's error says what to do about it. */
export function renderFallback({ error, next }: Pick<PlanFallbackEvent, "error" | "next">): string {
  const { message } = isAgentError(error.cause, "model-failed") ? error.cause : error;
  return `planwright: ${printable(message)} (Planning with ${printable(next)} instead.)`;
}

type Problem = Pick<RunSnapshot, "error" | "pending" | "steps">;

/** Why a run did not complete, as readable lines. */
export function renderProblem({ error, pending = [], steps }: Problem): string[] {
  const failures = steps.flatMap((step) => (step.status === "failed" && step.error ? [step.error] : []));
  if (error !== undefined) return [...new Set([error, ...failures].flatMap(renderError))];
  return pending.map((item) => `planwright: the run is suspended: ${describePending(item)}`);
}

/** How to resume a stored run that has not ended. */
export function renderHint(
  { runId, status }: Pick<RunSnapshot, "runId" | "status">,
  { db }: Pick<CliOptions, "db">,
): string[] {
  const isOpen = status === "interrupted" || status === "running" || status === "planning";
  if (!isOpen || db === undefined) return [];
  return [`Resume it: planwright resume ${printable(runId)} --db ${printable(db)}`];
}

function describePending(item: PendingItem): string {
  switch (item.kind) {
    case "outcome":
      return `it is not known whether ${printable(describeStepRef(item))} took effect`;
    case "approval":
      return `${printable(describeStepRef(item))} needs approval`;
    case "plan-approval":
      return "the plan needs approval";
    case "wait":
      return `${printable(item.stepId)} waits ${printable(describeWait(item))}`;
    default:
      return item satisfies never;
  }
}

function renderRefusal({ message, details }: AgentErrorLike<"cannot-plan">): string[] {
  const { examples, readings = [] } = details;
  const meant = readings.slice(0, 3).map(({ steps }) => {
    const calls = steps.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`);
    return `  ${printable(calls.join("; "))}`;
  });
  return [
    `planwright: ${printable(message)}`,
    ...(meant.length > 0 ? ["It may mean:", ...meant] : []),
    ...(examples.length > 0 ? ["What can be done, for example:"] : []),
    ...examples.map((example) => `  ${printable(example)}`),
  ];
}
