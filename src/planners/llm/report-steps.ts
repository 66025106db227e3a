import { toJson } from "../../core/json.ts";
import { type PlanStep, planSchema } from "../../core/plan.ts";
import type { PlanningEvent } from "../../core/planner.ts";
import { callsTool } from "../../core/wait-step.ts";
import { checkInput } from "../../plan/check-input.ts";
import { isWellFormed } from "../../plan/check-plan.ts";
import { dependenciesOf } from "../../plan/dependencies.ts";
import { checkExpressions, parseExpressions } from "../../plan/expressions.ts";
import { StepReader, type StepReading } from "./reading/read-steps.ts";
import { StepStream } from "./reading/step-stream.ts";

/** What {@link StepReporter} needs. */
export interface StepReporterOptions extends StepReading {
  readonly planner: string;
  readonly attempt: number;
  readonly maxSteps: number;
  readonly emit: (event: PlanningEvent) => void | Promise<void>;
}

/** Emits the steps of a streamed answer, each once it is complete and fits its tool, up to the first that does not. */
export class StepReporter {
  private readonly stream = new StepStream();
  private readonly reader: StepReader;
  private previous: PlanStep | undefined;
  private readonly emitted = new Map<string, PlanStep>();
  private emitting: Promise<void> = Promise.resolve();
  private isBroken = false;

  constructor(private readonly options: StepReporterOptions) {
    this.reader = new StepReader(options);
  }

  /** Takes the next piece of the answer. */
  push(delta: string): void {
    for (const step of this.isBroken ? [] : this.stream.push(delta)) {
      this.emitting = this.emitting.then(() => this.next(step)).catch(() => this.break());
    }
  }

  /** Resolves once everything received has been emitted. Never rejects. */
  end(): Promise<void> {
    return this.emitting;
  }

  private break(): void {
    this.isBroken = true;
  }

  private async next(raw: unknown): Promise<void> {
    if (this.isBroken) return;
    const { planner, attempt, maxSteps, emit } = this.options;
    const index = this.emitted.size;
    const { step: read } = await this.reader.next(raw);
    const step = await this.check(read);
    if (step === undefined || index === maxSteps) return this.break();
    this.emitted.set(step.id, step);
    this.previous = step;
    await emit({ type: "plan-delta", planner, attempt, index, step });
  }

  /** The step, if it is valid after those that were emitted. */
  private async check(step: unknown): Promise<PlanStep | undefined> {
    const { tools, expressions } = this.options;
    const json = toJson(step);
    if (!json.ok || !isWellFormed(json.value) || !planSchema.safeParse({ steps: [json.value] }).success) return;
    const checked = json.value as unknown as PlanStep;
    const parsed = await parseExpressions([checked]);
    if (parsed !== undefined && !expressions) return;
    const needed = dependenciesOf(checked, this.previous, parsed?.get(checked)?.expressions);
    if (this.emitted.has(checked.id) || !needed.every((id) => this.emitted.has(id))) return;
    const stepOf = (stepId: string) => this.emitted.get(stepId);
    const scope = { path: [], tools, stepOf, parsed };
    const issues = [
      ...(await checkExpressions(checked, scope)),
      ...(callsTool(checked) ? await checkInput(checked, scope) : []),
    ];
    return issues.length === 0 ? checked : undefined;
  }
}
