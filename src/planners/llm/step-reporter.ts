import type { PlanningEvent } from "../../core/planner.ts";
import { checkOnce } from "../../plan/check-once.ts";
import { AnswerReader, type AnswerScope } from "./check-answer.ts";
import { parseJson } from "./parse-json.ts";
import type { WrittenCall } from "./prompt.ts";

/** Options of {@link StepReporter}. */
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

/** Depth of a call in an answer: the answer, its list, the call. */
const depthOfCall = 3;

/** Finds the complete calls of a streamed answer. One pass over the text, whatever pieces it comes in. */
class StepStream {
  private text = "";
  private at = 0;
  private depth = 0;
  private start = 0;
  private isQuoted = false;

  /** Returns the calls that this piece completes, as values; invalid JSON is left out. */
  push(delta: string): readonly unknown[] {
    this.text += delta;
    const calls: unknown[] = [];
    for (; this.at < this.text.length; this.at++) {
      const character = this.text.charAt(this.at);
      if (this.isQuoted) {
        // What is escaped may come with the next piece.
        if (character === "\\") this.at++;
        else this.isQuoted = character !== '"';
      } else if (character === '"') this.isQuoted = this.depth > 0;
      else if (character === "{" || character === "[") {
        if (++this.depth === depthOfCall) this.start = this.at;
      } else if (character === "}" || character === "]") {
        const call = this.depth-- === depthOfCall ? parseJson(this.text.slice(this.start, this.at + 1)) : undefined;
        if (call !== undefined) calls.push(call);
      }
    }
    return calls;
  }
}
