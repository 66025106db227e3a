import * as z from "zod/v4";
import type { PhraseContext, SlotValue, ToolPhraseOptions } from "../../core/tool.ts";
import { dayMs, isoDateTime, isoDay } from "../../dates/zoned-time.ts";
import { isPastVerb, isVerb, startsWithVerb } from "../../english/word-classes.ts";
import type { TodoStoreInput } from "./todo-input.ts";

type Phrase = ToolPhraseOptions<TodoStoreInput>;
type Slots = Readonly<Record<string, SlotValue>>;

const todo =
  "(todo[s]|to do[s]|task[s]|item[s]|reminder[s]|chore[s]|entry|entries|errand[s]|job[s]|to do item[s]|todo item[s]|list item[s])";
const own = "(my|the|our|your)";
const quality = "[(current|whole|entire|full|existing|personal|own|main|usual|new|daily)]";
const plainList = `[${own}] ${quality} (todo|to do|todos|to dos|task|tasks) list[s]|${own} ${quality} (todos|to dos|tasks)|[${own}] ${quality} list[s] [of (things|tasks|items) [to (do|complete)]]|${own} (agenda|plate|list of things to do)`;
const namedList = `[${own}] ${quality} {list} (list|todos|tasks|backlog)|[(my|the|our|your|a)] list (called|named|titled|for|of) [(the|my|our)] {list}|[${own}] {place} [list]`;
const anyList = `(${namedList}|${plainList})`;
const onList = `(to|on|onto|in|into|under) (${anyList}|{listBefore})`;
const offList = `(from|off|off of|out of|of|on|in) (${anyList}|{listBefore})`;

const knownNames =
  "shopping|groceries|grocery|work|home|errands|chores|wishlist|packing|reading|bucket|house|office|school|garden|holiday|personal|family|backlog";
const knownLists = z.string().regex(new RegExp(`^(?:${knownNames})$`, "i"));
const whichOfThem =
  /^(?:(?:old|older|oldest|new|newer|newest|latest|urgent|important|high|low|done|completed|finished|open|other|same|half|every|each|all|few|first|second|third|fourth|fifth|last|next|previous|following|rest|whole|entire)(?: |$))/i;
const otherList =
  /\b(?:contacts?|guest|waiting|wait|mailing|distribution|cc|block|blocked|price|wine|cocktail|passenger|cast|subscribers?|friends|playlist|to|on|from|in|off|list|lists|my|her|his|their|your|and|or|it|that|this|them|everything|all|items|new|what|which|how|is|are|the|me|i|be|of|for|task|todo|done|it's|as|with|by|plus|put|add|show|delete|remove|then|overview|summary|thing|things|buy|call|get|copy|already|even|still|just|yet|now|only|also|really|ever|never|there|left|have|has|had|got|we)\b/i;
const listName = z
  .string()
  .refine(
    (name) =>
      !whichOfThem.test(name) && /^[\p{L}\p{N}'’&+-]+(?: [\p{L}\p{N}'’&+-]+)?$/u.test(name) && !otherList.test(name),
  );
const soon = { when: "future" };
const dueMoment = z.union([z.iso.date().meta(soon), z.iso.datetime({ offset: true }).meta(soon)]);
const newDue = z.union([...dueMoment.options, z.iso.time()]);
function choice<const TValue extends string>(ways: Readonly<Record<TValue, string>>) {
  const values = Object.keys(ways) as [TValue, ...TValue[]];
  const synonyms = Object.fromEntries(values.map((value) => [value, ways[value].split("|")]));
  return z.enum(values).meta({ synonyms });
}

const priority = choice({
  low: "lowest|min|minimum|lower",
  medium: "normal|mid|regular|average",
  high: "highest|top|hi|max|maximum|critical",
});
const urgency = choice({
  urgent:
    "urgently|very urgent|really urgent|important|very important|really important|asap|as soon as possible|critical|top priority|high prio|p1|super urgent|super important",
  "not urgent": "not important|low prio|no rush|no hurry|unimportant|p3|not that urgent|not that important",
});
const tagList = z.array(z.string().regex(/^\p{Ll}[\p{L}\p{N}_-]*$/u));
const status = choice({
  pending:
    "open|still open|unfinished|incomplete|remaining|outstanding|active|undone|left|still left|to do|still to do|not done|not finished|left to do|not done yet|unchecked|still pending|to be done|that have to be done|have to be done|that must be done|must be done|that need to be done|need to be done",
  completed: "done|complete|finished|closed|ticked off|checked off|crossed off|already done|done already",
});
const order = choice({
  newest: "newest first|latest first|most recent first|most recent|latest",
  oldest: "oldest first",
  due: "sorted by due date|by due date|sorted by date|by date|soonest first|due soonest|in order of due date|ordered by due date|sort by due date|ordered by date|arranged by date|arranged by due date|earliest first|by deadline|sorted by deadline",
  "latest due": "latest due",
  priority:
    "sorted by priority|by priority|most important first|most urgent first|in order of priority|ordered by priority|arranged by priority|highest priority first|sort by priority",
  title:
    "alphabetically|sorted alphabetically|sorted by name|by name|by title|in alphabetical order|sorted by title|arranged by name|a to z",
});
const dayRange = z.string().meta({ slot: "range" });
const position = z.number().int();

