import type { AbortSource } from "../async/abort-source.ts";
import { hideUrlKeysIn } from "../core/hide-url-keys.ts";
import { type JsonObject, type JsonValue, toJson } from "../core/json.ts";
import type { ToolContext } from "../core/tool.ts";
import type { ResultPlace } from "./kept-results.ts";
import type { Run } from "./run.ts";
import { ofIteration, placeOfTask, type StepCall } from "./step-call.ts";

const sourceKey = Symbol("source");
const progressKey = Symbol("progress");

/**
 * The signal is created when it is first read; most tools never read it. It is a property of each context, not of the
 * class, so that `{ ...context }` has it too; a shared descriptor makes that cheap.
 */
const lazySignal: PropertyDescriptor & ThisType<AttemptContext> = {
  get() {
    return this[sourceKey].signal;
  },
  enumerable: true,
};

/** Records that an attempt reads data of its run, so that its result is not kept for other runs. */
function watchReads(context: AttemptContext, { resources, metadata }: RunReads, kept: ResultPlace): void {
  const watched = <T>(value: T): PropertyDescriptor => ({
    get() {
      kept.markRead();
      return value;
    },
    enumerable: true,
  });
  Object.defineProperties(context, { resources: watched(resources), metadata: watched(metadata) });
}

type RunReads = Pick<ToolContext, "resources" | "metadata">;

/** The context that a tool receives for one attempt. */
export class AttemptContext implements ToolContext {
  declare readonly signal: AbortSignal;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly stepId: string;
  readonly iteration: number | undefined;
  readonly resources: unknown;
  readonly metadata: JsonObject;
  readonly progress: (value: unknown) => void;
  readonly [sourceKey]: AbortSource;
  /** Set when there is some: most tools report none. */
  declare [progressKey]?: JsonValue;

  constructor(run: Run, call: StepCall, { attempt, source }: { attempt: number; source: AbortSource }) {
    const { runId, settings } = run;
    const stepId = call.step.id;
    const index = call.iteration?.index;
    this[sourceKey] = source;
    this.attempt = attempt;
    this.idempotencyKey = index === undefined ? `${runId}/${stepId}` : `${runId}/${stepId}[${index}]`;
    if (call.undone !== undefined) this.idempotencyKey += "/undo";
    this.runId = runId;
    this.stepId = stepId;
    this.iteration = index;
    this.resources = settings.resources;
    this.metadata = settings.metadata;
    this.progress = (value) => reportProgress(run, call, { context: this, value });
    Object.defineProperty(this, "signal", lazySignal);
    if (call.kept?.isWatched) watchReads(this, settings, call.kept);
  }
}

/** The last progress that an attempt reported. */
export function lastProgress(context: AttemptContext): JsonValue | undefined {
  return context[progressKey];
}

interface Progress {
  readonly context: AttemptContext;
  readonly value: unknown;
}

/** Reports an attempt's progress, until it ends. */
function reportProgress(run: Run, call: StepCall, { context, value }: Progress): void {
  if (!run.isOpen(context[sourceKey])) return;
  const { attempt } = context;
  const { step, tool } = call;
  const stepId = step.id;
  const json = toJson(value, { maxBytes: run.engine.maxOutputBytes });
  if (json.ok) {
    const shown = hideUrlKeysIn(json.value);
    context[progressKey] = shown;
    run.emit(ofIteration(call, { type: "step-progress", stepId, tool: tool.name, attempt, value: shown }));
  } else
    run.warn({
      code: "invalid-progress",
      ...placeOfTask(call),
      message: `${tool.name} reported invalid progress: ${json.issue.message}.`,
    });
}
