/** Common verbs that ask for the same, a group a line. */
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

/** The verbs that ask for the same as a verb, itself first. */
export function verbsLike(verb: string): readonly string[] {
  return [...new Set([verb, ...groups.filter((group) => group.includes(verb)).flat()])];
}

/** Words that may be left out of a phrase, or be said with it, and mean nothing by themselves. */
export const functionWords: ReadonlySet<string> = new Set(
  "a an the my our your me us i we you it is are be am to of for on in at by with and or that this these those any some all do does please just now still currently there up out".split(
    " ",
  ),
);

/** Verbs that say nothing without what follows them. */
export const lightVerbs: ReadonlySet<string> = new Set("get do make have take put give go let want need".split(" "));

/** Verbs that say when or how surely something is done. */
export const auxiliaries: ReadonlySet<string> = new Set(
  "is are am was were been being do does did has have had can could will would should shall may might must".split(" "),
);

/** Words that lead in what follows them. */
export const prepositions: ReadonlySet<string> = new Set(
  "for to in on at from with by of under as into about between per since until till before after over via using within during around near".split(
    " ",
  ),
);

const alike = ["to into onto on", "in at near around within", "from off", "about on regarding for", "per by"].map(
  (group) => group.split(" "),
);

/** The prepositions that say the same as one, itself first. */
export function prepositionsLike(word: string): readonly string[] {
  return [...new Set([word, ...alike.filter((group) => group.includes(word)).flat()])];
}
