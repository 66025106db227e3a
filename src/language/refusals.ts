import { auxiliaries, isPastVerb, isVerb, months, questionWords } from "../english/word-classes.ts";
import { tokenize } from "./tokens.ts";

export type RefusalKind = "denied" | "supposed" | "question" | "others" | "corrected" | "repeated" | "condition";

export interface FoundRefusal {
  readonly reason: RefusalKind;
  readonly start: number;
  readonly end: number;
}

const day = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const period = `(?:${day}|day|week|weekday|weekend|month|year|morning|afternoon|evening|night|hour|minute|quarter|fortnight|mon|tues?|wed|thu|thurs|fri|sat|sun|${months.join("|")}|christmas|summer|winter|spring|autumn)`;
const person =
  "(?:(?:my|our|the|his|her|their) (?:mom|mum|mother|dad|father|wife|husband|boss|manager|brother|sister|son|daughter|friend|team|partner|roommate|flatmate|colleague|colleagues|neighbour|neighbor|kids|assistant|secretary|intern|doctor|parents|girlfriend|boyfriend|uncle|aunt|cousin|grandma|grandpa)|he|she|they|someone|somebody|everyone|everybody|him|her|them)";

const patterns: readonly (readonly [RefusalKind, RegExp])[] = [
  [
    "corrected",
    / (?:(?:no|oh|ah|oops|sorry|actually)(?: ,)? wait|wait(?: ,)? (?:no|not|actually|sorry)|scratch that|strike that|(?:no|oops|oh)(?: ,)? sorry|sorry(?: ,)? (?:no|not|i mean[t]?)|actually(?: ,)? (?:no|make (?:that|it)|scratch)|(?<! (?:am|was) )i meant?|or rather|no(?: ,)? make (?:it|that)|hang on|never mind|nevermind|forget (?:it|that|what i said)|on second thought[s]?|let me rephrase|correction|, actually|, sorry ,)(?= )/,
  ],
  [
    "repeated",
    new RegExp(
      ` (?:(?:every|each)(?: single| other| second| third|(?: \\d+| two| three| four| six))? ${period}s?|(?:daily|weekly|monthly|yearly|hourly|nightly|fortnightly|annually|biweekly|quarterly)|on ${day}s|${day}s and ${day}s|(?:once|twice|three times|\\d+ times) (?:a|an|every|each|per) ${period}|(?:every so often|each time|every time|whenever|regularly|always))(?= )`,
    ),
  ],
  [
    "denied",
    /^ (?:(?:but|so|and|no|please|then|also|ok|oh|hey|well|just) |, )*(?:do not|never|no need|there is no need|you (?:do not|must not|should not|need not|can not|may not|shouldn't|mustn't|needn't|can't)|not yet|do n't|i (?:do not|never|did not) (?:want|wanted|need|ask|asked|say|said|mean|meant|tell|told)|(?:i|we) (?:would|'d) rather (?:you )?(?:not|did not)|(?:would|i would) rather you did not|stop|avoid|refrain|hold off|hold on|under no circumstances|by no means|whatever you do|can you not|could you not|would you not|please not|without|no longer|don't|dont|leave (?:\S+ ){1,6}(?:alone|as (?:it is|is|they are)|where|there|on)|keep (?:\S+ ){1,6}(?:on|there|where|as)|cancel that|skip)(?= )/,
  ],
  [
    "supposed",
    /^ (?:(?:but|so|and|well|hmm|ok|oh) |, )*(?:what if|what would|what happens|suppose|supposing|imagine|assuming|let us say|say i|hypothetically|theoretically|in theory|had i|if only|if (?:i|we|you|he|she|they|it|there|that|someone|somebody) (?:\S+ )*?(?:had|were|was|did|could|would|might|\S+ed)|(?:i|we|you) (?:might|may|could|would have|could have|should have|was going to|were going to|was thinking|am thinking|are thinking|was about to|wish|almost|nearly|used to|wanted to|thought about|thought of|was tempted|am tempted|considered|am considering|ought to have|would (?:add|delete|remove|clear|put|mark|buy|call|complete|like it if|love it if))|maybe|perhaps|it might|it would be (?:nice|good|great|cool|better) if|one day|some day|someday|eventually|in an ideal world|would have|thinking (?:about|of))(?= )/,
  ],
  [
    "question",
    /^ (?:(?:but|so|and|well|hmm|ok|oh|hey) |, )*(?:should|shall|shouldn't|ought|why|who|whose|whom|where|how|which|does|did|has|had|was|were|would (?:it|that|there|you (?:say|recommend|suggest|think|ever|delete|add|remove|clear))|(?:is|was) it (?:ok|okay|wise|smart|good|a good|possible|better|safe|worth|time|necessary|true|too late|bad|fine|alright|allowed)|do you (?:think|believe|know|want|remember|recommend|suggest|like|have)|do i (?:need|have|really|want) to|do we (?:need|have) to|can i|may i|could i|can we|is there (?:a|any) (?:way|reason|point|chance)|are you|have (?:you|i|we)|am i|are we|what (?:do you|does|did|if|kind|time|happens|about|would|should|can|could|will|were|was)|must i|need i|will (?:it|you be|there|that)|is (?:it|that|this))(?= )/,
  ],
  [
    "others",
    new RegExp(
      `^ (?:(?:but|so|and|well|ok|oh|hey|please|then|also|can you|could you) |, )*(?:(?:tell|ask|let|remind|notify|text|call|email|message|ping|warn|inform|have|make|get|want|need|beg|urge|instruct) (?!me |us |you |to |the |a |an |my |it |this |that |all |every )(?:${person}|\\S+(?: and \\S+)?) (?:to|that|know|about|not|do|if|whether)|(?:tell|ask|let|remind|notify|warn|inform) ${person}|(?!(?:i|we|you|it) )(?:\\S+ ){1,3}(?:says|said|told|wrote|mentioned|reported|reckons|claims|claimed|insists)|${person} (?:should|must|has to|have to|needs to|need to|will|can|could|might|is going to|are going to|wants|wanted|said|says|told|asked|already|just|deleted|added|removed|cleared|bought|finished|completed|did|does|put|is|was|were|has|have|had))(?= )`,
    ),
  ],
  [
    "condition",
    / (?:if (?!possible |you (?:can|could|would|do not|please|will|have|like|want) |that is (?:ok|okay|fine|alright|possible) |it is (?:ok|okay|fine|possible|not too) )|unless |otherwise |in case (?!i forget |we forget )|provided (?:that )?|as long as |whenever |only when |once (?:i|we|he|she|they|it|the|you) |when (?:i|we|he|she|they|it|the|my) )/,
  ],
];

export function findRefusals(words: readonly string[], start: number, end: number): readonly FoundRefusal[] {
  const text = ` ${words.slice(start, end).join(" ")} `;
  const found: FoundRefusal[] = [];
  for (const [reason, pattern] of patterns) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const first = start + countWords(text.slice(0, match.index));
    found.push({ reason, start: first, end: Math.min(end, first + countWords(match[0])) });
  }
  const mark = markOfQuestion(words, start, end);
  if (mark !== undefined) found.push({ reason: "question", start: mark, end: mark + 1 });
  return found;
}

