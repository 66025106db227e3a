// JavaScript tries the possible matches one after another. Their number grows with the length of the text if two paths
// through the pattern's Glushkov automaton read the same text between the same places; in a loop, exponentially.

interface Part {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly isNullable: boolean;
}

const nothing: Part = { first: [], last: [], isNullable: true };

const maxLength = 2_000;
const maxCopies = 64;
const fewCopies = 8;
const maxSteps = 200_000;
const maxRounds = 20;
const maxPairs = 3;

const longestTexts = [Infinity, 5_000, 300, 80];
const maxWaysLog10 = 6;
const maxEmptyWays = 6;

/** Returns the maximum length of texts for which a pattern (flag `u`) is quick; 0 if unknown, as with `\1`. */
export function longestTextFor(pattern: string): number {
  const automaton = pattern.length > maxLength ? undefined : new PatternParser(pattern).parse();
  if (automaton === undefined) return 0;
  const { atoms, next, inner } = automaton;
  const overlap = overlapOf(pattern, atoms);
  const edges = findPairs(next, overlap);
  const pairs = edges === undefined ? Infinity : Math.ceil(countInRow(edges, next.length));
  const known = longestTexts[inner + pairs];
  if (known !== undefined) return known;
  const ways = countWays(next, overlap);
  return Math.floor(maxWaysLog10 / Math.log10(ways) / (inner === 0 ? 1 : 2));
}

function countWays(next: Automaton, overlap: Overlap): number {
  const steps = next.reduce((sum, followers) => sum + followers.length ** 2, 0);
  if (steps > maxSteps) return Infinity;
  const counts = next.flatMap((all) => all.map((one) => all.filter((other) => overlap(one, other)).length));
  return Math.max(2, ...counts);
}

const token =
  /(?<empty>[\^$]|\\[bB])|(?<look>\(\?<?[=!])|(?<open>\((?:\?:|\?<[^>]*>|(?!\?)))|(?<atom>\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u\{[^}]*\}|\\u.{4}|\\x..|\\c.|\\[pP]\{[^}]*\}|\[(?:\\.|[^\]\\])*\]|\\[^k1-9]|[^\\|)(*+?{])/suy;
const quantifier = /(?:(?<sign>[*+?])|\{(?<min>\d+)(?<comma>,?)(?<max>\d*)\})\??/suy;

class PatternParser {
  readonly #atoms = ["[^]"];
  readonly #next: number[][] = [[]];
  #index = 0;
  #isFollowed = true;
  #isAtStart = true;
  #inner = 0;
  #emptyWays = 0;
  #steps = 0;

  constructor(private readonly pattern: string) {}

  parse() {
    let isAnchored = true;
    do {
      isAnchored &&= this.pattern[this.#index] === "^";
      this.#link([0], this.#readSequence().first);
    } while (this.#isFollowed && this.#skip("|"));
    if (!isAnchored) this.#link([0], [0]);
    return this.#isFollowed && this.#emptyWays <= maxEmptyWays
      ? { atoms: this.#atoms, next: this.#next, inner: this.#inner }
      : undefined;
  }

  #skip(character: string): boolean {
    const isThere = this.pattern[this.#index] === character;
    if (isThere) this.#index += 1;
    return isThere;
  }

  #read(expression: RegExp): Readonly<Record<string, string | undefined>> | undefined {
    expression.lastIndex = this.#index;
    const groups = expression.exec(this.pattern)?.groups;
    if (groups !== undefined) this.#index = expression.lastIndex;
    return groups;
  }

  #count(steps: number): boolean {
    this.#steps += steps;
    this.#isFollowed &&= this.#steps <= maxSteps;
    return this.#isFollowed;
  }

  #link(from: readonly number[], to: readonly number[]): void {
    if (!this.#count(from.length * to.length)) return;
    for (const place of from) this.#next[place]?.push(...to);
  }

  #place(atom: string): Part {
    this.#next.push([]);
    const place = this.#atoms.push(atom) - 1;
    return { first: [place], last: [place], isNullable: false };
  }

