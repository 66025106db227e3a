import { canonicalJson, type JsonObject } from "../../core/json.ts";
import { schemasAt, typesOf } from "../../core/json-schema.ts";
import { remembered } from "../../core/remembered.ts";
import type { EarlierPhrases, PhraseContext, PhraseReference } from "../../core/tool.ts";
import { auxiliaries, mentionsResult, readAnaphor, resultNouns, startsWithVerb } from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { type FoundRefusal, findRefusals } from "../../language/refusals.ts";
import { isMistypedInside } from "../../language/word-forms.ts";
import { findReferences, parseReference } from "../../plan/references.ts";
import { readSum } from "../../sums/read-sum.ts";
import type { PhrasePlace } from "./compiled-phrase.ts";
import { contentEnds, contentStarts, isCourtesy } from "./courtesy.ts";
import { type Clause, cutClauses, statesReason } from "./cut-wishes.ts";
import { type Doubt, findDoubts } from "./doubts.ts";
import { holdsNames, isBetweenNames, isSeparatorAt, mayBeItems } from "./items.ts";
import { byCost, costs, type FindMeanings, Matcher, type Piece, piecesOf, WorkMeter } from "./match.ts";
import { isContent } from "./operation.ts";
import { type OtherFit, type OtherRange, OtherWords } from "./other-words.ts";
import { inputOfPhrase, type PhraseRule, type ToolRules } from "./phrase-rules.ts";
import { isCapital, onceEach, type RequestText, textBetween } from "./request.ts";
import { type Match, readSlotValues, saysIt, type Unfit } from "./slot-values.ts";
import { issueOf, toStepInput } from "./steps.ts";
import { readTextEdges, type TextEdges } from "./texts.ts";

export interface DraftStep {
  readonly id: string;
  readonly rules: ToolRules;
  readonly input: JsonObject;
  readonly match: Match;
  readonly place: number;
  /** True once a value follows the text of the step, as in "milk for tomorrow"; later values belong to other steps. */
  readonly isClosed: boolean;
}

interface Partial extends Reading {
  readonly asked: ReadonlyMap<ToolRules, EarlierPhrases>;
}

type Inputs = ({ readonly ok: true; readonly inputs: readonly JsonObject[] } | Unfit) & {
  readonly refersBack?: boolean;
};

export interface Reading {
  readonly matches: readonly Match[];
  readonly drafts: readonly DraftStep[];
  readonly doubts: readonly Doubt[];
  readonly cost: number;
  readonly lacking?: { readonly stepId: string; readonly slot: string } | undefined;
}

/** `matches` are the understood parts. If a clause is refused, they are the parts before that clause. */
export type Readings =
  | { readonly type: "too-long"; readonly matches: readonly Match[] }
  /** The likeliest reading first, then up to two others. */
  | { readonly type: "read"; readonly readings: readonly [Reading, ...Reading[]]; readonly isTie: boolean }
  | (Failure & { readonly matches: readonly Match[] } & (
        | { readonly type: "refused"; readonly refusal: FoundRefusal }
        | { readonly type: "not-understood"; readonly unfit?: Unfit }
      ));

interface Failure {
  readonly clause: number;
  readonly match?: Match;
}

interface Search {
  readonly beams: Partial[][];
  failure: Failure & { readonly unfit?: Unfit };
  refused: (Failure & { readonly refusal: FoundRefusal }) | undefined;
}

const maxLookBack = 16;
const maxBeam = 3;
const maxBehind = 10;
const wishCost = 4;
const otherWishCost = 25;
const goesOnCost = -3;
const reasonCost = 6;
const unreadCost = 30;
const unreadWordCost = 15;
const maxUnread = 120;
export const unsureCost = 1_000;
const sentenceCost = 50;
const politeCost = 2;
const maxCandidates = 12;
const maxWorse = 4;
const tieCost = 0.25;
const maxClausesOfWish = 8;
const maxSumClauses = 4;
const maxReadings = 3;

export class RequestReader {
  readonly clauses: readonly Clause[];
  readonly work = new WorkMeter();
  #needsMore = false;
  readonly #edges: TextEdges;
  readonly #matcher: Matcher;
  readonly #ends = new Map<number, number>();
  readonly #starts: readonly (readonly number[])[];
  readonly #textEnds = new Set<number>();
  readonly #refusals: readonly (readonly FoundRefusal[])[];
  readonly #candidates: readonly PhraseRule[];
  #otherWords: OtherWords | undefined;

