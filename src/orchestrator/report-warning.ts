import { isThenable } from "../async/thenable.ts";
import type { AgentWarning, EngineSettings } from "./options.ts";

/** Reports a warning. A handler that throws, or rejects, changes nothing. */
export function reportWarning({ onWarning }: Pick<EngineSettings, "onWarning">, warning: AgentWarning): void {
  const ignore = () => {
    // A handler that fails changes no run.
  };
  try {
    const answer: unknown = onWarning(warning);
    if (isThenable(answer)) answer.then(undefined, ignore);
  } catch {
    ignore();
  }
}
