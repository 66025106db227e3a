import { toJson } from "../../core/json.ts";
import type { SchemaIssue, StandardSchema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";

type Validated = ReturnType<StandardSchema["~standard"]["validate"]>;

/**
 * The outputs that a replayed tool returns. Its schema has checked them when they were recorded, and would not accept
 * them again: a `Date` has become text, and a placeholder stands for a secret number.
 */
export class RecordedOutputs {
  private readonly objects = new WeakSet<object>();
  private readonly others = new Set<unknown>();
  private readonly issuesOf = new WeakMap<object, readonly SchemaIssue[]>();

  constructor(private readonly tool: Pick<Tool, "outputSchema">) {}

  /** An output that passes the check. */
  valid(output: unknown): unknown {
    if (typeof output === "object" && output !== null) this.objects.add(output);
    else this.others.add(output);
    return output;
  }

  /** What a tool returns to have these issues found with its output. */
  invalid(issues: readonly SchemaIssue[]): unknown {
    const [issue] = issues;
    // Without a schema there is only the check whether it is JSON.
    if (this.tool.outputSchema === undefined && issue !== undefined) return notJson(issue);
    const output = {};
    this.issuesOf.set(output, issues);
    return output;
  }

  check(value: unknown): Validated {
    const isObject = typeof value === "object" && value !== null;
    const issues = isObject ? this.issuesOf.get(value) : undefined;
    if (issues !== undefined) return { issues: issues.map(({ path, message }) => ({ path: [...path], message })) };
    if (isObject ? this.objects.has(value) : this.others.has(value)) return { value };
    return this.tool.outputSchema?.["~standard"].validate(value) ?? { value };
  }
}

/** A value that is not JSON, for the same reason at the same place. */
function notJson({ path, message }: SchemaIssue): unknown {
  let value = refusedWith(message);
  const holders: object[] = [];
  for (const key of path.toReversed()) {
    const holder: object = typeof key === "number" ? Object.assign([], { [key]: value }) : { [key]: value };
    holders.push(holder);
    value = holder;
  }
  const [last] = holders;
  const key = path.at(-1);
  // Only a cycle can be too deep.
  if (last !== undefined && key !== undefined && message === reasonOf(cycle)) Object.assign(last, { [key]: value });
  return value;
}

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

/** A value for which this is the reason why it is not JSON. */
function refusedWith(message: string): unknown {
  const [, tag] = /^a (.+?) is not JSON/s.exec(message) ?? [];
  const values: readonly unknown[] = [
    1n,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    () => {},
    Symbol(),
    new Uint8Array(),
    new Date(Number.NaN),
    Object.create({ [Symbol.toStringTag]: tag }),
    throwing(message.replace(/^.*? threw: /s, "")),
  ];
  return values.find((value) => reasonOf(value) === message) ?? throwing(message);
}

function reasonOf(value: unknown): string | undefined {
  const json = toJson(value);
  return json.ok ? undefined : json.issue.message;
}

function throwing(text: string): object {
  return {
    toJSON() {
      throw text;
    },
  };
}
