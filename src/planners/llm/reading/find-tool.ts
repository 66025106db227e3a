import { type JsonSchema, schemasAt } from "../../../core/json-schema.ts";
import type { DefinedTool } from "../../../core/tool.ts";
import { toolSchemas } from "../../../core/tool-schemas.ts";
import { isRecord, type JsonRecord, plainName } from "./records.ts";

/** A tool that a model named, and what its name says of the input. */
export interface FoundTool {
  readonly tool: DefinedTool;
  /** A constant of the input that was written after the tool's name, such as the operation of `Mailbox.send`. */
  readonly constant: { readonly key: string; readonly value: unknown } | undefined;
}

/** A longer name names no tool. */
const maxNameLength = 200;

/**
 * The one tool that a name may mean: its exact name, the same name in another spelling (`send_email`), with something
 * before it (`functions.SendEmail`), or with a constant of its input behind it (`Mailbox.send`).
 */
export async function findTool(name: unknown, tools: ReadonlyMap<string, DefinedTool>): Promise<FoundTool | undefined> {
  if (typeof name !== "string" || name.length > maxNameLength) return undefined;
  const exact = tools.get(name);
  if (exact !== undefined) return { tool: exact, constant: undefined };
  const trimmed = name.trim().replace(/\(\)$/, "");
  const alike = [...tools.values()].filter((tool) => isSpelledAlike(trimmed, tool.name));
  if (alike.length > 0) return alike.length === 1 ? withoutConstant(alike[0] as DefinedTool) : undefined;
  const behind = [...tools.values()].filter((tool) => endsAlike(trimmed, tool.name)).map(withoutConstant);
  const found = await Promise.all([...tools.values()].map((tool) => withConstant(trimmed, tool)));
  const readings = [...behind, ...found.filter((one) => one !== undefined)];
  return readings.length === 1 ? readings[0] : undefined;
}

function withoutConstant(tool: DefinedTool): FoundTool {
  return { tool, constant: undefined };
}

/** Whether a text may be the name of a tool, in any of the ways that {@link findTool} reads. Makes the test for a set. */
export function toolNames(tools: ReadonlyMap<string, unknown>): (text: string) => boolean {
  const plain = new Set([...tools.keys()].map(plainName));
  const longer = new Set([...tools.keys()].filter((name) => severalWords.test(name)));
  return (text) => {
    if (text.length > maxNameLength) return false;
    const trimmed = text.trim().replace(/\(\)$/, "");
    if (plain.has(plainName(trimmed)) || plain.has(plainName(afterNamespace(trimmed) ?? ""))) return true;
    const [, name = ""] = constantBehind.exec(trimmed) ?? [];
    return (
      plain.has(plainName(name)) ||
      Array.from(trimmed.matchAll(/_/g)).some(({ index }) => longer.has(trimmed.slice(index + 1)))
    );
  };
}

/** What stands behind a namespace; undefined without one. */
function afterNamespace(written: string): string | undefined {
  const parts = written.split(/[.:/]|__/);
  return parts.length > 1 ? parts.at(-1) : undefined;
}

/** A name with one of the constants of its input behind it. */
const constantBehind = /^(?:.*[.:/])?([^.:/]+?)[.:/_-]+([^.:/]+)$/;

function isSpelledAlike(written: string, name: string): boolean {
  return plainName(written) !== "" && plainName(written) === plainName(name);
}

const severalWords = /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/;

/** Whether a name has only a namespace before it. */
function endsAlike(written: string, name: string): boolean {
  if (isSpelledAlike(afterNamespace(written) ?? "", name)) return true;
  // One underscore may also stand within a name: only several words, as they are written, are surely the tool's.
  return severalWords.test(name) && written.endsWith(`_${name}`);
}

async function withConstant(written: string, tool: DefinedTool): Promise<FoundTool | undefined> {
  const [, name = "", said = ""] = constantBehind.exec(written) ?? [];
  if (!isSpelledAlike(name, tool.name)) return undefined;
  const { input } = await toolSchemas(tool);
  const constants = constantsOf(input).filter(({ value }) => isSpelledAlike(said, String(value)));
  return constants.length === 1 ? { tool, constant: constants[0] } : undefined;
}

/** The required constants of an input, such as its operation. */
function constantsOf(input: JsonSchema): readonly { readonly key: string; readonly value: unknown }[] {
  const found = new Map<string, { key: string; value: unknown }>();
  for (const { properties = {}, required = [] } of schemasAt(input, []) ?? []) {
    for (const key of required) {
      const { const: constant, enum: values = [constant] } = properties[key] ?? {};
      for (const value of values)
        if (typeof value === "string") found.set(JSON.stringify([key, value]), { key, value });
    }
  }
  return [...found.values()];
}

/** An input with the constant that its tool's name had, unless it has its own. */
export function addConstant(input: unknown, { constant }: FoundTool): unknown {
  if (constant === undefined || !isRecord(input) || Object.hasOwn(input, constant.key)) return input;
  return { [constant.key]: constant.value, ...(input as JsonRecord) };
}
