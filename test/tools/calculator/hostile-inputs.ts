/** What an input must end as: a value, or the problem of an error. */
export interface HostileInput {
  readonly name: string;
  readonly expression: string;
  readonly expected: number | string;
  readonly variables?: Readonly<Record<string, number>>;
}

const million = 1_000_000;

/** Code, prototypes and globals: all are names that the calculator does not know, or no grammar at all. */
const code: readonly HostileInput[] = [
  input("process.exit(1)", "syntax"),
  input("constructor", "unknown-name"),
  input("constructor.constructor('return process')()", "syntax"),
  input("constructor(1)", "unknown-function"),
  input("__proto__", "unknown-name"),
  input("__proto__(1)", "unknown-function"),
  input("prototype", "unknown-name"),
  input("toString", "unknown-name"),
  input("toString()", "unknown-function"),
  input("valueOf()", "unknown-function"),
  input("hasOwnProperty(1)", "unknown-function"),
  input("sqrt.constructor(1)", "unknown-name"),
  input("sqrt['constructor']", "unknown-name"),
  input("require('fs')", "unknown-function"),
  input("import('fs')", "unknown-function"),
  input("eval('1')", "unknown-function"),
  input("Function('return 1')()", "unknown-function"),
  input("globalThis", "unknown-name"),
  input("this", "unknown-name"),
  input("while(1){}", "unknown-function"),
  input("(() => { for (;;); })()", "syntax"),
  input("x = 5", "syntax"),
  input("1; 2", "syntax"),
  input("`${1}`", "syntax"),
  input('"text"', "syntax"),
  input("[1, 2]", "syntax"),
  input("{}", "syntax"),
  input("true ? 1 : 2", "syntax"),
  input("1 == 1", "syntax"),
  input("~1", "syntax"),
  input("1 << 2", "syntax"),
  input("NaN", "unknown-name"),
  input("Infinity", "unknown-name"),
  input("undefined", "unknown-name"),
  input("null", "unknown-name"),
  input("end", "unknown-name"),
  input("i", "unknown-name"),
  input("5 cm to inch", "syntax"),
  input("${s1.value}", "syntax"),
];

