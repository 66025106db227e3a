import type { Todo } from "./todo.ts";
import { TodoOrder } from "./todo-order.ts";
import { fitsAll, type TodoRow, testsOf, toRow } from "./todo-row.ts";
import type { FoundTodos, TodoQuery } from "./todo-storage.ts";

/** The todos of one scope, by id and in every sort order. */
export class SortedTodos {
  private readonly byId = new Map<string, TodoRow>();
  /** By their `index`; undefined where one was removed. */
  private readonly rows: (TodoRow | undefined)[] = [];
  private readonly orders = {
    created: new TodoOrder(this.rows, () => 0),
    due: new TodoOrder(this.rows, (row) => row.dueMs),
    priority: new TodoOrder(this.rows, (row) => row.rank),
    title: new TodoOrder(this.rows, (row) => row.titleKey),
  };
  private completed = 0;

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
    const changed = Object.values(this.orders).filter(({ keyOf }) => old === undefined || keyOf(old) !== keyOf(row));
    if (old !== undefined) for (const order of changed) order.remove(old);
    this.byId.set(todo.id, row);
    this.rows[row.index] = row;
    for (const order of changed) order.add(row);
    this.completed += Number(row.completed) - Number(old?.completed ?? false);
    return row.todo;
  }

  /** Removes the todo with an id, if there is one. */
  remove(id: string): void {
    const row = this.byId.get(id);
    if (row === undefined) return;
    for (const order of Object.values(this.orders)) order.remove(row);
    this.forget(row);
    if (this.rows.length > 2 * this.size + 1_000) this.closeGaps();
  }

  /** Removes the todos that fit. */
  clear(query: Pick<TodoQuery, "list" | "completed">): void {
    const tests = testsOf(query);
    for (const row of this.byId.values()) if (fitsAll(row, tests)) this.forget(row);
    this.closeGaps();
  }

  /** Goes through all todos at most once, and not at all for a page of all of them, an id or a whole title. */
  find(query: TodoQuery): FoundTodos {
    const tests = testsOf(query);
    const order = this.orders[query.sort ?? "created"];
    if (tests.length === 0) return { todos: order.page(query), count: this.size, completed: this.completed };
    const fitting = new Uint8Array(this.rows.length);
    let count = 0;
    let completed = 0;
    for (const row of this.candidates(query)) {
      if (row === undefined || !fitsAll(row, tests)) continue;
      fitting[row.index] = 1;
      count++;
      if (row.completed) completed++;
    }
    return { todos: order.page(query, fitting), count, completed };
  }

  /** Rows among which are all that fit. */
  private candidates({ id, titleKey }: TodoQuery): readonly (TodoRow | undefined)[] {
    if (id !== undefined) return [this.byId.get(id)];
    return titleKey === undefined ? this.rows : this.orders.title.rowsWith(titleKey);
  }

  private forget(row: TodoRow): void {
    this.byId.delete(row.todo.id);
    this.rows[row.index] = undefined;
    this.completed -= Number(row.completed);
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
    for (const order of Object.values(this.orders)) order.renumber(newIndexes);
  }
}
