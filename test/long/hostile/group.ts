import { expect, it } from "vitest";
import { seededRandom } from "../../kills/seeded-random.ts";

/** A source of chance, and the place to say what has to be so. */
export interface Play {
  readonly int: (below: number) => number;
  readonly pick: <T>(of: readonly T[]) => T;
  /** Counts one check, and keeps what failed. */
  readonly check: (isSo: boolean, label: string, detail?: () => unknown) => void;
}

/**
 * A group of properties: plays it many times, prints the number of its checks, and fails with the first ones that are not
 * so. `PLANWRIGHT_SEED` repeats a run, `PLANWRIGHT_SHARE=50` plays only one in fifty.
 */
export function group(name: string, times: number, play: (play: Play) => void | Promise<void>): void {
  it(name, { timeout: 3_600_000 }, async () => {
    const seed = Number(process.env.PLANWRIGHT_SEED ?? Date.now() % 2 ** 31);
    const random = seededRandom(seed);
    const int = (below: number) => Math.floor(random() * below);
    const failures: string[] = [];
    let checks = 0;
    const share = Number(process.env.PLANWRIGHT_SHARE ?? 1);
    const runs = Math.ceil(times / share);
    for (let run = 0; run < runs && failures.length < 5; run += 1) {
      await play({
        int,
        pick: (of) => of[int(of.length)] as never,
        check: (isSo, label, detail) => {
          checks += 1;
          if (!isSo) failures.push(`${label}: ${describe(detail?.())}`.slice(0, 1_000));
        },
      });
    }
    console.log(`${name}: ${checks} checks, PLANWRIGHT_SEED=${seed}`);
    expect(failures).toEqual([]);
    expect(checks).toBeGreaterThan(0);
  });
}

function describe(detail: unknown): string {
  if (detail instanceof Error) return `${detail.stack}`;
  return typeof detail === "string" ? detail : (JSON.stringify(detail) ?? String(detail));
}

/** What a call returns or throws, or its promise. */
export async function settle<T>(call: () => T | Promise<T>): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await call() };
  } catch (error) {
    return { error };
  }
}

/** Names that every object inherits, and others that break naive code. */
export const hostileNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__defineGetter__",
  "toJSON",
  "then",
  "length",
  "name",
] as const;

/** Texts that mean something to a template, a page, a shell, a database or a terminal. */
export const hostileTexts = [
  "${s1.value}",
  "${$}",
  "$${a}",
  "${",
  "}",
  "$ref",
  '{"$ref":"s1"}',
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE runs; --",
  "\u0000",
  "\u001b[31m",
  "\u202e",
  "\r\n",
  "%s %d {} {{x}}",
  "\\",
  "`",
  "😀",
  "e\u0301",
  "",
  " ",
  ...hostileNames,
] as const;

/** Any text, mostly a hostile one. */
export function textOf({ int, pick }: Play): string {
  let text = "";
  for (let parts = int(4); parts >= 0; parts -= 1)
    text += int(3) === 0 ? String.fromCodePoint(32 + int(int(2) === 0 ? 95 : 50_000)) : pick(hostileTexts);
  return text.toWellFormed();
}

/** Any JSON, with hostile keys as its own. */
export function jsonOf(play: Play, depth = 3): unknown {
  const { int, pick } = play;
  const kind = int(depth > 0 ? 7 : 5);
  if (kind === 0) return null;
  if (kind === 1) return int(2) === 0;
  if (kind === 2) return pick([0, -1, 1.5, 2 ** 53 - 1, 1e-7, -1e21, int(1_000)]);
  if (kind < 5) return textOf(play);
  if (kind === 5) return Array.from({ length: int(4) }, () => jsonOf(play, depth - 1));
  const value: Record<string, unknown> = {};
  for (let keys = int(4); keys > 0; keys -= 1) {
    const key = int(2) === 0 ? pick(hostileNames) : textOf(play);
    // A key that makes an object a reference or a literal is another property's business.
    if (!key.startsWith("$"))
      Object.defineProperty(value, key, {
        value: jsonOf(play, depth - 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return value;
}

/** Values of every type, right for nothing in particular. */
export function anything(play: Play): unknown {
  const { int, pick } = play;
  if (int(3) === 0) return jsonOf(play, 2);
  return pick<unknown>([
    undefined,
    null,
    true,
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    10n,
    "",
    "x",
    Symbol("s"),
    () => undefined,
    class {},
    [],
    [undefined],
    {},
    Object.create(null),
    new Date(0),
    new Date(Number.NaN),
    new Map([[1, 2]]),
    new Set([1]),
    /x/,
    new Uint8Array(3),
    new Proxy({}, {}),
    Promise.resolve(1),
    new Error("e"),
    new AbortController().signal,
    Object.freeze([1]),
    new (class Thing {
      get bad(): never {
        throw new Error("getter");
      }
    })(),
  ]);
}
