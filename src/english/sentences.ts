/** Abbreviations that end in a point. */
export const abbreviations: readonly string[] = "mr mrs ms dr st vs no etc approx e.g i.e".split(" ");

/** Verbs with which a wish begins. */
export const wishVerbs: ReadonlySet<string> = new Set(
  (
    "show list add tell give mark delete remove send create calculate put find complete finish update clear search save " +
    "remind book call email mail pay convert multiply divide double write reserve check what"
  ).split(" "),
);

/** Words before which "every" means no loop, as alternatives of a regular expression. */
export const recurringTimes =
  "day|week|month|year|morning|evening|night|hour|minute|(?:mon|tues|wednes|thurs|fri|satur|sun)day";

/** Verbs that ask for thought, not for one thing to be done. */
export const thinkingVerbs: ReadonlySet<string> = new Set(
  (
    "analyze analyse assess audit compare contrast coordinate design develop diagnose elaborate evaluate examine explore " +
    "forecast formulate integrate investigate model optimize optimise orchestrate organize organise plan prioritize prioritise " +
    "propose research restructure review strategize streamline study summarize summarise synthesize transform"
  ).split(" "),
);

/** Words for something that has many parts. */
export const scopeWords: ReadonlySet<string> = new Set(
  (
    "approach architecture campaign complex comprehensive detailed holistic implementation implications infrastructure initiative methodology " +
    "migration pipeline pipelines process processes roadmap scenario scenarios strategic strategies strategy sophisticated systematic " +
    "thorough tradeoffs trends workflow workflows"
  ).split(" "),
);