// Patterns with `\p{L}` match lower case only, because with the flag `i` they are slow to compile.

const aboutTodo =
  /\b(?:priority|prio|deadline|overdue|tagged|to-?dos?|tasks?|items|entries)\b|(?<!\S)#\p{L}|^(?:status|tags?|label|due|name|title|completion|details?|contents?|entry|list|new|reminder|item|task|todo)\b|\b(?:my|our|the|to|on|from|off|onto) (?:\p{L}+ )?lists?\b|[:]\s|\s[-–—]\s|^["'“‘]/u;
const elses = /^(?:my|your|our|his|her|their|its) /i;
const elsewhere =
  /^(?!(?:take|bring|reply|respond|write|listen|go|drive|walk|talk|speak|send|drop|return|get|move|carry|give|post|pick|collect|subscribe|travel|fly|ship|deliver|hand|email|mail|forward|transfer|submit|upload|back|sign|look|pay|ride|run|switch|say|reach|apply|agree|attend|see|pack|fetch|order|buy|copy|export|import|download|migrate|deploy|commute|come|head|relocate|introduce|invite|welcome|explain|present|pitch|show|read|sing|tend|prepare)\b).*\b(?:to|from|into|onto|off) (?:my|the|our|your|this|that|\p{Ll}{2,}-)|^(?:this|these|those) |\b(?:to|in|into|from|on|as) .*\b(?:playlists?|albums?|contacts?|calendar|spotify)\b/u;
const isTitle = (text: string) => {
  const lower = text.toLowerCase();
  return (
    !aboutTodo.test(lower) &&
    !elsewhere.test(lower) &&
    !/ (?:as \p{L}+|(?:to|by) (?:low|high|medium|normal|urgent|top))$|\blists?$/u.test(lower) &&
    /\p{L}/u.test(text)
  );
};
/** Reads a title as a name even after a colon, so that "tomorrow" in "todo: call mum tomorrow" is a date. */
const nameThat = (isFit: (text: string) => boolean) => z.string().refine(isFit).meta({ slot: "name" });
const title = nameThat(isTitle);

const labelled = nameThat((text) => /^[^\s:]+: \S/.test(text) && isTitle(text.replace(":", "")));
const isDoing = (text: string) => startsWithVerb(text.toLowerCase().split(" "));
/** Matches "call Anna", but not "force" in "the task force". */
const doing = nameThat((text) => isTitle(text) && isDoing(text));
/** Matches "call" and "onboard Sam", but not "harper", which is a list in "add a task to harper". */
const job = nameThat((text) => isTitle(text) && (text.includes(" ") || isVerb(text.toLowerCase())));
/** Excludes "next one" and the like, which are not titles. */
const isChosen = (text: string) => isTitle(text) && !whichOfThem.test(text);
const chosen = nameThat(isChosen);
const item = nameThat((text) => isChosen(text) && (isDoing(text) || !elses.test(text)));

const listBefore = choice({
  it: "what is on it|what is on there|that|them",
  "that list": "the same list|same list|there",
  "this list": "the list|the whole list",
});
const slots = {
  title,
  labelled,
  doing,
  job,
  listBefore,
  newTitle: z
    .string()
    .refine((text) => isTitle(text) && /\p{L}{2}/u.test(text))
    .meta({ slot: "whole" }),
  query: title,
  list: listName,
  place: knownLists,
  due: dueMoment,
  priority,
  urgency,
  tags: tagList,
  removeTags: tagList,
};
const changeSlots = { ...slots, due: newDue };

