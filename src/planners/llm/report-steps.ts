import type { PlanningEvent } from "../../core/planner.ts";
import { checkOnce } from "../../plan/check-once.ts";
import { AnswerReader, type AnswerScope } from "./check-answer.ts";
import type { WrittenCall } from "./prompt.ts";
import { StepStream } from "./step-stream.ts";

/** What {@link StepReporter} needs. */
export interface StepReporterOptions extends AnswerScope {
  readonly planner: string;
  readonly attempt: number;
  readonly emit: (event: PlanningEvent) => void | Promise<void>;
}

/** Emits the steps of a streamed answer, each once its call has closed and its values are read, up to the first that is invalid. */
export class StepReporter {
  private readonly stream = new StepStream();
  private readonly reader: AnswerReader;
  private emitted = 0;
  private emitting: Promise<void> = Promise.resolve();
  private isBroken = false;

  constructor(private readonly options: StepReporterOptions) {
    this.reader = new AnswerReader(options);
  }

  /** Takes the next piece of the answer. */
  push(delta: string): void {
    for (const call of this.isBroken ? [] : this.stream.push(delta))
      this.emitting = this.emitting
        .then(() => this.next(call))
        .catch(() => {
          this.isBroken = true;
        });
  }

  /** Resolves once everything received has been emitted. Never rejects. */
  end(): Promise<void> {
    return this.emitting;
  }

  private async next(call: unknown): Promise<void> {
    if (this.isBroken) return;
    const { planner, attempt, maxSteps, emit, kept, tools } = this.options;
    this.isBroken =
      typeof (call as WrittenCall | null)?.do !== "string" ||
      (await this.reader.add(call as WrittenCall)) !== undefined;
    const steps = this.isBroken ? [] : this.reader.steps();
    const { plan } = await checkOnce({ steps: [...kept, ...steps] }, { tools, maxSteps: maxSteps + kept.length });
    this.isBroken ||= plan === undefined;
    if (this.isBroken) return;
    for (const step of steps.slice(this.emitted)) {
      const index = kept.length + this.emitted++;
      await emit({ type: "plan-delta", planner, attempt, index, step });
    }
  }
}
