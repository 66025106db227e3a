import { AgentError } from "../../core/errors.ts";
import type { SchemaIssue } from "../../core/schema.ts";
import { cutText } from "../../core/text.ts";
import type { WebSearchResult } from "./search-schemas.ts";

const maxTitle = 300;
const maxSnippet = 1_000;
const maxUrl = 2_048;
/** Reading stops after this many hits beyond the limit, which can be left out as their URLs are unsafe. */
const maxLeftOut = 1_000;
const maxIssues = 10;

/** How many hits are wanted, and the tool and the step that ask. */
export interface ReadHitsOptions {
  readonly limit: number;
  readonly tool: string;
  readonly stepId: string;
}

/** Checks and cuts hits, up to the limit. Throws `invalid-tool-output` for anything that is not a list of hits. */
export function readHits(hits: unknown, { limit, ...asked }: ReadHitsOptions): WebSearchResult[] {
  if (!Array.isArray(hits)) fail(asked, [{ path: [], message: `expected a list of hits, got ${nameType(hits)}` }]);
  const results: WebSearchResult[] = [];
  const issues: SchemaIssue[] = [];
  const end = Math.min(hits.length, limit + maxLeftOut);
  for (let index = 0; index < end && results.length < limit && issues.length < maxIssues; index++) {
    const hit = readHit(hits[index]);
    if (hit.issue !== undefined) issues.push({ ...hit.issue, path: ["hits", index, ...hit.issue.path] });
    else if (hit.result !== undefined) results.push(hit.result);
  }
  if (issues.length > 0) fail(asked, issues);
  return results;
}

/** A result; an issue; or neither, if the URL is not safe to follow. */
interface ReadHit {
  readonly result?: WebSearchResult | undefined;
  readonly issue?: SchemaIssue;
}

function readHit(hit: unknown): ReadHit {
  if (typeof hit !== "object" || hit === null) {
    return { issue: { path: [], message: `expected { title, url, snippet }, got ${nameType(hit)}` } };
  }
  const { title, url, snippet } = hit as Readonly<Record<string, unknown>>;
  if (typeof url !== "string") return { issue: { path: ["url"], message: `expected text, got ${nameType(url)}` } };
  for (const [key, value] of Object.entries({ title, snippet })) {
    const isText = value === undefined || value === null || typeof value === "string";
    if (!isText) return { issue: { path: [key], message: `expected text, got ${nameType(value)}` } };
  }
  const address = readUrl(url);
  if (address === undefined) return {};
  const name = toLine(title, maxTitle);
  return {
    result: { title: name === "" ? address.host : name, url: address.href, snippet: toLine(snippet, maxSnippet) },
  };
}

/** A URL that may be shown as a link; one with a user looks as if it led to another host. */
function readUrl(text: string): URL | undefined {
  if (text.length > maxUrl) return undefined;
  try {
    const url = new URL(text);
    const isFit = /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
    return isFit && url.href.length <= maxUrl ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Line breaks, control characters, and characters that change the text direction. */
const invisible = /[\s\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A text as one line, cut to a length. */
function toLine(text: unknown, max: number): string {
  if (typeof text !== "string") return "";
  // The rest would be cut off in any case.
  const line = text
    .slice(0, 10 * max)
    .replace(invisible, " ")
    .trim();
  return cutText(line, max).toWellFormed();
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value;
}

function fail({ tool, stepId }: Omit<ReadHitsOptions, "limit">, issues: readonly SchemaIssue[]): never {
  const [first] = issues;
  const place = first === undefined || first.path.length === 0 ? "" : ` at ${first.path.join(".")}`;
  const message = `The \`search\` function of ${tool} did not return hits${place}: ${first?.message}.`;
  throw new AgentError("invalid-tool-output", message, { details: { tool, stepId, issues } });
}