  #readGroup(): Part {
    let all = this.#readSequence();
    while (this.#skip("|")) {
      const { first, last, isNullable } = this.#readSequence();
      if (isNullable && all.isNullable) this.#emptyWays += 1;
      this.#count(all.first.length + all.last.length);
      all = { first: [...all.first, ...first], last: [...all.last, ...last], isNullable: all.isNullable || isNullable };
    }
    this.#skip(")");
    return all;
  }

  #readSequence(): Part {
    let all = nothing;
    while (this.#isFollowed && this.#index < this.pattern.length && !/[|)]/.test(this.pattern[this.#index] ?? "")) {
      const part = this.#readTerm();
      this.#link(all.last, part.first);
      this.#count(all.first.length + part.last.length + (part.isNullable ? all.last.length : 0));
      all = {
        first: all.isNullable ? [...all.first, ...part.first] : all.first,
        last: part.isNullable ? [...all.last, ...part.last] : part.last,
        isNullable: all.isNullable && part.isNullable,
      };
    }
    return all;
  }

  #readTerm(): Part {
    const { empty, look, open, atom } = this.#read(token) ?? {};
    this.#isFollowed &&= (empty ?? look ?? open ?? atom) !== undefined && this.#atoms.length <= maxLength;
    this.#count(1);
    const inside = this.#index;
    if (look !== undefined) this.#readLook();
    else if (empty === undefined) this.#isAtStart = false;
    const read = () => (atom !== undefined ? this.#place(atom) : open === undefined ? nothing : this.#readGroup());
    const emptyWays = this.#emptyWays;
    const once = read();
    const count = this.#read(quantifier);
    if (count === undefined) return once;
    const end = this.#index;
    const range = rangeOf(count);
    if (this.#emptyWays > emptyWays && range.most > 1) this.#isFollowed = false;
    const copy = () => {
      this.#index = inside;
      const part = read();
      this.#index = end;
      return part;
    };
    return this.#repeat(once, { ...range, isAtom: atom !== undefined, copy });
  }

  /** A lookaround that is not at the start is matched again at each place that the search reaches. */
  #readLook(): void {
    const isAtStart = this.#isAtStart;
    this.#link([0], this.#readGroup().first);
    this.#isAtStart = isAtStart;
    if (!isAtStart) this.#inner = 2;
  }

  #repeat(once: Part, { least, most, isLoop, isAtom, copy }: Repetition): Part {
    const many = isAtom ? Math.min(Math.max(least, 1), maxCopies) : 1;
    const copies = once.isNullable ? 1 : most <= fewCopies ? most : many;
    let { last: end, last } = once;
    for (let count = 1; count < copies; count += 1) {
      const part = copy();
      this.#link(end, part.first);
      last = count < least ? part.last : [...last, ...part.last];
      end = part.last;
    }
    if (most > copies) this.#link(end, isAtom ? end : once.first);
    // An iteration that can be empty takes time without reading any text.
    if (once.isNullable && !isLoop && most > 1) this.#isFollowed = false;
    return { first: once.first, last, isNullable: once.isNullable || least === 0 };
  }
}

type Repetition = ReturnType<typeof rangeOf> & { readonly isAtom: boolean; readonly copy: () => Part };

function rangeOf({ sign, min, comma, max }: Readonly<Record<string, string | undefined>>) {
  if (sign !== undefined) return { least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity, isLoop: true };
  return { least: Number(min), most: Number((comma === "" ? min : max) || Infinity), isLoop: false };
}

type Edge = readonly [from: number, to: number, pairs: number];
type Automaton = readonly (readonly number[])[];
type Overlap = (one: number, other: number) => boolean;

/** Follows the two paths of each pair at once. A pair outside loops costs the same for every length of text. */
function findPairs(next: Automaton, overlap: Overlap): readonly Edge[] | undefined {
  const edges: Edge[] = [];
  let steps = 0;
  const count = (more: number) => {
    steps += more;
    return steps <= maxSteps;
  };
  const isInLoop = loopsIn(next, count);
  for (const [from, followers] of next.entries()) {
    for (const to of followers) edges.push([from, to, 0]);
    for (const [to, ways] of findWays(next, { followers, overlap, count }))
      edges.push([from, to, isInLoop(from) && isInLoop(to) ? 1 : Math.log2(ways) / 3]);
    if (!count(0)) return undefined;
  }
  return edges;
}

interface WaysOptions {
  readonly followers: readonly number[];
  readonly overlap: Overlap;
  readonly count: (steps: number) => boolean;
}

