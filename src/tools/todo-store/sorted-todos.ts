import type { Todo } from "./todo.ts";
import { TodoOrder } from "./todo-order.ts";
import { fitsAll, type TodoRow, testsOf, toRow } from "./todo-row.ts";
import type { FoundTodos, TodoQuery } from "./todo-storage.ts";
import { foldText } from "./todo-text.ts";

/** How many titles are searched as one text, which takes a tenth of the time that it takes to visit each. */
const blockSize = 64;

/** Todos in every sort order: those of a scope, or of one of its lists. */
class TodoOrders {
  readonly created: TodoOrder;
  readonly due: TodoOrder;
  readonly priority: TodoOrder;
  readonly title: TodoOrder;
  private readonly each: readonly TodoOrder[];
  completed = 0;

  constructor(rows: readonly (TodoRow | undefined)[]) {
    this.created = new TodoOrder(rows, () => 0);
    // A storage takes any text as a date.
    this.due = new TodoOrder(rows, ({ dueOrder }) => (Number.isNaN(dueOrder) ? undefined : dueOrder));
    this.priority = new TodoOrder(rows, (row) => row.rank);
    this.title = new TodoOrder(rows, (row) => row.titleKey);
    this.each = [this.created, this.due, this.priority, this.title];
  }

  get size(): number {
    return this.created.size;
  }

  /** Adds a row, which is already among the rows; in place of another one, it moves only where its key differs. */
  add(row: TodoRow, replaced?: TodoRow): void {
    for (const order of this.each) if (isMoved(order, row, replaced)) order.add(row);
    this.completed += Number(row.completed);
  }

  /** Removes a row, which is still among the rows; if another one takes its place, only where its key differs. */
  remove(row: TodoRow, next?: TodoRow): void {
    for (const order of this.each) if (isMoved(order, row, next)) order.remove(row);
    this.completed -= Number(row.completed);
  }

  /** See {@link TodoOrder.renumber}. */
  renumber(newIndexes: Int32Array): void {
    for (const order of this.each) order.renumber(newIndexes);
  }
}

function isMoved({ keyOf }: TodoOrder, row: TodoRow, other: TodoRow | undefined): boolean {
  return other === undefined || keyOf(other) !== keyOf(row);
}

/** The todos of one scope, by id and in every sort order, all of them and those of each list. */
export class SortedTodos {
  private readonly byId = new Map<string, TodoRow>();
  /** By their `index`; undefined where one was removed. */
  private readonly rows: (TodoRow | undefined)[] = [];
  private readonly all = new TodoOrders(this.rows);
  private readonly lists = new Map<string, TodoOrders>();
  /** The titles of each block of rows as one text, created when it is first needed. */
  private readonly titles: (string | undefined)[] = [];

  get size(): number {
    return this.byId.size;
  }

  get(id: string): Todo | undefined {
    return this.byId.get(id)?.todo;
  }

  /** Adds a todo, or replaces the one with its id. Returns the stored, frozen copy. */
  put(todo: Todo): Todo {
    const old = this.byId.get(todo.id);
    const row = toRow(todo, old?.index ?? this.rows.length);
    const isOfSameList = old?.listKey === row.listKey;
    const list = this.listOf(row);
    if (old !== undefined) {
      this.all.remove(old, row);
      this.listOf(old).remove(old, isOfSameList ? row : undefined);
    }
    this.byId.set(todo.id, row);
    this.rows[row.index] = row;
    this.all.add(row, old);
    list.add(row, isOfSameList ? old : undefined);
    if (old !== undefined) this.dropIfEmpty(old);
    if (old?.titleKey !== row.titleKey) this.titles[Math.floor(row.index / blockSize)] = undefined;
    return row.todo;
  }

  /** Removes the todo with an id, if there is one. */
  remove(id: string): void {
    const row = this.byId.get(id);
    if (row === undefined) return;
    this.all.remove(row);
    this.listOf(row).remove(row);
    this.forget(row);
    this.dropIfEmpty(row);
    if (this.rows.length > 2 * this.size + 1_000) this.closeGaps();
  }

