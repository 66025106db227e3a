import { type CelNode, type CelNodeOf, type CelParseResult, celFunctions, celMacros, celMethods } from "./node.ts";
import { CelRefusal, CelTokens, refuse } from "./tokens.ts";

export const maxCelLength = 2_000;
const limits = { size: 500, levels: 50, macros: 4 };
const lists = {
  "]": { max: 200, excess: "it has a list of more than 200 items" },
  "}": { max: 200, excess: "it has a map of more than 200 entries" },
  ")": { max: 8, excess: "it has a call with more than 8 arguments" },
};

const binary = { "==": 3, "!=": 3, in: 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5 };
const powers = { "||": 1, "&&": 2, ...binary };

const functions = ["has", ...celFunctions] as const;
const methods = [...Object.keys(celMacros), ...Object.keys(celMethods)].join(", ");
const reserved =
  /^(?:as|break|const|continue|else|for|function|if|import|let|loop|namespace|package|__proto__|prototype|return|var|void|while)$/;

export function parseCel(text: string): CelParseResult {
  try {
    if (text.length > maxCelLength) refuse(`it has ${text.length} characters; at most ${maxCelLength} are allowed`, 0);
    if (text.trim() === "") refuse("it is empty", 0);
    return { ok: true, expression: new Parser(text).parse() };
  } catch (thrown) {
    if (thrown instanceof CelRefusal) return { ok: false, issue: thrown.issue };
    throw thrown;
  }
}

/** A Pratt parser that resolves names as it reads: a macro binds its variable before its body is read. */
class Parser extends CelTokens {
  readonly #names = new Map<string, CelNodeOf<"name">>();
  readonly #variables: string[] = [];
  #size = 0;
  #levels = 0;

  parse() {
    this.advance();
    const root = this.#expression();
    this.expect("end", "");
    return { root, names: [...this.#names.values()] };
  }

  #expression(): CelNode {
    this.#enter(this.position);
    let node = this.#operation(1);
    if (this.take("?")) {
      const yes = this.#expression();
      this.expect(":", "; expected :");
      const no = this.#expression();
      node = this.#count({ type: "choice", condition: node, yes, no, position: startOf(node) });
    }
    this.#levels--;
    return node;
  }

  #operation(leastPower: number): CelNode {
    let left = this.#unary();
    for (;;) {
      const { kind } = this;
      if (!isKeyOf(powers, kind) || powers[kind] < leastPower) return left;
      this.advance();
      const sides = { left, right: this.#operation(powers[kind] + 1), position: startOf(left) };
      left = this.#count(
        isKeyOf(binary, kind)
          ? { type: "binary", operator: kind, ...sides }
          : { type: "logical", deciding: kind === "||", ...sides },
      );
    }
  }

  #unary(): CelNode {
    const signs: { readonly type: "not" | "negate"; readonly position: number }[] = [];
    while (this.kind === "!" || this.kind === "-") {
      signs.push({ type: this.kind === "!" ? "not" : "negate", position: this.position });
      this.advance();
    }
    return signs.reduceRight((of, sign) => this.#count({ ...sign, of }), this.#parts());
  }

