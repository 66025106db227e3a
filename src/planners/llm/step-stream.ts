/**
 * Finds whole steps in an answer that is still coming: each object that stands in the first list of the text, or in a list
 * under the key of an object that begins it. One pass over the text, whatever pieces it comes in.
 */
export class StepStream {
  /** From the first bracket on; what has been read of it goes with each step. */
  private buffer = "";
  private depth = 0;
  /** How deep the list of steps is; 0 until it begins. */
  private listDepth = 0;
  private isQuoted = false;
  private isEscaped = false;
  private start = -1;

  /** The steps that are whole with this piece, as values; what is not JSON is left out. */
  push(delta: string): readonly unknown[] {
    const steps: unknown[] = [];
    for (const character of delta) {
      if (this.depth === 0 && character !== "{" && character !== "[") continue;
      this.buffer += character;
      if (this.isQuoted) this.quoted(character);
      else if (character === '"') this.isQuoted = true;
      else if (character === "{" || character === "[") this.open(character);
      else if (character === "}" || character === "]") this.close(steps);
    }
    return steps;
  }

  private quoted(character: string): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (character === "\\") this.isEscaped = true;
    else if (character === '"') this.isQuoted = false;
  }

  private open(character: string): void {
    this.depth++;
    if (character === "[" && this.listDepth === 0 && this.depth <= 2) this.listDepth = this.depth;
    else if (character === "{" && this.listDepth > 0 && this.depth === this.listDepth + 1)
      this.start = this.buffer.length - 1;
  }

  private close(steps: unknown[]): void {
    if (this.listDepth > 0 && this.depth === this.listDepth + 1 && this.start !== -1) {
      const step = parse(this.buffer.slice(this.start));
      if (step !== undefined) steps.push(step);
      this.buffer = "";
      this.start = -1;
    }
    this.depth--;
    // What follows the list is no step.
    if (this.depth < this.listDepth) this.listDepth = Number.POSITIVE_INFINITY;
    if (this.depth === 0) this.reset();
  }

  private reset(): void {
    this.buffer = "";
    this.listDepth = 0;
    this.start = -1;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
