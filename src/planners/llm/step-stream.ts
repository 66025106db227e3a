import { parseJson } from "./parse-json.ts";

/** How deep a call is in an answer: the answer, its list, the call. */
const depthOfCall = 3;

/** Finds the complete calls of a streamed answer. One pass over the text, whatever pieces it comes in. */
export class StepStream {
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
