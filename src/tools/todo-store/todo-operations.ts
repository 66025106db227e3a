import { AgentError, type AgentErrorDetails, type CallChoice, type TodoMatch } from "../../core/errors.ts";
import { defined, failOption } from "../../core/option-tables.ts";
import { cutText } from "../../core/text.ts";
import type { UndoneCall } from "../../core/tool.ts";
import { isVerb } from "../../english/word-classes.ts";
import { cutPage, foldText, writeOnce } from "../storage/keyed-records.ts";
import { isSameTodo, type Todo, type TodoPage, type TodoStoreOutput } from "./todo.ts";
import {
  isTodoRead,
  type ParsedTodoInput,
  type ParsedTodoInputOf,
  type TodoReadOperation,
  type TodoTarget,
  type TodoWriteOperation,
} from "./todo-input.ts";
import { defaultListName, settleDue, titleKey, wordsOf } from "./todo-keys.ts";
import type { FoundTodos, TodoChange, TodoPatch, TodoQuery, TodoStorage } from "./todo-storage.ts";

export interface TodoCall {
  readonly storage: TodoStorage;
  readonly scope: string;
  /** The idempotency key. An undo has the key of the undone call, followed by `/undo`. */
  readonly key: string;
  now(): number;
  createId(): string;
}

export async function readTodos(call: TodoCall, input: ParsedTodoInputOf<TodoReadOperation>) {
  const { storage, scope } = call;
  switch (input.operation) {
    case "get":
      return findTodo(call, input, { match: "words" });
    case "list": {
      const { operation, status, ...query } = input;
      const state = status === "all" ? {} : { completed: status === "completed" };
      return toPage(await storage.find(scope, { ...query, ...state }));
    }
    case "search": {
      const { query, operation, ...rest } = input;
      return toPage(await storage.find(scope, { ...rest, words: wordsOf(query) }));
    }
    default:
      return input satisfies never;
  }
}

function toPage({ todos, count, completed }: FoundTodos): TodoPage {
  return { todos: cutPage(todos), count, completed, pending: count - completed };
}

interface FindTodoOptions {
  /** With `words`, whole words of the title are enough if only one todo has them; with `object`, all but its verb. */
  readonly match: "words" | "object";
  readonly completed?: boolean;
}

const keyReused = "todo-key-reused";
const maxNamed = 10;
const maxCandidates = 1_000;

async function findTodo(
  { storage, scope }: TodoCall,
  { id, title, index = 1, list }: TodoTarget,
  options: FindTodoOptions,
): Promise<Todo> {
  const find = async (query: TodoQuery) => storage.find(scope, { ...(list !== undefined && { list }), ...query });
  if (id !== undefined) {
    const { todos } = await find({ id, limit: 1 });
    return todos[0] ?? (await failNotFound(find, id, `No todo has the id ${quote(id)}${inList(list)}.`));
  }
  if (title !== undefined) return findByTitle(find, { title, list }, options);
  const { todos, count } = await find({ reverse: index < 0, offset: Math.abs(index) - 1, limit: 1 });
  if (todos[0] !== undefined) return todos[0];
  const wanted = `position ${index}`;
  const { todos: first } = await find({ limit: maxNamed });
  const message = `There is no todo at ${wanted}${inList(list)}: there ${count === 1 ? "is" : "are"} ${count}.`;
  throw new AgentError("todo-not-found", message, { details: { wanted, near: toMatches(first) } });
}

type Find = (query: TodoQuery) => Promise<FoundTodos>;

async function findByTitle(
  find: Find,
  { title, list }: { readonly title: string; readonly list: string | undefined },
  { match, completed }: FindTodoOptions,
): Promise<Todo> {
  const sameKey = await find({ titleKey: titleKey(title), limit: maxCandidates });
  if (sameKey.count > sameKey.todos.length) failAmbiguous(title, sameKey.todos, sameKey.count);
  const text = foldText(title);
  const sameText = sameKey.todos.filter((todo) => foldText(todo.title) === text);
  const exact = sameText.length > 0 ? sameText : sameKey.todos;
  if (exact.length > 0) return chooseOne(title, exact, completed);
  const named = title.replace(/^(?:the|my|that|this) /i, "").replace(/(?<=\S) one$/i, "");
  const fitting = await fittingOf(find, title, wordsOf(named));
  if (fitting.length > 1 || fitting.some((todo) => match === "words" || isObjectOf(todo, named)))
    return chooseOne(title, fitting, completed);
  if (match === "words") {
    // On a shopping list, "a pint of cream" means "buy cream".
    const thing = boughtIn(title);
    const bought = thing === titleKey(title) ? [] : await fittingOf(find, title, wordsOf(thing));
    const same = bought.filter((todo) => boughtIn(todo.title) === thing);
    if (same.length > 0) return chooseOne(title, same, completed);
  }
  const [known] = (await find({ id: title, limit: 1 })).todos;
  if (known !== undefined) return known;
  const needed = match === "object" ? " This operation needs the title, with or without its verb, or an id." : "";
  const message = `No todo is titled ${quote(title)}${inList(list)}.${needed}`;
  return failNotFound(find, title, message);
}

