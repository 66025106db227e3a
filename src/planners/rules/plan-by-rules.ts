import { AgentError, type AgentErrorDetails, type RefusalReason } from "../../core/errors.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { PlanRequest } from "../../core/planner.ts";
import { cutText } from "../../core/text.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { hasCondition, onlyIf, readConditional } from "./conditions.ts";
import { isSmallTalk } from "./courtesy.ts";
import { afterWait, hasNoDate, readDelayed } from "./delays.ts";
import { explainMatch, type RequestExplanation } from "./explain.ts";
import { TooMuchWork } from "./match.ts";
import type { Match } from "./matches.ts";
import { compileTool, type ToolRules } from "./phrase-rules.ts";
import { type DraftStep, type Readings, RequestReader } from "./readings.ts";
import { loadDateReaderFor, maxTokens, readRequest } from "./request.ts";
import { Spelling } from "./spelling.ts";
import { orderSteps } from "./steps.ts";
import { suggestRequests } from "./suggest.ts";

type Details = AgentErrorDetails["cannot-plan"];

/** Rules should not plan a request with more parts than this. */
const maxClauses = 1_000;
const maxQuoted = 120;

interface Planned {
  readonly steps: readonly PlanStep[];
  readonly parts: RequestExplanation["parts"];
  readonly matches: readonly Match[];
}

/** Why a request is not planned. */
class Refused extends Error {
  constructor(
    readonly reason: RefusalReason,
    readonly why: string,
    readonly details: Partial<Details> = {},
  ) {
    super(why);
  }
}

/** Plans a request, with a trace of the phrases that matched it; or says why it is refused. */
export async function explainByRules(request: PlanRequest): Promise<RequestExplanation> {
  try {
    const { steps, parts } = await planByRules(request, { explain: false });
    return { steps, parts };
  } catch (thrown) {
    if (!(thrown instanceof AgentError) || thrown.code !== "cannot-plan") throw thrown;
    const details = thrown.details as Details;
    return { steps: [], parts: [], refusal: { ...details, message: thrown.message } };
  }
}

/** Plans a request with the phrases of the tools, or throws `cannot-plan`. `explain` adds the phrases to the reasoning. */
export async function planByRules(request: PlanRequest, { explain }: { readonly explain: boolean }): Promise<Planned> {
  const { tools, nowMs, timeZone, signal } = request;
  throwIfCancelled(signal);
  const compiled = tools.map(compileTool);
  const rules: readonly ToolRules[] = compiled.some((tool) => tool instanceof Promise)
    ? await Promise.all(compiled)
    : (compiled as readonly ToolRules[]);
  const planning = new Planning(rules, { nowMs, timeZone }, { explain, maxSteps: request.maxSteps });
  try {
    const planned = await planning.plan(request.request);
    throwIfCancelled(signal);
    return planned;
  } catch (thrown) {
    throwIfCancelled(signal);
    if (!(thrown instanceof Refused)) throw thrown;
    const examples = await suggestRequests(rules, request.request, (sentence) => planning.canPlan(sentence));
    throwIfCancelled(signal);
    throw new AgentError("cannot-plan", `The request cannot be planned: ${thrown.why}.`, {
      details: { reason: thrown.reason, examples, ...thrown.details },
    });
  }
}

function throwIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason = String(signal.reason instanceof Error ? signal.reason.message : signal.reason);
  throw new AgentError("cancelled", `Planning was cancelled: ${reason}`, { details: { reason } });
}

/** Plans the parts of one request. */
class Planning {
  private readonly spelling: Spelling;

  constructor(
    private readonly rules: readonly ToolRules[],
    private readonly clock: DateClock,
    private readonly options: { readonly explain: boolean; readonly maxSteps: number },
  ) {
    this.spelling = new Spelling(rules.map(({ vocabulary }) => vocabulary));
  }

  /** Plans a request; one that says when, or on which condition, gets a wait or a condition. */
  async plan(text: string): Promise<Planned> {
    const conditional = hasCondition(text) ? await this.planConditional(text) : undefined;
    if (conditional !== undefined) return conditional;
    try {
      return await this.planText(text);
    } catch (thrown) {
      if (!(thrown instanceof Refused) || thrown.reason === "too-long") throw thrown;
      const delayed = await this.planDelayed(text);
      if (delayed !== undefined) return delayed;
      throw thrown;
    }
  }

  async canPlan(text: string): Promise<boolean> {
    try {
      return (await this.planText(text)).steps.length === 1;
    } catch {
      return false;
    }
  }

