import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { indexTools } from "../core/define-tool.ts";
import { AgentError, isAgentError } from "../core/errors.ts";
import { failOption } from "../core/option-tables.ts";
import { describeThrown } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";

const importOf = (url: string): Promise<unknown> => import(url);

export async function loadTools(file: string, load = importOf): Promise<readonly Tool[]> {
  const path = resolve(file);
  if (!existsSync(path)) failOption("--tools", file, "a file that exists", true);
  try {
    const { default: found } = (await loadModule(path, load)) as { readonly default?: Partial<{ default: unknown }> };
    // If tsx turns an ES module into CommonJS, its default export is one level deeper.
    const exported = found?.default ?? found;
    const tools: unknown = typeof exported === "function" ? await exported() : exported;
    if (!Array.isArray(tools))
      failOption("--tools", tools, "a file whose default export is a list of tools or a function that returns a list");
    return [...indexTools(tools).values()];
  } catch (thrown) {
    if (isAgentError(thrown, "missing-dependency")) throw thrown;
    const received = isAgentError(thrown) ? thrown.message : describeThrown(thrown);
    const details = { option: "--tools", received, expected: "a file of tools" };
    throw new AgentError("invalid-options", `Cannot load "${file}": ${received}`, { details, cause: thrown });
  }
}

async function loadModule(path: string, load: typeof importOf): Promise<unknown> {
  const { href } = pathToFileURL(path);
  try {
    return await load(href);
  } catch (thrown) {
    const { code, message } = Object(thrown) as { readonly code?: unknown; readonly message?: unknown };
    const isOldNode = code === "ERR_UNKNOWN_FILE_EXTENSION" && /"\.[cm]?ts"/.test(String(message));
    if (!isOldNode && code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw thrown;
    await load(pathToFileURL(findTsx(path, isOldNode, thrown)).href);
    // A different URL, because Node caches the failed import.
    return load(`${href}?tsx`);
  }
}

function findTsx(path: string, isOldNode: boolean, cause: unknown): string {
  try {
    return createRequire(path).resolve("tsx");
  } catch {
    const command = "npm install --save-dev tsx";
    const advice = isOldNode ? `Use Node 22.18 or later, or run "${command}".` : `Run "${command}".`;
    const message = `This version of Node cannot load this TypeScript file. ${advice}`;
    throw new AgentError("missing-dependency", message, { details: { packages: ["tsx"], command }, cause });
  }
}
