import { wordSet } from "./word-set.ts";

const groups: readonly (readonly string[])[] = `
book reserve schedule arrange plan
show list display see view get give find tell check read fetch print pull bring look
create add make open start register set log record enter file put save write
cancel delete remove drop scrap void revoke
send mail email text forward deliver share message
find search look locate
start launch run begin trigger kick
stop end pause halt kill abort terminate
change update edit modify alter adjust set switch
move reschedule shift push postpone transfer relocate
close resolve finish complete mark
assign give hand pass
raise increase turn bump lift
lower decrease reduce turn cut
order buy get purchase grab
pay settle transfer send
rent hire lease borrow
approve accept confirm ok
reject decline deny refuse
deploy release ship push roll
convert change turn
translate turn
log record track note save enter
remind notify alert ping
compare contrast
split divide share
`
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

export function verbsLike(verb: string): readonly string[] {
  return [...new Set([verb, ...groups.filter((group) => group.includes(verb)).flat()])];
}

const opposites = (
  "create delete|book cancel|start stop|open close|raise lower|approve reject|lock unlock|enable disable|hire fire|" +
  "follow unfollow|subscribe unsubscribe|mute unmute|show hide"
)
  .split("|")
  .map((pair) => pair.split(" "));

export function areOpposite(one: string, other: string): boolean {
  const [first, second] = [verbsLike(one), verbsLike(other)];
  const isPair = (left: readonly string[], right: readonly string[]) =>
    opposites.some(([does = "", undoes = ""]) => left.includes(does) && right.includes(undoes));
  return isPair(first, second) || isPair(second, first);
}

export const functionWords = wordSet(
  "a an the my our your me us i we you it is are be am to of for on in at by with and or that this these those any some all do does please just now still currently there up out",
);

export const questionWords = wordSet("what when where who how why which");

export const lightVerbs = wordSet("get do make have take put give go let want need");

export const auxiliaries = wordSet(
  "is are am was were been being do does did has have had got can could will would should shall may might must",
);

export const prepositions = wordSet(
  "for to in on at from with by of under as into about between per since until till before after over via using within during around near",
);

const verbs = wordSet(
  "buy get grab order fetch pick collect bring take carry drop leave return call ring phone text email mail message write send post ship deliver " +
    "reply answer respond contact ask tell talk speak thank congratulate invite visit see meet pay refund claim transfer withdraw deposit donate " +
    "lend borrow rent hire sell book reserve schedule plan arrange organise organize prepare prep cancel confirm register apply sign submit file " +
    "renew wash clean mop sweep vacuum hoover dust tidy iron fold dry hang polish rinse soak scrub wipe empty fill refill water feed walk groom bathe " +
    "mow rake trim cut prune plant weed paint fix repair replace install assemble build mount charge recharge plug unplug pack unpack wrap print scan copy " +
    "shred recycle upload download back deploy merge test review refactor draft revise edit proofread finish finalise finalize complete update upgrade " +
    "check inspect measure count compare research look find search read study learn practise practice rehearse memorise train exercise run go " +
    "start stop begin continue make do cook bake roast boil grill fry freeze defrost thaw chop peel marinate try taste give show teach help watch " +
    "listen play sing dance draw design create set put move lift push pull turn switch lock unlock open close shut change swap rotate restart reset " +
    "attend join discuss negotiate decide choose pick compile analyse analyze calculate measure photograph film record wake remind remember tune service " +
    "wax oil sand descale sharpen sew knit mend stock restock label price hide seek apologise apologize celebrate vote drive park tow fly swim cycle jog stretch",
);

export function startsWithVerb(words: readonly string[]): boolean {
  const [first = "", second] = words;
  return second !== undefined && second !== "and" && isVerb(first);
}

export function isVerb(word: string): boolean {
  return verbs.has(word);
}

const irregularPasts = wordSet(
  "ate became began bought broke brought built came caught chose did drank drove fell felt fixed flew found gave got had held kept knew left lent lost made " +
    "met paid ran rang rode said sang sat saw sent slept sold spent spoke stood swam took taught threw told went won wore wrote",
);

export function isPastVerb(word: string): boolean {
  return irregularPasts.has(word) || (/[^e]ed$/.test(word) && word.length > 4);
}