  /** Removes the todos that fit. */
  clear(query: Pick<TodoQuery, "list" | "completed">): void {
    const tests = testsOf(query);
    for (const row of this.byId.values()) {
      if (!fitsAll(row, tests)) continue;
      this.all.completed -= Number(row.completed);
      this.listOf(row).completed -= Number(row.completed);
      this.forget(row);
    }
    this.closeGaps();
  }

  /**
   * Goes through the todos of the scope, or the list, at most once; not at all for a page of all of them, an id or a
   * whole title.
   */
  find(query: TodoQuery): FoundTodos {
    const { list, sort = "created" } = query;
    const among = list === undefined ? this.all : (this.lists.get(foldText(list)) ?? new TodoOrders(this.rows));
    const order = among[sort];
    const tests = testsOf(query);
    if (tests.length === Number(list !== undefined))
      return { todos: order.page(query), count: among.size, completed: among.completed };
    const known = this.lookUp(query);
    if (known !== undefined) {
      const found = known.filter((row) => fitsAll(row, tests));
      const completed = found.filter((row) => row.completed).length;
      return { todos: order.sort(found).page(query), count: found.length, completed };
    }
    const fitting = new Uint8Array(this.rows.length);
    let count = 0;
    let completed = 0;
    const look = (row: TodoRow | undefined) => {
      if (row === undefined || !fitsAll(row, tests)) return;
      fitting[row.index] = 1;
      count++;
      if (row.completed) completed++;
    };
    const { words = [] } = query;
    if (words.length > 0) this.forEachContaining(words, look);
    else if (list === undefined) this.rows.forEach(look);
    else among.created.forEach(look);
    return { todos: order.page(query, fitting), count, completed };
  }

  /** The rows with the id or the whole title of a query, if it has one. */
  private lookUp({ id, titleKey }: TodoQuery): readonly TodoRow[] | undefined {
    if (id !== undefined) return [this.byId.get(id) ?? []].flat();
    return titleKey === undefined ? undefined : this.all.title.rowsWith(titleKey);
  }

  /** Visits at least the rows whose titles contain all these texts. */
  private forEachContaining(words: readonly string[], visit: (row: TodoRow | undefined) => void): void {
    for (let start = 0; start < this.rows.length; start += blockSize) {
      const block = start / blockSize;
      const end = Math.min(start + blockSize, this.rows.length);
      this.titles[block] ??= this.rows
        .slice(start, end)
        .map((row) => row?.titleKey)
        .join("\n");
      const titles = this.titles[block] ?? "";
      if (!words.every((word) => titles.includes(word))) continue;
      for (let index = start; index < end; index++) visit(this.rows[index]);
    }
  }

  private listOf({ listKey }: TodoRow): TodoOrders {
    const list = this.lists.get(listKey) ?? new TodoOrders(this.rows);
    this.lists.set(listKey, list);
    return list;
  }

  private dropIfEmpty({ listKey }: TodoRow): void {
    if (this.lists.get(listKey)?.size === 0) this.lists.delete(listKey);
  }

  private forget(row: TodoRow): void {
    this.byId.delete(row.todo.id);
    this.rows[row.index] = undefined;
  }

  /** Gives the rows new indexes, without those of removed ones. */
  private closeGaps(): void {
    const newIndexes = new Int32Array(this.rows.length).fill(-1);
    let size = 0;
    for (const row of this.rows) {
      if (row === undefined) continue;
      newIndexes[row.index] = size;
      row.index = size;
      this.rows[size++] = row;
    }
    this.rows.length = size;
    this.titles.length = 0;
    this.all.renumber(newIndexes);
    for (const [key, list] of this.lists) {
      list.renumber(newIndexes);
      if (list.size === 0) this.lists.delete(key);
    }
  }
}
