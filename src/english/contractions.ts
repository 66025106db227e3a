/** Words after which `'s` is "is" and not a genitive. */
export const contractedWords: ReadonlySet<string> = new Set(
  "what that it where who how there here when which".split(" "),
);

/** The word that each end of a contraction stands for. */
export const contractionEndings: ReadonlyMap<string, string> = new Map(
  Object.entries({ s: "is", re: "are", ve: "have", ll: "will", d: "would", m: "am" }),
);

const others = `
whats: what is; let's: let us; lets: let us; dont: do not; havent: have not; cannot: can not; cant: can not;
can't: can not; wont: will not; won't: will not; didnt: did not; doesnt: does not; isnt: is not; arent: are not;
wasnt: was not; shouldnt: should not; im: i am; ive: i have; thats: that is; theres: there is; youre: you are;
gimme: give me; lemme: let me; wanna: want to; gotta: have to; u: you; ur: your; whens: when is; hows: how is;
n: and; pls: please; plz: please; bc: because; cuz: because; abt: about; prio: priority; thx: thanks; ty: thanks`;
const denied = "do does did have has had is are was were should would could must".split(" ");

/** Other contractions, with or without an apostrophe, and their words. */
export const contractions: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...denied.map((verb) => [`${verb}n't`, [verb, "not"]] as const),
  ...others
    .trim()
    .split(/;\s/)
    .map((row) => [row.slice(0, row.indexOf(":")), row.slice(row.indexOf(":") + 2).split(" ")] as const),
]);
