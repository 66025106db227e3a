import { RecentMap } from "../../async/recent-map.ts";
import {
  AgentError,
  type AgentErrorDetails,
  type ExplainedWords,
  type ProposalQuestion,
  type RefusalReason,
  type RefusedWish,
} from "../../core/errors.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { PlanDraft, PlanRequest } from "../../core/planner.ts";
import { remembered } from "../../core/remembered.ts";
import { callsTool } from "../../core/step.ts";
import { cutText } from "../../core/text.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { mentionsResult } from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { findRefusals } from "../../language/refusals.ts";
import { Spelling } from "../../language/word-forms.ts";
import { sayName } from "../../plan/say-call.ts";
import { afterWait, onlyIf, readConditional } from "./conditions.ts";
import { isSmallTalk } from "./courtesy.ts";
import { cutWishes } from "./cut-wishes.ts";
import type { Doubt } from "./doubts.ts";
import type { Part } from "./items.ts";
import { type Piece, TooMuchWork } from "./match.ts";
import { compileTool, type PhraseRule, type ToolRules } from "./phrase-rules.ts";
import {
  certaintyOf,
  contentOf,
  exampleValues,
  likestPhrases,
  type Meaning,
  proposalsFor,
  questionFor,
  unusedIn,
} from "./proposals.ts";
import { type DraftStep, type Reading, type Readings, RequestReader, unsureCost } from "./readings.ts";
import { type BoundThing, maxTokens, onceEach, type RequestText, readRequest, textBetween } from "./request.ts";
import { sayPhrase } from "./say.ts";
import type { Match } from "./slot-values.ts";
import { waitsOf } from "./steps.ts";

/** A part of a request, and the phrase that matched it. @inline */
interface ExplainedPart {
  readonly text: string;
  readonly tool: string;
  readonly phrase: string;
  readonly words: readonly ExplainedWords[];
  readonly stepIds: readonly string[];
  readonly summary: string;
}

/** A plan with the parts of the request, or a refusal with the parts that were understood. @group Planners */
export interface RequestExplanation {
  readonly steps: readonly PlanStep[];
  readonly parts: readonly ExplainedPart[];
  readonly refusal?: AgentErrorDetails["cannot-plan"] & { readonly message: string };
}

type Details = AgentErrorDetails["cannot-plan"];
type Failed = Exclude<Readings, { readonly type: "read" | "too-long" }>;

const maxClauses = 1_000;
const maxQuoted = 120;
const maxWishes = 20;
const maxWishText = 4_000;
type Parts = () => RequestExplanation["parts"];

function quote(text: string): string {
  return JSON.stringify(cutText(text, maxQuoted));
}

export interface Planned {
  readonly steps: readonly PlanStep[];
  readonly parts: Parts;
  readonly matches: readonly Match[];
}

interface MoreOfRefusal {
  readonly details?: Partial<Details>;
  readonly parts?: Parts;
  readonly meant?: readonly Meaning[];
  readonly reader?: RequestReader;
}

export class Refused {
  constructor(
    readonly reason: RefusalReason,
    readonly why: string,
    readonly more: MoreOfRefusal = {},
  ) {}
}

export async function explainByRules(request: PlanRequest): Promise<RequestExplanation> {
  const { steps, parts, error } = await planOrRefuse(request, { explain: false });
  return { steps, parts: parts(), ...(error && { refusal: { ...error.details, message: error.message } }) };
}

export async function planByRules(request: PlanRequest, options: { readonly explain: boolean }): Promise<PlanDraft> {
  const { steps, error } = await planOrRefuse(request, options);
  if (error !== undefined) throw error;
  return { steps };
}