function findWays(next: Automaton, { followers, overlap, count }: WaysOptions): ReadonlyMap<number, number> {
  const ways = new Map<number, number>();
  const open: (readonly [number, number])[] = [];
  const seen = new Set<number>();
  const meet = (one: number, other: number) => {
    const key = Math.min(one, other) * next.length + Math.max(one, other);
    if (one === other) ways.set(one, (ways.get(one) ?? 1) + 1);
    else if (!seen.has(key) && overlap(one, other)) open.push([one, other]);
    seen.add(key);
  };
  if (!count(followers.length ** 2 / 2)) return ways;
  for (const [index, follower] of followers.entries())
    for (const other of followers.slice(index + 1)) meet(follower, other);
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [ones, others] = [next[pair[0]] ?? [], next[pair[1]] ?? []];
    if (!count(ones.length * others.length)) break;
    for (const one of ones) for (const other of others) meet(one, other);
  }
  return ways;
}

function loopsIn(next: Automaton, count: WaysOptions["count"]): (place: number) => boolean {
  const loops = new Map<number, boolean>();
  return (place) => {
    const known = loops.get(place);
    if (known !== undefined) return known;
    const reached = new Set(next[place]);
    for (const one of reached) {
      const followers = next[one] ?? [];
      if (reached.has(place) || !count(followers.length)) break;
      for (const follower of followers) reached.add(follower);
    }
    loops.set(place, reached.has(place));
    return reached.has(place);
  };
}

function countInRow(edges: readonly Edge[], places: number): number {
  const counts = new Float64Array(places);
  // Most edges lead forward, so few rounds are needed if counting starts at the end.
  const ways = edges.toReversed();
  let steps = 0;
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    steps += ways.length;
    for (const [from, to, pairs] of ways) {
      const count = (counts[to] ?? 0) + pairs;
      if (count > maxPairs || steps > maxRounds * maxSteps) return Infinity;
      if (count <= (counts[from] ?? 0)) continue;
      counts[from] = count;
      isChanged = true;
    }
  }
  return counts[0] ?? 0;
}

const otherCharacters = "\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\u00e9\u0663\u20ac\u4e2d\u0301😀";

/** Tries ASCII and, with neighbours, the pattern's and some other characters. `\p` overlaps all beyond ASCII. */
function overlapOf(pattern: string, atoms: readonly string[]): Overlap {
  const characters = charactersOf(pattern);
  const sets = new Map<string, ReadonlySet<string>>();
  let steps = 0;
  const setOf = (atom: string) => {
    const known = sets.get(atom);
    if (known !== undefined) return known;
    steps += characters.length;
    const expression = new RegExp(`^${atom}$`, "u");
    const set = new Set(characters.filter((one) => expression.test(one)));
    sets.set(atom, set);
    return set;
  };
  const isOfUnicode = (atom: string) => /\\p\{/iu.test(atom);
  const readsMore = (atom: string) => isOfUnicode(atom) || [...setOf(atom)].some((one) => one > "\u007f");
  const meet = (a: string, b: string): boolean => {
    if (a === b || steps > maxSteps) return true;
    if (isOfUnicode(a + b) && readsMore(a) && readsMore(b)) return true;
    const [ofA, ofB] = [setOf(a), setOf(b)];
    steps += ofA.size;
    return [...ofA].some((character) => ofB.has(character));
  };
  const classes = [...new Set(atoms)];
  const classOf = atoms.map((atom) => classes.indexOf(atom));
  const answers = new Map<number, boolean>();
  return (one, other) => {
    const [a, b] = [classOf[one] as number, classOf[other] as number];
    const key = a * classes.length + b;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = meet(classes[a] as string, classes[b] as string);
    answers.set(key, answer);
    return answer;
  };
}

function charactersOf(pattern: string): readonly string[] {
  const points = new Set(Array.from({ length: 128 }, (_, point) => point));
  // Each half of a surrogate pair is escaped separately. Unescaped, the two are one character.
  const plain = pattern.replace(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/giu, (_all, ...codes) =>
    String.fromCodePoint(Number.parseInt(codes.find(Boolean), 16)),
  );
  for (const character of plain + otherCharacters)
    for (const step of [-1, 0, 1]) points.add((character.codePointAt(0) as number) + step);
  const isPoint = (point: number) => point >= 0 && point <= 0x10ffff;
  return [...points].filter(isPoint).map((point) => String.fromCodePoint(point));
}
