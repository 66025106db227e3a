import { createWriteStream, readFileSync, statSync } from "node:fs";
import { AgentError, isAgentError } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import type { PlanStep } from "../core/plan.ts";
import type { RunSnapshot } from "../core/run-result.ts";
import type { RunSummary } from "../core/run-summary.ts";
import { jsonLines, printable, printableJson } from "../core/text.ts";
import { describeCall } from "../describe-plan.ts";
import type { Agent } from "../runs/agent-interface.ts";
import type { RunVerdict } from "../view/export-run.ts";
import type { DrawnRun } from "../view/run-view.ts";
import { type CliCall, exitCodes } from "./cli-io.ts";
import { createReporter, followRun, reportResult } from "./follow-run.ts";
import type { AnyRunCommand, CliArguments } from "./parse-arguments.ts";
import { renderRun, renderRunLine } from "./render-run.ts";

export type Work = Exclude<CliArguments, { type: "exit" }>;

export type Performers<TType extends Work["type"]> = {
  readonly [T in TType]: (work: Work & { readonly type: T }, call: CliCall) => Promise<number>;
};

const pollMs = 500;

export const runCommands: Performers<"runs" | "show" | "watch" | "delete" | "prune" | "resume"> = {
  runs: ({ html }, call) => (html === undefined ? listRuns(call) : drawRuns(call, html)),
  show({ runId, html, mermaid, events, export: file, key }, call) {
    if (file !== undefined) return exportToFile(call, runId, { file, key });
    if (html !== undefined) return drawRun(call, runId, html);
    if (mermaid) return printMermaid(call, runId);
    return events ? printEvents(call, runId) : showRun(call, runId);
  },
  async watch({ runId }, call) {
    const { agent, options, io } = call;
    await requireRun(call, runId);
    const report = createReporter(call);
    try {
      for await (const event of agent.events(runId, { signal: io.signal, pollMs })) {
        if (!options.json) report(event);
      }
    } catch (thrown) {
      if (!isAgentError(thrown, "cancelled")) throw thrown;
      const { reason } = thrown.details;
      const message = `Stopped watching run "${runId}": ${reason}. The run is not affected.`;
      throw new AgentError("cancelled", message, { details: { reason } });
    }
    return reportResult(call, await requireRun(call, runId));
  },
  async delete({ runId }, call) {
    await requireRun(call, runId);
    await call.agent.deleteRun(runId);
    return reportDeleted(call, 1);
  },
  async prune({ before, keep, status }, call) {
    const { deleted } = await call.agent.prune({ before, keep, status, signal: call.io.signal });
    return reportDeleted(call, deleted);
  },
  async resume({ runId }, call) {
    const { agent, io } = call;
    const { plan } = await requireRun(call, runId);
    return (await followRun(call, { plan, go: () => agent.resume(runId, { signal: io.signal }) })).exitCode;
  },
};

const pageSize = 1_000;

async function listRuns(call: CliCall): Promise<number> {
  const { agent, options, out } = call;
  const runs: RunSummary[] = [];
  let count = 0;
  for await (const page of readPages(agent)) {
    count += page.length;
    if (options.json) runs.push(...page);
    else out.print(page.map((run) => renderRunLine(run, out.colors)));
  }
  if (options.json) out.print(jsonLines({ runs }));
  else if (count === 0) out.print(["No runs."]);
  return exitCodes.completed;
}

