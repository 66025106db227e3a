import { cutText } from "../core/text.ts";
import type { RecordedCall, RecordedRequest } from "./model-recording.ts";

/** How much of a text is quoted. */
export const maxQuote = 81;

/**
 * Describes a request that is not recorded: its last user message, and where it first differs from the most similar
 * recorded call.
 */
export function describeMiss(request: RecordedRequest, calls: readonly RecordedCall[]): string {
  const asked = describeQuestion(request);
  const question = lastUserText(request);
  const nearest = findNearest(calls, (call) => ({
    differences: findDifferences(request, call.request),
    common: commonLength(question, lastUserText(call.request)),
  }));
  if (nearest === undefined) return `${asked}. Nothing is recorded`;
  const recorded = calls.length === 1 ? "1 call is" : `${calls.length} calls are`;
  const { index, differences } = nearest;
  return `${asked}. ${recorded} recorded; the nearest, calls[${index}], differs in ${differences.join("; ")}`;
}

/** Describes the last user message of a request. */
export function describeQuestion(request: RecordedRequest): string {
  return `its last user message is ${quote(lastUserText(request))}`;
}

/** How a recorded call compares with one that was made. */
export interface Likeness {
  /** Where they differ, in words. */
  readonly differences: readonly string[];
  /** The length of what they have in common at their start. */
  readonly common: number;
}

/** The call with the fewest differences; among equals, the one with the longest common start. */
export function findNearest<T>(
  calls: readonly T[],
  compare: (call: T) => Likeness,
): (Likeness & { readonly call: T; readonly index: number }) | undefined {
  let nearest: (Likeness & { readonly call: T; readonly index: number }) | undefined;
  for (const [index, call] of calls.entries()) {
    const { differences, common } = compare(call);
    const fewer = (nearest?.differences.length ?? Number.POSITIVE_INFINITY) - differences.length;
    if (fewer > 0 || (fewer === 0 && common > (nearest?.common ?? 0))) nearest = { call, index, differences, common };
  }
  return nearest;
}

function findDifferences(asked: RecordedRequest, recorded: RecordedRequest): readonly string[] {
  const differences: string[] = [];
  const count = Math.max(asked.messages.length, recorded.messages.length);
  for (let index = 0; index < count; index++) {
    const [one, other] = [asked.messages[index], recorded.messages[index]];
    const place = `messages[${index}]`;
    if (one === undefined || other === undefined)
      differences.push(`${place}, which only ${one ? "this call" : "the recorded call"} has`);
    else if (one.role !== other.role) differences.push(`${place}.role: "${one.role}", recorded "${other.role}"`);
    else if (one.content !== other.content)
      differences.push(`${place}.content ${describeTexts(one.content, other.content)}`);
  }
  const formats = [asked, recorded].map(({ responseFormat }) => JSON.stringify(responseFormat ?? { type: "text" }));
  if (formats[0] !== formats[1])
    differences.push(`responseFormat ${describeTexts(formats[0] ?? "", formats[1] ?? "")}`);
  for (const key of ["maxOutputTokens", "temperature", "logprobs"] as const) {
    if (asked[key] !== recorded[key]) differences.push(`${key}: ${asked[key]}, recorded ${recorded[key]}`);
  }
  return differences;
}

/** The position where two texts start to differ, with a little of each around it. */
export function describeTexts(asked: string, recorded: string): string {
  const at = commonLength(asked, recorded);
  const from = Math.max(0, at - 20);
  return `from character ${at}: ${quote(asked.slice(from))}, recorded ${quote(recorded.slice(from))}`;
}

/** How many UTF-16 code units two texts have in common at their start. */
export function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function lastUserText({ messages }: RecordedRequest): string {
  return messages.findLast(({ role }) => role === "user")?.content ?? "";
}

function quote(text: string): string {
  return JSON.stringify(cutText(text, maxQuote));
}