export const unsplitPairs: ReadonlySet<string> = new Set(
  (
    "half and half|mac and cheese|macaroni and cheese|salt and pepper|fish and chips|peanut butter and jelly|bread and butter|bed and breakfast|" +
    "pros and cons|q and a|r and d|terms and conditions|research and development|health and safety|" +
    "rock and roll|tom and jerry|lost and found|nuts and bolts|show and tell|black and white|mum and dad|mom and dad|" +
    "needle and thread"
  ).split("|"),
);

export const emptyWords: ReadonlySet<string> = new Set([...functionWords, ...prepositions, ...auxiliaries]);

export const smallWords: ReadonlySet<string> = new Set([
  ...emptyWords,
  ...wordSet("as but if its no not off one so than their them then they what when which who"),
]);

export const titles = wordSet("mr mrs ms miss dr prof frau herr monsieur madame signor signora");

export const truthWords: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "enabled", "enable"].map((word) => [word, true] as const),
  ...["false", "no", "off", "disabled", "disable"].map((word) => [word, false] as const),
]);

/** In the order of `Date.prototype.getDay`. */
export const weekdays: readonly string[] = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

export const months: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

export const contractedWords = wordSet("what that it he she where who how there here when which someone everyone");

export const contractionEndings: ReadonlyMap<string, string> = new Map(
  Object.entries({ s: "is", re: "are", ve: "have", ll: "will", d: "would", m: "am" }),
);

const otherContractions = `
let's: let us; lets: let us; cannot: can not; cant: can not; can't: can not; wont: will not; won't: will not;
im: i am; ive: i have; weve: we have; youve: you have; theyve: they have; theyre: they are; youre: you are;
gimme: give me; lemme: let me; wanna: want to; gotta: have to; u: you; ur: your; n: and; w: with; til: until; till: until;
pls: please; plz: please; bc: because; cuz: because; abt: about; prio: priority; ppl: people; thx: thanks; np: no problem; ty: thanks`;
const denied = "do does did have has had is are was were should would could must".split(" ");

/** Small words with two swapped letters: "teh", "adn", "fro". "Are" is left out, because "Rae" is a name. */
const swapped = "the and for that with from this what have you".split(" ").flatMap((word) =>
  [...word.slice(1)].map((next, at): [string, string[]] => {
    return [`${word.slice(0, at)}${next}${word[at] ?? ""}${word.slice(at + 2)}`, [word]];
  }),
);

export const contractions: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...swapped.filter(([typed]) => typed !== "form"),
  ...denied.flatMap((verb) => ["n't", "nt"].map((end) => [`${verb}${end}`, [verb, "not"]] as const)),
  ...[...contractedWords].filter((word) => !/^it$|one$/.test(word)).map((word) => [`${word}s`, [word, "is"]] as const),
  ...otherContractions
    .trim()
    .split(/;\s/)
    .map((row) => [row.slice(0, row.indexOf(":")), row.slice(row.indexOf(":") + 2).split(" ")] as const),
]);

const pronouns = wordSet("it that this them these those");

export const onePointers = wordSet("the that this which each every any next last previous other");

const resultPointers = wordSet("the that this its his these those");

const resultOrder = wordSet("previous last final above resulting calculated first");

export const resultNouns = wordSet(
  "result results answer total outcome output value sum product difference quotient number figure amount",
);

export function readAnaphor(words: readonly string[], start: number): number | undefined {
  const first = words[start] ?? "";
  if (resultPointers.has(first)) {
    const noun = resultOrder.has(words[start + 1] ?? "") ? start + 2 : start + 1;
    if (resultNouns.has(words[noun] ?? "")) return noun + 1;
  }
  const isTwo = /^th(?:at|is)$/.test(first) && /^(?:one|many|much)$/.test(words[start + 1] ?? "");
  if (pronouns.has(first)) return isTwo ? start + 2 : start + 1;
  const whatYouGet =
    first === "what" && words[start + 1] === "you" && (words[start + 2] === "get" || words[start + 2] === "got");
  return whatYouGet ? start + 3 : undefined;
}

export function mentionsResult(words: readonly string[], start: number, end: number): boolean {
  return words
    .slice(start, end)
    .some((word, index) => resultNouns.has(word) || readAnaphor(words, start + index) !== undefined);
}

export const opensMessage: ReadonlySet<string> = new Set(["that", ":", "saying", "says", "because"]);
