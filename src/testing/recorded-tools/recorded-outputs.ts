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

/** A value whose part at the path is not JSON, for a reason that says the message. */
function notJson({ path, message }: SchemaIssue): unknown {
  const part: unknown = {
    toJSON() {
      throw message;
    },
  };
  return path.reduceRight<unknown>(
    (value, key) => (typeof key === "number" ? Object.assign([], { [key]: value }) : { [key]: value }),
    part,
  );
}
