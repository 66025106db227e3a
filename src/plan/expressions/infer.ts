import type { JsonPath } from "../../core/json.ts";
import {
  itemsOf,
  type JsonSchema,
  jsonTypeOf,
  nameValues,
  schemasAt,
  typesOf,
  valuesOf,
} from "../../core/json-schema.ts";
import type { PlanIssue, PlanIssueCode } from "../../core/plan.ts";
import { nameCelType } from "./evaluate.ts";
import { type CelFunctionName, type CelNode, type CelNodeOf, type CelPath, keyOf, pathOf } from "./node.ts";

/** Finds the schemas that a value may have at a path: undefined if anything may be there, `[]` if nothing can be. */
export type SchemasAt = (path: JsonPath) => readonly JsonSchema[] | undefined;

export interface CelSurroundings {
  readonly sourceOf: (name: string) => SchemasAt | undefined;
  readonly describeMissing: (path: CelPath, around: readonly JsonSchema[]) => string;
}

export type CelTypeIssue = Omit<PlanIssue, "path">;

export class CelInference {
  readonly issues: CelTypeIssue[] = [];
  readonly #missing = new Set<string>();
  readonly #variables: SchemasAt[] = [];

  constructor(private readonly surroundings: CelSurroundings) {}

  infer(node: CelNode): SchemasAt {
    switch (node.type) {
      case "literal":
        return (path) => schemasAt({ const: node.value, type: jsonTypeOf(node.value) }, path);
      case "name":
        return this.surroundings.sourceOf(node.name) ?? anything;
      case "variable":
        return this.#variables[node.slot] ?? anything;
      case "member":
        return this.#part(node, node.key);
      case "index":
        return this.#index(node);
      case "list":
        return listOf(this.#either(node.items));
      case "map":
        for (const { key, value } of node.entries) for (const part of [key, value]) this.infer(part);
        return typed("object");
      case "choice":
        this.#need(node.condition, ["boolean"], '"?"');
        return this.#either([node.yes, node.no]);
      case "logical":
        for (const side of [node.left, node.right]) this.#need(side, ["boolean"], node.deciding ? '"||"' : '"&&"');
        return typed("boolean");
      case "not":
        this.#need(node.of, ["boolean"], '"!"');
        return typed("boolean");
      case "negate":
        this.infer(node.of);
        return typed("number");
      case "binary":
        return this.#binary(node);
      case "has":
        this.infer(node.of);
        return typed("boolean");
      case "call":
        for (const part of [node.target, node.argument]) if (part !== undefined) this.infer(part);
        return node.name === "dyn" ? anything : typed(typeOfCall(node.name));
      case "macro":
        return this.#macro(node);
      default:
        return node satisfies never;
    }
  }

  #report(code: PlanIssueCode, message: string, position: number): void {
    this.issues.push({ code, message: `${message} See character ${position}.` });
  }

