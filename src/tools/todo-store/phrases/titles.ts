import { cardinals, ordinals } from "../../../english/numbers.ts";
import { weekdays } from "../../../english/times.ts";

/** Words that do not name a todo by themselves: "add item" and "add to my list" do not state what to add. */
const empty = new Set(
  (
    "a an the my our your this that these those them it both each they something anything everything nothing all some any one ones another new more stuff thing things " +
    "him her us due off done later high medium low priority urgent important several few many smth as please pls thanks todo todos to do dos task tasks item items reminder reminders entry entries list lists to-do to-dos on in into from of for and me i"
  ).split(" "),
);
const namesList = /\b(?:to|on|onto|from|off) (?:\S+ ){0,4}lists?\b|^(?:my|the|our|a|this|that) (?:\S+ ){0,4}lists?$/i;
const namesResults =
  /^(?:of |both |all |the |two |three |these |those |last )*(?:results?|answers?|totals?|sums?)(?: together| up| as (?:an? |my |new )*(?:todo|to-do|to do|task|item|reminder))?$|^(?:the )?(?:results?|answer|total|sum|product|difference|quotient|square root|value) (?:of|to|between) [^a-z]*\d/i;
const startsAsPlace = /^(?:to|on|onto|into|in|from|off|of) (?:my|the|our|a|an|this|that|all|what) /i;

