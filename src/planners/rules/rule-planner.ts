import { countPending } from "../../async/promises.ts";
import { indexTools } from "../../core/define-tool.ts";
import { checkObject, type OptionTable, readOptions, readTimeZone } from "../../core/option-tables.ts";
import { defaultMaxSteps } from "../../core/plan.ts";
import type { Planner, PlanRequest } from "../../core/planner.ts";
import { readZod3 } from "../../core/schema-zod3.ts";
import type { Tool } from "../../core/tool.ts";
import type { RequestExplanation } from "./plan-by-rules.ts";

/** Options of {@link createRulePlanner}. @inline */
export interface RulePlannerOptions {
  /** Adds the phrase and the words that it matched to the `reasoning` of each step. @default false */
  readonly explain?: boolean;
}

const ruleOptions = { explain: { type: "boolean", default: false } } satisfies OptionTable<RulePlannerOptions>;

/** Loaded late, because apps that only run plans never need the rules. */
const load = () => import("./plan-by-rules.ts");

/**
 * Creates the planner "rules", which is deterministic, works offline and uses the phrases of the tools.
 *
 * Every word of the request must fit, except courtesies and reasons. A part that no phrase fits as a whole, that lacks
 * an argument, or that two tools fit equally well is refused with `cannot-plan`; its details state the reason and
 * requests that can be planned. Time is linear in the length of the request. Throws `invalid-options` for an invalid
 * option. Planning rejects with that code if a tool's `phrases` function loads a phrase that cannot be read.
 *
 * {@includeCode ../../../examples/07-explain-a-plan.ts}
 * @group Planners
 */
export function createRulePlanner(options: RulePlannerOptions = {}): Planner {
  readZod3();
  const { explain } = readOptions(ruleOptions, options, "rulePlanner");
  return {
    name: "rules",
    usesModel: false,
    plan: (request) => countPending(load().then(({ planByRules }) => planByRules(request, { explain }))),
  };
}

/** Options of {@link explainRequest}. Other fields of a {@link PlanRequest} are ignored. @inline */
interface ExplainRequestOptions {
  /** Text typed by the user. */
  readonly request: string;
  readonly tools: readonly Tool[];
  /** @default 1000 */
  readonly maxSteps?: number | undefined;
  /** In milliseconds since 1970 UTC. @default the time of the call */
  readonly nowMs?: number | undefined;
  /** IANA name of the time zone, for words such as "tomorrow". @default the time zone of the machine */
  readonly timeZone?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const explainOptions = {
  request: { type: "text", isRequired: true },
  tools: { type: "any" },
  maxSteps: { type: "integer", min: 1, default: defaultMaxSteps },
  nowMs: { isValid: Number.isFinite, expected: "a time in milliseconds since 1970" },
  timeZone: readTimeZone,
  signal: { type: "signal" },
} satisfies OptionTable<ExplainRequestOptions>;

const explainKeys = [...Object.keys(explainOptions), "context", "wishes", "timeoutMs", "generate", "emit"];

/**
 * Plans a request and reports, for each of its parts, which phrase of which tool matched which words. If the request is
 * refused, the result has a `refusal` and no steps.
 *
 * {@includeCode ../../../examples/07-explain-a-plan.ts}
 * @group Planners
 */
export async function explainRequest(
  options: ExplainRequestOptions & Partial<Omit<PlanRequest, "tools">>,
): Promise<RequestExplanation> {
  readZod3();
  checkObject("request", options, "{ request: …, tools: … }");
  const read = readOptions(explainOptions, options, undefined, { known: explainKeys });
  const { nowMs = Date.now(), signal = new AbortController().signal } = read;
  return (await load()).explainByRules({ ...read, nowMs, signal, tools: [...indexTools(options.tools).values()] });
}