  constructor(
    private readonly tools: readonly ToolRules[],
    readonly request: RequestText,
    private readonly options: {
      readonly meaningsOf: FindMeanings;
      readonly maxSteps: number;
      readonly stepsBefore: number;
    },
  ) {
    const { words } = request;
    const { meaningsOf } = options;
    this.#edges = readTextEdges(request);
    this.#matcher = new Matcher(request, this.#edges, meaningsOf, (word) => this.#isLead(word), this.work);
    this.clauses = cutClauses(request).filter((clause) => !this.#isAddress(clause));
    for (const [index, { start, end }] of this.clauses.entries()) {
      for (const position of contentEnds(words, start, end)) this.#ends.set(position, index);
      for (const position of textEndsOf(request, start, end)) this.#textEnds.add(position);
    }
    this.#starts = this.clauses.map(({ start, end }) => contentStarts(words, start, end));
    this.#refusals = this.clauses.map((_, clause) => this.#findRefusals(clause));
    const nouns = [...request.things.values()].flatMap(({ kind, keyField }) => [kind, keyField]);
    const present = new Set([...words, ...nouns].flatMap((word) => [word, ...meaningsOf(word)]));
    const hasThings = request.things.size > 0;
    this.#candidates = tools.flatMap((tool) => tool.candidates(present, hasThings));
  }

  #isAddress({ start, end }: Clause): boolean {
    const { words } = this.request;
    if (isCourtesy(words, start, end)) return true;
    if (start > 0 || end - start > 3 || words[end] !== ",") return false;
    if (greetings.test(words[0] ?? "")) return end > 1 && !this.#isLead(words[1] ?? "");
    const isKnown = this.tools.some(({ vocabulary }) => vocabulary.has(words[0] ?? ""));
    return end === 1 && isCapital(this.request, 0) && !isKnown && this.#isLead(words[end + 1] ?? "");
  }

  #findRefusals(clause: number): readonly FoundRefusal[] {
    const { words } = this.request;
    const { start, end } = this.clauses[clause] ?? { start: 0, end: 0 };
    const spelt = words.map((word) => (isMistypedInside(word, "every") ? "every" : word));
    const found = (this.#starts[clause] ?? []).flatMap((from) => findRefusals(spelt, from, end));
    if (start > 0 && words[start] === "actually") found.push({ reason: "corrected", start, end: start + 1 });
    return [...new Map(found.map((refusal) => [refusal.reason + refusal.start, refusal])).values()];
  }

  readInOtherWords(): Promise<Readings> {
    const { meaningsOf } = this.options;
    this.#otherWords ??= new OtherWords(this.tools, this.request, this.#edges, meaningsOf, this.work);
    return this.read();
  }

  async read(): Promise<Readings> {
    const count = this.clauses.length;
    const beams: Partial[][] = Array.from({ length: count + 1 }, () => []);
    const search: Search = { beams, failure: { clause: 0 }, refused: undefined };
    beams[0]?.push({ cost: 0, matches: [], drafts: [], asked: new Map(), doubts: [] });
    for (let clause = 0; clause < count; clause++) {
      const sorted = (search.beams[clause] ?? []).sort(byCost).slice(0, maxBeam);
      const most = this.#otherWords === undefined ? maxBehind : Number.POSITIVE_INFINITY;
      const partials = sorted.filter(({ cost }) => cost - (sorted[0]?.cost ?? cost) <= most);
      for (const partial of partials) {
        const passed = this.#passClause(clause, partial);
        if (passed !== undefined) search.beams[clause + 1]?.push(passed);
        await this.#extendAll(partial, clause, search);
      }
    }
    return this.#bestOf(search.beams[count] ?? []) ?? this.#explainFailure(search);
  }

