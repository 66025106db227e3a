import { hiddenText, isSealed, mapItems } from "./sealed.ts";

type Pattern = readonly string[];

/**
 * A value with `"[sensitive]"` where one of the paths leads, as `sensitivePaths` writes them, and in place of sealed
 * values; the very same if there are none.
 */
export function maskPaths<T>(value: T, paths: readonly string[]): T {
  return mask(value, paths.map(toPattern)) as T;
}

function toPattern(path: string): Pattern {
  return path
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function mask(value: unknown, patterns: readonly Pattern[]): unknown {
  const here = patterns.flatMap(withoutAnyDepth);
  if (here.some(({ length }) => length === 0) || isSealed(value)) return hiddenText;
  if (typeof value !== "object" || value === null) return value;
  return mapItems(value, (item, key) =>
    mask(
      item,
      here.flatMap((pattern) => below(pattern, String(key))),
    ),
  );
}

/** `**` stands for no key at all, too. */
function withoutAnyDepth(pattern: Pattern): readonly Pattern[] {
  return pattern[0] === "**" ? [pattern, ...withoutAnyDepth(pattern.slice(1))] : [pattern];
}

function below(pattern: Pattern, key: string): readonly Pattern[] {
  const [first, ...rest] = pattern;
  if (first === "**") return [pattern];
  return first === "*" || first === key ? [rest] : [];
}
