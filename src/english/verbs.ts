/** Verbs that begin something to do, so that "milk and eggs" are two things and "buy milk and eggs" is one. */
const verbs: ReadonlySet<string> = new Set(
  (
    "buy get grab order fetch pick collect bring take carry drop leave return call ring phone text email mail message write send post ship deliver " +
    "reply answer respond contact ask tell talk speak thank congratulate invite visit see meet pay refund claim transfer withdraw deposit donate " +
    "lend borrow rent hire sell book reserve schedule plan arrange organise organize prepare prep cancel confirm register apply sign submit file " +
    "renew wash clean mop sweep vacuum hoover dust tidy iron fold dry hang polish rinse soak scrub wipe empty fill refill water feed walk groom bathe " +
    "mow rake trim cut prune plant weed paint fix repair replace install assemble build mount charge recharge plug unplug pack unpack wrap print scan copy " +
    "shred recycle upload download back deploy merge test review refactor draft revise edit proofread finish finalise finalize complete update upgrade " +
    "check inspect measure count compare research look find search read study learn practise practice rehearse memorise memorize train exercise run go " +
    "start stop begin continue make do cook bake roast boil grill fry freeze defrost thaw chop peel marinate try taste give show teach help watch " +
    "listen play sing dance draw design create set put move lift push pull turn switch lock unlock open close shut change swap rotate restart reset " +
    "attend join discuss negotiate decide choose pick compile analyse analyze calculate measure photograph film record wake remind remember tune service " +
    "wax oil sand descale sharpen sew knit mend stock restock label price hide seek apologise apologize celebrate vote drive park tow fly swim cycle jog stretch"
  ).split(" "),
);

/** True if words begin with a verb that says what is to be done. */
export function startsWithVerb(words: readonly string[]): boolean {
  const [first = "", second = ""] = words;
  if (words.length < 2) return false;
  return verbs.has(first) && second !== "and";
}

/** True if a word is one of these verbs, and so no misspelling of another. */
export function isVerb(word: string): boolean {
  return verbs.has(word);
}

/** Things that are one, though "and" stands between them. */
export const unsplitPairs: ReadonlySet<string> = new Set(
  (
    "mac and cheese|macaroni and cheese|salt and pepper|fish and chips|peanut butter and jelly|peanut butter and jam|bread and butter|bed and breakfast|" +
    "pros and cons|q and a|r and d|terms and conditions|arts and crafts|trial and error|research and development|health and safety|oil and vinegar|" +
    "gin and tonic|rock and roll|lost and found|copy and paste|cut and paste|drag and drop|wear and tear|profit and loss|supply and demand|nuts and bolts|" +
    "bacon and eggs|ham and eggs|cookies and cream|milk and honey|meet and greet|show and tell|track and field|johnson and johnson|barnes and noble|" +
    "hide and seek|plug and play|find and replace|black and white|food and drink|hot and cold|rum and coke|mum and dad|mom and dad|war and peace|" +
    "needle and thread|knife and fork|cup and saucer|socks and shoes|pen and paper|lost and found|time and motion|sink and taps|pride and prejudice|crime and punishment|fast and furious|tom and jerry|ben and jerry|romeo and juliet|law and order|dungeons and dragons"
  ).split("|"),
);
