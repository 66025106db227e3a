import { parseJson } from "./parse-json.ts";

/**
 * Finds complete steps in a streamed answer: each object in the first list that has any, which is the text itself or
 * under a key of an object. Thinking before it, between its tags, is skipped. One pass over the text, whatever pieces
 * it comes in.
 */
export class StepStream {
  /** The received part of the open step, without the current piece. */
  private pending = "";
  private depth = 0;
  /** How deep the list of steps is; 0 until it starts. */
  private listDepth = 0;
  private isQuoted = false;
  private isEscaped = false;
  private isInStep = false;
  private hasSteps = false;
  /** The received part of a tag such as `<think>`; empty outside of one. */
  private sign = "";
  private isThinking = false;

  /** Returns the steps that this piece completes, as values; invalid JSON is left out. */
  push(delta: string): readonly unknown[] {
    const steps: unknown[] = [];
    // Where the open step starts in this piece.
    let from = 0;
    for (let index = 0; index < delta.length; index++) {
      const character = delta.charAt(index);
      if (this.depth === 0 && this.isProse(character)) continue;
      if (this.isQuoted) this.quoted(character);
      else if (character === '"') this.isQuoted = true;
      else if (isOpening(character)) {
        if (this.open(character)) from = index;
      } else if (character === "}" || character === "]") {
        if (this.endsStep()) this.take(delta.slice(from, index + 1), steps);
        this.close();
      }
    }
    if (this.isInStep) this.pending += delta.slice(from);
    return steps;
  }

  /** Whether the character opens nothing. Tags in prose mark where thinking starts and ends. */
  private isProse(character: string): boolean {
    this.readSign(character);
    return this.isThinking || !isOpening(character);
  }

  private readSign(character: string): void {
    if (character === "<") this.sign = character;
    else if (this.sign !== "" && this.sign.length < maxSign) this.sign += character;
    else this.sign = "";
    if (character !== ">") return;
    const read = /^<(\/?)(?:think|thinking|thought)>$/i.exec(this.sign);
    if (read !== null) this.isThinking = read[1] === "";
    this.sign = "";
  }

  private quoted(character: string): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (character === "\\") this.isEscaped = true;
    else if (character === '"') this.isQuoted = false;
  }

  /** Whether a step starts with the bracket. */
  private open(character: string): boolean {
    this.depth++;
    if (character === "[" && this.listDepth === 0 && this.depth <= 2) this.listDepth = this.depth;
    else if (character === "{" && this.listDepth > 0 && this.depth === this.listDepth + 1) this.isInStep = true;
    else return false;
    return this.isInStep;
  }

  private endsStep(): boolean {
    return this.isInStep && this.depth === this.listDepth + 1;
  }

  private take(end: string, steps: unknown[]): void {
    const step = parseJson(this.pending + end);
    if (step !== undefined) steps.push(step);
    this.pending = "";
    this.isInStep = false;
    this.hasSteps = true;
  }

  private close(): void {
    this.depth--;
    // Nothing after the list of steps is a step.
    if (this.depth < this.listDepth) this.listDepth = this.hasSteps ? Number.POSITIVE_INFINITY : 0;
  }
}

/** The length of the longest tag. */
const maxSign = "</thinking>".length;

function isOpening(character: string): boolean {
  return character === "{" || character === "[";
}