const details: readonly string[] = [
  onList,
  `for ${own} {list} list`,
  "[(due|due on|due by|due at|by|before|for|on|at|until|till|with [a] due date [(of|on)]|with [a] deadline [(of|on)]|deadline|due date)] {due}",
  "[(with|at|as|in|it is|that is|this is|set to|set it to|make it|mark it|mark it as)] [(a|the)] {priority} (priority|prio)",
  "[(with|set)] (priority|prio) [(is|of|:|to|=)] {priority}",
  "[(it is|that is|this is|and it is|make it|mark it|mark it as|quite|pretty)] {urgency}",
  "[(it is|that is|this is)] {urgency} :",
  "# {tags}",
  "(tagged|tagged with|tagged as|with tag[s]|with the tag[s]|tag it [(as|with)]|, tag|labelled|labeled|with [the] label[s]) [#] {tags}",
];

const filters: readonly string[] = [
  `[(on|in|from|of|for)] ${anyList}`,
  "(on|in|from) {listBefore}",
  "[(due|for|from|on|of|that are|that is|which are|in|over|scheduled for|coming up|planned for|due on|due for|due in)] {range}",
  "[(that are|that is|which are|are|is|i have|marked|marked as)] [(still|not yet)] {status}",
  "[(with|of|at|by)] [(a|the)] {priority} (priority|prio)",
  "[(that are|that is|which are)] {urgency}",
  "[(by|with)] (priority|prio) {priority}",
  "(# {tag}|(tagged|tagged with|tagged as|with [the] tag|labelled|labeled) [#] {tag}|[the] {tag} tag)",
  "{order}",
  "[the] (top|first|next) {limit}",
  "(me|us|my|all|of|everything|the|a|list|lists|item|items|task|tasks|todo|todos|to|do|dos|thing|things|stuff|there|is|are|on|i|have|got|need|want|we|must|now|currently|right|so|far|again|back|out|aloud|loud|up|what|which|that|for|in|be|been|please|just|entries|ones|one|get|whole|full|entire|complete|contents|else|any|anything|every|everything|and|at|moment|how|many|can|you|only)",
];
const filterSlots = {
  ...slots,
  range: dayRange,
  status,
  tag: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u),
  order,
  limit: position,
};

function daysOf(range: SlotValue | undefined, { nowMs, timeZone }: PhraseContext): object {
  if (typeof range !== "string") return {};
  const [from = "..", to] = range.split("/");
  if (to === undefined) return { dueOn: from };
  const beside = (limit: string, days: number) =>
    limit.length > 10 ? limit : isoDay(Date.parse(limit) / dayMs + days);
  const today = isoDateTime(nowMs, timeZone).slice(0, 10);
  const isOverdue = from === ".." && (to.length > 10 ? to.slice(0, 10) <= today : to < today);
  return {
    ...(from !== ".." && { dueAfter: beside(from, -1) }),
    ...(to !== ".." && { dueBefore: beside(to, 1) }),
    ...(isOverdue && { status: "pending" }),
  };
}

const orders: Readonly<Record<string, object>> = {
  newest: { sort: "created", reverse: true },
  oldest: { sort: "created" },
  due: { sort: "due" },
  "latest due": { sort: "due", reverse: true },
  priority: { sort: "priority" },
  title: { sort: "title" },
};

function listOf({ before }: PhraseContext): { readonly list?: string } {
  const list = before?.input.list;
  return typeof list === "string" ? { list } : {};
}

function fieldsOf(found: Slots, context: PhraseContext): Readonly<Record<string, unknown>> | undefined {
  const { place, listBefore, doing, job, labelled, due, urgency, order, range, ...others } = found;
  const { before } = context;
  const list = place ?? others.list;
  const spoken = listOf(context);
  // "Show it" may mean the unnamed list.
  const shown = Object.keys(found).length === 1 ? /^(?:list|add|clear)$/ : /^list$/;
  const isKnown = spoken.list !== undefined || shown.test(String(before?.input.operation));
  if (listBefore !== undefined && (list !== undefined || !isKnown)) return undefined;
  if (place !== undefined && others.list !== undefined) return undefined;
  return {
    ...(place !== undefined && { list: place }),
    ...(listBefore !== undefined && spoken),
    ...((doing ?? job ?? labelled) !== undefined && { title: doing ?? job ?? labelled }),
    ...(typeof due === "string" && dueOf(due, context)),
    ...(urgency !== undefined && { priority: urgency === "urgent" ? "high" : "low" }),
    ...(typeof order === "string" && orders[order]),
    ...daysOf(range, context),
    ...others,
  };
}

function dueOf(due: string, { nowMs, timeZone }: PhraseContext): object {
  if (due.length === 10) return { dueDate: due };
  return { dueAt: due.length > 10 ? due : `T${due}${isoDateTime(nowMs, timeZone).slice(19)}` };
}

type Made = (fields: Readonly<Record<string, unknown>>, context: PhraseContext) => object | undefined;

type PhraseOptions = Partial<Phrase> & { readonly make?: Made };

