import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { AgentError } from "../core/errors.ts";
import { failOption } from "../core/options.ts";
import { jsonLines, printable } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { checkPhrases } from "../planners/rules/check-phrases.ts";
import type { RequestExplanation } from "../planners/rules/plan-by-rules.ts";
import { explainRequest as explain } from "../planners/rules/rule-planner.ts";
import { describePlan } from "../runs/describe-plan.ts";
import { type CliCall, exitCodes } from "./cli-io.ts";
import { renderError } from "./render-run.ts";

export async function explainRequest(
  call: CliCall,
  { request, tools: file, lint }: { readonly request: string; readonly tools?: string; readonly lint?: true },
): Promise<number> {
  const { agent, options, io, out, err } = call;
  const tools = file === undefined ? agent.tools : await loadTools(file);
  if (lint) return lintPhrases(call, tools);
  const explained = await explain({ request, tools, signal: io.signal });
  const { steps, parts, refusal } = explained;
  if (options.json) out.print(jsonLines(explained));
  else
    out.print([
      ...parts.flatMap(renderPart),
      ...(steps.length > 0 ? describePlan({ steps }, { tools }).split("\n") : []),
    ]);
  if (refusal === undefined) return exitCodes.completed;
  const { message, ...details } = refusal;
  err.print(renderError(new AgentError("cannot-plan", message, { details })));
  return exitCodes.usage;
}

async function lintPhrases({ options, out }: CliCall, tools: readonly Tool[]): Promise<number> {
  const problems = await checkPhrases(tools);
  const lines = problems.map(
    ({ tool, phrase, request, problem, message }) =>
      `${printable(tool)}: the phrase "${printable(phrase)}" is ${problem}, as in "${printable(request)}". ${printable(message)}`,
  );
  if (options.json) out.print(jsonLines({ problems }));
  else out.print(lines.length === 0 ? ["Each phrase is planned as it says."] : lines);
  return lines.length === 0 ? exitCodes.completed : exitCodes.failed;
}

function renderPart({ text, tool, phrase, words }: RequestExplanation["parts"][number]): string[] {
  const each = words.map(
    (word) => `  "${printable(word.text)}" is ${word.slot === undefined ? `of the ${word.by}` : `the ${word.slot}`}`,
  );
  return [`${printable(text)}: ${tool}, by the phrase "${printable(phrase)}"`, ...each];
}

const importOf = (url: string): Promise<unknown> => import(url);

export async function loadTools(file: string, load = importOf, folder = process.cwd()): Promise<readonly Tool[]> {
  const path = resolve(file);
  if (!existsSync(path)) failOption("--tools", file, "a file that exists", true);
  const { default: found } = (await loadModule(path, load, folder)) as {
    readonly default?: Partial<{ default: unknown }>;
  };
  // A module of ES that became one of CommonJS is in another one.
  const exported = found?.default ?? found;
  const tools: unknown = typeof exported === "function" ? await exported() : exported;
  if (!Array.isArray(tools))
    failOption("--tools", tools, "a file that exports by default a list of tools, or a function that returns one");
  return tools;
}

/** Loads TypeScript that Node itself does not read through tsx, if it is installed in the folder. */
async function loadModule(path: string, load: typeof importOf, folder: string): Promise<unknown> {
  const { href } = pathToFileURL(path);
  try {
    return await load(href);
  } catch (thrown) {
    const { code = "" } = thrown as { readonly code?: string };
    if (!/^ERR_(UNKNOWN_FILE_EXTENSION|UNSUPPORTED_TYPESCRIPT_SYNTAX)$/.test(code)) throw thrown;
    await load(pathToFileURL(findTsx(folder, thrown)).href);
    // Another address, as Node remembers that this one has failed.
    return load(`${href}?tsx`);
  }
}

function findTsx(folder: string, cause: unknown): string {
  try {
    return createRequire(`${folder}/planwright`).resolve("tsx");
  } catch {
    const command = "npm install --save-dev tsx";
    const message = `This Node cannot load the TypeScript. Use Node 22.18 or later, or run "${command}".`;
    throw new AgentError("missing-dependency", message, { details: { packages: ["tsx"], command }, cause });
  }
}