/** Finds the end of a statement that is a question: "wig 3 is ready?", "wig 3 is ready, right". */
export function markOfQuestion(words: readonly string[], start: number, end: number): number | undefined {
  const said = words.slice(start, end);
  const [first = ""] = said;
  const isTold = /^(?:i|we|you|he|she|they)$/.test(first);
  const isVerbal = (word: string) => /^(?:is|are|was|were|has|have|had)$/.test(word) || (isTold && isPastVerb(word));
  const isStatement = said.slice(1).some(isVerbal);
  if (!isStatement || isVerb(first) || auxiliaries.has(first) || questionWords.has(first)) return undefined;
  const mark = said.at(-1) === "?" ? end - 1 : end;
  const behind = words.slice(mark, mark + 3).join(" ");
  return /^(?:\?|, (?:right|correct)|(?:right|correct) \?)/.test(behind) ? mark : undefined;
}

function countWords(text: string): number {
  return text.trim() === "" ? 0 : text.trim().split(" ").length;
}

export function findRefusal(text: string): { readonly reason: RefusalKind; readonly words: string } | undefined {
  const tokens = tokenize(text);
  const words = tokens.map(({ kind, norm }) => (kind === "quote" ? '"' : norm));
  const [found] = findRefusals(words, 0, words.length);
  if (found === undefined) return undefined;
  // The mark of a question says nothing by itself.
  const start = words[found.start] === "?" ? 0 : found.start;
  return { reason: found.reason, words: text.slice(tokens[start]?.start, tokens[found.end - 1]?.end) };
}
