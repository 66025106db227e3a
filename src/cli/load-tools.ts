import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { indexTools } from "../core/define-tool.ts";
import { AgentError, isAgentError } from "../core/errors.ts";
import { failOption } from "../core/options.ts";
import { describeThrown } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";

const importOf = (url: string): Promise<unknown> => import(url);

export async function loadTools(file: string, load = importOf, folder = process.cwd()): Promise<readonly Tool[]> {
  const path = resolve(file);
  if (!existsSync(path)) failOption("--tools", file, "a file that exists", true);
  const tools = await readTools(path, load, folder).catch((thrown) => {
    if (isAgentError(thrown)) throw thrown;
    return failOption("--tools", describeThrown(thrown), `a file that can be loaded: ${file}`, true, thrown);
  });
  if (!Array.isArray(tools))
    failOption("--tools", tools, "a file that exports by default a list of tools, or a function that returns one");
  return [...indexTools(tools).values()];
}

async function readTools(path: string, load: typeof importOf, folder: string): Promise<unknown> {
  const { default: found } = (await loadModule(path, load, folder)) as {
    readonly default?: Partial<{ default: unknown }>;
  };
  // A module of ES that became one of CommonJS is in another one.
  const exported = found?.default ?? found;
  return typeof exported === "function" ? exported() : exported;
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
