import type * as z from "zod/v4";
import { canonicalJson, isHolder } from "../core/json.ts";
import { addTo } from "../core/lists.ts";
import { cutText, describeThrown } from "../core/text.ts";

/** Even a dynamic import of Node's own modules would make bundlers for other platforms fail. */
function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs");
}

/** Rewrites the file from the first changed call on, synchronously, so that it is complete before a run ends. */
export class RecordingWriter {
  readonly #texts: (string | undefined)[] = [];
  readonly #ends: number[] = [];
  #changed = Number.POSITIVE_INFINITY;
  #head = "";
  #headBytes = 0;
  #size: number | undefined;

  constructor(
    private readonly path: string,
    private readonly printHead: () => object,
  ) {}

  reserve(): number {
    return this.#texts.push(undefined) - 1;
  }

  set(place: number, call: object | undefined): void {
    const text = call && `    ${JSON.stringify(call, undefined, 2).replaceAll("\n", "\n    ")}`;
    if (text === this.#texts[place]) return;
    this.#texts[place] = text;
    this.#changed = Math.min(this.#changed, place);
  }

  write(): void {
    if (this.#changed === Number.POSITIVE_INFINITY) return;
    if (this.#head === "") {
      this.#head = `${JSON.stringify(this.printHead(), undefined, 2).slice(0, -2)},\n  "calls": [`;
      this.#headBytes = Buffer.byteLength(this.#head);
    }
    const { path } = this;
    const { appendFileSync, mkdirSync, statSync, truncateSync, writeFileSync } = nodeFs();
    try {
      // Another program may have changed or removed the file.
      const isKnown = this.#size !== undefined && statSync(path, { throwIfNoEntry: false })?.size === this.#size;
      const first = isKnown ? Math.min(this.#changed, this.#ends.length) : 0;
      const start = this.#ends[first - 1] ?? this.#headBytes;
      const { text, end } = this.#printFrom(first, start);
      this.#size = undefined;
      if (isKnown) {
        truncateSync(path, start);
        appendFileSync(path, text);
      } else {
        mkdirSync(process.getBuiltinModule("node:path").dirname(path), { recursive: true });
        writeFileSync(path, this.#head + text);
      }
      this.#size = end;
      this.#changed = Number.POSITIVE_INFINITY;
    } catch (thrown) {
      throw new Error(`The recording "${path}" cannot be written (${describeThrown(thrown)}).`, { cause: thrown });
    }
  }

  #printFrom(first: number, start: number): { readonly text: string; readonly end: number } {
    let end = start;
    const parts: string[] = [];
    for (let place = first; place < this.#texts.length; place++) {
      const text = this.#texts[place];
      if (text !== undefined) {
        const part = `${end === this.#headBytes ? "\n" : ",\n"}${text}`;
        parts.push(part);
        end += Buffer.byteLength(part);
      }
      this.#ends[place] = end;
    }
    const tail = end === this.#headBytes ? "]\n}\n" : "\n  ]\n}\n";
    return { text: parts.join("") + tail, end: end + tail.length };
  }
}

interface Recording {
  readonly calls: readonly object[];
}

type CallOf<TRecording extends Recording> = TRecording["calls"][number];

export interface RecordingKind<TRecording extends Recording> {
  readonly version: number;
  readonly schema: z.ZodType<TRecording>;
  checkKind?(json: unknown): void;
  readonly outcomes: readonly (keyof CallOf<TRecording>)[];
  readonly mustHave: string;
  identityOf(call: CallOf<TRecording>): object;
  howToRecord(path: string): string;
  readonly unmade: string;
}

function readRecording<TRecording extends Recording>(path: string, kind: RecordingKind<TRecording>): TRecording {
  try {
    return parseRecording(nodeFs().readFileSync(path, "utf8"), kind);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const reason = code === undefined ? `: ${message}` : ` (${describeThrown(thrown)})`;
    const what =
      code === "ENOENT" ? `There is no recording "${path}"` : `The recording "${path}" cannot be read${reason}`;
    throw new Error(`${what}. ${kind.howToRecord(path)}`, { cause: thrown });
  }
}

function parseRecording<TRecording extends Recording>(
  text: string,
  { version, schema, checkKind, outcomes, mustHave }: RecordingKind<TRecording>,
): TRecording {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    throw new Error(`it is not JSON: ${(thrown as Error).message}`);
  }
  checkKind?.(json);
  const written = (json as { readonly version?: unknown } | null)?.version;
  if (typeof written === "number" && written !== version) {
    const age = written > version ? "older" : "newer";
    throw new Error(`it has version ${written}, but this ${age} planwright reads version ${version}`);
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const [first, ...more] = parsed.error.issues;
    const place = first?.path.length ? `${first.path.join(".")}: ` : "";
    throw new Error(`${place}${first?.message}${more.length > 0 ? `, and ${more.length} more` : ""}`);
  }
  const isValid = (call: CallOf<TRecording>) => outcomes.filter((name) => call[name] !== undefined).length === 1;
  const wrong = parsed.data.calls.findIndex((call) => !isValid(call));
  if (wrong !== -1) throw new Error(`calls.${wrong} must have ${mustHave}`);
  return parsed.data;
}

interface Miss<TCall> {
  readonly from: string;
  readonly asked: string;
  readonly of?: string;
  isCompared?(call: TCall): boolean;
}

const maxDifferences = 3;

export class Replay<TRecording extends Recording> {
  readonly recording: TRecording;
  readonly #places = new Map<string, number[]>();
  readonly #open = new Set<number>();
  readonly #misses: string[] = [];

  constructor(
    private readonly path: string,
    private readonly kind: RecordingKind<TRecording>,
  ) {
    this.recording = readRecording(path, kind);
    for (const [place, call] of this.recording.calls.entries()) {
      addTo(this.#places, canonicalJson(kind.identityOf(call)), place);
      this.#open.add(place);
    }
  }

  take(identity: object): CallOf<TRecording> | undefined {
    const place = this.#places.get(canonicalJson(identity))?.shift();
    if (place === undefined) return undefined;
    this.#open.delete(place);
    return this.recording.calls[place];
  }

  miss(identity: object, { from, asked, of = "", isCompared = () => true }: Miss<CallOf<TRecording>>): Error {
    const { path, kind } = this;
    const compared = [...this.recording.calls.entries()].flatMap(([index, call]) => {
      if (!isCompared(call)) return [];
      const recorded = kind.identityOf(call);
      const common = commonLength(canonicalJson(identity), canonicalJson(recorded));
      return [{ index, differences: [...findDifferences(identity, recorded)], common }];
    });
    const times = compared.filter(({ differences }) => differences.length === 0).length;
    const [nearest] = compared.toSorted(
      (one, other) => one.differences.length - other.differences.length || other.common - one.common,
    );
    const fail = (why: string) => {
      this.#misses.push(why);
      return new Error(
        `The recording "${path}" has no answer from ${from} for this call: ${why}. ${kind.howToRecord(path)}`,
      );
    };
    if (nearest === undefined) return fail(`${asked}. ${of === "" ? "Nothing" : `No call${of}`} is recorded`);
    if (times > 0)
      return fail(`it was recorded ${times === 1 ? "once" : `${times} times`}, but made more often (${asked})`);
    const { index, differences } = nearest;
    const count = compared.length === 1 ? `1 call${of} is` : `${compared.length} calls${of} are`;
    const used = this.#open.has(index) ? "" : " already used in this replay,";
    const more = differences.length > maxDifferences ? `; and ${differences.length - maxDifferences} more` : "";
    const where = differences.slice(0, maxDifferences).join("; ");
    return fail(`${asked}. ${count} recorded; the most similar, calls[${index}],${used} differs in ${where}${more}`);
  }

  assertComplete(): void {
    const { path, kind } = this;
    const [misses, open] = [this.#misses, this.#open];
    if (misses.length > 0) {
      const count = misses.length === 1 ? "1 call" : `${misses.length} calls`;
      throw new Error(`The recording "${path}" had no answer to ${count}. The first: ${misses[0]}.`);
    }
    if (open.size === 0) return;
    const which = [...open].map((index) => `calls[${index}]`).join(", ");
    throw new Error(`The recording "${path}" has calls that were ${kind.unmade}: ${which}. ${kind.howToRecord(path)}`);
  }
}

function* findDifferences(asked: unknown, recorded: unknown, path = ""): Generator<string> {
  if (asked === recorded) return;
  if (isHolder(asked) && isHolder(recorded) && Array.isArray(asked) === Array.isArray(recorded)) {
    const [one, other] = [new Map(Object.entries(asked)), new Map(Object.entries(recorded))];
    for (const key of new Set([...one.keys(), ...other.keys()])) {
      const name = path === "" ? key : `${path}.${key}`;
      yield* findDifferences(one.get(key), other.get(key), Array.isArray(asked) ? `${path}[${key}]` : name);
    }
  } else if (path.endsWith("]") && (asked === undefined || recorded === undefined)) {
    yield `${path}, which only ${asked === undefined ? "the recorded call" : "this call"} has`;
  } else if (isLongText(asked) && isLongText(recorded)) {
    const at = commonLength(asked, recorded);
    const from = Math.max(0, at - 20);
    yield `${path} from character ${at}: ${quote(asked.slice(from))}, recorded ${quote(recorded.slice(from))}`;
  } else yield `${path}: ${cutJson(asked)}, recorded ${cutJson(recorded)}`;
}

function isLongText(value: unknown): value is string {
  return typeof value === "string" && value.length > 12;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

const maxQuote = 81;

export function quote(text: string): string {
  return JSON.stringify(cutText(text, maxQuote));
}

export function cutJson(value: unknown): string {
  return value === undefined ? "undefined" : cutText(canonicalJson(value), maxQuote);
}
