const wordsOf = (rows: string) => rows.split("|").map((row) => row.split(" "));

/** Words that connect two wishes; a hard one cannot be part of a text. */
export const connectors: readonly { readonly words: readonly string[]; readonly isHard: boolean }[] = [
  ...wordsOf("and|&|but").map((words) => ({ words, isHard: false })),
  ...wordsOf(
    "then|after that|after which|afterwards|afterward|followed by|once that is done|once done|when that is done",
  ).map((words) => ({ words, isHard: true })),
];

/** Words that link two wishes, too, but are as often part of one. */
export const linkWords: readonly (readonly string[])[] = wordsOf("as well as|plus|also|next|finally");

/** Words that start a new wish: the text before "and what is …" never includes it. */
export const wishOpeners: ReadonlySet<string> = new Set("what who where why how which please".split(" "));

/** Pairs of words that start a new wish. */
export const wishOpeningPairs: ReadonlySet<string> = new Set(
  "can you|could you|would you|will you|tell me|show me|give me|let me|is it|is there|are there|do i|i want|i would".split(
    "|",
  ),
);

/** Abbreviations: a point after them does not end a sentence. */
export const clauseAbbreviations: ReadonlySet<string> = new Set(
  "mr mrs ms dr st vs no etc approx e.g i.e prof nr jr sr inc ltd co ave".split(" "),
);

/** Verbs with which a wish begins. */
export const wishVerbs: ReadonlySet<string> = new Set(
  (
    "show list add tell give mark delete remove send create calculate put find complete finish update clear search save " +
    "remind book call email mail pay convert multiply divide double write reserve check what"
  ).split(" "),
);