  #parts(): CelNode {
    const levels = this.#levels;
    let node = this.#primary();
    for (;;) {
      const { kind, position } = this;
      if (!this.take(".") && !this.take("[")) break;
      this.#enter(position);
      node = this.#count(kind === "." ? this.#part(node) : this.#index(node));
    }
    this.#levels = levels;
    return node;
  }

  #primary(): CelNode {
    const { kind, position, value, name } = this;
    if (!/^(?:value|name|[([{])$/.test(kind)) this.failAtToken();
    this.advance();
    if (kind === "value") return this.#count({ type: "literal", value, position });
    if (kind === "name") return this.#count(this.#named(name, position));
    if (kind === "[") return this.#count({ type: "list", items: this.#list("]", () => this.#expression()), position });
    if (kind === "{") return this.#count({ type: "map", entries: this.#list("}", () => this.#entry()), position });
    const node = this.#expression();
    this.expect(")");
    return node;
  }

  #entry(): CelNodeOf<"map">["entries"][number] {
    const key = this.#expression();
    this.expect(":", "; expected :");
    if (key.type === "literal" && typeof key.value !== "string")
      refuse('the key of a map must be text, as in {"key": 1}', key.position);
    return { key, value: this.#expression() };
  }

  #list<TItem>(close: keyof typeof lists, read: (index: number) => TItem): readonly TItem[] {
    const items: TItem[] = [];
    while (this.kind !== close) {
      const { position } = this;
      items.push(read(items.length));
      if (items.length > lists[close].max) refuse(lists[close].excess, position);
      if (!this.take(",")) break;
      if (close === ")" && this.kind === close) refuse("only a list or a map may end with a comma", this.position);
    }
    this.expect(close);
    return items;
  }

  #named(name: string, position: number): CelNode {
    if (reserved.test(name))
      refuse(`${name} is a reserved word of CEL: an expression cannot name a step with this id`, position);
    if (this.take("(")) return this.#functionCall(name, position);
    const slot = this.#variables.lastIndexOf(name);
    if (slot >= 0) return { type: "variable", name, slot, position };
    const first = this.#names.get(name) ?? { type: "name", name, slot: this.#names.size, position };
    this.#names.set(name, first);
    return { ...first, position };
  }

  #functionCall(name: string, position: number): CelNode {
    const args = this.#list(")", () => this.#expression());
    const [argument] = args;
    const known = functions.find((each) => each === name);
    const advice = name === "not" ? 'write "!(…)"' : `available: ${functions.join(", ")}`;
    if (known === undefined) return refuse(`there is no function ${name}(); ${advice}`, position);
    if (argument === undefined || args.length > 1) return refuse(describeCount(`${name}()`, [1], args), position);
    if (known !== "has") return { type: "call", name: known, target: argument, argument: undefined, position };
    if (argument.type === "member") return { type: "has", of: argument.of, key: argument.key, position };
    return refuse('has() takes a field, as in has(s1.value); for any other key, write "any key" in s1', position);
  }

  #index(of: CelNode): CelNode {
    const key = this.#expression();
    this.expect("]");
    return { type: "index", of, key, position: startOf(key) };
  }

  #part(of: CelNode): CelNode {
    const { position, name } = this;
    this.expect("name", '; expected a name, or brackets for any other key: a[0], a["any key"]');
    if (!this.take("(")) return { type: "member", of, key: name, position };
    if (isKeyOf(celMacros, name)) return this.#macro(of, name, position);
    const args = this.#list(")", () => this.#expression());
    if (name === "matches")
      return refuse(".matches() is not supported; use .startsWith(), .endsWith() or .contains()", position);
    if (!isKeyOf(celMethods, name)) return refuse(`there is no method .${name}(); available: ${methods}`, position);
    const count = celMethods[name];
    if (args.length !== count) return refuse(describeCount(`.${name}()`, [count], args), position);
    return { type: "call", name, target: of, argument: args[0], position };
  }

  #macro(target: CelNode, name: keyof typeof celMacros, position: number): CelNode {
    const slot = this.#variables.length;
    const args = this.#list(")", (index) => (index === 0 ? this.#variable(name) : this.#expression()));
    this.#variables.length = slot;
    const counts: readonly number[] = celMacros[name];
    const [, body, transform] = args;
    if (body === undefined || !counts.includes(args.length))
      return refuse(describeCount(`.${name}()`, counts, args), position);
    if (slot >= limits.macros) return refuse(`macros are nested deeper than ${limits.macros}`, position);
    return { type: "macro", name, target, slot, body, transform, position };
  }

  #variable(macro: string): CelNode {
    const known = this.#names.size;
    const node = this.#expression();
    if (node.type !== "name" && node.type !== "variable") {
      const takes = macro === "map" ? "var, transform" : "var, predicate";
      return this.fail(`${macro}(${takes}) needs a name as its iteration variable`, node.position);
    }
    if (this.#names.size > known) this.#names.delete(node.name);
    this.#variables.push(node.name);
    return node;
  }

  #count(node: CelNode): CelNode {
    if (++this.#size > limits.size)
      refuse(`it has more than ${limits.size} operators, names and values`, node.position);
    return node;
  }

  #enter(position: number): void {
    if (++this.#levels > limits.levels) refuse(`it has more than ${limits.levels} levels`, position);
  }
}

function describeCount(call: string, counts: readonly number[], { length }: readonly CelNode[]): string {
  return `${call} takes ${counts.join(" or ")} argument${counts.at(-1) === 1 ? "" : "s"}, not ${length}`;
}

function startOf(node: CelNode): number {
  if (node.type === "member" || node.type === "index") return startOf(node.of);
  if (node.type === "call" || node.type === "macro") return Math.min(node.position, startOf(node.target));
  return node.position;
}

function isKeyOf<T extends object>(table: T, name: string): name is keyof T & string {
  return Object.hasOwn(table, name);
}
