import type { OutputUnit } from "@cfworker/json-schema";
import type { JsonPath } from "../../core/json.ts";
import type { SchemaIssue } from "../../core/schema.ts";

/** Keywords whose errors only say that there are others below. */
const containers = new Set(
  "$ref $recursiveRef additionalItems additionalProperties allOf dependentSchemas else items patternProperties prefixItems properties propertyNames then unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
const unions = new Set(["anyOf", "oneOf"]);
/** Keywords that rule a branch of a union out, rather than find fault with a value that means it. */
const decisive = new Set(["const", "enum", "type"]);

/**
 * The issues of a value, from the flat list of the validator's errors, in which those of a part follow that of the whole.
 */
export function toIssues(errors: readonly OutputUnit[], value: unknown): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  for (let index = 0; index < errors.length; index += 1) {
    const error = errors[index] as OutputUnit;
    if (unions.has(error.keyword)) {
      const below = getErrorsBelow(errors, index);
      issues.push(...toUnionIssues({ union: error, below, value }));
      index += below.length;
    } else if (!isContainer(error, errors[index + 1])) {
      issues.push({ path: toPath(error, value), message: toMessage(error) });
    }
  }
  return issues;
}

function isContainer({ keyword, keywordLocation }: OutputUnit, next: OutputUnit | undefined): boolean {
  if (next === undefined || !containers.has(keyword)) return false;
  return keyword === "if" || next.keyword === "false" || next.keywordLocation.startsWith(keywordLocation);
}

function getErrorsBelow(errors: readonly OutputUnit[], index: number): readonly OutputUnit[] {
  const prefix = `${(errors[index] as OutputUnit).keywordLocation}/`;
  let end = index + 1;
  // That of a schema that is false has no location in the schema, and follows that of its holder.
  while (errors[end]?.keyword === "false" || errors[end]?.keywordLocation.startsWith(prefix)) end += 1;
  return errors.slice(index + 1, end);
}

interface FailedUnion {
  readonly union: OutputUnit;
  readonly below: readonly OutputUnit[];
  readonly value: unknown;
}

/** If only one branch can be meant, its issues; else one issue that names them all. */
function toUnionIssues({ union, below, value }: FailedUnion): readonly SchemaIssue[] {
  const branches = new Map<string, OutputUnit[]>();
  let branch = "";
  for (const error of below) {
    if (error.keyword !== "false")
      branch = error.keywordLocation.slice(union.keywordLocation.length + 1).split("/", 1)[0] ?? "";
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  const path = toPath(union, value);
  if (union.keyword === "oneOf" && !union.error.includes("(0 matches)"))
    return [{ path, message: "it must match exactly one form, but matches several" }];
  const meant = [...branches.values()].filter((errors) => !errors.some((error) => isDecisive(error, union)));
  if (meant.length === 1) return toIssues(meant[0] as OutputUnit[], value);
  const each = [...branches.values()].map((errors) => toIssues(errors, value)[0]?.message);
  return [{ path, message: `it matches none of the allowed forms: ${[...new Set(each)].slice(0, 5).join("; or ")}` }];
}

/** Returns true if an error is about the union's value itself, or about one of its constant members. */
function isDecisive({ keyword, instanceLocation }: OutputUnit, union: OutputUnit): boolean {
  if (!decisive.has(keyword)) return false;
  const rest = instanceLocation.slice(union.instanceLocation.length + 1);
  return rest === "" || (keyword !== "type" && !rest.includes("/"));
}

/** The validator's location is a pointer as a URI fragment; for a key that is missing, it is that of its object. */
function toPath({ instanceLocation, keyword, error }: OutputUnit, value: unknown): JsonPath {
  const path: (string | number)[] = [];
  let holder = value;
  for (const part of instanceLocation.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(holder) ? Number(key) : key);
    holder = (holder as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  }
  const missing = keyword === "required" ? /"(.*)"/s.exec(error)?.[1] : undefined;
  return missing === undefined ? path : [...path, missing];
}

function toMessage({ keyword, error }: OutputUnit): string {
  switch (keyword) {
    case "required":
      return "it is required";
    case "false":
      return "it is not allowed";
    case "type":
      return error
        .replace(/^Instance type "(.*)" is invalid\. Expected "(.*)"\.$/s, "expected $2, received $1")
        .replaceAll('", "', " or ");
    case "enum":
    case "const":
      return error.replace(/^Instance does not match (any of )?(.*)\.$/s, "expected $1$2");
    case "format":
      return error.replace(/^String does not match format "(.*)"\.$/s, "expected the format $1");
    case "exclusiveMinimum":
      return error.replace(/ is less than (.*)\.$/s, " is not greater than $1");
    case "not":
      return "it must not match this schema";
    default:
      return error;
  }
}