  async #extendAll(partial: Partial, clause: number, search: Search): Promise<void> {
    const done = new Map<number, readonly Match[]>();
    const last = partial.matches.at(-1);
    const others = this.#otherWords === undefined ? [] : this.#othersAt(clause);
    const found = [
      this.#matchesAt(clause),
      others,
      this.#goOn(partial, clause),
      this.#goOnInOtherWords(partial, clause),
    ];
    const matches = found.flat().filter((match) => this.#isSameList(last, match));
    for (const match of matches.sort(byCost)) {
      const { lastClause } = match;
      const better = done.get(lastClause) ?? [];
      if (this.#isWorse(match, better)) continue;
      const refusal = this.#refusalOf(match);
      if (refusal !== undefined) {
        search.refused ??= { clause, refusal, match };
        continue;
      }
      const extended = await this.#extend(partial, match);
      if ("ok" in extended) {
        if (extended.why !== undefined && clause >= search.failure.clause)
          search.failure = { clause, match, unfit: extended };
      } else {
        done.set(lastClause, [...better, match]);
        search.beams[lastClause + 1]?.push(extended);
      }
    }
  }

  #isWorse({ lastClause, cost }: Match, [best, second, ...others]: readonly Match[]): boolean {
    if (best === undefined) return false;
    if (this.#otherWords !== undefined) return others.length > 1;
    const isLast = lastClause === this.clauses.length - 1 && this.#doubtsOf(best).length === 0;
    return second !== undefined || cost - best.cost > (isLast ? tieCost : maxWorse);
  }

  readonly #doubtsOf = remembered((match: Match) => findDoubts(match, this.request));

  #isSameList(last: Match | undefined, match: Match): boolean {
    const { words } = this.request;
    const [isItem, wasItem] = [match, last ?? match].map(({ firstClause, start }) =>
      words[this.clauses[firstClause]?.start ?? 0] === "•" ? words[start] === "•" : undefined,
    );
    return isItem === wasItem || isItem === undefined || wasItem === undefined;
  }