async function fittingOf(find: Find, title: string, words: readonly string[]): Promise<readonly Todo[]> {
  const near = await find({ words, limit: maxCandidates });
  if (near.count > near.todos.length) failAmbiguous(title, near.todos, near.count);
  return near.todos.filter((todo) => {
    const own = wordsOf(todo.title);
    return words.every((word) => own.includes(word));
  });
}

/** True for "pay plot rent" and "plot rent" if the title is "Pay the plot rent". */
function isObjectOf({ title }: Todo, named: string): boolean {
  const [whole, said] = [title, named].map((text) => titleKey(text).replace(/\b(?:the|an?|my|our) /g, ""));
  const [verb = "", ...others] = (whole as string).split(" ");
  return whole === said || (isVerb(verb) && others.join(" ") === said);
}

/** Returns "cream" for "buy cream", "get a pint of cream" and "the cream". */
function boughtIn(title: string): string {
  const bare = titleKey(title).replace(/^(?:buy|get|pick up|fetch|collect|order) /, "");
  return bare.replace(
    /^(?:(?:the|an?|some|my|our|\d+|two|three) )?(?:(?:pint|litre|liter|bottle|carton|can|tin|jar|box|bag|pack|packet|dozen|bunch|loaf|piece|slice|bar|roll|kilo|pound)s? of )?/,
    "",
  );
}

function chooseOne(title: string, todos: readonly Todo[], completed: boolean | undefined): Todo {
  const inState = todos.filter((todo) => todo.completed === completed);
  const fitting = inState.length > 0 ? inState : todos;
  const [first] = fitting;
  return first !== undefined && fitting.length === 1 ? first : failAmbiguous(title, fitting);
}

function failAmbiguous(title: string, todos: readonly Todo[], count = todos.length): never {
  const matches = toMatches(todos);
  const more = count > matches.length ? `; and ${count - matches.length} more` : "";
  const message = `${quote(title)} fits ${count} todos: ${describeMatches(matches)}${more}. Use an id.`;
  const details = { wanted: cutText(title, 200), count, matches, ...choicesOf(todos.slice(0, maxNamed)) };
  throw new AgentError("todo-ambiguous", message, { details });
}

function choicesOf(todos: readonly Todo[]): { readonly choices: readonly CallChoice[]; readonly several: true } {
  const choices = todos.map(({ id, title, list, dueDate, dueAt }) => {
    const about = [list, dueAt ?? dueDate].filter((text) => text !== undefined);
    return { label: `${title} (${about.join(", ")})`, input: { id, title: null } };
  });
  return { choices, several: true };
}

async function failNotFound(find: Find, wanted: string, message: string): Promise<never> {
  const similar = await findSimilar(find, wanted);
  const near = toMatches(similar.length > 0 ? similar : (await find({ limit: 5 })).todos);
  const hint = near.length > 0 ? ` Existing todos: ${describeMatches(near)}.` : "";
  const details = { wanted: cutText(wanted, 200), near, ...(similar.length > 0 && choicesOf(similar)) };
  throw new AgentError("todo-not-found", `${message}${hint}`, { details });
}

/** Finds the todos that have most of the words, in any form. */
async function findSimilar(find: Find, wanted: string): Promise<readonly Todo[]> {
  const hits = new Map<string, { todo: Todo; words: number }>();
  for (const word of wordsOf(wanted).slice(0, 5)) {
    // Shortened words also find plurals, other endings and many misspellings.
    const stem = word.slice(0, Math.max(3, word.length - 2));
    for (const todo of (await find({ words: [stem], limit: 50 })).todos) {
      hits.set(todo.id, { todo, words: (hits.get(todo.id)?.words ?? 0) + 1 });
    }
  }
  const most = Math.max(...[...hits.values()].map(({ words }) => words));
  return [...hits.values()]
    .filter(({ words }) => words === most)
    .map(({ todo }) => todo)
    .slice(0, maxNamed);
}

