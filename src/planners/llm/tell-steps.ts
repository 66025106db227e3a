import { checkInput } from "../../core/check-input.ts";
import { toJson } from "../../core/json.ts";
import { type PlanStep, planSchema } from "../../core/plan.ts";
import type { PlanningEvent } from "../../core/planner.ts";
import { findReferences } from "../../core/reference.ts";
import { completeStep, readStep, type StepReading } from "./read-steps.ts";
import { StepStream } from "./step-stream.ts";

/** What {@link StepTeller} needs. */
export interface StepTellerOptions extends StepReading {
  readonly planner: string;
  readonly attempt: number;
  readonly tell: (event: PlanningEvent) => void | Promise<void>;
}

/** Tells the steps of an answer that is still coming, each as soon as it is whole and fits its tool, up to the first that does not. */
export class StepTeller {
  private readonly stream = new StepStream();
  private previous: PlanStep | undefined;
  private readonly told = new Map<string, PlanStep>();
  private telling: Promise<void> = Promise.resolve();
  private isBroken = false;

  constructor(private readonly options: StepTellerOptions) {}

  /** Takes the next piece of the answer. */
  push(delta: string): void {
    for (const step of this.stream.push(delta)) this.telling = this.telling.then(() => this.next(step));
  }

  /** Resolves once all that has come is told. Never rejects. */
  end(): Promise<void> {
    return this.telling;
  }

  private async next(raw: unknown): Promise<void> {
    if (this.isBroken) return;
    const { planner, attempt, tell, tools } = this.options;
    const index = this.told.size;
    const isEarlier = (id: string) => this.told.has(id);
    const { step: read } = await readStep(raw, this.options);
    const step = await this.check(completeStep(read, { index, previous: this.previous, isEarlier, tools }));
    if (step === undefined) {
      this.isBroken = true;
      return;
    }
    this.told.set(step.id, step);
    this.previous = step;
    await tell({ type: "plan-delta", planner, attempt, index, step });
  }

  /** The step, if it holds behind those that were told. */
  private async check(step: unknown): Promise<PlanStep | undefined> {
    const json = toJson(step);
    if (!json.ok || !planSchema.safeParse({ steps: [json.value] }).success) return undefined;
    const checked = json.value as unknown as PlanStep;
    const references = findReferences(checked.input);
    const isKnown = references.every(({ reference }) => reference && this.told.has(reference.stepId));
    if (!isKnown || this.told.has(checked.id)) return undefined;
    const stepOf = (stepId: string) => this.told.get(stepId);
    const scope = { path: [], tools: this.options.tools, stepOf, parsed: undefined };
    return (await checkInput(checked, scope)).length === 0 ? checked : undefined;
  }
}