/** Sizes that take other calculators too long, too much memory or the call stack. */
const sizes: readonly HostileInput[] = [
  named("100 000 nested parentheses", `${"(".repeat(100_000)}1${")".repeat(100_000)}`, "too-long"),
  named("5 000 open parentheses", "(".repeat(5_000), "too-deep"),
  named("1 900 nested parentheses", `${"(".repeat(1_900)}1${")".repeat(1_900)}`, 1),
  named("1 000 nested square roots", `${"sqrt(".repeat(1_000)}1${")".repeat(1_000)}`, "too-complex"),
  named("1 MB of +1", "+1".repeat(million / 2), "too-long"),
  named("4 999 times +1", "+1".repeat(4_999), 4_999),
  named("9 999 minus signs and a number", `${"-".repeat(9_999)}1`, -1),
  named("1 MB of spaces", " ".repeat(million), "too-long"),
  named("9 999 spaces and a number", `${" ".repeat(9_999)}1`, 1),
  named("100 000 digits", "9".repeat(100_000), "too-long"),
  named("9 000 digits", "9".repeat(9_000), "too-long"),
  named("900 digits", "9".repeat(900), "overflow"),
  named("900 digits after the point", `0.${"9".repeat(900)}`, 1),
  named("2 000 divisions by 3", `1${"/3".repeat(2_000)}`, 0),
  named("4 999 divisions by 9", `1${"/9".repeat(4_999)}`, "too-complex"),
  named("powers of powers", `1.1${"^1.1".repeat(2_000)}`, "too-complex"),
  named("sines of sines", `${"sin(".repeat(1_500)}1${")".repeat(1_500)}`, "too-complex"),
  named("sum of arc tangents", `0${"+atan(0.3)".repeat(900)}`, "too-complex"),
  named("sum of factorials", `0${"+1000!/1000!".repeat(800)}`, "too-complex"),
  named("maximum of 4 999 numbers", `max(1${",2".repeat(4_990)})`, 2),
  named("gcd of 900 long numbers", `gcd(${"9876543210987654321,".repeat(400)}1)`, "too-complex"),
  named("percent of percent", `5${"%".repeat(9_990)}`, "too-complex"),
  named("factorial of factorial", "((3!)!)!", "overflow"),
  named("4 990 times +e", `0${"+e".repeat(4_990)}`, 4_990 * Math.E),
  named("4 990 products of e", `1${"*e".repeat(4_990)}`, "too-complex"),
  named("4 990 remainders of 3", `1${"%3".repeat(4_990)}`, "too-complex"),
  named("floors of floors", `${"floor(".repeat(1_400)}e${")".repeat(1_400)}`, 2),
  named("sum of long numbers", `0${`+${"9".repeat(90)}`.repeat(100)}`, 1e92),
  named("2 400 short numbers with exponents", `0${"+1e9".repeat(2_400)}`, 2.4e12),
  input("9^9^9^9", "overflow"),
  input("9^9^9^9^9^9^9", "overflow"),
  input("2^1e9", "overflow"),
  input("2^-1e9", 0),
  input("(-2)^1e15", "overflow"),
  input("1.0000001^1e9", 2.6881037012649237e43),
  input("0.5^1e300", 0),
  input("1e309", "overflow"),
  input("-1e309", "overflow"),
  input("1e999999999999", "overflow"),
  input("1e-999999999999", 0),
  input("1e9999*1e9999", "overflow"),
  input("1000000!", "overflow"),
  input("171!", "overflow"),
  input("1e300!", "overflow"),
  input("exp(1e300)", "overflow"),
  input("exp(-1e300)", 0),
  input("sin(1e300)", "not-a-number"),
  input("tan(1e9999)", "not-a-number"),
  input("1e9999 % 3", "not-a-number"),
  input("gcd(1e9999, 3)", "wrong-arguments"),
  input("round(1.5, 1e9)", "wrong-arguments"),
  input("root(2, 1e300)", 1),
  input("tanh(1e9999)", 1),
  input("atan(1e9999)", Math.PI / 2),
  input("ln(1e9999)", Math.LN10 * 9_999),
  input("asin(1e-9999)", 0),
];

/** Characters that look like arithmetic, digits of other scripts, and what cannot be seen. */
const characters: readonly HostileInput[] = [
  input("1\u00002", "syntax"),
  input("\u0000", "syntax"),
  input("1\u200b+1", "syntax"),
  input("1+\u202e1", "syntax"),
  input("\ud800", "syntax"),
  input("1+\udfff", "syntax"),
  input("٣+٤", "syntax"),
  input("१+२", "syntax"),
  input("１+２", "syntax"),
  input("1＋2", "syntax"),
  input("1–2", "syntax"),
  input("1∗2", "syntax"),
  input("6∕3", "syntax"),
  input("1×2÷2−1", 0),
  input("2²", "syntax"),
  input("½", "syntax"),
  input("√4", "syntax"),
  input("ѕqrt(4)", "syntax"),
  input("😀", "syntax"),
  input("5€", "syntax"),
  input("1,000", "syntax"),
  input("max(1,000)", "syntax"),
  input("1e", "syntax"),
  input("1.2.3", "syntax"),
  input("..", "syntax"),
  input("0x10", "syntax"),
  input("", "syntax"),
  input("()", "syntax"),
  input("2(3)", "syntax"),
  input("1/0", "division-by-zero"),
  input("0/0", "division-by-zero"),
  input("0^-1", "division-by-zero"),
  input("5 % 0", "division-by-zero"),
  input("sqrt(-1)", "not-a-number"),
  input("(-8)^(1/3)", "not-a-number"),
  input("ln(0)", "not-a-number"),
  input("3!!", "syntax"),
];

/** Every hostile input with what it must end as. */
export const hostileInputs: readonly HostileInput[] = [...code, ...sizes, ...characters];

function input(expression: string, expected: number | string): HostileInput {
  return named(JSON.stringify(expression), expression, expected);
}

function named(name: string, expression: string, expected: number | string): HostileInput {
  return { name, expression, expected };
}
