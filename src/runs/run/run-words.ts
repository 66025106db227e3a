import { countPending } from "../../async/promises.ts";
import type { RunState } from "../../core/run-state.ts";
import { shownSnapshot } from "./redaction.ts";
import type { Run } from "./run.ts";

export type SayEnd = (
  state: RunState,
  end: Partial<Pick<RunState, "status" | "pending" | "error">>,
) => { readonly text?: string };

/** Undefined without a thread, so that the run then ends in the same turn of the event loop. */
export function loadWords(run: Run): Promise<SayEnd> | undefined {
  const { settings, engine } = run;
  const { thread } = settings;
  if (thread === undefined || engine.loadWords === undefined) return undefined;
  return countPending(engine.loadWords()).then(({ sayRun }) => (state, end) => {
    // The text is recorded, so it must not contain secrets or what `redact` hides.
    const shown = shownSnapshot({ ...state, ...end }, engine);
    const { timeZone } = settings.stored;
    const text = sayRun(shown, { tools: engine.tools, nowMs: run.sharedNow(), timeZone });
    return text === "" ? {} : { text };
  });
}
