import type { Term } from "./terms.ts";

/**
 * Makes the term of a rule from those of its slots; undefined if the rule does not fit them. `running` gives the value
 * so far, where a whole statement continues it.
 */
export type Make = (parts: readonly Term[], running: () => Term | undefined) => Term | undefined;

/** `@0` to `@5`: a term of at least this precedence; `@*`: a list; `@n`: a number or percentage; `@th`: an ordinal. */
export interface Slot {
  readonly kind: "term" | "list" | "number" | "ordinal";
  readonly least: number;
}

/** Where the reader is within all rules that begin with the same words. */
export interface RuleNode {
  readonly words: Map<string, RuleNode>;
  readonly slots: Map<string, { readonly slot: Slot; readonly next: RuleNode }>;
  /** The highest precedence of the rules that pass here. */
  level: number;
  make?: Make;
}

/** A pattern, its precedence, and what it makes. `(a|b)` is one of them, `[a]` one or nothing. */
export type Rule = readonly [pattern: string, level: number, make: Make];

/** Rules as a tree, so that a word is read once however many rules contain it. Of two equal patterns the first counts. */
export function compile(rules: readonly Rule[], vocabulary: Set<string>): RuleNode {
  const root = createNode();
  for (const [pattern, level, make] of rules) {
    const parts = (pattern.match(/[()[\]|]|[^\s()[\]|]+/g) ?? []).values();
    const step = (node: RuleNode, part: string): RuleNode => {
      const next = part.startsWith("@") ? slotNode(node, part) : wordNode(node, part, vocabulary);
      next.level = Math.max(next.level, level);
      return next;
    };
    for (const node of grow([root], parts, step)) node.make ??= make;
  }
  return root;
}

/** Adds all ways up to the closing bracket after these nodes, and returns where they end. */
function grow(
  from: readonly RuleNode[],
  parts: Iterator<string>,
  step: (node: RuleNode, part: string) => RuleNode,
): readonly RuleNode[] {
  const ends: RuleNode[] = [];
  let nodes = from;
  for (let { value, done } = parts.next(); !(done || value === ")" || value === "]"); { value, done } = parts.next()) {
    if (value === "|") {
      ends.push(...nodes);
      nodes = from;
    } else if (value === "(") nodes = grow(nodes, parts, step);
    else if (value === "[") nodes = [...nodes, ...grow(nodes, parts, step)];
    else nodes = nodes.map((node) => step(node, value));
  }
  return [...new Set([...ends, ...nodes])];
}

function createNode(): RuleNode {
  return { words: new Map(), slots: new Map(), level: 0 };
}

function wordNode(node: RuleNode, word: string, vocabulary: Set<string>): RuleNode {
  vocabulary.add(word);
  const next = node.words.get(word) ?? createNode();
  node.words.set(word, next);
  return next;
}

function slotNode(node: RuleNode, name: string): RuleNode {
  const kind = kinds.get(name) ?? "term";
  const next = node.slots.get(name)?.next ?? createNode();
  node.slots.set(name, { slot: { kind, least: kind === "term" ? Number(name.slice(1)) : 0 }, next });
  return next;
}

const kinds = new Map<string, Slot["kind"]>([
  ["@*", "list"],
  ["@n", "number"],
  ["@th", "ordinal"],
]);