  private async planText(text: string): Promise<Planned> {
    const request = await readRequest(text, this.clock);
    if (request.tokens.length > maxTokens)
      throw new Refused("too-long", `it has more than ${maxTokens} words and signs`);
    const reader = new RequestReader(this.rules, request, (word) => this.spelling.meaningsOf(word));
    const { clauses } = reader;
    if (clauses.length > maxClauses) throw new Refused("too-long", `it has more than ${maxClauses} parts`);
    if (clauses.length === 0 && !request.tokens.some(({ kind }) => kind === "word" || kind === "number"))
      throw new Refused("not-understood", "it has no words");
    const found = await reader.read().catch((thrown: unknown): Readings => {
      if (!(thrown instanceof TooMuchWork)) throw thrown;
      throw new Refused("too-long", "it can be read in too many ways; ask for less at once, or put texts in quotes");
    });
    if (found.type !== "read") {
      const isTalk = clauses.every(({ start, end }) => isSmallTalk(request.words, start, end));
      throw isTalk ? new Refused("small-talk", "it asks for nothing") : this.refuse(found, reader);
    }
    const { drafts, matches } = found;
    const { maxSteps, explain } = this.options;
    if (drafts.length > maxSteps)
      throw new Refused("too-long", `it needs ${drafts.length} steps, and only ${maxSteps} are allowed`);
    const parts = matches.map((match) => {
      const stepIds = drafts.filter((draft) => draft.match === match).map(({ id }) => id);
      const start = clauses[match.firstClause]?.start ?? match.start;
      return explainMatch(match, request, { start, end: clauses[match.lastClause]?.end ?? match.end, stepIds });
    });
    const steps = orderSteps(drafts, request).map((step, index) => {
      const place = matches.indexOf(drafts[index]?.match as Match);
      return explain ? { ...step, reasoning: cutText(`${step.reasoning} (${parts[place]?.summary})`, 300) } : step;
    });
    return { steps, parts, matches };
  }

  /** "If milk is on my list, delete it": what is asked first is a step, and the rest is done only if its answer says so. */
  private async planConditional(text: string): Promise<Planned | undefined> {
    const conditional = readConditional(text);
    if (conditional === undefined) return undefined;
    try {
      const planned = await this.planText(`${conditional.question}; ${conditional.wish}`);
      const [match, next] = planned.matches;
      const steps = match && next ? onlyIf(planned.steps, match, conditional) : undefined;
      return steps && { ...planned, steps };
    } catch (thrown) {
      if (thrown instanceof Refused) return undefined;
      throw thrown;
    }
  }

  /** "In two hours, send it": a request that says when it is to be done, to tools that have no date of their own. */
  private async planDelayed(text: string): Promise<Planned | undefined> {
    if (hasCondition(text) || !this.rules.some(hasNoDate)) return undefined;
    const readDates = await loadDateReaderFor(text);
    const delayed = readDates && readDelayed(text, this.clock, readDates);
    if (delayed === undefined) return undefined;
    try {
      const planned = await this.planText(delayed.wish);
      // Of several wishes, a time at the end may be that of the last one alone.
      if (planned.matches.length > 1 && !delayed.isFirst) return undefined;
      const isPlain = planned.matches.every((match) => hasNoDate(match.rules));
      const steps = isPlain
        ? afterWait(planned.steps, delayed, (name) => this.rules.find(({ tool }) => tool.name === name))
        : undefined;
      return steps && { ...planned, steps };
    } catch (thrown) {
      if (thrown instanceof Refused) return undefined;
      throw thrown;
    }
  }

  private refuse(found: Exclude<Readings, { readonly type: "read" }>, reader: RequestReader): Refused {
    if (this.rules.every(({ rules }) => rules.length === 0))
      return new Refused(
        "not-understood",
        "no tool has phrases; give the tools `phrases`, or plan with a model (createLlmPlanner)",
      );
    const words = JSON.stringify(
      cutText(reader.quote(found.type === "ambiguous" ? found.matches[0].firstClause : found.clause), maxQuoted),
    );
    switch (found.type) {
      case "ambiguous": {
        const readings = found.matches.map((match) => ({ tool: match.rules.tool.name, meaning: meaningOf(match) }));
        const names = readings.map(({ tool, meaning }) => `${tool} ("${meaning}")`).join(" and ");
        return new Refused("ambiguous", `${words} fits ${names} equally well`, { readings });
      }
      case "refused":
        return new Refused(found.refusal.reason, `${words} ${refusals[found.refusal.reason]}`);
      case "unsure": {
        const { match, drafts } = found;
        const meaning = meaningOf(match);
        const readings = [{ tool: match.rules.tool.name, meaning, steps: stepsOf(drafts, reader), destructive: true }];
        return new Refused(
          "unsure",
          `${words} may mean "${meaning}", which ${match.rules.tool.name} does only in these words`,
          { readings },
        );
      }
      case "not-understood": {
        const { unfit, match, lacking } = found;
        if (lacking !== undefined)
          return new Refused("missing", `${words} cannot be planned: ${lacking.field} is missing`, {
            missing: lacking,
          });
        if (unfit?.why === undefined) return new Refused("not-understood", `no phrase of the tools fits ${words}`);
        const missing =
          unfit.missing !== undefined && match !== undefined
            ? { missing: { tool: match.rules.tool.name, field: unfit.missing } }
            : {};
        const reason = unfit.reason ?? "not-understood";
        return new Refused(reason, `${words} cannot be planned: ${unfit.why.replace(/[.]+$/, "")}`, missing);
      }
    }
  }
}

function stepsOf(drafts: readonly DraftStep[], { request }: RequestReader): readonly PlanStep[] {
  return orderSteps(drafts, request);
}

function meaningOf({ rule }: Match): string {
  return rule.example;
}

/** What words of each kind say, for people. */
const refusals = {
  denied: "says not to do it",
  supposed: "supposes something, and asks for nothing",
  question: "asks whether to do it",
  others: "is about what somebody else does",
  corrected: "takes something back; say it once more",
  repeated: "is to be done again and again, which no step can",
  condition: "depends on something that no step can tell",
} as const;