async function planOrRefuse(
  request: PlanRequest,
  { explain }: { readonly explain: boolean },
): Promise<Pick<Planned, "steps" | "parts"> & { readonly error?: AgentError<"cannot-plan"> }> {
  const { tools, nowMs, timeZone, signal } = request;
  throwIfCancelled(signal);
  const rules = await Promise.all(tools.map(compileTool));
  const planning = new Planning(rules, { nowMs, timeZone }, { explain, maxSteps: request.maxSteps });
  const planned = await planning.plan(request.request);
  throwIfCancelled(signal);
  if (!(planned instanceof Refused)) return planned;
  const { reason, why, more } = planned;
  const { parts = () => [], meant = [] } = more;
  const wishes = reason === "too-long" ? undefined : await planning.planWishes(request.request);
  const proposals = proposalsFor(meant, { nowMs, timeZone });
  const examples = await planning.suggest(request.request, proposals[0]?.steps);
  throwIfCancelled(signal);
  const known = { reason, examples, ...more.details };
  const details = { ...known, ...(proposals.length > 0 && { proposals }), ...(wishes && { wishes }) };
  const error = new AgentError("cannot-plan", `The request cannot be planned: ${why}.`, { details });
  return { steps: [], parts, error };
}

function throwIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason = String(signal.reason instanceof Error ? signal.reason.message : signal.reason);
  throw new AgentError("cancelled", `Planning was cancelled: ${reason}`, { details: { reason } });
}

export class Planning {
  readonly #spelling: Spelling;

  constructor(
    readonly rules: readonly ToolRules[],
    private readonly clock: DateClock,
    private readonly options: { readonly explain: boolean; readonly maxSteps: number },
  ) {
    this.#spelling = new Spelling(rules.map(({ vocabulary }) => vocabulary));
  }

  async plan(text: string): Promise<Planned | Refused> {
    return this.planLoosely(text, await this.planExactly(text));
  }

  /** Plans only what the phrases say. */
  async planExactly(text: string): Promise<Planned | Refused> {
    return (await this.#planConditional(text)) ?? this.planText(text);
  }

  /** Plans a refused text from its words and values in any order. */
  async planLoosely(text: string, planned: Planned | Refused): Promise<Planned | Refused> {
    if (!(planned instanceof Refused) || planned.reason === "too-long") return planned;
    return this.#propose(text, planned);
  }

  async #propose(text: string, refused: Refused): Promise<Planned | Refused> {
    const { reason, why, more } = refused;
    const request = this.#read(text);
    if (!proposable.has(reason) || request.tokens.length > maxProposedTokens) return refused;
    const reader = more.reader ?? this.#readerOf(request);
    const isBarred = ({ start, end }: Part) =>
      findRefusals(request.words, start, end).some(({ reason }) => reason === "denied" || reason === "corrected");
    if (reader.clauses.some(isBarred)) return refused;
    const found = await reader.readInOtherWords().catch(ifTooMuchWork);
    if (found?.type !== "read") return refused;
    const [best] = found.readings;
    const rivals = found.readings.slice(1).map(({ cost, doubts }) => (doubts.length > 0 ? cost - unsureCost : cost));
    const isClear = rivals.every((cost) => cost >= best.cost + minAhead);
    if (best.doubts.length === 0 && isClear) return this.#toPlanned(best, reader);
    const meant = found.readings.flatMap((reading): readonly Meaning[] => {
      const asks = questionFor(reading, this.clock);
      if (asks === undefined && reading.lacking !== undefined) return [];
      // An hour is in doubt, too, but only one question can be asked.
      if (asks !== undefined && reading.doubts.some(({ kind }) => kind === "hour")) return [];
      return [{ ...meaningOf(reading, found.readings, request), ...(asks && { asks }) }];
    });
    const [first] = meant;
    const planned = meant.map(({ steps }) => JSON.stringify(steps));
    const known = (more.meant ?? []).filter(({ steps }) => !planned.includes(JSON.stringify(steps)));
    const isMissing = first?.asks !== undefined && first.unused.length === 0 && first.certainty >= minAsked;
    const all = { ...more, meant: [...meant, ...known] };
    if (reason !== "not-understood" || !isMissing)
      return new Refused(reason, this.#explainNear(why, best, request), all);
    const { field, choices = [] } = first.asks as ProposalQuestion;
    const among = choices.length === 0 ? "" : ` (${choices.slice(0, 10).join(", ")})`;
    return new Refused("missing", `${quote(text.trim())} does not say the ${sayName(field)}${among}`, all);
  }

  #explainNear(why: string, reading: Reading, request: RequestText): string {
    const rule = reading.matches.find(({ inOtherWords }) => inOtherWords)?.rule;
    if (rule === undefined) return why;
    const unused = unusedIn(reading, request).map(quote);
    const leaves = unused.length > 0 ? `, which leaves out ${unused.slice(0, 4).join(", ")}` : "";
    return `${why}; the nearest phrase is ${JSON.stringify(rule.example)} of ${rule.tool.tool.name}${leaves}`;
  }