  #bestOf(whole: readonly Partial[]): Readings | undefined {
    const sorted = [...whole].sort(byCost).filter(({ drafts }) => drafts.length > 0);
    const [best, ...rest] = sorted;
    if (best === undefined) return undefined;
    const others = rest.filter((each, at) => [best, ...rest.slice(0, at)].every((other) => !isSame(each, other)));
    const isTie = (others[0]?.cost ?? Number.POSITIVE_INFINITY) - best.cost < tieCost;
    return { type: "read", readings: [best, ...others.slice(0, maxReadings - 1)], isTie };
  }

  #explainFailure({ beams, failure, refused }: Search): Readings {
    if (this.#needsMore) return { type: "too-long", matches: [] };
    const farthest = beams.findLastIndex(({ length }) => length > 0);
    const clause = Math.min(farthest, this.clauses.length - 1);
    const [best] = (beams[farthest] ?? []).sort(byCost);
    const matches = best?.matches ?? [];
    if (refused !== undefined && refused.clause >= clause) return { type: "refused", matches, ...refused };
    const [refusal] = this.#refusals[clause] ?? [];
    if (refusal !== undefined) return { type: "refused", matches, clause, refusal };
    if (failure.clause >= clause && failure.unfit !== undefined) return { type: "not-understood", matches, ...failure };
    return { type: "not-understood", matches, clause };
  }

  #refusalOf(match: Match): FoundRefusal | undefined {
    const { firstClause, lastClause, pieces, rule, rules } = match;
    const said = saidBy(match.inOtherWords ? pieces.filter(({ kind }) => kind === "word" || kind === "slot") : pieces);
    const mayStand = ({ reason }: FoundRefusal) => {
      // Words of a sum are never a condition of that sum, but they may be the condition of a clause that follows.
      if (rule.hasSum && reason === "condition") return lastClause === this.clauses.length - 1;
      if (rule.hasSum) return reason !== "denied" && reason !== "corrected";
      return reason === "question" && rules.tool.declaredEffect === "pure";
    };
    for (let clause = firstClause; clause <= lastClause; clause++) {
      const refusal = this.#refusals[clause]?.find(
        (each) =>
          !mayStand(each) &&
          !this.#isBeside(match, clause, each) &&
          !(isSaid(each, said) && (match.inOtherWords !== true || each.reason === "others")),
      );
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #isBeside({ firstClause, lastClause, start, end }: Match, clause: number, refusal: FoundRefusal): boolean {
    if (refusal.reason !== "condition") return false;
    if (clause === firstClause && refusal.end <= start) return true;
    const isBehind = clause === lastClause && refusal.start >= end;
    return isBehind && isCourtesy(this.request.words, end, this.clauses[clause]?.end ?? end);
  }

  #passClause(clause: number, partial: Partial): Partial | undefined {
    const { start, end } = this.clauses[clause] ?? { start: 0, end: 0 };
    const { words, marks } = this.request;
    const date = marks.find((mark) => mark.kind === "date" && mark.leadStart === start && mark.end === end);
    const last = partial.matches.at(-1);
    if (last?.pieces.at(-1)?.isMessage === true) return undefined;
    const doubts = [...partial.doubts, { kind: "left", start, end } as const];
    if (date !== undefined) return { ...partial, cost: partial.cost + costs.left + unsureCost, doubts };
    if (this.#isReason(clause, partial)) return { ...partial, cost: partial.cost + reasonCost };
    if (this.#otherWords === undefined || (this.#refusals[clause] ?? []).length > 0) return undefined;
    const length = statesReason(words, start, end) ? 0 : words.slice(start, end).filter(isContent).length;
    const cost =
      Math.min(maxUnread, unreadCost + unreadWordCost * length) + (partial.doubts.length === 0 ? unsureCost : 0);
    return { ...partial, cost: partial.cost + cost, doubts };
  }

  #isReason(clause: number, { drafts, matches }: Partial): boolean {
    const { start, end } = this.clauses[clause] ?? { start: 0, end: 0 };
    const { words, marks } = this.request;
    const isBarred = (this.#refusals[clause] ?? []).some(({ reason }) => neverReasons.has(reason));
    const holdsDate = (piece: Piece) =>
      marks.some((mark) => mark.kind === "date" && mark.start >= piece.start && mark.end <= piece.end);
    const isDated = matches.some(({ pieces }) => pieces.some(holdsDate));
    const within = marks.filter((mark) => mark.start < end && mark.end > start);
    const isIdle = !words.slice(start, end).some((word) => /\d/.test(word));
    const isLost = within.some(({ kind, isFirm }) =>
      kind === "date" ? isFirm && !isDated : kind !== "number" || !isIdle,
    );
    const isOwn = matches.at(-1)?.rule.operation.opens(words[start] ?? "") === true;
    if (isBarred || isLost || isOwn) return false;
    // The first clause may name the thing that a later "it" means.
    const pointsBack = () => words.slice(end).some((word) => /^(?:it|them|that|those|these|one)$/.test(word));
    if (drafts.length === 0 && (end === words.length || pointsBack())) return false;
    return statesReason(words, start, end);
  }

  #isLead(word: string): boolean {
    return openers.has(word) || this.tools.some(({ leads }) => leads.has(word));
  }

  readonly #matchesAt = onceEach((firstClause: number): readonly Match[] => {
    const limit = this.#limitFrom(firstClause);
    const starts = this.#starts[firstClause] ?? [];
    const matches = this.#candidates.flatMap((rule) => {
      if (rule.hasSum) return this.#readSums(rule, firstClause);
      const possible = starts.filter((start) => this.#matcher.mayStart(rule, start));
      return possible.flatMap((start) => this.#fit(rule, { start, limit, firstClause }));
    });
    return matches.sort(byCost).slice(0, maxCandidates);
  });

  readonly #othersAt = onceEach((firstClause: number): readonly Match[] => {
    const fits = this.#otherWords?.fitsFrom(this.#rangeFrom(firstClause)) ?? [];
    return fits.map((fit) => this.#toMatch(fit, firstClause));
  });

  #goOnInOtherWords({ matches }: Partial, clause: number): readonly Match[] {
    const last = matches.at(-1);
    const isBehind = last?.lastClause === clause - 1 && !last.pieces.at(-1)?.isMessage;
    if (this.#otherWords === undefined || last === undefined || !isBehind) return [];
    const fits = this.#otherWords.goOnFrom(last, this.#rangeFrom(clause));
    return fits.map((fit) => ({ ...this.#toMatch(fit, clause), goesOn: true }));
  }

  #rangeFrom(firstClause: number): OtherRange {
    const limit = this.#limitFrom(firstClause, ({ endsSentence }) => endsSentence);
    const ends = new Set([...this.#ends].flatMap(([at, clause]) => (clause >= firstClause ? [at] : [])));
    ends.add(this.request.words.length);
    return { starts: this.#starts[firstClause] ?? [], ends, limit };
  }

  #toMatch({ rule, cost, end, pieces, missing, isAlike }: OtherFit, firstClause: number): Match {
    const lastClause = pieces.at(-1)?.isMessage ? this.clauses.length - 1 : (this.#ends.get(end) ?? firstClause);
    const start = Math.max(this.clauses[firstClause]?.start ?? 0, pieces[0]?.start ?? 0);
    const place = { firstClause, lastClause, start, end, cost: cost + otherWishCost };
    const lacking = missing === undefined ? {} : { missing };
    return { rules: rule.tool, rule, ...place, pieces, inOtherWords: true, isAlike, ...lacking };
  }

  #fit(
    rule: PhraseRule,
    { start, limit, firstClause }: { start: number; limit: number; firstClause: number },
    from?: PhrasePlace,
  ) {
    const isEnd = (position: number, isText: boolean) =>
      (isText ? this.#textEnds.has(position) : this.#ends.has(position)) &&
      (this.#ends.get(position) ?? -1) >= firstClause;
    const fits = this.#matcher.run(rule, { start, limit, isEnd, messageEnds: this.#messageEnds }, from);
    return fits.flatMap((fit): Match | readonly Match[] => {
      const pieces = piecesOf(fit.pieces);
      if (pieces.some((piece) => this.#holdsWish(rule, piece))) return [];
      const isMessage = fit.pieces?.isMessage === true;
      const lastClause = isMessage
        ? this.clauses.findLastIndex((clause) => clause.start < fit.end)
        : (this.#ends.get(fit.end) ?? firstClause);
      const before = start - (this.clauses[firstClause]?.start ?? start);
      const after = isMessage ? 0 : (this.clauses[lastClause]?.end ?? fit.end) - fit.end;
      const cost = fit.cost + wishCost + politeCost * (before + after);
      return { rules: rule.tool, rule, firstClause, lastClause, start, end: fit.end, cost, pieces };
    });
  }

  readonly #messageEnds = onceEach((open: number): readonly { readonly end: number; readonly cost: number }[] => {
    const { tokens } = this.request;
    if (open >= tokens.length) return [];
    const later = this.clauses.filter(({ end }) => end > open);
    const isQuote = tokens[open]?.kind === "quote";
    const sentences = later.slice(0, -1).filter(({ endsSentence }) => endsSentence);
    const ends = sentences.slice(0, maxClausesOfWish).map(({ end }, at) => {
      const isMark = /^[.?!]$/.test(tokens[end]?.norm ?? "");
      return { end: isMark ? end + 1 : end, cost: sentenceCost * at };
    });
    const whole = { end: tokens.length, cost: sentenceCost * sentences.length };
    return [...(isQuote && this.#ends.has(open + 1) ? [{ end: open + 1, cost: -1 }] : []), ...ends, whole];
  });

  /** True if text that is never split contains another wish: "search for zod and add it". */
  #holdsWish({ slots }: PhraseRule, { name = "", start, end, isMessage }: Piece): boolean {
    if (slots.get(name)?.text !== "whole" || isMessage === true) return false;
    const { words } = this.request;
    const joins = (word: string, at: number) =>
      /^(?:and|then|,)$/.test(word) && this.#isLead(words[start + at + 1] ?? "");
    return words.slice(start, end - 1).some(joins);
  }

  #limitFrom(firstClause: number, ends = ({ endsHard }: Clause) => endsHard): number {
    const near = this.clauses.slice(firstClause, firstClause + maxClausesOfWish);
    return (near.find(ends) ?? near.at(-1))?.end ?? 0;
  }

  #readSums(rule: PhraseRule, firstClause: number): readonly Match[] {
    const name = [...rule.slots].find(([, { kind }]) => kind === "sum")?.[0];
    const first = this.clauses[firstClause];
    if (name === undefined || first === undefined) return [];
    const matches: Match[] = [];
    const limit = Math.min(firstClause + maxSumClauses, this.clauses.length);
    for (let lastClause = firstClause; lastClause < limit; lastClause++) {
      const end = this.clauses[lastClause]?.end ?? 0;
      const start = this.request.words[first.start] === "•" ? first.start + 1 : first.start;
      const tokens = this.request.tokens.slice(start, end);
      if (readSum(tokens, { results: [0, 1, 2, 3] }) !== undefined) {
        const pieces: readonly Piece[] = [{ kind: "slot", start, end, name, before: undefined }];
        const cost = wishCost + 2 + (end - start);
        matches.push({ rules: rule.tool, rule, firstClause, lastClause, start, end, cost, pieces });
      }
      if (this.clauses[lastClause]?.endsHard !== false) break;
    }
    return matches;
  }

  #goOn({ matches }: Partial, clause: number): readonly Match[] {
    const last = matches.at(-1);
    const next = this.clauses[clause];
    const rule = last?.rule;
    if (last === undefined || rule === undefined || next === undefined || last.lastClause !== clause - 1) return [];
    if (this.clauses[clause - 1]?.endsHard !== false || rule.hasSum) return [];
    const spoken = last.pieces.filter(({ place }) => place !== undefined);
    const slot = spoken.findIndex(({ name }) => name !== undefined && rule.slots.has(name));
    const from = spoken.slice(Math.max(0, slot - 1), slot + 1).flatMap(({ kind, place }, index) => {
      const isNoun = kind === "word" && slot > 1;
      return place !== undefined && (index === 1 || isNoun || slot === 0) ? [place] : [];
    });
    const isSingle = [...rule.slots.values()].some(({ text }) => text === "whole" || text === "message");
    if (from.length === 0 || slot < 0 || isSingle) return [];
    const limit = this.#limitFrom(clause);
    const word = this.request.words[next.start] ?? "";
    const isNoun = from.length > 1 && this.request.words[spoken[slot - 1]?.start ?? -1] === word;
    if (this.#isLead(word) && !isNoun) return [];
    const [said, after] = [spoken[slot - 1]?.start ?? -1, next.start + 1].map((at) => this.request.words[at]);
    const isOne = from.length > 1 && /^(?:one|another)$/.test(word) && said === after;
    return (isOne ? [next.start + 1] : (this.#starts[clause] ?? []))
      .flatMap((start) => from.flatMap((place) => this.#fit(rule, { start, limit, firstClause: clause }, place)))
      .filter((match) => this.#isLike(last, match) && !saysIt(match, this.request.words))
      .sort(byCost)
      .slice(0, maxCandidates)
      .map((match) => ({ ...this.#shareForward(last, match), goesOn: true, cost: match.cost + goesOnCost }));
  }

  #isLike(last: Match, next: Match): boolean {
    const { words } = this.request;
    const texts = [last, next].map(({ pieces }) => pieces.find(({ kind }) => kind === "slot"));
    const [first = [], second = []] = texts.map((piece) => words.slice(piece?.start ?? 0, piece?.end ?? 0));
    if (second.length === 0) return false;
    const marks = words.slice(last.end, next.start);
    const isApart = [last, next].every(({ pieces, rule }) => pieces.some(({ name }) => name && !rule.slots.has(name)));
    const from = texts[0]?.start ?? 0;
    if (isTopic.test(words[from - 1] ?? "")) return false;
    const isNames = marks.some((mark, at) => {
      const isPair = (mark === "and" || mark === "&") && !isSeparatorAt(this.request, last.end + at);
      return isPair || isBetweenNames(this.request, last.end + at, from);
    });
    const isOpen = isNames || holdsNames(this.request, { start: from, end: last.end });
    const isOneOfMany = next.firstClause > 1 || this.clauses[next.firstClause]?.endsHard === false;
    const said = isOneOfMany ? [first, second, ["x"]] : [first, second];
    return !isOpen && (isApart || mayBeItems(said, marks)) && startsWithVerb(first) === startsWithVerb(second);
  }

  async #extend(partial: Partial, match: Match): Promise<Partial | Unfit> {
    if (match.missing !== undefined && partial.lacking !== undefined) return { ok: false };
    const earlier = partial.drafts.slice(-maxLookBack).reverse();
    const tried: (DraftStep | undefined)[] = earlier.length === 0 ? [undefined] : earlier;
    let first: Unfit | undefined;
    for (const draft of tried) {
      const made = await this.#makeInputs(match, partial, draft);
      if (made.ok) return this.#join(partial, match, made.inputs);
      if (made.isTooLong) return made;
      if (first?.why === undefined) first = made;
      if (made.refersBack !== true) break;
    }
    return first ?? { ok: false };
  }

  /** Applies a value before the first of several things to the others, too. */
  #shareForward(last: Match, match: Match): Match {
    const { pieces, rule } = last;
    const text = pieces.findIndex(({ name, value }) => rule.slots.has(name ?? "") && value === undefined);
    const isSaid = (name: string) => rule.slots.has(name) || match.pieces.some((piece) => piece.name === name);
    const shared = pieces.filter(
      ({ name, value }, index) => name !== undefined && !isSaid(name) && (index < text || value === undefined),
    );
    return shared.length === 0 ? match : { ...match, pieces: [...shared, ...match.pieces] };
  }

  async #join(partial: Partial, match: Match, inputs: readonly JsonObject[]): Promise<Partial> {
    const { rules } = match;
    this.work.spend((partial.drafts.length + inputs.length) >> 3);
    const beside = valuesBeside(match);
    const drafts = match.goesOn === true ? await this.#shareBack(partial, match, beside) : partial.drafts;
    const first = this.options.stepsBefore + partial.drafts.length + 1;
    const isClosed = hasValueBehind(match);
    const made = inputs.map((input, place) => ({ id: `s${first + place}`, rules, input, match, place, isClosed }));
    const before = partial.asked.get(rules)?.results ?? [];
    const results = [...before, ...made.map(({ id }) => ({ $ref: id + rules.resultPath }))].slice(-maxLookBack);
    const asked = new Map(partial.asked).set(rules, { input: made.at(-1)?.input ?? {}, results });
    const doubts = this.#doubtsOf(match);
    return {
      cost: partial.cost + match.cost + (doubts.length > 0 && partial.doubts.length === 0 ? unsureCost : 0),
      matches: [...partial.matches, match],
      drafts: [...drafts, ...made],
      asked,
      doubts: [...partial.doubts, ...doubts],
      lacking: match.missing === undefined ? partial.lacking : { stepId: made[0]?.id ?? "", slot: match.missing },
    };
  }

  /** Applies a value after the last of several things to the earlier things, back to one that has its own value. */
  async #shareBack(partial: Partial, match: Match, beside: readonly Piece[]): Promise<readonly DraftStep[]> {
    if (beside.length === 0) return partial.drafts;
    const callOf = ({ rule }: Match) => (match.inOtherWords ? rule.operation : rule);
    const drafts = [...partial.drafts];
    for (let index = drafts.length - 1; index >= 0; index--) {
      const draft = drafts[index];
      if (draft === undefined || callOf(draft.match) !== callOf(match) || draft.isClosed) break;
      const isFirst = draft.match.goesOn !== true && draft.place === 0;
      const { start } = draft.match;
      const isOwn = (piece: Piece) => piece.start >= start || beside.every(({ name }) => name !== piece.name);
      const own = draft.match.pieces.filter(isOwn);
      const missing = beside.filter(({ name }) => !own.some((piece) => piece.name === name));
      const wider = { ...draft.match, pieces: [...own, ...missing] };
      const made = await this.#makeInputs(wider, { ...partial, drafts: drafts.slice(0, index) }, drafts[index - 1]);
      const input = made.ok ? made.inputs[draft.place] : undefined;
      if (input !== undefined) drafts[index] = { ...draft, input, isClosed: true };
      if (isFirst) break;
    }
    return drafts;
  }

  #saysThem({ pieces }: Match): boolean {
    return pieces.some(({ name, start, end }) => {
      const isOne = name !== undefined && end === start + 1;
      return isOne && /^(?:them|these|those)$/.test(this.request.words[start] ?? "");
    });
  }

  async #makeInputs(match: Match, partial: Partial, earlier: DraftStep | undefined): Promise<Inputs> {
    const { rules, rule } = match;
    this.work.spend(5);
    const isMeant = earlier !== undefined && (!this.#saysThem(match) || givesList(earlier.rules));
    const previous = isMeant ? { $ref: earlier.id + earlier.rules.resultPath } : undefined;
    const before = partial.asked.get(rules);
    // "It" in "forward mail 90, then archive it" is the input of the earlier step, not its result.
    const input = earlier?.rules === rules ? undefined : earlier?.input;
    const values = readSlotValues(match, { request: this.request, previous, input, work: this.work });
    if (!values.ok) return { ...values, refersBack: values.reason === "unbound" };
    const { context, wasRead } = watched({ previous, ...(before !== undefined && { before }), ...this.request.clock });
    const wishes = values.records.map((slots) => {
      if (match.missing !== undefined) return inputOfPhrase(rule, slots, this.request.clock);
      return rule.source.toInput === undefined ? { ...rule.fixed, ...slots } : rule.source.toInput(slots, context);
    });
    if (partial.drafts.length + wishes.length > this.options.maxSteps) {
      this.#needsMore = true;
      return { ok: false, isTooLong: true };
    }
    const loose = earlier && this.#findLooseResult(match);
    if (loose !== undefined) return loose;
    const refersBack = values.hasPointer || wasRead();
    if (values.hasPointer && earlier !== undefined && isOfSeveral(earlier, partial))
      return {
        ok: false,
        reason: "unbound",
        why: "it refers to a result, but several steps may be meant; say which",
        refersBack,
      };
    const known = [previous, ...(before?.results ?? [])].filter((each) => each !== undefined);
    return { ...(await this.#checkInputs(match, wishes, { known, earlier })), refersBack };
  }

  async #checkInputs(
    match: Match,
    wishes: readonly unknown[],
    { known, earlier }: { readonly known: readonly PhraseReference[]; readonly earlier: DraftStep | undefined },
  ): Promise<Inputs> {
    const { rules } = match;
    const inputs: JsonObject[] = [];
    let why: string | undefined;
    for (const made of wishes) {
      const input = made === undefined ? undefined : toStepInput(made, { schema: rules.schemas.input, known });
      if (input === undefined) return { ok: false };
      inputs.push(input);
      if (match.missing !== undefined) continue;
      const open = this.#openResult(input, earlier);
      if (open !== undefined) return open;
      this.work.check(input);
      why ??= await issueOf(input, rules.tool, earlier?.rules.tool);
    }
    return why === undefined ? { ok: true, inputs } : { ok: false, why };
  }

  /** Refuses "pay that amount" after a sum: the words may or may not mean its result. */
  #findLooseResult({ pieces, rule }: Match): Unfit | undefined {
    const { words, tokens } = this.request;
    for (const { kind, name, value, start, end, isMessage = false } of pieces) {
      const isText = kind === "slot" && value === undefined && name !== undefined && !isMessage && !rule.hasSum;
      if (!isText || readAnaphor(words, start) === end || (end - start === 1 && resultNouns.has(words[start] ?? "")))
        continue;
      if (tokens.slice(start, end).every((token) => token.kind === "quote") || !mentionsResult(words, start, end))
        continue;
      const said = JSON.stringify(textBetween(this.request, start, end));
      const why = `${said} may refer to the result of an earlier step; say "the result" alone, or put the text in quotes`;
      return { ok: false, reason: "unbound", why };
    }
    return undefined;
  }

  #openResult(input: JsonObject, earlier: DraftStep | undefined): Unfit | undefined {
    const output = earlier?.rules.schemas.output;
    if (earlier === undefined || output === undefined) return undefined;
    for (const { kind, text } of findReferences(input)) {
      const reference = parseReference(text);
      if (kind !== "text" || reference?.stepId !== earlier.id) continue;
      const types = typesOf(schemasAt(output, reference.path) ?? [{}]);
      if (types !== undefined && (types.has("object") || types.has("array")))
        return { ok: false, why: `the result of ${earlier.id} (${earlier.rules.tool.name}) is not a single value` };
    }
    return undefined;
  }
}

function isOfSeveral({ match }: DraftStep, { matches, drafts }: Partial): boolean {
  const isFirst = matches[matches.indexOf(match) + 1]?.goesOn === true;
  return isFirst || match.goesOn === true || drafts.filter((draft) => draft.match === match).length > 1;
}

function givesList({ schemas, resultPath }: ToolRules): boolean {
  const keys = resultPath === "" ? [] : parseReference(`x${resultPath}`)?.path;
  return (schemas.output && schemasAt(schemas.output, keys ?? []))?.some(({ type }) => type === "array") ?? false;
}

function watched({ previous, before, ...clock }: PhraseContext) {
  let isRead = false;
  const context: PhraseContext = {
    ...clock,
    get previous() {
      isRead = true;
      return previous;
    },
    get before() {
      isRead = true;
      return before;
    },
  };
  return { context, wasRead: () => isRead };
}

function isSame(left: Partial, right: Partial): boolean {
  const inputs = ({ drafts }: Partial) => canonicalJson(drafts.map(({ rules, input }) => [rules.tool.name, input]));
  return inputs(left) === inputs(right);
}

function valuesBeside({ pieces, rule, start }: Match): readonly Piece[] {
  const text = pieces.findLastIndex(({ name }) => name !== undefined && rule.slots.has(name));
  return pieces.slice(text + 1).filter(({ name, start: at }) => name && at >= start && !rule.slots.has(name));
}

function hasValueBehind({ pieces, rule, start }: Match): boolean {
  const text = pieces.findIndex(
    ({ name, value, start: at }) => at >= start && value === undefined && rule.slots.has(name ?? ""),
  );
  return text >= 0 && pieces.slice(text + 1).some(({ kind, name }) => kind === "slot" && name !== pieces[text]?.name);
}

function saidBy(pieces: readonly Piece[]): ReadonlySet<number> {
  const said = new Set<number>();
  for (const { kind, value, start, end, isMessage } of pieces)
    if (kind !== "slot" || value !== undefined || isMessage) for (let at = start; at < end; at++) said.add(at);
  return said;
}

function isSaid({ start, end, reason }: FoundRefusal, said: ReadonlySet<number>): boolean {
  let count = 0;
  for (let at = start; at < end; at++) if (said.has(at)) count++;
  return count === end - start || (count > 0 && (reason === "question" || reason === "others"));
}

const neverReasons = wordSet("corrected condition repeated");
const isTopic = /^(?:about|regarding)$/;
const greetings = /^(?:hi|hello|hey|dear)$/;
const openers = new Set([...auxiliaries, ...wordSet("please let i we you he she they")]);

function textEndsOf(request: RequestText, start: number, end: number): readonly number[] {
  const { words, text } = request;
  return contentEnds(words, start, end, true).filter((at) => {
    const isName = at < end && isCapital(request, at) && text !== text.toUpperCase();
    return !isName && !(at < end && /^(?:say|tell|hear|saying|says|said)$/.test(words[at - 1] ?? ""));
  });
}
