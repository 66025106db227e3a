/** What a child does with a store. */
export interface ChildWork {
  readonly driver: string;
  readonly path: string;
  readonly work: "open" | "append" | "claim" | "run";
  readonly runId: string;
  /** How many events it records, or runs it executes at once. */
  readonly count: number;
  /** By which it is known in the events it records, and as an owner. */
  readonly name: string;
}

/** Reads the work from the arguments of a process; the parent wrote it there. */
export function childWork(argv: readonly string[]): ChildWork {
  return JSON.parse(argv.at(-1) ?? "") as ChildWork;
}
