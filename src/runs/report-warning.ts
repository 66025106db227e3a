import { isThenable } from "../async/promises.ts";
import { findOpenPhrases } from "../core/define-tool.ts";
import { isSensitiveTool } from "../core/sensitive.ts";
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

/** Warns if there are fields to seal but no key: plans with them will be refused. */
export function warnOfSecrets(settings: EngineSettings): void {
  if (settings.sealing === undefined || settings.sealing.keys !== undefined) return;
  const names = settings.tools.filter(isSensitiveTool).map(({ name }) => name);
  const message = `${names.join(", ")} has sensitive fields, and the store outlives this process: give secrets: { keys }, or plans with such fields are refused.`;
  reportWarning(settings, { code: "no-secret-keys", message });
}

/** Warns of phrases that take nearly any request for a tool that runs once or needs approval. */
export function warnOfOpenPhrases(settings: EngineSettings): void {
  for (const tool of settings.toolsByName.values())
    for (const phrase of findOpenPhrases(tool))
      reportWarning(settings, {
        code: "open-phrase",
        message: `The phrase "${phrase}" of ${tool.name} takes nearly any request, and the tool runs once or needs approval: add a word that says what it does.`,
      });
}