function phrasesOf(
  operation: TodoStoreInput["operation"],
  { make = (fields) => fields, ...options }: PhraseOptions,
  phrases: readonly string[],
): readonly Phrase[] {
  const input = { operation, ...options.input } as Partial<TodoStoreInput>;
  const toInput: Phrase["toInput"] = (found, context) => {
    const fields = fieldsOf(found, context);
    const made = fields && make(fields, context);
    return made && ({ ...input, ...made } as TodoStoreInput);
  };
  return phrases.map((phrase) => ({ slots, ...options, input, phrase, toInput }));
}

const asSought: Made = ({ title, ...fields }, context) => {
  const { operation, query } = context.before?.input ?? {};
  const isSought = typeof title === "object" && operation === "search" && typeof query === "string";
  return isSought ? { title: query, ...listOf(context), ...fields } : { title, ...fields };
};

const add =
  "(add|adding|re add|readd|put|include|insert|append|enter|write down|mark down|jot|note|stick|throw|pop|place|chuck|toss|bung|whack|slap)";
const needTo = "[that] [(i|we)] [(need|have|want|must|should|ought|got|am supposed|are supposed)] [to]";
const create = "(add|create|make|put|set|set up|start|write|enter|log|new|i need|i want|give me|leave|schedule|open)";
const called = "for|about|called|named|titled|that says|saying|of|:|-|that|with the title|to remember to|to remember";

const otherWish =
  /^(?:take|mark|move|tick|delete|remove|add|put|show|what|clear|change|set|cross|complete\w*|done|finished)\b/i;

const addPhrases = phrasesOf("add", { anywhere: details, make: asSought }, [
  "(add|insert|append|jot down|note down|write down|put down|pencil in) [me] {title}",
  "(add|jot down|note down|write down|put down) {labelled}",
  `[[help] remind me [to] ${needTo}] ${add} [down] {title} ${onList}`,
  `${add} [down] ${onList} [:] {title}`,
  `(to|on|onto|in|into|for) ${anyList} ${add} [down] [:] {title}`,
  `${create} [me] (a|an|another|one more|up a|new|a new|the following|this) [new] [{priority} priority] ${todo} ((${called}) {title}|to {job})`,
  `${create} [me] ${todo} ((${called}) {title}|to {job})`,
  "(new|todo|to do|task|reminder|note to self|remember) (:|-) {title}",
  `(remind|ping|nudge|prompt) (me|us) [again] [(about|:|that|to remember|to remember to)] ${needTo} {title}`,
  "(remind|ping|nudge|prompt) (me|us) of ({doing}|(the|my|our) {title})",
  `[(please|also)] (do not|never) [let (me|us)] forget [(to|about|that|:)] ${needTo} {title}`,
  `(remember|i must remember|i need to remember|i have to remember|make sure i remember|make sure i do not forget|help me remember|make sure we remember) [(to|that|about)] ${needTo} {title}`,
  `${add} {title} [down] (as|into) [(a|an)] [new] ${todo}`,
  `[(i|we)] (need|want|must have|would like) {title} [(added|put|to be|to go)] ${onList}`,
  `{title} (needs|need|has|have|should|must|ought) [to] (be|go|get) [(added|put)] ${onList}`,
  `{title} (goes|go|belongs|belong) ${onList}`,
  `(make sure|see to it|ensure) [that] {title} (is|gets|goes|are|get|go) ${onList}`,
  `(add|create|make|new) [(a|another|new|a new)] ${todo} {doing}`,
  "(new|add) (todo|task) {doing}",
  "• {title}",
  `(jot down|note down|write down|put down|make a note) ${needTo} {doing}`,
  `${add} [down] ${onList} to {doing}`,
]);
const listedPhrases = phrasesOf(
  "add",
  { anywhere: details, slots: { ...slots, title: nameThat((text) => isTitle(text) && !otherWish.test(text)) } },
  [`${namedList} (:|-) {title}`],
);

const deeds = new Map(
  (
    "bought:buy picked_up:pick_up fetched:fetch collected:collect ordered:order returned:return booked:book hired:hire paid:pay rang:ring rung:ring " +
    "phoned:phone texted:text emailed:email sent:send posted:post wrote:write written:write cleaned:clean washed:wash watered:water fed:feed " +
    "fixed:fix repaired:repair made:make baked:bake cooked:cook packed:pack printed:print signed:sign renewed:renew"
  )
    .split(" ")
    .map((row) => row.replaceAll("_", " ").split(":") as [string, string]),
);

/**
 * Each sign stands for a todo, by title or position: `@` for any, `~` for one whose title does not begin with "my" or
 * the like, and `^` for one whose title begins with a verb.
 */
