import type { JsonValue } from "./json.ts";

/**
 * How much one input may repeat of outputs, in characters: a plan of a few kilobytes can ask for any multiple of an
 * output. The largest output that a run accepts by default can be used three times.
 */
const maxRepeated = 2 * 1_024 * 1_024;
/** The size of a value in a list or an object: copying and checking it takes as long as so many characters of text. */
const nestedValue = 64;

/** The references of one input repeat more of an output than they may. */
export class TooMuchRepeated extends RangeError {
  override name = "TooMuchRepeated";

  constructor(stepId: string) {
    super(
      `its references repeat too much of "${stepId}": an input may repeat at most 2 097 152 characters of outputs, and each ` +
        "value in a list or an object counts as 64; refer to it once, and let the tool repeat it",
    );
  }
}

/**
 * Counts what references put into an input more than once: for each output, everything but the largest value, which is
 * needed to use the output at all. So an input takes no longer than the plan, the outputs and what is counted here.
 */
export class RepeatedSize {
  private readonly outputs = new Map<string, { readonly first: JsonValue; largest?: number }>();
  private size = 0;

  /** Counts a value that was taken from an output. Throws {@link TooMuchRepeated}. */
  add(stepId: string, value: JsonValue): void {
    const output = this.outputs.get(stepId);
    // Most outputs are referred to once, and then nothing need be counted.
    if (output === undefined) {
      this.outputs.set(stepId, { first: value });
      return;
    }
    const largest = output.largest ?? sizeOf(output.first);
    const size = sizeOf(value);
    output.largest = Math.max(largest, size);
    this.size += Math.min(largest, size);
    if (this.size > maxRepeated) throw new TooMuchRepeated(stepId);
  }
}

function sizeOf(value: JsonValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = 2;
  for (const [key, item] of Object.entries(value)) size += nestedValue + key.length + sizeOf(item);
  return size;
}