function inList(list: string | undefined): string {
  return list === undefined ? "" : ` in the list ${quote(list)}`;
}

function quote(text: string): string {
  return JSON.stringify(cutText(text, 80));
}

function toMatches(todos: readonly Todo[]): readonly TodoMatch[] {
  return todos
    .slice(0, maxNamed)
    .map(({ id, title, list, completed }) => ({ id, title: cutText(title, 200), list, completed }));
}

function describeMatches(matches: readonly TodoMatch[]): string {
  const stateOf = ({ completed }: TodoMatch) => (completed ? ", completed" : "");
  return matches.map((each) => `${quote(each.title)} (id ${each.id}, list ${each.list}${stateOf(each)})`).join("; ");
}

/** Each try fails only if another write has just changed the same todo. */
const maxTries = 100;

export async function changeTodos(call: TodoCall, input: ParsedTodoInputOf<TodoWriteOperation>) {
  for (let tries = 1; ; tries++) {
    const { operation } = input;
    const { record, change } = await writeOnce({ ...call, keyReused, operation, plan: () => planChange(call, input) });
    if (record !== undefined) {
      const { result, before } = record;
      return before && "id" in result && isSameTodo(before, result) ? { ...result, unchanged: true as const } : result;
    }
    if (change?.type === "insert" || tries === maxTries) failMisfit(change);
  }
}

function failMisfit(change: TodoChange | undefined): never {
  if (change?.type === "insert") {
    const { id } = change.todo;
    const message = `There is already a todo with the id ${JSON.stringify(id)}.`;
    throw new AgentError("todo-id-taken", message, { details: { id } });
  }
  const wanted = change === undefined || change.type === "clear" ? "clear" : change.id;
  const subject = wanted === "clear" ? "The todos to be cleared were" : `The todo ${wanted} was`;
  const message = `${subject} changed or removed in the meantime.`;
  throw new AgentError("todo-not-found", message, { details: { wanted, near: [] } });
}

async function planChange(call: TodoCall, input: ParsedTodoInputOf<TodoWriteOperation>): Promise<TodoChange> {
  switch (input.operation) {
    case "add":
      return { type: "insert", todo: newTodo(input, call) };
    case "complete": {
      const expected = await findTodo(call, input, { match: "words", completed: false });
      const completedAt = new Date(call.now()).toISOString();
      return toPatch(expected, expected.completed ? {} : { completed: true, completedAt });
    }
    case "reopen": {
      const expected = await findTodo(call, input, { match: "words", completed: true });
      return toPatch(expected, { completed: false, completedAt: null });
    }
    case "update": {
      const expected = await findTodo(call, input, { match: "words" });
      return toPatch(expected, newFields(input, expected, call.now()));
    }
    case "delete": {
      const expected = await findTodo(call, input, { match: "object" });
      return { type: "remove", id: expected.id, expected };
    }
    case "clear":
      return planClear(call, input);
    default:
      return input satisfies never;
  }
}

function toPatch(expected: Todo, fields: TodoPatch): TodoChange {
  return { type: "patch", id: expected.id, fields, expected };
}

function newTodo(
  { title, list = defaultListName, priority, tags = [], ...due }: ParsedTodoInputOf<"add">,
  { now, createId }: TodoCall,
): Todo {
  const { dueDate, dueAt } = settleDue(due) ?? {};
  const id: unknown = createId();
  if (typeof id !== "string" || id === "") failOption("todoStore.createId", id, "a function that returns text");
  const optional = defined({ dueDate: dueDate ?? undefined, dueAt: dueAt ?? undefined, priority });
  return { id, title, completed: false, list, createdAt: new Date(now()).toISOString(), ...optional, tags };
}

function newFields(
  { newTitle, newList, priority, tags, addTags = [], removeTags = [], ...due }: ParsedTodoInputOf<"update">,
  before: Todo,
  nowMs: number,
): TodoPatch {
  const changedTags = [...new Set([...before.tags, ...addTags])].filter((tag) => !removeTags.includes(tag));
  const optional = defined({ title: newTitle, list: newList, priority });
  return { ...optional, ...settleDue(due, before, nowMs), tags: tags ?? changedTags };
}