function about(
  operation: TodoStoreInput["operation"],
  options: PhraseOptions,
  frames: readonly string[],
): readonly Phrase[] {
  const nouns = "(task|todo|item|reminder|entry)";
  const named = `[(the|my|this|that|our)] ${todo} (called|named|titled|that says|about|:) {title}|(the|my|that|our) ${nouns} {doing}|(the|my|that|our) {title} ${nouns}`;
  const ones = "(one|item|task|todo|to do|entry|thing|reminder)";
  const index = `(the|my) {index} ${ones}|[the] (item|task|todo|to do|entry|reminder|number|item number|task number|no|#) [#] {index}|the {index}|[(the|my)] {end} ${ones}`;
  const last = z.enum(["last"]);
  const deed = z.enum([...deeds.keys()] as [string, ...string[]]);
  const types = {
    ...changeSlots,
    title: chosen,
    index: position,
    end: last,
    newList: listName,
    addTags: tagList,
    deed,
  };
  const strict = { ...types, title: item };
  const bare: Readonly<Record<string, string>> = { "@": "{title}", "~": "{title}", "^": "{doing}" };
  const make: Made = (fields, context) => targetOf(operation, fields, context);
  return [strict, types].flatMap((slots) => {
    const fitting = frames.filter((frame) => frame.includes("~") === (slots === strict));
    const phrases = fitting.map((frame) => frame.replace(/[@~^]/, (mark) => `(${bare[mark]}|${named}|${index})`));
    return phrasesOf(operation, { slots, anywhere: besideTodo, ...options, make }, phrases);
  });
}
const besideTodo = [offList];
const besideChange: readonly string[] = [
  ...besideTodo,
  "(,|and|, and) [(make it|set it to|with)] [(a|the)] {priority} (priority|prio)",
  "(,|and|, and) [(make it|mark it|mark it as)] {urgency}",
  "(,|and|, and) (tag|tag it) [(as|with)] [#] {addTags}",
  "# {addTags}",
];

type Fields = Readonly<Record<string, unknown>>;

function targetOf(operation: unknown, { title, index, end, deed, ...others }: Fields, context: PhraseContext) {
  const { previous, before } = context;
  if (deed !== undefined) {
    const done = deedOf(deed, title);
    return done === undefined ? undefined : { ...others, title: done };
  }
  const { operation: last, query } = before?.input ?? {};
  if (index !== undefined || end !== undefined) return inPlace(operation, { ...others, index: index ?? -1 }, context);
  if (typeof title !== "object" || title === null) return { ...(title !== undefined && { title }), ...others };
  // A search may find several todos.
  if (last === "search") return typeof query === "string" ? { ...others, title: query } : undefined;
  const isSaidTwice = last === operation && operation !== "update";
  if (last === "list" || last === "clear" || isSaidTwice || previous === undefined) return undefined;
  return { ...others, id: { $ref: `${previous.$ref}.id` } };
}

/** Makes "buy cream" of "bought" and "the cream". */
function deedOf(deed: unknown, title: unknown): string | undefined {
  if (typeof title !== "string" || /^\d/.test(title) || isPastVerb(title.split(" ")[0] ?? "")) return undefined;
  return `${deeds.get(String(deed))} ${title.replace(/^(?:the|an?|my|our|some) /i, "")}`;
}

