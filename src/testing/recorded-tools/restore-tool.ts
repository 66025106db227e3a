import { jsonSchema } from "../../adapters/schemas/json-schema.ts";
import { define } from "../../core/define-tool.ts";
import { canonicalJson, type JsonValue } from "../../core/json.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import { defined } from "../../core/options.ts";
import type { StandardSchema } from "../../core/schema.ts";
import { sensitiveViewOf } from "../../core/sensitive-paths.ts";
import { describeThrown } from "../../core/text.ts";
import type { DefinedTool, Tool } from "../../core/tool.ts";
import type { CallMatcher } from "./call-matcher.ts";
import { withoutSecrets } from "./secret-texts.ts";
import type { RecordedAnswer, RecordedTool } from "./tool-recording.ts";

/** What a restored tool is to be replayed by. */
interface RestoredFor {
  readonly path: string;
  /** What the functions of all tools answered. */
  readonly answers: readonly RecordedAnswer[];
  readonly replay: {
    readonly matcher: CallMatcher;
    fail(what: string, why: string): never;
  };
}

/** A tool as a recording describes it, without what it does. Throws an error that names the file. */
export function restoreTool(recorded: RecordedTool, { path, answers, replay }: RestoredFor): DefinedTool {
  const { name, description, result, retry, circuitBreaker, phrases } = recorded;
  const own = answers.filter(({ tool }) => tool === name);
  const answer = answering(recorded, own, replay);
  try {
    return define({
      name,
      description,
      inputSchema: schemaOf(recorded.inputSchema),
      outputSchema: recorded.outputSchema && schemaOf(recorded.outputSchema),
      effect: recorded.effect === "by-input" ? (input) => answer(input, "effect") : recorded.effect,
      needsApproval:
        recorded.needsApproval === "by-input" ? (input) => answer(input, "needsApproval") : recorded.needsApproval,
      result,
      retry,
      circuitBreaker,
      phrases: phrases as Tool["phrases"],
      execute: () => {},
      undo: recorded.hasUndo && (() => {}),
    } satisfies Tool);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : describeThrown(thrown);
    throw new Error(`The recording "${path}" cannot be replayed: its tool "${name}" is not valid: ${reason}`, {
      cause: thrown,
    });
  }
}

/** What the functions of a tool answered about an input. */
function answering(
  { name, inputSchema }: RecordedTool,
  answers: readonly RecordedAnswer[],
  replay: RestoredFor["replay"],
) {
  const view = sensitiveViewOf(inputSchema);
  const byInput = new Map<string, Pick<RecordedAnswer, "effect" | "needsApproval">>();
  for (const { input, effect, needsApproval } of answers) {
    const key = canonicalJson(input);
    byInput.set(key, { ...byInput.get(key), ...defined({ effect, needsApproval }) });
  }
  return <K extends "effect" | "needsApproval">(input: unknown, question: K): NonNullable<RecordedAnswer[K]> => {
    const key = canonicalJson(replay.matcher.hide(input as JsonValue, view));
    // A text may contain a given secret, such as "test", by chance: then it is recorded as it is.
    const known = byInput.get(canonicalJson(withoutSecrets(input as JsonValue, view))) ?? byInput.get(key);
    return known?.[question] ?? replay.fail(`from ${name}.${question} for this input`, `no call had it: ${key}`);
  };
}

/**
 * A JSON Schema as a schema of a tool. One that cannot be checked, as its library has formats of its own, accepts
 * anything: no call with another input is recorded.
 */
function schemaOf(schema: JsonSchema): StandardSchema {
  try {
    return jsonSchema<unknown>(schema);
  } catch {
    const tell = () => schema;
    return {
      "~standard": {
        version: 1,
        vendor: "planwright",
        validate: (value) => ({ value }),
        jsonSchema: { input: tell, output: tell },
      },
    };
  }
}
