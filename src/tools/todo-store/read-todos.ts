import { AgentError, type TodoMatch } from "../../core/errors.ts";
import { cutText } from "../../core/text.ts";
import { cutPage, foldText } from "../storage/keyed-records.ts";
import type { Todo, TodoPage } from "./todo.ts";
import type { ParsedTodoInputOf, TodoReadOperation, TodoTarget } from "./todo-input.ts";
import { titleKey, wordsOf } from "./todo-keys.ts";
import type { FoundTodos, TodoQuery, TodoStorage } from "./todo-storage.ts";

export interface TodoScope {
  readonly storage: TodoStorage;
  readonly scope: string;
}

export async function readTodos(
  { storage, scope }: TodoScope,
  input: ParsedTodoInputOf<TodoReadOperation>,
): Promise<Todo | TodoPage> {
  switch (input.operation) {
    case "get":
      return findTodo({ storage, scope }, input, { match: "words" });
    case "list": {
      const { operation, status, ...query } = input;
      return toPage(
        await storage.find(scope, status === "all" ? query : { ...query, completed: status === "completed" }),
      );
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
  /** `words`: a few whole words of the title are enough if only one todo has them. `whole`: the title, for `update` and `delete`. */
  readonly match: "words" | "whole";
  /** Prefers todos in this state if several fit: only an open todo can be completed. */
  readonly completed?: boolean;
}

export const maxNamed = 10;
const maxCandidates = 1_000;

export async function findTodo(
  { storage, scope }: TodoScope,
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
  const message = `There is no todo at ${wanted}${inList(list)}: there are ${count}.`;
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
  if (match === "words") {
    const words = wordsOf(title);
    const near = await find({ words, limit: maxCandidates });
    if (near.count > near.todos.length) failAmbiguous(title, near.todos, near.count);
    const fitting = near.todos.filter((todo) => {
      const own = wordsOf(todo.title);
      return words.every((word) => own.includes(word));
    });
    if (fitting.length > 0) return chooseOne(title, fitting, completed);
  }
  // People type the id that an error has named.
  const [named] = (await find({ id: title, limit: 1 })).todos;
  if (named !== undefined) return named;
  const wholeTitle = match === "whole" ? " This operation needs the whole title, or an id." : "";
  return failNotFound(find, title, `No todo is titled ${quote(title)}${inList(list)}.${wholeTitle}`);
}

function chooseOne(title: string, todos: readonly Todo[], completed: boolean | undefined): Todo {
  const inState = todos.filter((todo) => todo.completed === completed);
  const [first, ...others] = inState.length > 0 ? inState : todos;
  if (first !== undefined && others.length === 0) return first;
  return failAmbiguous(title, inState.length > 0 ? inState : todos);
}

function failAmbiguous(title: string, todos: readonly Todo[], count = todos.length): never {
  const matches = toMatches(todos);
  const more = count > matches.length ? `; and ${count - matches.length} more` : "";
  const message = `${quote(title)} fits ${count} todos: ${describeMatches(matches)}${more}. Use an id.`;
  throw new AgentError("todo-ambiguous", message, { details: { wanted: cutText(title, 200), count, matches } });
}

async function failNotFound(find: Find, wanted: string, message: string): Promise<never> {
  const near = toMatches(await findNear(find, wanted));
  const hint = near.length > 0 ? ` Near: ${describeMatches(near)}.` : "";
  throw new AgentError("todo-not-found", `${message}${hint}`, { details: { wanted: cutText(wanted, 200), near } });
}

/** Todos that share the starts of words, those with the most first; else the first todos. */
async function findNear(find: Find, wanted: string): Promise<readonly Todo[]> {
  const hits = new Map<string, { todo: Todo; words: number }>();
  for (const word of wordsOf(wanted).slice(0, 5)) {
    // Without its last letters a word also finds its plural, other endings and many typing errors.
    const stem = word.slice(0, Math.max(3, word.length - 2));
    for (const todo of (await find({ words: [stem], limit: 50 })).todos) {
      hits.set(todo.id, { todo, words: (hits.get(todo.id)?.words ?? 0) + 1 });
    }
  }
  if (hits.size === 0) return (await find({ limit: 5 })).todos;
  return [...hits.values()]
    .sort((left, right) => right.words - left.words)
    .slice(0, maxNamed)
    .map(({ todo }) => todo);
}

function inList(list: string | undefined): string {
  return list === undefined ? "" : ` in the list ${quote(list)}`;
}

function quote(text: string): string {
  return JSON.stringify(cutText(text, 80));
}

export function toMatches(todos: readonly Todo[]): readonly TodoMatch[] {
  return todos
    .slice(0, maxNamed)
    .map(({ id, title, list, completed }) => ({ id, title: cutText(title, 200), list, completed }));
}

function describeMatches(matches: readonly TodoMatch[]): string {
  return matches
    .map(({ id, title, list, completed }) => {
      const state = completed ? ", completed" : "";
      return `${JSON.stringify(cutText(title, 80))} (id ${id}, list ${list}${state})`;
    })
    .join("; ");
}
