const knownOptions = ["--plan-only", "--json", "--no-color", "--mermaid", "--events", "--version", "--help", "-h"];
/** Options that take the next argument as their value. */
const valuedOptions = [
  ...["--planner", "--model", "--host", "--db"],
  ...["--html", "--export", "--key", "--before", "--keep", "--status"],
];

/**
 * Puts `--` between options and request. Options come before its first word or after its last, so everything in between
 * belongs to the request: "use the --json flag", "Calculate -pi + 3". After it, an unknown `-x` is also a word, but an
 * unknown `--x` is an error.
 */
export function markRequest(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const before = end === -1 ? argv : argv.slice(0, end);
  const behind = end === -1 ? [] : argv.slice(end + 1);
  const first = skipOptions(before);
  if (first >= before.length) return [...before, "--", ...behind];
  const last = skipLateOptions(before);
  const options = [...before.slice(0, first), ...before.slice(last)];
  return [...options, "--", ...before.slice(first, last), ...behind];
}

const isOption = (argument: string) => /^--?[a-z][^\s]*$/i.test(argument);

/** The index of the first word of the request. */
function skipOptions(argv: readonly string[]): number {
  let index = 0;
  while (isOption(argv[index] ?? "")) index += valuedOptions.includes(argv[index] ?? "") ? 2 : 1;
  return index;
}

/** The index after the last word of the request. */
function skipLateOptions(argv: readonly string[]): number {
  let end = argv.length;
  for (;;) {
    const last = argv[end - 1] ?? "";
    if (valuedOptions.includes(argv[end - 2] ?? "")) end -= 2;
    else if (isOption(last) && (last.startsWith("--") || knownOptions.includes(last))) end--;
    else return end;
  }
}
