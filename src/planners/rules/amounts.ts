import { exactNumber } from "../../core/json.ts";
import { readNumber } from "../../english/numbers.ts";
import { currencySigns, type Unit, unitsNamed } from "../../english/units.ts";
import type { Token } from "../../language/tokens.ts";

export interface Amount {
  readonly start: number;
  readonly end: number;
  readonly number?: { readonly value: number; readonly end: number };
  readonly measures: readonly { readonly unit: Unit; readonly value: number }[];
}

interface Part {
  readonly end: number;
  readonly value: number;
  readonly numberEnd: number;
  readonly units: readonly Unit[];
}

const parts: Readonly<Record<string, number>> = { "½": 0.5, "¼": 0.25, "¾": 0.75 };
const groupedByPoint = /^\d{1,3}\.\d{3}$/;

export function readAmount(tokens: readonly Token[], start: number): Amount | undefined {
  const first = readPart(tokens, start);
  if (first === undefined) return undefined;
  const all = [first];
  let last = first;
  while (all.length < 4) {
    const next = readPart(tokens, skipJoint(tokens, last.end));
    if (next === undefined || !continues(last, next)) break;
    all.push(next);
    last = next;
  }
  const isUnclear =
    first.units.some(({ isMoney }) => isMoney) && groupedByPoint.test(tokens[first.numberEnd - 1]?.norm ?? "");
  const measures = (isUnclear ? [] : first.units).flatMap((unit) => {
    const sizes = all.map(
      ({ value, units }) => value * (units.find(({ kind }) => kind === unit.kind)?.size ?? Number.NaN),
    );
    const value = Number((sizes.reduce((sum, size) => sum + size, 0) / unit.size).toPrecision(12));
    return Number.isNaN(value) ? [] : [{ unit, value }];
  });
  const isAlone = all.length === 1 && !isUnclear;
  return { start, end: last.end, measures, ...(isAlone && { number: { value: first.value, end: first.numberEnd } }) };
}

function skipJoint(tokens: readonly Token[], at: number): number {
  const comma = tokens[at]?.norm === "," ? at + 1 : at;
  return tokens[comma]?.norm === "and" ? comma + 1 : comma;
}

function continues(last: Part, next: Part): boolean {
  return last.units.some((unit) => next.units.some(({ kind, size }) => kind === unit.kind && size < unit.size));
}

function readPart(tokens: readonly Token[], start: number): Part | undefined {
  const sign = signAt(tokens, start);
  const isNegative = sign === "" && /^(?:-|minus|negative)$/.test(tokens[start]?.norm ?? "");
  const found = readCount(tokens, start + (sign.startsWith("us") ? 2 : sign !== "" || isNegative ? 1 : 0));
  if (found === undefined || (found.isArticle && (sign !== "" || isNegative))) return undefined;
  const { end } = found;
  const { norm: word = "", glued } = tokens[end] ?? {};
  const units = word.length > 1 || /\W|[hglm]/.test(word) || glued ? unitsNamed(word) : [];
  const part = { value: isNegative ? -found.value : found.value, numberEnd: end, end, units };
  return sign === "" ? withUnit(part, tokens, found.isArticle) : withSign(part, unitsNamed(sign));
}

function signAt(tokens: readonly Token[], at: number): string {
  const [first = "", second = ""] = [tokens[at]?.norm, tokens[at + 1]?.norm];
  if (first === "us" && currencySigns.has(second) && tokens[at + 1]?.glued === true) return `us${second}`;
  return currencySigns.has(first) ? first : "";
}

function withSign(part: Part, units: readonly Unit[]): Part {
  const isSame = part.units.some(({ kind }) => units.some((unit) => unit.kind === kind));
  return { ...part, end: isSame ? part.end + 1 : part.end, units };
}

function withUnit(part: Part, tokens: readonly Token[], isArticle = false): Part | undefined {
  const { value, end, units } = part;
  const normAt = (at: number) => tokens[at]?.norm ?? "";
  const minutes = /^h(\d\d?)m?$/.exec(tokens[end]?.glued === true ? normAt(end) : "");
  if (minutes !== null)
    return { ...part, value: value + Number(minutes[1]) / 60, end: end + 1, units: unitsNamed("h") };
  if (units.length === 0) return isArticle ? undefined : part;
  const isCents = /^\d\d$/.test(normAt(end + 1)) && tokens[end + 2]?.kind !== "word" && Number.isInteger(value);
  if (isCents && units.some(({ isMoney, size }) => isMoney && size > 1))
    return { ...part, value: value + Number(normAt(end + 1)) / 100, end: end + 2 };
  if (!saysAndHalf(tokens, end + 1)) return { ...part, end: end + 1 };
  return { ...part, value: value + 0.5, numberEnd: end + 4, end: end + 4 };
}

function saysAndHalf(tokens: readonly Token[], at: number): boolean {
  return ["and", "a", "half"].every((word, index) => tokens[at + index]?.norm === word);
}

function readCount(tokens: readonly Token[], at: number) {
  const normAt = (place: number) => tokens[place]?.norm ?? "";
  const isHalf = normAt(at) === "half";
  const article = isHalf ? at + 1 : at;
  const isArticle = /^an?$/.test(normAt(article)) && unitsNamed(normAt(article + 1)).length > 0;
  if (isArticle) return { value: isHalf ? 0.5 : 1, end: article + 1, isArticle };
  const part = parts[normAt(at)];
  if (part !== undefined) return { value: part, end: at + 1 };
  const words = tokens.slice(at, at + 48).map(({ norm }) => norm);
  const found = readNumber(words, 0);
  const value = found && exactNumber(found.digits);
  if (found === undefined || value === undefined) return undefined;
  const end = at + found.end;
  const isGlued = tokens[end]?.glued === true;
  if (isGlued && normAt(end) === "k") return { value: value * 1000, end: end + 1 };
  const more = isGlued ? (parts[normAt(end)] ?? 0) : 0;
  if (more > 0) return { value: value + more, end: end + 1 };
  const isAndHalf = saysAndHalf(tokens, end) && unitsNamed(normAt(end + 3)).length > 0;
  return isAndHalf ? { value: value + 0.5, end: end + 3 } : { value, end };
}