async function* readPages(agent: Agent): AsyncGenerator<readonly RunSummary[], undefined> {
  let cursor: string | undefined;
  do {
    const page = await agent.listRuns({ limit: pageSize, cursor });
    yield page.runs;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function showRun(call: CliCall, runId: string): Promise<number> {
  const { tools, options, out } = call;
  const run = await requireRun(call, runId);
  out.print(options.json ? jsonLines(run) : renderRun(run, { tools, colors: out.colors, db: options.db }));
  return exitCodes.completed;
}

function reportDeleted({ options, out }: CliCall, deleted: number): number {
  out.print(options.json ? jsonLines({ deleted }) : [`Deleted ${deleted} ${deleted === 1 ? "run" : "runs"}.`]);
  return exitCodes.completed;
}

async function requireRun(call: CliCall, runId: string): Promise<RunSnapshot> {
  const run = await call.agent.getRun(runId);
  if (run === undefined) throw createRunNotFound(call, runId);
  return run;
}

function createRunNotFound({ options }: CliCall, runId: string): AgentError<"run-not-found"> {
  return new AgentError("run-not-found", describeNoRun(runId, options.db), { details: { runId } });
}

function describeNoRun(runId: string, db: string | undefined): string {
  return `There is no run "${runId}" in "${db}". To list the runs: planwright runs --db ${db}`;
}

export function describeNoCommand({ type, runId }: AnyRunCommand, db: string | undefined): string {
  if (db !== undefined) return describeNoRun(runId, db);
  return `To ${type} a stored run: planwright ${type} ${runId} --db ./todo.db`;
}

const eventPageSize = 100;

async function drawRun(call: CliCall, runId: string, file: string): Promise<number> {
  const events: AgentEvent[] = [];
  for await (const event of readRecorded(call, runId)) events.push(event);
  await saveDrawn(call, file, events);
  call.out.print([`Wrote ${printable(file)}.`]);
  return exitCodes.completed;
}

async function saveDrawn(call: CliCall, file: string, drawn: DrawnRun | readonly DrawnRun[]): Promise<void> {
  const { toHtml } = await import("../view/index.ts");
  await saveFile(call, file, toHtml(drawn, { describeCall: (said) => describeCall(said, { tools: call.tools }) }));
}

async function drawRuns(call: CliCall, file: string): Promise<number> {
  const { agent, out } = call;
  const runs: RunSnapshot[] = [];
  let [total, damaged] = [0, 0];
  for await (const page of readPages(agent)) {
    for (const { runId } of total === 0 ? page : []) {
      const run = await agent.getRun(runId).catch((thrown: unknown) => {
        if (!isAgentError(thrown, "store-failed") || thrown.details.problem !== "corrupt") throw thrown;
        damaged += 1;
        return undefined;
      });
      if (run !== undefined) runs.push(withoutValues(run));
    }
    total += page.length;
  }
  await saveDrawn(call, file, runs);
  const leftOut = total > pageSize ? ` It lists the newest ${pageSize} of ${total} runs.` : "";
  const lost = damaged > 0 ? ` Damaged runs that it leaves out: ${damaged}.` : "";
  out.print([`Wrote ${printable(file)}.${leftOut}${lost}`]);
  return exitCodes.completed;
}

function withoutValues({ plan, steps, output: _output, ...run }: RunSnapshot): RunSnapshot {
  const short = steps.map((step) =>
    step.status === "completed" ? { ...step, input: {}, output: null } : { ...step, input: {} },
  );
  const withoutInput = ({ id, tool, wait }: PlanStep): PlanStep =>
    tool === undefined ? { id, wait } : { id, tool, input: {} };
  return { ...run, steps: short, ...(plan && { plan: { ...plan, steps: plan.steps.map(withoutInput) } }) };
}

async function printMermaid(call: CliCall, runId: string): Promise<number> {
  const run = await requireRun(call, runId);
  const { toMermaid } = await import("../view/index.ts");
  call.out.print(toMermaid(run).trimEnd().split("\n"));
  return exitCodes.completed;
}

async function printEvents(call: CliCall, runId: string): Promise<number> {
  for await (const event of readRecorded(call, runId)) call.out.print([printableJson(event)]);
  return exitCodes.completed;
}

async function* readRecorded(call: CliCall, runId: string): AsyncGenerator<AgentEvent, undefined> {
  const { agent, store, io } = call;
  let known = 0;
  try {
    for await (const event of agent.events(runId, { signal: io.signal })) {
      yield event;
      if (store === undefined || event.sequence < known) continue;
      const next = await store.read(runId, { after: event.sequence, limit: eventPageSize });
      if (next.length === 0) return;
      known = event.sequence + next.length;
    }
  } catch (thrown) {
    throw isAgentError(thrown, "run-not-found") ? createRunNotFound(call, runId) : thrown;
  }
}

const databaseFiles = ["", "-wal", "-shm", "-journal"];

export async function saveFile({ options }: Pick<CliCall, "options">, file: string, text: string): Promise<void> {
  const { db } = options;
  if (db !== undefined && databaseFiles.some((ending) => isSameFile(file, db + ending))) {
    throw new Error(`The file "${file}" contains the runs. Choose another file.`);
  }
  await new Promise<void>((resolve, reject) => {
    const stream = createWriteStream(file);
    stream.on("error", (error) =>
      reject(new Error(`The file "${file}" cannot be written: ${describeFileError(error)}.`)),
    );
    stream.on("finish", resolve);
    stream.end(text);
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "part of its path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
};

export function describeFileError({ code = "", message }: NodeJS.ErrnoException): string {
  return reasons[code] ?? message;
}

function isSameFile(file: string, other: string): boolean {
  try {
    const [one, two] = [statSync(file), statSync(other)];
    return one.ino === two.ino && one.dev === two.dev;
  } catch {
    // The file does not exist yet, or writing it will report the problem.
    return false;
  }
}

type ExportFiles = { readonly file: string; readonly key?: string | undefined };

async function exportToFile(call: CliCall, runId: string, { file, key }: ExportFiles): Promise<number> {
  const { store } = call;
  if (store === undefined) throw createRunNotFound(call, runId);
  await requireRun(call, runId);
  const { exportRun } = await import("../view/index.ts");
  if (key !== undefined && isSameFile(file, key)) {
    throw new Error(`The file "${file}" contains the key. Choose another file for the run.`);
  }
  const exporting = exportRun({ store, runId, key: key === undefined ? undefined : readText(key) });
  const document = await exporting.catch((thrown) => failFile(thrown, { key }));
  await saveFile(call, file, `${JSON.stringify(document, undefined, 2)}\n`);
  call.out.print([`Wrote ${printable(file)}${key === undefined ? ", unsigned" : ", signed"}.`]);
  return exitCodes.completed;
}

export async function verifyFile(
  { options, out }: Pick<CliCall, "options" | "out">,
  { file, key }: ExportFiles,
): Promise<number> {
  const publicKey = key === undefined ? undefined : readText(key);
  const { verifyRun } = await import("../view/index.ts");
  const verdict = await verifyRun(readText(file), { publicKey }).catch((thrown) => failFile(thrown, { file, key }));
  out.print(options.json ? jsonLines(verdict) : describeVerdict(verdict, { isExpected: key !== undefined }));
  return verdict.status === "changed" || verdict.status === "untrusted" ? exitCodes.failed : exitCodes.completed;
}

function describeVerdict(verdict: RunVerdict, { isExpected }: { readonly isExpected: boolean }): string[] {
  const { status } = verdict;
  if (status === "changed") return [printable(`Changed: ${verdict.reason}`)];
  if (status === "untrusted") return [`Unchanged, but not signed by this key: ${verdict.reason}`];
  if (status === "unsigned") return ["Unchanged, unsigned: anyone who can write to the store could make this file."];
  if (isExpected) return ["Unchanged, signed by this key."];
  const ask = "Check that you trust this key, or give the one that you expect: --key public.pem";
  return [`Unchanged, signed by ${verdict.publicKey}.`, ask];
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`The file "${file}" cannot be read: ${describeFileError(error as NodeJS.ErrnoException)}.`);
  }
}

function failFile(thrown: unknown, { file, key }: Partial<ExportFiles>): never {
  if (!isAgentError(thrown, "invalid-options")) throw thrown;
  const { option } = thrown.details;
  if (option === "document") throw new Error(`The file "${file}" is not an exported run.`);
  if (option !== "options.key" && option !== "options.publicKey") throw thrown;
  const kind = option === "options.key" ? "private" : "public";
  const howTo = "see docs/observing.md in the package for how to create one";
  throw new Error(`The file "${key}" is not an unencrypted Ed25519 ${kind} key in PEM format: ${howTo}.`);
}
