import { countPending } from "../../async/promises.ts";
import type { RunResult, RunSnapshot } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import { shownSnapshot } from "./redaction.ts";
import type { Run } from "./run.ts";

export type SayEnd = (
  state: RunState,
  end: Partial<Pick<RunState, "status" | "pending" | "error">>,
) => { readonly text?: string };

/** Returns undefined if no words are needed, so that the run ends in the same turn of the event loop. */
export function loadWords(run: Run): Promise<SayEnd> | undefined {
  return loadSpeech(run)?.then((say) => (state, end) => {
    // The text is recorded, so it must not contain secrets or what `redact` hides.
    const text = say(shownSnapshot({ ...state, ...end }, run.engine));
    return text === "" ? {} : { text };
  });
}

export function loadSpeech(run: Run): Promise<(shown: RunSnapshot | RunResult) => string> | undefined {
  const { settings, engine } = run;
  if (settings.thread === undefined || engine.loadWords === undefined) return undefined;
  const { timeZone } = settings.stored;
  return countPending(engine.loadWords()).then(
    ({ sayRun }) =>
      (shown) =>
        sayRun(shown, { tools: engine.tools, nowMs: run.sharedNow(), timeZone }),
  );
}
