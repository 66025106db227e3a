import { AgentError, type CalculationProblem } from "../../core/errors.ts";
import { cutText, suggestName } from "../../core/text.ts";
import { constantNames, type FunctionName, functionNames } from "./functions.ts";

/**
 * Creates the error of an expression without a value. The message states what was found and what would have worked, and ends with the
 * position of the character, counted from 1; `details.position` counts from 0.
 */
export function calculationFailed(
  problem: CalculationProblem,
  message: string,
  position: number,
): AgentError<"calculation-failed"> {
  return new AgentError("calculation-failed", `${message} (at character ${position + 1})`, {
    details: { problem, position },
  });
}

/** So much of an expression is quoted: a message is not longer than a line. */
export const maxQuoted = 40;

/** Replacements for characters that look or read like arithmetic but are not in the grammar. */
const replacements: ReadonlyMap<string, string> = new Map(
  "- ‐‑‒–—―﹣－|* ∗＊✕✖⨯|/ ∕⁄／|( （［[{|) ）］]}|% ％٪﹪|, ，、;；|+ ＋|^ ＾ˆ|. ．|! ！|pi π|sqrt(x) √|cbrt(x) ∛|^2 ²|^3 ³|1/2 ½|1/4 ¼|3/4 ¾"
    .split("|")
    .flatMap((row) => {
      const [replacement = "", characters = ""] = row.split(" ");
      return [...characters].map((character) => [character, replacement] as const);
    })
    .concat([["|", "abs(x)"]]),
);

/** The error for an unexpected character. */
export function unexpectedCharacter(
  expression: string,
  position: number,
  expected: string,
): AgentError<"calculation-failed"> {
  const character = String.fromCodePoint(expression.codePointAt(position) ?? 0);
  const replacement = replacements.get(character);
  const message = `Unexpected ${nameCharacter(character)}; ${replacement === undefined ? adviceFor(character, expected) : `write ${replacement}`}.`;
  return calculationFailed("syntax", message, position);
}

/** The error for a name before `(` that is not a function. `isValue`: it is a variable or a constant. */
export function unknownFunction(name: string, position: number, isValue: boolean): AgentError<"calculation-failed"> {
  const advice = isValue
    ? ` To multiply, write ${cutText(name, maxQuoted)} * ( … ).`
    : suggestName(name, functionNames);
  const message = `There is no function "${cutText(name, maxQuoted)}".${advice} The functions are ${functionNames.join(", ")}.`;
  return calculationFailed("unknown-function", message, position);
}

/** The error for a function's name without `(` after it. */
export function missingArguments(name: FunctionName, position: number): AgentError<"calculation-failed"> {
  return calculationFailed("unknown-name", `"${name}" is a function; write ${name}(x).`, position);
}

/** The error for a name that is neither a variable nor a constant. */
export function unknownName(
  name: string,
  position: number,
  variableNames: readonly string[],
): AgentError<"calculation-failed"> {
  const known = [...variableNames, ...constantNames];
  const variables =
    variableNames.length === 0
      ? "No variables are given"
      : `The variables are ${cutText(variableNames.join(", "), 400)}`;
  const message = `There is no variable or constant "${cutText(name, maxQuoted)}".${suggestName(name, known)} ${variables}; the constants are ${constantNames.join(", ")}.`;
  return calculationFailed("unknown-name", message, position);
}

/** Shows visible characters; those beyond ASCII with their code point, as some look the same. */
function nameCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const codePoint = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  if (code > 0x20 && code < 0x7f) return `"${character}"`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `"${character}" (${codePoint})` : codePoint;
}

function adviceFor(character: string, expected: string): string {
  if (character === "=") return 'leave out "=" and write only what is to be calculated';
  if (/\p{Sc}/u.test(character)) return "leave out currency signs";
  if (/\p{N}/u.test(character) && !/[0-9]/.test(character)) return "write numbers with the digits 0 to 9";
  if (/\p{L}/u.test(character) && !/[A-Za-z]/.test(character)) return "names consist of A-Z, a-z, 0-9 and _";
  return expected;
}