  async planWishes(text: string): Promise<Details["wishes"]> {
    const wishes = text.length > maxWishText ? [] : cutWishes(text);
    if (wishes.length < 2 || wishes.length > maxWishes) return undefined;
    const whole = text.trim().replace(/[.!?]+$/, "");
    const found: RefusedWish[] = [];
    let run: { readonly start: number; readonly before: number; readonly count: number } | undefined;
    let before = 0;
    for (const wish of wishes) {
      const said = run && text.slice(run.start, wish.end);
      // The whole request has already been refused.
      let made = said === undefined || said === whole ? undefined : await this.planText(said, run?.before);
      if (run === undefined || made === undefined || made instanceof Refused || made.steps.length <= run.count) {
        run = { start: wish.start, before, count: 0 };
        const { words } = this.#read(wish.text);
        // "Buy that many apples" means something else without the wishes before it.
        const isLoose = found.length > 0 && mentionsResult(words, 0, words.length);
        made = await this.planText(wish.text, before);
        if (isLoose && !(made instanceof Refused)) made = new Refused("not-understood", "it refers to a result");
      }
      if (made instanceof Refused) {
        found.push({ text: wish.text, reason: made.reason });
        run = undefined;
      } else {
        found.push({ text: wish.text, steps: made.steps.slice(run.count) });
        before = run.before + made.steps.length;
        run = { ...run, count: made.steps.length };
      }
    }
    return found;
  }

  async suggest(text: string, meant: readonly PlanStep[] = []): Promise<readonly string[]> {
    const said = contentOf(text.slice(0, maxWishText));
    const request = this.#read(text.length > maxWishText ? "" : text);
    const tools = this.rules.map((tool) => ({ tool, phrases: likestPhrases(tool, said) }));
    const likest = ({ phrases: [first] }: (typeof tools)[number]) => first?.shared ?? 0;
    const examples: string[] = [];
    for (const { tool, phrases } of tools.sort((one, other) => likest(other) - likest(one))) {
      if (examples.length === maxExamples) break;
      const tried = phrases.slice(0, maxTries).map(({ rule }) => rule);
      const { input = {} } = meant.filter(callsTool).find((step) => step.tool === tool.tool.name) ?? {};
      const found = await this.#findExample(tool, tried, { request, input });
      if (found !== undefined) examples.push(found);
    }
    return examples;
  }

