import type { PlanMend, PlanStep } from "../../../core/plan.ts";
import { describeMend } from "./plan-mend.ts";
import { isRecord, type JsonRecord, plainName } from "./records.ts";

const validId = /^[A-Za-z_][\w-]*$/;
/** A step by its number: `1`, `step1`, `Step 1`, `s1`. */
const numbered = /^(?:s|step|task)?[\s_-]*(\d{1,4})$/i;
/** The step before. */
const before = /^(?:prev|previous|last)(?:[\s_-]?(?:step|result|output))?$/i;

/** Numbers that may count from zero or from one. Without them, steps run in their order. */
const ambiguous = Symbol("ambiguous");

/** What `id` and `dependsOn` of a step became. */
interface ReadIds {
  readonly step: { readonly id?: unknown; readonly dependsOn?: unknown };
  readonly mends: readonly PlanMend[];
  readonly dropped: readonly string[];
}

/** The ids of an answer's steps, and what else models call a step: its number, or an id that a plan cannot have. */
export class StepIds {
  private readonly steps = new Map<string, PlanStep>();
  /** The ids of the steps of this answer, in order. */
  private readonly order: string[] = [];
  private readonly renamed = new Map<string, string>();
  private readonly prefix: string;
  private readonly mayCount: boolean;

  constructor({ kept, prefix }: { readonly kept: readonly PlanStep[]; readonly prefix: string }) {
    for (const step of kept) this.steps.set(step.id, step);
    this.prefix = prefix;
    // Whether a number counts the steps that are kept is not known.
    this.mayCount = kept.length === 0;
  }

  /** The step that has an id. */
  readonly stepOf = (id: string): PlanStep | undefined => this.steps.get(id);

  /** The ids of the steps that a name or number may mean, other than an id. */
  readonly idsOf = (name: string, { fromZero }: { readonly fromZero: boolean }): readonly string[] => {
    const renamed = this.renamed.get(withoutSign(name));
    if (renamed !== undefined) return [renamed];
    const number = this.mayCount ? numbered.exec(name)?.[1] : undefined;
    if (number !== undefined) return this.order.slice(...place(fromZero ? Number(number) : Number(number) - 1));
    if (before.test(name)) return this.order.slice(-1);
    const ofTool = [...this.steps.values()].filter(({ tool }) => plainName(String(tool)) === plainName(name));
    return ofTool.map(({ id }) => id);
  };

  /** Whether the model itself called a step this, whatever a plan calls it. */
  readonly isNamed = (name: string): boolean => this.renamed.has(name) || this.steps.has(name);

  /** Reads `id` and `dependsOn` of the next step. */
  next({ id: written, dependsOn }: JsonRecord): ReadIds {
    const mends: PlanMend[] = [];
    const dropped: string[] = [];
    const position = `${this.prefix}${this.order.length + 1}`;
    let id = written;
    if (typeof written === "number" || (typeof written === "string" && written !== "" && !validId.test(written))) {
      id = position;
      this.renamed.set(withoutSign(String(written)), position);
      mends.push(describeMend("id", { path: ["id"], written, read: position }));
    }
    const named = this.dependencies(dependsOn);
    if (named === ambiguous) dropped.push("dependsOn");
    else if (named !== dependsOn) {
      mends.push(describeMend("id", { path: ["dependsOn"], written: dependsOn, read: named }));
    }
    return { step: { id, dependsOn: named === ambiguous ? undefined : named }, mends, dropped };
  }

  /** Remembers a step that was read. */
  add(step: unknown): void {
    const { id } = isRecord(step) ? step : {};
    this.order.push(typeof id === "string" ? id : "");
    if (typeof id === "string" && !this.steps.has(id)) this.steps.set(id, step as PlanStep);
  }

  /** Ids in place of other names for steps; the same value if it has only ids. */
  private dependencies(written: unknown): unknown {
    if (written === undefined || written === null || written === "") return written;
    if (Array.isArray(written) && written.every((id) => typeof id === "string" && this.steps.has(id))) return written;
    const given: readonly unknown[] = Array.isArray(written) ? written : [written];
    const isNone = (id: unknown) =>
      none.has(typeof id === "string" ? id.toLowerCase() : id) && !this.isNamed(String(id));
    const list = given.length === 1 && given.every(isNone) ? [] : given;
    if (!list.every((id) => typeof id === "string" || typeof id === "number")) return written;
    const fromOne = this.allIds(list, false);
    const fromZero = list.some((id) => this.renamed.has(withoutSign(String(id)))) ? undefined : this.allIds(list, true);
    if (fromOne === undefined || fromZero === undefined) return fromOne ?? fromZero ?? written;
    return fromOne.join() === fromZero.join() ? fromOne : ambiguous;
  }

  private allIds(list: readonly (string | number)[], fromZero: boolean): readonly string[] | undefined {
    const ids = list.map((name) => {
      if (this.steps.has(String(name))) return String(name);
      // A name that ends with a number counts from one: `step1`.
      const counts = fromZero && /^\d+$/.test(String(name));
      return this.idsOf(String(name), { fromZero: counts })[0];
    });
    return ids.every((id): id is string => id !== undefined && id !== "") ? ids : undefined;
  }
}

/** What models write for no step. */
const none: ReadonlySet<unknown> = new Set([-1, null, "", "-", "none", "null", "nothing", "n/a"]);

/** An id such as `#E1` without its sign. */
function withoutSign(id: string): string {
  return id.replace(/^[#$@]/, "");
}

/** The arguments of \`slice\` for one place. */
function place(index: number): [number, number] {
  return index < 0 ? [0, 0] : [index, index + 1];
}
