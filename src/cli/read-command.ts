import type { PruneOptions } from "../runs/retention.ts";

/** What to do with the runs of a database. */
export type StoredRunCommand =
  | { readonly type: "runs"; readonly html?: string }
  | { readonly type: "show"; readonly runId: string; readonly as?: ShownAs }
  | { readonly type: "watch" | "resume" | "delete"; readonly runId: string }
  | { readonly type: "prune"; readonly selection: PruneOptions };

/** How to show a run, unless as text: as a page in a file, as a flowchart, by its events, or exported, perhaps signed. */
export type ShownAs =
  | { readonly type: "export"; readonly file: string; readonly key: string | undefined }
  | { readonly type: "html"; readonly file: string }
  | { readonly type: "mermaid" }
  | { readonly type: "events" };

/** A command that is given instead of a request. */
export type NamedCommand = StoredRunCommand | UnstoredCommand;

/** A command that needs no database. */
export type UnstoredCommand =
  | { readonly type: "tools" }
  | { readonly type: "verify"; readonly file: string; readonly key?: string };

/** A command about a run that can have any id. */
export type AnyRunCommand = Extract<NamedCommand, { type: "show" | "watch" | "resume" }>;

/** Reads the words of a command in its exact form. Anything else is a request: "show me my tasks", "runs at 7". */
export function readCommand(words: readonly string[]): NamedCommand | undefined {
  const [name, id, ...others] = words[0] === "runs" && words[1] === "delete" ? words.slice(1) : words;
  if (others.length > 0) return undefined;
  if (id === undefined) return words.length === 1 ? readAlone(name) : undefined;
  if (name === "verify") return /\.json$/i.test(id) ? { type: name, file: id } : undefined;
  if (!/^[\w.-]{1,128}$/.test(id)) return undefined;
  switch (name) {
    case "show":
    case "watch":
    case "resume":
      return { type: name, runId: id };
    case "delete":
      // "delete milk" is about a todo, even if a run has that id.
      return isRunId(id) || words[0] === "runs" ? { type: name, runId: id } : undefined;
    default:
      return undefined;
  }
}

function readAlone(name: string | undefined): NamedCommand | undefined {
  if (name === "tools" || name === "runs") return { type: name };
  return name === "prune" ? { type: name, selection: {} } : undefined;
}

/** Whether a command is a request unless a run has its id, which an application can choose: "show nightly". */
export function isCommandOfAnyRun(command: NamedCommand): command is AnyRunCommand {
  const { type } = command;
  return (type === "show" || type === "watch" || type === "resume") && !isRunId(command.runId);
}

/** Whether it is an id as runs are given by default; a request has no such word. */
function isRunId(word: string): boolean {
  return word.startsWith("run_");
}