  async #findExample(tool: ToolRules, rules: readonly PhraseRule[], said: Parameters<typeof exampleValues>[1]) {
    for (const rule of rules) {
      const example = sayPhrase(rule, exampleValues(rule, said), this.clock);
      if (example === undefined) continue;
      const key = [...this.rules.map((each) => each.tool.name), example].join("\n");
      const known = plannable(tool);
      const isPlanned = known.get(key) ?? !((await this.planText(example)) instanceof Refused);
      known.set(key, isPlanned);
      if (isPlanned) return example;
    }
    return undefined;
  }

  readonly #read = onceEach((text: string) => readRequest(text, this.clock));

  async planText(text: string, stepsBefore = 0, bound: readonly BoundThing[] = []): Promise<Planned | Refused> {
    const request = bound.length === 0 ? this.#read(text) : readRequest(text, this.clock, bound);
    if (request.tokens.length > maxTokens)
      return new Refused("too-long", `it has more than ${maxTokens} words and signs`);
    const reader = this.#readerOf(request, stepsBefore);
    const { clauses } = reader;
    if (clauses.length > maxClauses) return new Refused("too-long", `it has more than ${maxClauses} parts`);
    if (clauses.length === 0 && !request.tokens.some(({ kind }) => kind === "word" || kind === "number"))
      return new Refused("not-understood", "it has no words");
    const found = await reader.read().catch(ifTooMuchWork);
    if (found === undefined)
      return new Refused("too-long", "it can be read in too many ways; ask for less at once, or put texts in quotes");
    if (found.type === "too-long") return new Refused("too-long", `it needs more than ${this.options.maxSteps} steps`);
    if (found.type !== "read") {
      const isTalk = clauses.every(({ start, end }) => isSmallTalk(request.words, start, end));
      const parts = () => found.matches.map((match) => explainPart(match, reader, []));
      const words = wordsOf(found, reader);
      const { reason, why } = isTalk ? smallTalk : this.#refuse(found, reader);
      return new Refused(reason, why, { details: { words }, parts, reader });
    }
    const [best] = found.readings;
    if (!found.isTie && best.doubts.length === 0) return this.#toPlanned(best, reader);
    const delayed = found.isTie ? undefined : this.#planDelayed(best, reader);
    return delayed ?? this.#refuseDoubtful(found, reader);
  }

  #readerOf(request: RequestText, stepsBefore = 0): RequestReader {
    const meaningsOf = (word: string) => this.#spelling.meaningsOf(word);
    return new RequestReader(this.rules, request, { meaningsOf, maxSteps: this.options.maxSteps, stepsBefore });
  }

  #toPlanned(reading: Reading, reader: RequestReader): Planned {
    const { drafts, matches } = reading;
    const parts = () => readParts(reading, reader);
    const steps = orderSteps(drafts, reader.request);
    if (!this.options.explain) return { steps, parts, matches };
    const told = parts();
    const explained = steps.map((step, index) => {
      const place = matches.indexOf(drafts[index]?.match as Match);
      return { ...step, reasoning: cutText(`${step.reasoning} (${told[place]?.summary})`, 300) };
    });
    return { steps: explained, parts, matches };
  }

  async #planConditional(text: string): Promise<Planned | undefined> {
    const conditional = readConditional(text);
    if (conditional === undefined) return undefined;
    const planned = await this.planText(`${conditional.question}; ${conditional.wish}`);
    if (planned instanceof Refused) return undefined;
    const [match, next] = planned.matches;
    const steps = match && next ? onlyIf(planned.steps, match, conditional) : undefined;
    return steps && { ...planned, steps };
  }

  #planDelayed(reading: Reading, reader: RequestReader): Planned | Refused | undefined {
    const { drafts, matches, doubts } = reading;
    const { request } = reader;
    const { words, marks, dates } = request;
    const [place, ...others] = doubts;
    const isDated = matches.some(({ rules, pieces }) => {
      const verb = words[pieces.find(({ kind }) => kind === "word")?.start ?? -1] ?? "";
      return this.rules.some((tool) => (tool === rules || tool.leads.has(verb)) && tool.hasDates());
    });
    if (place === undefined || others.length > 0 || place.kind !== "left" || isDated) return undefined;
    const mark = marks.find(({ kind, start, end }) => kind === "date" && start >= place.start && end === place.end);
    if (mark === undefined) return undefined;
    const date = dates.find(({ start, end }) => start === mark.start && end === mark.end);
    const said = textBetween(request, mark.leadStart, mark.end);
    const isLater = ({ kind, start }: Piece) => kind === "left" || start >= mark.end;
    const isFirst = matches.every(({ pieces }) => pieces.every(isLater));
    // A time after several wishes may belong only to the last one.
    const isOfAll = isFirst || (matches.length === 1 && matches.every(({ end }) => end <= mark.end));
    const steps = orderSteps(drafts, request);
    const meant = [{ calls: drafts, steps, certainty: 0.5, unused: [said] }];
    const waiting = date && isOfAll ? afterWait(steps, { date, said, clock: this.clock }, drafts) : undefined;
    if (waiting === undefined) {
      const why = mark.isFalse
        ? `${quote(said)} cannot be read as one day or time; say which`
        : `"${cutText(said, maxQuoted)}" names a time, but the tools for this take none, and no step can wait until then`;
      return new Refused(mark.isFalse ? "not-understood" : "later", why, { meant, reader });
    }
    if (date?.isBareHour !== true) return { steps: waiting, parts: () => readParts(reading, reader), matches };
    const likely = [{ calls: drafts, steps: waiting, certainty: 0.8, unused: [] }];
    return new Refused("unsure", `"${cutText(said, maxQuoted)}" ${doubtful.hour}`, { meant: likely, reader });
  }

  #refuseDoubtful({ readings }: Extract<Readings, { type: "read" }>, reader: RequestReader): Refused {
    const { request } = reader;
    const meant = readings.map((reading) => meaningOf(reading, readings, request));
    const [first, second = first] = readings;
    const [doubt] = first.doubts;
    if (doubt === undefined) {
      const [one, other] = firstDifference(first, second);
      const names = [one, other].map(({ rules, rule }) => `${rules.tool.name} ("${rule.example}")`).join(" and ");
      const said = quote(textBetween(request, one.start, one.end));
      return new Refused("ambiguous", `${said} fits ${names} equally well`, { meant, reader });
    }
    const reason = doubt.kind === "left" ? "not-understood" : "unsure";
    const said = quote(textBetween(request, doubt.start, doubt.end));
    return new Refused(reason, `${said} ${doubtful[doubt.kind]}`, { meant, reader });
  }

  #refuse(found: Failed, reader: RequestReader): Refused {
    if (this.rules.every(({ rules }) => rules.length === 0))
      return new Refused(
        "not-understood",
        "no tool has phrases; give the tools `phrases`, or plan with a model (createLlmPlanner)",
      );
    const { start, end } = reader.clauses[found.clause] ?? { start: 0, end: 0 };
    const words = quote(textBetween(reader.request, start, end));
    if (found.type === "refused")
      return new Refused(found.refusal.reason, `${words} ${refusals[found.refusal.reason]}`);
    const { unfit } = found;
    if (unfit?.why === undefined) return new Refused("not-understood", `no phrase of any tool fits ${words}`);
    const { reason = "not-understood" } = unfit;
    const why = unfit.why.replace(/[.]+$/, "");
    return new Refused(reason, reason === "unbound" ? why : `${words} does not fit: ${why}`);
  }
}

