import { toErrorData } from "../core/error-data.ts";
import type { AgentEvent, PendingItem } from "../core/events.ts";
import type { PlanSource } from "../core/plan.ts";
import type { RunResult, RunSnapshot } from "../core/run-result.ts";
import { describeRead, type StepRef, waitToolName } from "../core/step.ts";
import { cutText, printable, printableJson } from "../core/text.ts";
import { describeCall } from "../describe-plan.ts";
import { sayRun } from "../dialogue/say-run.ts";
import { openLines } from "./chat-lines.ts";
import { type CliCall, exitCodes } from "./cli-io.ts";
import { closeTimeoutMs, createReporter, reportFallbacks } from "./follow-run.ts";
import { nameStep, renderError, userClock } from "./render-run.ts";

const help = `Say what is to be done, or answer what is asked: y or n if approval is needed.
  /undo    undo the last run that changed something
  /forget  delete all runs of this dialogue, and the history
Ctrl-C cancels a run or clears the line, Ctrl-D leaves.`;

type Approval = Extract<PendingItem, { readonly kind: "approval" | "plan-approval" }>;
type ShownRun = RunResult | RunSnapshot;
type Call = StepRef & { readonly tool: string; readonly input: unknown };

const maxOpen = 10;
const maxCall = 200;

export async function chat(call: CliCall, thread = "me"): Promise<number> {
  const { agent, tools, options, io, out, err } = call;
  const { dim, green, red, yellow } = out.colors;
  const lines = openLines(call);
  const { isTerminal } = lines;
  const sources = new Map<string, PlanSource>();
  let approvals: readonly { readonly runId: string; readonly item: Approval; readonly text: string }[] = [];

  const answer = (text: string, mark = " ", run?: object) => {
    const shown = text.split("\n");
    if (options.json) out.print([printableJson({ ...run, text })]);
    else out.print(isTerminal ? shown.map((line, index) => `${index === 0 ? mark : " "} ${line}`) : shown);
  };

  const renderCall = ({ input, ...step }: Call, source?: PlanSource) => {
    const words = describeRead(source, step.stepId).map((text) => printable(text));
    return dim([`  ${cutText(`${nameStep(step)} ${printableJson(input)}`, maxCall)}`, ...words].join("    "));
  };

  const reportAsElsewhere = createReporter(call);
  const report = (event: AgentEvent) => {
    if (event.type === "plan-end" && event.outcome.status === "completed")
      sources.set(event.runId, event.outcome.plan.source);
    if (event.type === "step-start" && event.tool !== waitToolName)
      out.print([renderCall(event, sources.get(event.runId))]);
    if (event.type === "step-retry") reportAsElsewhere(event);
  };

  const markOf = ({ status, plan, answered, steps }: ShownRun) => {
    if (status === "suspended") return yellow("?");
    if (steps.some((step) => step.status === "undone")) return green("↶");
    const isOnlyWords = plan === undefined && status === "completed";
    if (isOnlyWords || (status === "cancelled" && answered !== undefined)) return " ";
    return status === "completed" ? green("✔") : red("✖");
  };

  const show = (run: ShownRun) => {
    const { runId, status, pending, answered, plan } = run;
    const { text = sayRun(run, { tools, ...userClock() }) } = run;
    const asked = (pending ?? []).filter(isApproval).map((item) => ({
      runId,
      item,
      text: item.kind === "approval" ? `Needs approval: ${describeCall(item, { tools })}.` : text,
    }));
    approvals = [...approvals.filter((each) => each.runId !== runId), ...asked.toReversed()];
    for (const { item } of isTerminal ? asked : [])
      if (item.kind === "approval") out.print([renderCall(item, plan?.source)]);
    answer(text, markOf(run), { runId, status, pending, answered });
    const next = approvals.at(-1);
    if (!options.json && next !== undefined && next.text !== text) answer(next.text, yellow("?"));
  };

  const undo = async (signal: AbortSignal) => {
    for (const { runId } of (await agent.listRuns({ thread })).runs) {
      const run = await agent.getRun(runId);
      if (run === undefined || run.notUndone !== undefined) continue;
      const changed = run.steps.filter(({ status, effect = "pure" }) => status === "completed" && effect !== "pure");
      if (changed.length === 0) continue;
      const hasUndo = changed.every(({ tool }) => tools.find(({ name }) => name === tool)?.undo !== undefined);
      const hasEnded = run.status === "completed" || run.status === "failed";
      if (!hasUndo || !hasEnded) return answer("That cannot be undone.");
      return show(await agent.undo(runId, { thread, signal }));
    }
    return answer("There is nothing to undo.");
  };

  const forget = async (signal: AbortSignal) => {
    const { deleted } = await agent.prune({ thread, signal });
    approvals = [];
    lines.forget();
    answer(`Deleted ${deleted} ${deleted === 1 ? "run" : "runs"}.`);
  };

  const act = async (line: string, isEarly: boolean, signal: AbortSignal) => {
    const asked = isEarly ? undefined : approvals.at(-1);
    const decision = asked && /^(?:(?<yes>y|yes)|n|no)$/i.exec(line);
    if (line === "/undo") return undo(signal);
    if (line === "/forget") return forget(signal);
    if (/^\/[a-z]+$/.test(line)) return answer(help);
    if (!decision) return show(await agent.run(line, { thread, signal }));
    const decide = decision.groups?.yes === undefined ? agent.reject : agent.approve;
    return show(await decide(asked.runId, asked.item, { thread, signal }).result);
  };

  const showOpen = async () => {
    const { runs } = await agent.listRuns({ thread, status: "suspended", limit: maxOpen });
    for (const { runId } of runs.toReversed()) {
      const run = await agent.getRun(runId);
      // Through a pipe, only approvals are shown, because a "y" must not approve a call that was not shown.
      if (run?.pending && (isTerminal || run.pending.some(isApproval))) show(run);
    }
  };

  const attempt = (work: (signal: AbortSignal) => Promise<void>) =>
    work(lines.startWork()).catch((thrown) => {
      if (options.json) out.print([printableJson({ error: toErrorData(thrown) })]);
      else err.print(renderError(thrown));
    });

  let exitCode: number = exitCodes.completed;
  const stopListening = io.onTerminate(() => {
    exitCode = exitCodes.terminated;
    void agent.close({ timeoutMs: closeTimeoutMs });
    void lines.close();
  });
  const unsubscribe = isTerminal ? agent.subscribe(report) : undefined;
  reportFallbacks(call);
  try {
    await attempt(showOpen);
    for await (const { text, isEarly } of lines.read(() => (approvals.length > 0 ? "y/n> " : "> ")))
      await attempt((signal) => act(text, isEarly, signal));
    if (isTerminal) out.print([""]);
  } finally {
    unsubscribe?.();
    stopListening();
    await lines.close();
  }
  return io.signal.aborted ? exitCodes.cancelled : exitCode;
}

function isApproval(item: PendingItem): item is Approval {
  return item.kind === "approval" || item.kind === "plan-approval";
}
