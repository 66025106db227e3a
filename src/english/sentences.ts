/** Abbreviations that end in a point. */
export const abbreviations: readonly string[] = "mr mrs ms dr st vs no etc approx e.g i.e".split(" ");

/** Verbs that a wish may start with, as alternatives of a regular expression. */
export const wishVerbs =
  "show|list|add|tell|give|mark|delete|remove|send|create|calculate|put|find|complete|finish|update|clear|search|save|" +
  "remind|book|call|email|mail|pay|convert|multiply|divide|double|write|reserve|check|what";

/** Words that go on with the same wish after one of its items, as alternatives of a regular expression. */
export const itemWords = "and|or|to|on|in|from";

/** What "every" may stand before without meaning a loop, as alternatives of a regular expression. */
export const recurringTimes =
  "day|week|month|year|morning|evening|night|hour|minute|(?:mon|tues|wednes|thurs|fri|satur|sun)day";