const smallTalk = new Refused("small-talk", "it does not say what to do");
const maxExamples = 3;
const maxTries = 3;
const plannable = remembered((_tool: ToolRules) => new RecentMap<boolean>(1_000));
const maxReasoning = 300;

function meaningOf(reading: Reading, readings: readonly Reading[], request: RequestText): Meaning {
  const others = readings.flatMap((each) => (each === reading ? [] : [each.cost]));
  const { drafts: calls } = reading;
  const [certainty, unused] = [certaintyOf(reading, others), unusedIn(reading, request)];
  return { calls, steps: orderSteps(calls, request), certainty, unused };
}

function orderSteps(drafts: readonly DraftStep[], request: RequestText): readonly PlanStep[] {
  const waits = waitsOf(drafts.map(({ id, rules, input }) => ({ id, tool: rules.tool, input })));
  let said = 0;
  return drafts.map(({ id, rules, input, match }, index): PlanStep => {
    if (match.goesOn !== true) said = request.words[match.start] === "•" ? match.start + 1 : match.start;
    const short = cutText(textBetween(request, said, match.end).replace(/\s+/g, " "), maxReasoning);
    const reasoning = short.charAt(0).toUpperCase() + short.slice(1);
    const step = { id, tool: rules.tool.name, input, dependsOn: waits[index] ?? [] };
    // The reasoning would quote the secret.
    return rules.isSensitive ? step : { ...step, reasoning };
  });
}