/** Counts positions in the list as shown, because deleting a todo shifts the ones after it. */
function inPlace(operation: unknown, { index, ...others }: Fields, { before }: PhraseContext): object | undefined {
  const { operation: last, id, index: gone, list, ...filters } = before?.input ?? {};
  if (last === "list" && Object.keys(filters).length === 0 && others.list === undefined)
    return { ...others, index, ...(list !== undefined && { list }) };
  const known = typeof id === "string" ? /^\$\{(s\d+)\.todos\[/.exec(id)?.[1] : undefined;
  const page = known ?? (last === "list" || last === "search" ? before?.results.at(-1)?.$ref : undefined);
  const isPlace = typeof index === "number" && index > 0;
  if (page !== undefined && others.list === undefined)
    return isPlace ? { ...others, id: { $ref: `${page}.todos[${index - 1}].id` } } : undefined;
  const isKept = last === "delete" ? isPlace && Number(gone) > index : last !== operation;
  return typeof gone === "number" && !isKept ? undefined : { ...others, index };
}

const doneWord = "(done|complete|completed|finished|checked|checked off|ticked off|closed|crossed off|sorted)";
const openWord =
  "(open|open again|not done|undone|incomplete|unfinished|uncompleted|unchecked|not completed|not finished|pending|to do again|not done yet|active)";
const remove =
  "(delete|deleting|remove|removing|erase|scrap|nix|discard|get rid of|throw out|throw away|trash|bin|ditch|kill|drop|scratch|strike|take off|take out|cross out|wipe|dump)";
const without = (field: string) => [`(remove|clear|delete|drop|take [off]) [the] (${field}) (from|of|off|on) @`];

const changePhrases: readonly Phrase[] = [
  ...about("complete", {}, [
    "(complete|tick|tick off|check off|cross off|mark off|close|close off|close out) ~",
    "finish ^",
    `(mark|set|flag|check|tick|put|make|consider|move) @ [off] [(as|to|to be|is|to the)] ${doneWord}`,
    `(mark|set|flag) as ${doneWord} [:] @`,
    `(check|tick|cross|mark|strike) @ off [[of] ${anyList}]`,
    `(i|we) [(have|am|are)] [(just|already|now|finally)] (done|finished|completed|did|sorted|ticked off) [(with|off)] ~`,
    `(just|already) (done|finished|completed|did|sorted) [with] @`,
    "i [have] [(just|already|now|finally)] {deed} {title} [(now|already)]",
    `@ (is|are|has been|have been|was|got) [(now|already|all|finally)] ${doneWord}`,
    `@ [(,|:|-|to)] (done|finished|completed|complete|sorted)`,
    `(done|finished|completed) [(with|:)] ~`,
    `@ can be [(marked|set)] [(as|to)] (${doneWord}|closed)`,
  ]),
  ...about("reopen", {}, [
    "(reopen|re open|uncheck|unmark|untick|uncomplete|undo|restore|reactivate|un tick|un check) ~",
    `(mark|set|flag|put|make|change|move) @ [back] [(as|to|to be|is)] ${openWord} [again]`,
    "open @ again",
    `@ (is|was|are) [actually] (not done|not finished|not done yet|still open|not done after all|open again|still not done)`,
  ]),
  ...about("delete", { destructive: true }, [
    `${remove} ~`,
    "cancel ^",
    `(cancel|${remove}) @ ${offList}`,
    `${remove} (from|off|on) (${anyList}|{listBefore}) @`,
    "(take|scratch|get|pull|knock|kick|throw|leave|wipe) @ (off|out|away)",
    `(take|get|pull|drop|clear|wipe|knock|leave|scratch) @ (off|off of|out of|from) (${anyList}|{listBefore})`,
    `(i|we) (do not|no longer) need @ (on|in) ${anyList} (anymore|any more|any longer)`,
    `@ (can|should) (go|be removed|be deleted|be taken off|come off)`,
  ]),
  ...about("update", {}, [
    "(make|set|mark|flag|change|raise|lower|bump|update|turn|give) @ [(to|as|a|up to|down to|to be|with)] [a] {priority} (priority|prio)",
    "(set|change|raise|lower|update|make|bump|increase|decrease|reduce) [the] (priority|prio) (of|for|on) @ [(to|as|be)] {priority} [(priority|prio)]",
    "(make|mark|flag|set) @ [(as|to|to be)] {urgency}",
    "@ (is|are|has|has become) [(now|a)] ({priority} (priority|prio)|{urgency})",
    "(raise|bump|move|change|set|lower) ~ (to|up to|down to) {priority}",
  ]),
  ...about("update", { input: { priority: "high" } }, ["(prioritize|prioritise) @"]),
  ...about("update", { input: { priority: "low" } }, ["(deprioritize|deprioritise) @"]),
  ...about("update", { input: { priority: null } }, without("priority|prio")),
  ...about("update", { input: { dueDate: null } }, without("due date|deadline|date|due time")),
  ...about("update", { anywhere: besideChange }, [
    "(move|push|postpone|reschedule|delay|defer|shift|put off|bump|snooze|push back|bring forward) @ [(back|forward|up|out|off)] [due] (to|until|till|for|on|by|at|onto) {due}",
    "(change|set|bring) @ [(back|forward)] to {due}",
    "(make|set) @ [to be] due [(on|by|at)] {due}",
    "@ is [now] due [(on|by|at)] {due}",
    "@ ((has|have|needs|need) to|must) be (done|finished|completed) by {due}",
    "(set|change|move|update|make) [the] (due date|deadline|date|due) (of|for|on) @ [(to|as|be)] {due}",
    "(postpone|reschedule|move|push) @ {due}",
    "(rename|retitle|reword|edit) ~ (to|as|into) {newTitle}",
    "(change|update|correct|fix) ^ (to|into) {newTitle}",
    `(change|update|correct|fix) @ ((on|in) ${anyList} (to|into) {newTitle}|(to|into) {newTitle} (on|in) ${anyList})`,
    "(change|edit|update|correct|set) [the] (title|name|text|wording) of @ (to|into) {newTitle}",
    "(change|edit|update|correct) @ (:|to say|so it says) {newTitle}",
    "(replace|swap) ~ (with|for|by) {newTitle}",
    `(move|transfer|shift|switch) @ [over] (to|into|onto) [${own}] {newList} list`,
    "(tag|label) @ (as|with) [#] {addTags}",
    "tag @ # {addTags}",
    "(set|change) the tag[s] of @ (to|as) [#] {tags}",
    "(add|put|attach|give) [the] (tag|label) [#] {addTags} (to|on|onto) @",
    "(add|put|attach) # {addTags} (to|on) @",
    "(remove|delete|take|drop|clear) [off] [the] (tag|label) [#] {removeTags} (from|off|of|on) @",
    "(remove|delete|take|drop|clear) [off] [the] [#] {removeTags} (tag|label) (from|off|of|on) @",
    "(remove|delete|take|drop) # {removeTags} (from|off) @",
    "(put|move) @ (to|as|at|on|up to|down to) [a] {priority} (priority|prio)",
  ]),
  ...about("get", {}, [
    "(when|at what time|what time|what day) is ~ due",
    "(what is|when is|tell me) [the] (due date|deadline|priority|status) (of|for|on) ~",
    `(show|open|get|give|display) [me] [the] (details|detail) (of|on|about|for) ~`,
  ]),
];

const ofKnown = (operation: "complete" | "update", phrases: readonly string[]) => {
  const make: Made = (fields, context) => targetOf(operation, fields, context);
  return phrasesOf(operation, { slots: changeSlots, known: true, make }, phrases);
};
const knownPhrases: readonly Phrase[] = [
  ...ofKnown("complete", [
    "[(i|we)] [have] [(just|already|now|finally)] got {title}",
    "[(i|we)] have {title} [(now|already)]",
  ]),
  ...ofKnown("update", [
    "(let|leave|have) {title} (wait|be|stay) [(until|till|for|to)] {due}",
    "leave {title} (until|till|for) {due}",
    "call {title} {newTitle}",
  ]),
];

const clearSlots = { ...slots, place: z.enum(knownNames.split("|")) };
const clearing = (input: object, phrases: readonly string[]) =>
  phrasesOf("clear", { input, slots: clearSlots, destructive: true }, phrases);
const wipe =
  "(clear|clear out|clear off|empty|empty out|wipe|wipe out|erase|delete|remove|clean out|purge|get rid of|trash|scrap)";
const emptied = anyList.replace("[list]", "list");
const all =
  "(everything|all [of] [(the|my)] (things|items|tasks|todos|to dos|stuff)|all of it|all items|the (contents|items|tasks))";
const clearPhrases: readonly Phrase[] = [
  ...clearing({}, [
    `${wipe} [(all of|the whole|the entire|whole|entire)] ${emptied} [(completely|entirely)]`,
    `${wipe} ${all} (from|on|in|off|off of|out of) ${anyList}`,
    `take (${all} off [of]|off ${all} from) ${anyList}`,
    `(make|wipe|make sure [that]) ${emptied} [is] [completely] (clear|clean|empty|blank)`,
  ]),
  ...clearing({ allLists: true }, [
    `${wipe} (all (lists|my lists|the lists|my tasks|my todos|tasks|todos)|every list)`,
  ]),
  ...clearing({ onlyCompleted: true }, [
    `${wipe} [(all|all of|everything that is)] [(the|my)] ${doneWord} [(tasks|todos|items|ones|things|stuff|to dos)] [(from|on|in|off) ${anyList}]`,
    `${wipe} everything [(that is|i have)] [already] ${doneWord} [(from|on|in|off) ${anyList}]`,
  ]),
];

const filtered = { slots: filterSlots, anywhere: filters };
const show =
  "([(only|just)] show|list|display|read|tell me|tell us|give|see|view|print|pull up|open|bring up|check|go through|run through|get|hear|repeat|recite|iterate|provide|what|what kind of|which|how many|do i have|have i got|are there|is there|let me see)";
const shownNoun =
  "(todo[s]|to do[s]|task[s]|item[s]|reminder[s]|chore[s]|entries|errand[s]|list[s]|agenda|on my plate)";
const listPhrases = phrasesOf("list", filtered, [
  `${show} ${shownNoun}`,
  `${show} {list} list`,
  `${show} {place}`,
  `${show} {status}`,
  `${show} {range}`,
  `${show} due`,
  `(what|anything|do i have anything|is there anything) (i have|do i have|have i got|do i need|do i still need|i need|i still have|must i) to (do|get done|finish)`,
  `(what is|what do i have|what have i got|anything) [(due|on|for|planned|up)] {range}`,
  "(what is|show me) (due|next|coming up)",
  "(show|list|read|give) [me] everything",
  `(what does ${anyList} (look like|consist of|contain|say|have on it)|(what did i|what have i) (put|add|write) (on|to|in) ${anyList}|can i (have|see|get|hear) ${anyList})`,
  `${show} ({priority} (priority|prio)|{urgency})`,
]);
const shownInOrder = phrasesOf("list", filtered, [`(sort|arrange|rank) ${shownNoun} {order}`]);
const unlessListed: Made = (fields, { before }) => (before?.input.operation === "list" ? undefined : fields);
const shownBefore = phrasesOf("list", { make: unlessListed }, [
  "(show|read|give|tell|display|list|see|open) [me] {listBefore} [again|back] [to me]",
]);

const clearedBefore = [undefined, "completed"].flatMap((shown) => {
  const make: Made = (_, context) => {
    const { operation, list, status, ...others } = context.before?.input ?? {};
    const isAll = operation === "list" && status === shown && Object.keys(others).length === 0;
    return isAll ? { ...listOf(context), ...(shown && { onlyCompleted: true }) } : undefined;
  };
  const them = shown ? "(them|them all|all of them)" : "(it|that list|this list|everything on it|it all)";
  return phrasesOf("clear", { destructive: true, make }, [`${wipe} ${them}`]);
});
const asFirst: Made = (fields, { before }) => (before ? undefined : fields);
const shownAlone = phrasesOf("list", { slots: filterSlots, anywhere: filters.slice(1, -1), make: asFirst }, [
  "[(my|the|all)] {status} (todos|to dos|tasks|items)",
  "(my|the|our) {list} list",
  "[(my|the)] {range} (list|todos|tasks)",
  "(my|the) (todos|to dos|tasks|todo list|to do list|task list|list|agenda)",
]);

const asQuery: Made = ({ query, ...others }) =>
  typeof query === "string" ? { ...others, query: query.replace(/^(?:the|an?|my|our|any|some) /i, "") } : undefined;
const whether = "(see|look to see|check|check and see|tell me|verify|find out|confirm|look|let me know) (if|whether)";
const searchedAnywhere = ["(now|already|still|currently|there|anywhere)"];
const searchPhrases = phrasesOf("search", { anywhere: searchedAnywhere, make: asQuery }, [
  "search for {query}",
  `(search|look|check|hunt) [(through|in|on)] ${anyList} for {query}`,
  `(search|look|find|hunt) [for] {query} (on|in|among|through) ${anyList}`,
  `(find|show|list|search [for]|get) [me] [(all|any|every)] [(my|the)] ${todo} (about|with|containing|mentioning|that mention|that contain|related to|called|named|to do with|regarding) {query}`,
  `(is|are) [there] [(a|an|any)] {query} [(an item|something|a task|one of the things|listed)] (on|in) ${anyList}`,
  `(do|did|have) (i|we) [(already|still)] (have|put|add|added|got|need|include) {query} (on|in|to) ${anyList}`,
  `${whether} [there is] {query} (is|are) (on|in) ${anyList}`,
  `${whether} (i|we) (have|had|put|added|need) [already] [(put|added|got)] {query} (on|in|to) ${anyList}`,
  `[(do|did|have)] (i|we) [already] (have|had) [already] (put|added|got) {query} (on|in|to) ${anyList}`,
  `does ${anyList} (have|include|contain|say) {query} [on it]`,
  "(search|find|look up) : {query}",
]);

const asIts: Made = (fields, context) => targetOf("update", { ...fields, title: context.previous }, context);
const itsPhrases = phrasesOf("update", { slots: changeSlots, make: asIts }, [
  "(set|change|move|make) its (due date|deadline|date) [(to|as|be)] {due}",
  "(set|change|make|raise|lower) its (priority|prio) [(to|as|be)] {priority}",
  "(change|set|make) its (title|name|text) [(to|as|be)] {newTitle}",
  "give it (a|the) (due date|deadline) [of] {due}",
]);

export const todoPhrases: readonly Phrase[] = [
  ...listPhrases,
  ...shownAlone,
  ...shownBefore,
  ...clearedBefore,
  ...addPhrases,
  ...listedPhrases,
  ...changePhrases,
  ...itsPhrases,
  ...knownPhrases,
  ...clearPhrases,
  ...searchPhrases,
  ...shownInOrder,
];
