import type { DefinedTool, ToolContext } from "planwright";

/** Which call it is, and whose. */
export interface CallOptions {
  readonly key?: string;
  readonly user?: string;
  readonly signal?: AbortSignal;
}

/** Calls a tool as a run does: the input parsed before, the output after. A key is new unless given. */
export function callerOf<TInput, TOutput, TResources>(tool: DefinedTool<string, TInput, TOutput, TResources>) {
  let keys = 0;
  async function call(input: unknown, { key = `run/${++keys}`, ...rest }: CallOptions = {}): Promise<unknown> {
    const output = await tool.execute(await parse(input), contextOf(key, rest));
    const checked = await tool.outputSchema?.["~standard"].validate(output);
    if (checked === undefined || checked.issues) throw new Error(`bad output: ${JSON.stringify(checked?.issues)}`);
    return JSON.parse(JSON.stringify(checked.value));
  }
  /** Undoes a call as a run does. */
  async function undo(input: unknown, output: unknown, { key = "run/1", ...rest }: CallOptions = {}): Promise<void> {
    await tool.undo?.({ input: await parse(input), output }, contextOf(`${key}/undo`, rest));
  }
  async function parse(input: unknown): Promise<unknown> {
    const parsed = await tool.inputSchema["~standard"].validate(JSON.parse(JSON.stringify(input)));
    if (parsed.issues) throw new Error(`bad input: ${parsed.issues.map((issue) => issue.message).join("; ")}`);
    return parsed.value;
  }
  return { call, undo };
}

function contextOf<TResources>(idempotencyKey: string, { user, signal }: CallOptions): ToolContext<TResources> {
  return {
    signal: signal ?? new AbortController().signal,
    attempt: 1,
    idempotencyKey,
    runId: "run",
    stepId: "s1",
    resources: (user === undefined ? {} : { user }) as TResources,
    metadata: {},
    progress: () => {},
  };
}