/** No title begins or ends like this, or says what to do with it: the words are a part of the wish. */
const beginsBroken =
  /^(?:n?['’]?t|it|neither|make sure|ensure|note that|can confirm|guess what|uh|um|if|whether|because|so|please|pls|plz|you|u|we|they|he|she|i|i'm|i've|we're|we've|it's|that's|what|whatever|is|are|was|were|not|maybe|perhaps|actually|rather|to (?:see|check|put|add)|call (?:it|that|this))\s/i;
const endsBroken =
  /\s(?:is|are|was|were|the|an|my|our|your|their|and|or|but|u|we|they|if|than|because|so|please|pls|plz|lol|as half|almost|nearly|partly|mostly|already|anymore|any more|too|as well|, it|, that|, them|'s)$/i;
/** "Remove the due date from milk": a part of a todo. */
const namesPart =
  /^(?:due date|deadline|priority|tags?|title|name|description|status|duplicates?)(?: (?:from|of|on|for) .+)?$/i;
const holdsCommand =
  /\b(?:add|put|delete|remove|erase|tick|untick|check|uncheck|mark|cross|strike|drop|scratch|clear) (?:it|them|that|everything)\b/i;

const savesResult =
  /^(?:add|put|write|note|save|store|record|list) (?:down )?(?:(?:the|this|that) )?(?:result|answer|outcome|output|total|sum|value)s?$/i;

/** "All tasks", "everything but milk", "all of yesterday's": a choice of todos, which none is called. */
const choosesSome =
  /^(?:all|every|everything|any|anything|each|nothing|none|only)\b(?:.*\b(?:but|except|apart|besides|from|of|that|which|in|due|marked|tagged)\b| (?:\S+ )?(?:tasks?|items?|todos?|to-dos?|reminders?|chores?|entries|things)$)/i;
/** "Milk but not eggs", "milk, keep eggs", "eggs no wait butter". */
const takesBack =
  /\b(?:if (?:it|they|there|we|i|you)|due (?:today|tomorrow|at|on|by|next)|instead of|rather than|but not|and not|except|excluding|all but|everything but|anything but|no wait|wait no|oops|scratch that|i meant?|make that|or rather|no sorry|sorry no|sorry i mean|to (?:high|low|medium|normal|today|tomorrow|next \S+|\S+day) and)\b|,\s*(?:keep|leave|not|but|no|actually|rather)\b|\band (?:add|delete|remove|clear|erase|rename|tick off|cross off) \S/i;
/** "The first and the third", "tasks 2 and 4", "last two items": places, of which each is a todo. */
const places = new Set([
  ...ordinals,
  ...cardinals.slice(1, 21),
  ...(
    "the and or to do first last next previous other task tasks item items todo todos entry entries one ones number " +
    "numbers reminder reminders of my list"
  ).split(" "),
]);
/** "Tomorrow", "at 5", "the evening": when, not what. */
const moments = new Set([
  ...weekdays,
  ...(
    "a an the at on in by for until this next today tonight tomorrow later soon morning afternoon evening night noon midnight week weekend " +
    "month year am pm o'clock"
  ).split(" "),
]);
const isMoment = (word: string) => moments.has(word) || /^\d+(?:am|pm)?$/.test(word);
const isPlace = (word: string) => places.has(word) || /^\d+(?:st|nd|rd|th)?$/.test(word);
/** "Milk one", not "chapter one". */
const endsAsPointer =
  /(?<!\b(?:part|chapter|volume|season|phase|unit|lesson|act|episode|number|level|day|week|year|book|plan|round|stage|track|version|step|page)) ones?$/i;

/** A longer text is not a title, and no pattern is tried on it. */
const maxTitle = 1_000;

/** Whether a text can be the title of a todo. */
export function isTitle(text: string): boolean {
  if (text.length > maxTitle) return false;
  const words = text.toLowerCase().match(/[\p{L}\p{N}'’]+/gu) ?? [];
  if (words.length === 0) return /\p{S}/u.test(text);
  return (
    !words.every((word) => empty.has(word)) &&
    /[^\d\s.,%+*/^()=-]/.test(text) &&
    !startsAsPlace.test(text) &&
    !namesResults.test(text) &&
    !beginsBroken.test(text) &&
    !endsBroken.test(text) &&
    !holdsCommand.test(text) &&
    !savesResult.test(text) &&
    !namesList.test(text) &&
    !choosesSome.test(text) &&
    !namesPart.test(text) &&
    !words.every(isMoment) &&
    (words.length < 2 || !words.every(isPlace)) &&
    (isDeed(text) || !(takesBack.test(text) || endsAsPointer.test(text)))
  );
}

const thing =
  "alarm|timer|event|meeting|calendar|appointment|playlist|song|music|album|track|artist|video|movie|channel|station|volume|light|lamp|thermostat|subscription|account|password|email|inbox|mail|contact|number|address|photo|picture|file|folder|document|text|app|tab|window|browser|flight|hotel|room|seat|ticket|order|reservation|booking|credit card|debit card|card|payment|transfer|money|message|recipe|setting|profile|device|speaker|history|cookie|transaction|purchase|database|comment|post|friend|follower|user|bolt|stain|virus|line|row|column|cell|slide|page|paragraph|sentence|comma|footnote|font|background|watermark|caption|subtitle|signature|layer|branch|commit|repo|repository|incident|sprint|epic|server|container|function|tweet|notification|ad|pop-up|box|checkbox|crossword|level|record|patient|student|website|link|url|bookmark";
const beginsOther = new RegExp(
  `^(?:(?:a|an|the|my|our|this|that|all|any|every|each|some|new|saved|old|last|next|\\S+ (?:am|pm)|\\S+'s) )*(?:${thing})s?\\b`,
  "i",
);
const endsOther = new RegExp(
  `\\b(?:${thing})s?(?: (?:client|app|address|addresses|list|settings|history|number))?(?: (?:today|tomorrow|now|tonight))?$`,
  "i",
);

/**
 * Whether a text is something that other tools handle: "remove the alarm" is not about a todo unless it says so. A text
 * that starts with a verb is still something to do: "cancel the subscription".
 */
export function isOtherThing(title: unknown): boolean {
  if (typeof title !== "string" || title.length > maxTitle) return false;
  if (beginsOther.test(title)) return true;
  return endsOther.test(title) && !(startsWithVerb(title) && title.includes(" "));
}

/**
 * Whether a text is a name or something to do: only these may be added to a list by a bare "add …". "5% tip" is a
 * calculation, and "note to PROP-1: approved" states what to add to what.
 */
export function isName(title: unknown): boolean {
  if (typeof title !== "string") return true;
  if (/[^\p{L}\p{M}\p{N}\s'’&,.!-]|\bper ?cent\b/iu.test(title)) return false;
  return startsWithVerb(title) || !/\s(?:to|into|onto)\s/i.test(title);
}

const announces = /^(?:(?:a|an|another|the|new|one|more) )+(?:todo|to-do|to do|task|item|reminder|chore|entry)s?\b/i;

/** Whether a text starts by calling itself a todo, which other phrases parse: "a task to buy milk". */
export function announcesTodo(title: unknown): boolean {
  return typeof title === "string" && announces.test(title);
}

/** Whether a text is a question: "remind me what my name is" asks for an answer, not for a todo. */
export function isQuestion(title: unknown): boolean {
  return typeof title === "string" && /^(?:what|where|who|whose|when|why|how|which|if|whether)\b/i.test(title);
}

const elsewhere =
  /\b(?:to|in|into|on|onto|from|off|out of|at|of) (?:my|the|our|this|that|your|an?) [\p{L}\s'’-]+$|\b(?:to|into|onto|on|in|from|off|out of) (?:it|them|there)$/iu;

/** Whether a text ends with a place that is not a list: "milk to the fridge", "a song to my favourites". */
export function isElsewhere(title: unknown): boolean {
  if (typeof title !== "string" || title.length > maxTitle || !elsewhere.test(title)) return false;
  return !startsWithVerb(title) && !/^(?:go|drive|carry|listen|move|pick|drop|bring|return)\b/i.test(title);
}

const taskVerbs = new Set(
  (
    "answer arrange ask bake book bring build buy call cancel carry change charge check clean collect complete contact cook create cut design do draft drive drop dust email empty " +
    "feed fill find finish fix fold follow get give go grab hang hire install invite iron learn listen look mail make meet mop move mow order organize pack paint pay phone " +
    "pick plan play practice prepare print put read renew rent repair replace reply research return review run schedule scrub sell send set ship shop sign sort start " +
    "study submit sweep take talk tell text throw tidy update vacuum visit walk wash watch water weed wrap write"
  ).split(" "),
);
const maxItemWords = 4;

/** Whether a text starts with an activity: "buy milk". */
export function startsWithVerb(text: unknown): boolean {
  return typeof text === "string" && taskVerbs.has(text.toLowerCase().split(/\s/, 1)[0] ?? "");
}

/** A verb with an object: "wash the dog", "washing the dog". A verb alone may be a name: "water". */
export function isDeed(item: string): boolean {
  return item.includes(" ") && (startsWithVerb(item) || /^\p{L}{3,}ing\s/iu.test(item));
}

/** Whether parts of a list are separate todos: all are names of a few words, such as "milk and eggs". */
export function isSeveralNames(items: readonly string[]): boolean {
  if (!mayBeSeveral(items)) return false;
  const deeds = items.filter((item) => item.includes(" ") && startsWithVerb(item)).length;
  if (deeds > 0) return deeds === items.length && items.length > 2;
  // "paint" and "water" are names among other names; "wash and iron" is an activity.
  if (items.every(startsWithVerb) || sharesObject(items)) return false;
  return items.every((item) => item.split(/\s+/).length <= maxItemWords);
}

/**
 * Whether parts of a list are separate todos, where several may be meant: "milk and eggs", "wash the dog and pay
 * the bills", "juice and paint the fence" are two; "call mum and dad" and "wash and dry the dishes" are one.
 */
export function isSeveralItems(items: readonly string[]): boolean {
  if (!mayBeSeveral(items)) return false;
  if (isSeveralNames(items)) return true;
  const deeds = items.map(isDeed);
  const count = deeds.filter(Boolean).length;
  const isVerbAlone = items.some((item) => !item.includes(" ") && startsWithVerb(item));
  // A name after an activity belongs to it, unless activities follow: "call mum, dad and Bob" is one call.
  if (items.length === 2) return deeds[1] === true && !isVerbAlone;
  return count > 1 || (count === 1 && deeds[0] === false);
}

/** "wash and dry the dishes": a verb alone, and after it the object of both. */
function sharesObject([first = "", second = ""]: readonly string[]): boolean {
  return !first.includes(" ") && startsWithVerb(first) && /^\p{L}+ (?:the|my|our|all|some|a) /iu.test(second);
}

/** "Delete eggs and put milk on my list" is two requests, and no todo is called "put milk". */
const command =
  /^(?:add|put(?! (?:away|up|together|in|out|down)\b)|remove|delete|erase|include|cross (?:off|out)|check off|mark) /i;

function mayBeSeveral(items: readonly string[]): boolean {
  if (items.length < 2 || !items.every(isTitle) || items.slice(1).some((item) => command.test(item))) return false;
  // "lunch with Tom and Jerry" continues after the "and".
  return !(
    items.length === 2 &&
    /\b(?:with|between|for|to|from|about|at|of)\b/i.test(items[0] ?? "") &&
    !isDeed(items[1] ?? "")
  );
}

const severalTodos =
  /^(?:all|every|each|any|both|(?:a )?(?:few|couple)|half|most|some|many|several|tasks|items|todos|reminders|entries|chores)(?:\s|$)|\s(?:tasks|items|todos|to-dos|reminders|entries|chores|ones)$|^(?:the )?(?:oldest|newest|latest|old|new|recent|stale)$|\blists?$|^check (?:if|whether)\b/i;

/** "All milk", "old tasks", "half of it": which todos these are, no title says. */
export function meansSeveral(title: string): boolean {
  return severalTodos.test(title) && !isDeed(title);
}

/** Whether a text makes another thing of "task": the task force, the task manager. */
export function namesOtherTask(title: string): boolean {
  return /^(?:force|manager|bar|board)\b/i.test(title);
}
