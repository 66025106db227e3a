import { AgentError } from "../core/errors.ts";
import { jsonLines, printable } from "../core/text.ts";
import { describePlan } from "../describe-plan.ts";
import { tryPhrases } from "../planners/rules/check-phrases.ts";
import type { RequestExplanation } from "../planners/rules/plan-by-rules.ts";
import { explainRequest as explain } from "../planners/rules/rule-planner.ts";
import { type CliCall, exitCodes } from "./cli-io.ts";
import { renderError } from "./render-run.ts";

export async function explainRequest(
  call: CliCall,
  { request, lint }: { readonly request: string; readonly lint?: true },
): Promise<number> {
  const { tools, options, io, out, err } = call;
  if (lint) return lintPhrases(call);
  const explained = await explain({ request, tools, signal: io.signal });
  const { steps, parts, refusal } = explained;
  const describe = () => (steps.length > 0 ? describePlan({ steps }, { tools }).split("\n") : []);
  out.print(options.json ? jsonLines(explained) : [...parts.flatMap(renderPart), ...describe()]);
  if (refusal === undefined) return exitCodes.completed;
  const { message, ...details } = refusal;
  err.print(renderError(new AgentError("cannot-plan", message, { details })));
  return exitCodes.usage;
}

async function lintPhrases({ tools, options, out }: CliCall): Promise<number> {
  const { problems, untried } = await tryPhrases(tools);
  const lines = problems.map(
    ({ tool, phrase, request, problem, message }) =>
      `${printable(tool)}: the phrase "${printable(phrase)}" is ${problem}, as in "${printable(request)}". ${printable(message)}`,
  );
  const tried = untried === 0 ? "" : ` that could be tried (all but ${untried})`;
  if (options.json) out.print(jsonLines({ problems, untried }));
  else out.print(lines.length === 0 ? [`Each phrase${tried} is planned as intended.`] : lines);
  return lines.length === 0 ? exitCodes.completed : exitCodes.failed;
}

const belongings = { phrase: "part of the phrase", slot: "a value", courtesy: "a courtesy", left: "not explained" };

function renderPart({ text, tool, phrase, words }: RequestExplanation["parts"][number]): string[] {
  const each = words.map(
    (word) => `  "${printable(word.text)}" is ${word.slot === undefined ? belongings[word.by] : `the ${word.slot}`}`,
  );
  return [`${printable(text)}: ${tool}, by the phrase "${printable(phrase)}"`, ...each];
}