const maxProposedTokens = 300;
const minAsked = 0.3;
const minAhead = 30;

const proposable = wordSet("not-understood ambiguous unsure missing question supposed later unbound");

function ifTooMuchWork(thrown: unknown): undefined {
  if (!(thrown instanceof TooMuchWork)) throw thrown;
}

function wordsOf(found: Failed, { clauses, request }: RequestReader) {
  const { matches, match } = found;
  const left = clauses.slice(match === undefined ? found.clause : match.lastClause + 1);
  const all = match === undefined ? matches : [...matches, match];
  return explainWords(request, { start: 0, end: request.tokens.length, matches: all, left });
}

function readParts({ matches, drafts }: Reading, reader: RequestReader): ReturnType<Parts> {
  return matches.map((match) => explainPart(match, reader, drafts));
}

function explainPart(match: Match, { clauses, request }: RequestReader, drafts: readonly DraftStep[]): ExplainedPart {
  const { rules, rule, pieces } = match;
  const { name } = rules.tool;
  const start = clauses[match.firstClause]?.start ?? match.start;
  const end = clauses[match.lastClause]?.end ?? match.end;
  const slots = pieces.flatMap((piece) =>
    piece.name === undefined ? [] : [`${piece.name}: "${textBetween(request, piece.start, piece.end)}"`],
  );
  return {
    text: textBetween(request, start, end),
    tool: name,
    phrase: rule.source.phrase,
    words: explainWords(request, { start, end, matches: [match], left: [] }),
    stepIds: drafts.filter((draft) => draft.match === match).map(({ id }) => id),
    summary: [`rule "${rule.example}" of ${name}`, ...slots].join("; "),
  };
}

function explainWords(
  request: RequestText,
  { start, end, matches, left }: Part & { readonly matches: readonly Match[]; readonly left: readonly Part[] },
): readonly ExplainedWords[] {
  const byToken: (Piece | "phrase" | "left" | "courtesy")[] = request.tokens.map(() => "courtesy");
  for (const place of left) byToken.fill("left", place.start, place.end);
  for (const match of matches) {
    byToken.fill("phrase", match.start, match.end);
    for (const piece of match.pieces) if (piece.kind === "slot") byToken.fill(piece, piece.start, piece.end);
  }
  const words: ExplainedWords[] = [];
  for (let at = start; at < end; ) {
    const by = byToken[at] ?? "left";
    const from = at;
    while (at < end && (byToken[at] ?? "left") === by) at++;
    const text = textBetween(request, from, at);
    words.push(typeof by === "string" ? { text, by } : { text, by: "slot", ...(by.name && { slot: by.name }) });
  }
  return words;
}

const doubtful: Readonly<Record<Doubt["kind"], string>> = {
  left: "is not used by any step; leave it out or say it differently",
  name: "may be more than a name; if it is a name, put it in quotes",
  hour: "may be before or after noon; say the exact time",
  spelling: "may be misspelled; correct the spelling",
  words: "does not match the words of any phrase",
};

const refusals = {
  denied: "says what not to do",
  supposed: "is only a supposition; say what to do",
  question: "is a question that no tool answers; say what to do",
  others: "is about what somebody else does",
  corrected: "is a correction; ask only for what you want in the end",
  repeated: "asks for a repetition, but a step runs only once",
  condition: "is a condition that no tool can check",
} as const;

function firstDifference(left: Reading, right: Reading): readonly [Match, Match] {
  const pairs = left.matches.map((match, index) => [match, right.matches[index] ?? match] as const);
  const differs = ([one, other]: readonly [Match, Match]) => other.rule !== one.rule || other.end !== one.end;
  return (pairs.find(differs) ?? pairs[0]) as readonly [Match, Match];
}