async function planClear({ storage, scope }: TodoCall, input: ParsedTodoInputOf<"clear">): Promise<TodoChange> {
  const { list, allLists, onlyCompleted } = input;
  if (allLists) return { type: "clear", onlyCompleted };
  if (list === undefined) return { type: "clear", list: await onlyList(storage, scope), onlyCompleted };
  // "Clear my chore list" must not succeed if the list is called "chores".
  const isKnown = (await storage.find(scope, { list, limit: 0 })).count > 0;
  const { todos } = isKnown ? { todos: [] } : await storage.find(scope, { limit: maxNamed });
  if (todos.length === 0) return { type: "clear", list, onlyCompleted };
  const lists = [...new Set(todos.map((todo) => JSON.stringify(todo.list)))].join(", ");
  const message = `The list ${JSON.stringify(list)} has no todos to clear. Lists with todos include ${lists}.`;
  throw new AgentError("todo-not-found", message, { details: { wanted: list, near: toMatches(todos) } });
}

/** Clearing cannot be undone, so no list is guessed. */
async function onlyList(storage: TodoStorage, scope: string): Promise<string> {
  const { todos, count } = await storage.find(scope, { limit: 1_000 });
  const names = new Map(todos.map((todo) => [foldText(todo.list), todo.list]));
  const [name = defaultListName] = names.values();
  const isOnly = count === todos.length || (await storage.find(scope, { list: name, limit: 0 })).count === count;
  if (names.size <= 1 && isOnly) return name;
  const lists = [...names.values()].slice(0, maxNamed);
  const known = lists.map((list) => JSON.stringify(list)).join(", ");
  const message = `There are several lists, such as ${known}. Set "list" to the one to clear, or set "allLists".`;
  throw new AgentError("todo-list-ambiguous", message, {
    details: { lists, choices: lists.map((list) => ({ label: list, input: { list } })) },
  });
}

/**
 * Undoes a call once, and only if the todo is still as the call left it, so that later changes are kept. The previous
 * state of a changed todo is in the record under the call's key; an added or deleted todo is in the output.
 */
export async function undoChange(call: TodoCall, done: UndoneCall<ParsedTodoInput, TodoStoreOutput>): Promise<void> {
  const { input, output } = done;
  if (isTodoRead(input)) return;
  const { operation } = input;
  if (!("id" in output)) refuse({ operation, reason: "irreversible" });
  const plan = () => inverseOf(call, operation, output);
  const { record, change } = await writeOnce({ ...call, keyReused, operation: "undo", plan });
  if (record === undefined && change !== undefined) await refuseUnlessGone(call, operation, change);
}

type Inverse = Exclude<TodoChange, { type: "clear" }>;

async function inverseOf(call: TodoCall, operation: string, todo: Todo): Promise<Inverse | undefined> {
  const { storage, scope, key } = call;
  const { id } = todo;
  if (operation === "add") return { type: "remove", id, expected: todo };
  if (operation === "delete") return { type: "insert", todo };
  const record = await storage.recall(scope, key.replace(/\/undo$/, ""));
  const before = record?.result !== undefined && "id" in record.result && record.result.id === id && record.before;
  if (!before) return refuse({ operation, reason: "forgotten", id });
  if (isSameTodo(before, todo)) return undefined;
  const { title, list, completed, completedAt = null, dueDate = null, dueAt = null, priority = null, tags } = before;
  const fields = { title, list, completed, completedAt, dueDate, dueAt, priority, tags };
  return { type: "patch", id, fields, expected: todo };
}

async function refuseUnlessGone({ storage, scope }: TodoCall, operation: string, change: Inverse): Promise<void> {
  if (change.type === "insert") return refuse({ operation, reason: "exists", id: change.todo.id });
  const { id } = change;
  const { count } = await storage.find(scope, { id, limit: 0 });
  if (count > 0) return refuse({ operation, reason: "changed", id });
  if (change.type === "patch") return refuse({ operation, reason: "gone", id });
}

type Refusal = AgentErrorDetails["todo-undo-refused"];

const explanations: Readonly<Record<Refusal["reason"], string>> = {
  changed: "the todo was changed since, and undoing would overwrite that change",
  gone: "the todo was deleted since",
  exists: "its id is in use again",
  forgotten: "the storage forgot the todo's previous state; let it remember more writes (rememberedWrites)",
  irreversible: "cleared todos are not kept",
};

function refuse(details: Refusal): never {
  const { operation, id, reason } = details;
  const what = id === undefined ? `"${operation}"` : `"${operation}" of the todo ${JSON.stringify(id)}`;
  throw new AgentError("todo-undo-refused", `${what} cannot be undone: ${explanations[reason]}.`, { details });
}
