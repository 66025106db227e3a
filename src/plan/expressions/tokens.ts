import { exactNumber } from "../../core/json.ts";
import { cutText } from "../../core/text.ts";
import type { CelIssue } from "./node.ts";

/** Does not extend `Error`: a refusal becomes an issue of a plan, so a stack trace would waste time. */
export class CelRefusal {
  constructor(readonly issue: CelIssue) {}
}

export function refuse(message: string, position: number): never {
  throw new CelRefusal({ message, position });
}

const spaces = String.raw`((?:[ \t\r\n]|//[^\n]*)*)`;
const signs = String.raw`(in\b|[=!<>]=|&&|\|\||[-+*/%<>!()[\]{}.,:?])`;
const names = String.raw`((?!(?:true|false|null)\b|[bBrR]["'])[A-Za-z_]\w*)`;
const atoms = String.raw`true|false|null|0[xX][\da-fA-F]*[uU]?|\d+(?:[uU]|(?:\.\d+)?(?:[eE][-+]?\d*)?)`;
const raw = String.raw`([rR])("""|'''|["'])((?:(?!\5).)*)(\5)?`;
const text = String.raw`([bB]?)("""|'''|["'])((?:\\.|(?!\9)[^\\])*)(\9)?`;
const token = new RegExp(`${spaces}(?:${signs}|${names}|${atoms}|${raw}|${text})?`, "sy");
const escapeSequence = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|[xX][\da-fA-F]{2}|[0-7]{3}|.)/gs;

export class CelTokens {
  /** `value`, `name`, `end`, or the token itself, such as an operator or a bracket. */
  kind = "";
  position = 0;
  name = "";
  value: null | boolean | number | string = null;
  #end = 0;

  constructor(readonly text: string) {}

  advance(): void {
    token.lastIndex = this.#end;
    const [all = "", space = "", sign, name = "", ...quoted] = token.exec(this.text) ?? [];
    this.position = this.#end + space.length;
    this.#end += all.length;
    this.name = name;
    this.kind = sign ?? "name";
    if (sign === undefined && name === "") this.#readValue(all.slice(space.length), quoted.slice(quoted[1] ? 0 : 4));
  }

  take(kind: string): boolean {
    if (this.kind !== kind) return false;
    this.advance();
    return true;
  }

  expect(kind: string, expectation = `; expected , or ${kind}`): void {
    if (!this.take(kind)) this.failAtToken(expectation);
  }

  failAtToken(expectation = ""): never {
    const at = this.text.slice(this.position);
    if (at === "") return refuse("it ends too early", this.position);
    const [word = ""] = /^(?:\w(?:[\w.]*\w)?|"[^"\n]*"|'[^'\n]*'|\P{Surrogate})/u.exec(at) ?? [];
    return this.fail(`unexpected ${cutText(word, 41)}${expectation}`);
  }

  fail(message: string, position = this.position): never {
    for (const [pattern, hint] of hints) {
      pattern.lastIndex = position;
      const found = pattern.exec(this.text);
      if (found !== null) return refuse(hint.replaceAll("$1", found[1] ?? ""), position);
    }
    return refuse(message, position);
  }

  #readValue(written: string, quoted: readonly (string | undefined)[]): void {
    if (written === "" && this.#end < this.text.length) this.failAtToken();
    if (/^(?:b["']|\d\w*u$)/i.test(written)) refuse("bytes and unsigned integers are not supported", this.position);
    this.kind = written === "" ? "end" : "value";
    if (quoted[1] !== undefined) this.value = this.#readText(quoted);
    else if (written !== "") this.value = /^\d/.test(written) ? this.#readNumber(written) : JSON.parse(written);
  }

  #readNumber(number: string): number {
    const rounded = Number(number);
    if (!Number.isFinite(rounded)) return this.fail(`invalid number: ${rounded || number}`);
    const decimal = /^[\d.]+$/.test(number) ? number : String(/^0x/i.test(number) ? BigInt(number) : rounded);
    return exactNumber(decimal) ?? refuse(`${decimal} is not exact as a JSON number; the limit is 2^53`, this.position);
  }

  #readText([prefix = "", quote = "", raw = "", closing]: readonly (string | undefined)[]): string {
    const start = this.position + prefix.length + quote.length;
    const newline = quote.length > 1 ? -1 : (prefix === "" ? raw.replace(/\\./gs, "__") : raw).search(/[\r\n]/);
    if (newline >= 0) return this.fail("a line break is allowed only in triple quotes", start + newline);
    const kind = quote.length > 1 ? "triple-quoted string" : "string";
    if (closing === undefined) return this.fail(`unterminated ${kind}`, start - quote.length);
    return prefix === "" ? raw.replace(escapeSequence, (all, at) => this.#unescape(all, start + at)) : raw;
  }

  #unescape(sequence: string, position: number): string {
    const code = sequence.slice(1);
    const letter = "abfnrtv\\?\"'`".indexOf(code);
    if (letter >= 0) return "\x07\b\f\n\r\t\v\\?\"'`".charAt(letter);
    const value = code.length === 1 ? Number.NaN : Number.parseInt(code.replace(/^\D/, ""), /^\d/.test(code) ? 8 : 16);
    const isSurrogate = value >= 0xd800 && value <= 0xdfff;
    if (value <= (/^u/i.test(code) ? 0x10ffff : 0xff) && !isSurrogate) return String.fromCodePoint(value);
    return this.fail(`invalid ${isSurrogate ? "Unicode surrogate" : "escape sequence"}: ${sequence.trim()}`, position);
  }
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/\$\{([\w.[\]]{1,60})\}/y, "${…} belongs in inputs; here write $1"],
  [/\$\{/y, "${…} belongs in inputs; here write a.name"],
  [/=>|(?<=-)>/y, 'there are no arrow functions; write .filter(t, t == "x")'],
  [/(?<=([!=]=))=/y, 'write "$1" for "$1="'],
  [/=/y, '"=" does not compare; write "=="'],
  [/(?<=<)>/y, 'write "!=" for "<>"'],
  [/and\b/iy, 'write "&&" for "and"'],
  [/or\b/iy, 'write "||" for "or"'],
  [/not\s+in\b/iy, 'write "!(a in b)" for "a not in b"'],
  [/(?<=\bnot\s+)/iy, 'write "!" for "not"'],
  [/is\s+not\b/iy, 'write "!=" for "is not"'],
  [/is\b/iy, 'write "==" for "is"'],
  [/([&|])(?!\1)/y, 'write "$1$1" for "$1"'],
  [/(?<=\?)\?/y, 'write "has(l.n) ? l.n : 0" for "l.n ?? 0"'],
  [/(?<=\?)\./y, 'write "has(l.n) && …" for "l?.n"'],
  [/(?<=\.)\?/y, 'write "has(l.n) && …" for "l.?n"'],
  [/(?<=(?:^|[^\w.])\d+\.)\./y, "there are no ranges; write the list, as in [1, 2, 3]"],
  [/`/y, 'text needs quotes; write "…"'],
  [/;/y, "an expression is one value, without ;"],
];
