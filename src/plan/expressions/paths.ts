import type { CelNode, CelPath } from "./node.ts";

/*
 * Properties of an expression that do not depend on its data.
 */

/** The path that a node is, if it is one. */
export function pathOf(node: CelNode): CelPath | undefined {
  if (node.type === "name") return { name: node.name, path: [], position: node.position };
  if (node.type !== "member" && node.type !== "index") return undefined;
  const below = pathOf(node.of);
  const key = node.type === "member" ? node.key : keyOf(node.key);
  return below && key !== undefined ? { ...below, path: [...below.path, key], position: node.position } : undefined;
}

function keyOf(node: CelNode): string | number | undefined {
  if (node.type !== "literal" || (typeof node.value !== "string" && typeof node.value !== "number")) return undefined;
  return typeof node.value === "number" && !(Number.isInteger(node.value) && node.value >= 0) ? undefined : node.value;
}

/** The longest paths that an evaluation may follow, without the field that `has` tests, which may be missing. */
export function collectPaths(node: CelNode, found: CelPath[] = []): readonly CelPath[] {
  const path = pathOf(node);
  if (path !== undefined) found.push(path);
  else for (const child of childrenOf(node)) collectPaths(child, found);
  return found;
}

function childrenOf(node: CelNode): readonly CelNode[] {
  switch (node.type) {
    case "literal":
    case "name":
    case "variable":
      return [];
    case "member":
    case "has":
    case "not":
    case "negate":
      return [node.of];
    case "index":
      return [node.of, node.key];
    case "list":
      return node.items;
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "choice":
      return [node.condition, node.yes, node.no];
    case "logical":
    case "binary":
      return [node.left, node.right];
    case "call":
      return node.argument === undefined ? [node.target] : [node.target, node.argument];
    case "macro":
      return [node.target, node.body, ...(node.transform === undefined ? [] : [node.transform])];
  }
}

/** Whether a result is taken from the data unchanged, each part of it at most once. */
export function isPartOfData(node: CelNode): boolean {
  switch (node.type) {
    case "name":
      return true;
    case "member":
    case "index":
      return isPartOfData(node.of);
    case "choice":
      return isPartOfData(node.yes) && isPartOfData(node.no);
    case "macro":
      return node.name === "filter" && isPartOfData(node.target);
    default:
      return false;
  }
}

/** The list from which a list takes its items unchanged, so that they have the same schema. */
export function sourceOf(node: CelNode): CelPath | undefined {
  return node.type === "macro" && node.name === "filter" ? sourceOf(node.target) : pathOf(node);
}

/** The JSON Schema type of a result, if it is the same for all data. */
export function resultTypeOf(node: CelNode): string | undefined {
  switch (node.type) {
    case "literal":
      return node.value === null ? "null" : typeof node.value;
    case "list":
      return "array";
    case "map":
      return "object";
    case "logical":
    case "not":
    case "has":
      return "boolean";
    case "negate":
      return "number";
    case "choice": {
      const type = resultTypeOf(node.yes);
      return type === resultTypeOf(node.no) ? type : undefined;
    }
    case "binary":
      if (node.operator === "+") return resultTypeOf(node.left) ?? resultTypeOf(node.right);
      return ["-", "*", "/", "%"].includes(node.operator) ? "number" : "boolean";
    case "call":
      return typeOfCall(node.name) ?? resultTypeOf(node.target);
    case "macro":
      return node.name === "filter" || node.name === "map" ? "array" : "boolean";
    default:
      return undefined;
  }
}

/** Only `dyn` returns its argument. */
function typeOfCall(name: string): string | undefined {
  if (name === "dyn") return undefined;
  if (name === "size" || name === "int" || name === "double") return "number";
  return name === "startsWith" || name === "endsWith" || name === "contains" ? "boolean" : "string";
}