  #need(node: CelNode, types: readonly string[], operator: string): SchemasAt {
    const value = this.infer(node);
    const known = knownTypes(value);
    if (known !== undefined && !types.some((type) => known.has(type)))
      this.#report("reference-type", `${operator} does not work on ${nameTypes(known)}.`, node.position);
    return value;
  }

  #part(node: CelNodeOf<"member"> | CelNodeOf<"index">, key: string | number): SchemasAt {
    const of = this.infer(node.of);
    if (of([key])?.length !== 0) return (path) => of([key, ...path]);
    const [around, path] = [of([]) ?? [], pathOf(node)];
    const message =
      path === undefined
        ? `There is no ${JSON.stringify(key)} in ${nameTypes(typesOf(around) ?? [])}.`
        : this.surroundings.describeMissing(path, around);
    if (!this.#missing.has(message)) this.#report("invalid-reference", message, node.position);
    this.#missing.add(message);
    return anything;
  }

  #index(node: CelNodeOf<"index">): SchemasAt {
    const key = keyOf(node.key);
    if (key !== undefined) return this.#part(node, key);
    this.infer(node.key);
    const of = this.infer(node.of);
    return knownTypes(of)?.has("object") === false ? itemOf(of) : anything;
  }

  #either(nodes: readonly CelNode[]): SchemasAt {
    const values = nodes.map((node) => this.infer(node));
    const types = values.map(knownTypes);
    if (types.length === 0 || types.includes(undefined)) return anything;
    const parts = typed(...new Set(types.flatMap((some) => [...(some ?? [])])));
    return (path) => (path.length > 0 ? parts(path) : values.flatMap((value) => value([]) ?? []));
  }

  #binary({ operator, left, right, position }: CelNodeOf<"binary">): SchemasAt {
    const [first, of] = [this.infer(left), this.infer(right)];
    if (operator === "+") return typed(...(knownTypes(first) ?? knownTypes(of) ?? ["number", "string", "array"]));
    if ("-*/%".includes(operator)) return typed("number");
    if (operator !== "==" && operator !== "!=" && operator !== "in") return typed("boolean");
    const compared = findUnequal(first, operator === "in" ? itemOf(of) : of, isConstant(left) && isConstant(right));
    if (compared !== undefined) this.#report("reference-type", `"${operator}" compares ${compared}.`, position);
    return typed("boolean");
  }

  #macro({ name, target, slot, body, transform }: CelNodeOf<"macro">): SchemasAt {
    const item = itemOf(this.#need(target, ["array", "object"], `.${name}()`));
    this.#variables[slot] = item;
    if (name === "map" && transform === undefined) return listOf(this.infer(body));
    this.#need(body, ["boolean"], `.${name}()`);
    if (transform !== undefined) return listOf(this.infer(transform));
    return name === "filter" ? listOf(item) : typed("boolean");
  }
}

/** A comparison with null is always allowed, because a schema need not say that a value can be null. */
function findUnequal(left: SchemasAt, right: SchemasAt, areConstant: boolean): string | undefined {
  const [some, others] = [knownTypes(left), knownTypes(right)];
  if (some !== undefined && others !== undefined && ![...some].some((type) => others.has(type))) {
    if ([some, others].some((types) => types.size === 1 && types.has("null"))) return undefined;
    const mayBe = (type: string) => some.has(type) || others.has(type);
    const isTextAndOther = mayBe("string") && (mayBe("number") || mayBe("boolean"));
    const advice = isTextAndOther ? ": convert one of them, as in string(…) or double(…)" : "";
    return `${nameTypes(some)} with ${nameTypes(others)}, which are never equal${advice}`;
  }
  const [known, other] = [left, right].map((value) => valuesOf(value([]) ?? []));
  const isOpen = known === undefined || other === undefined || known.some((value) => other.includes(value));
  return isOpen || areConstant ? undefined : `${nameValues(known)} with ${nameValues(other)}, which are never equal`;
}

function typeOfCall(name: CelFunctionName): string {
  if (name === "size" || name === "int" || name === "double") return "number";
  return name === "startsWith" || name === "endsWith" || name === "contains" ? "boolean" : "string";
}

const anything: SchemasAt = () => undefined;

function typed(...types: readonly string[]): SchemasAt {
  return (path) => schemasAt({ type: types }, path);
}

function listOf(item: SchemasAt): SchemasAt {
  return ([index, ...rest]) =>
    index === undefined ? [{ type: "array" }] : typeof index === "number" ? item(rest) : [];
}

export function itemOf(of: SchemasAt): SchemasAt {
  const schemas = of([]) ?? [];
  const types = knownTypes(of);
  const isList = types?.has("array") ?? false;
  if (types?.has("object")) return isList ? anything : typed("string");
  const isTuple = schemas.some((schema) => itemsOf(schema).tuple.length > 0);
  return isList && !isTuple ? (path) => of([0, ...path]) : anything;
}

export function knownTypes(value: SchemasAt): ReadonlySet<string> | undefined {
  const schemas = value([]) ?? [];
  return schemas.length > 0 ? typesOf(schemas) : undefined;
}

function isConstant(node: CelNode): boolean {
  return node.type === "literal" || (node.type === "list" && node.items.every(isConstant));
}

export function nameTypes(types: Iterable<string>): string {
  return [...types].map(nameCelType).join(" or ");
}
