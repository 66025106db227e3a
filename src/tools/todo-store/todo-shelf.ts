import { RowSet } from "./row-set.ts";
import type { Todo } from "./todo.ts";
import { patchTodo, type TodoRow, toRow } from "./todo-row.ts";
import type { TodoPatch } from "./todo-storage.ts";

/** The todos of one scope: by id, all in order, and those of each list in order. */
export class TodoShelf {
  readonly #byId = new Map<string, TodoRow>();
  readonly #all = new RowSet();
  readonly #lists = new Map<string, RowSet>();
  #nextSequence = 0;

  get isEmpty(): boolean {
    return this.#byId.size === 0;
  }

  get(id: string): TodoRow | undefined {
    return this.#byId.get(id);
  }

  /** The rows of a list, by its `listKey`; without one, all rows. */
  rows(listKey: string | undefined): RowSet {
    return listKey === undefined ? this.#all : (this.#lists.get(listKey) ?? new RowSet());
  }

  /** The stored todo; undefined, with nothing changed, if its id is taken. */
  insert(todo: Todo): Todo | undefined {
    return this.#byId.has(todo.id) ? undefined : this.#put(toRow(todo, this.#nextSequence++));
  }

  /** The changed todo; undefined if there is none. */
  patch(id: string, fields: TodoPatch): Todo | undefined {
    const old = this.get(id);
    if (old === undefined) return undefined;
    const row = toRow(patchTodo(old.todo, fields), old.sequence);
    if (row.listKey !== old.listKey) this.#takeOffLists([old]);
    return this.#put(row);
  }

  /** The removed todo; undefined if there is none. */
  remove(id: string): Todo | undefined {
    const row = this.get(id);
    if (row !== undefined) this.removeAll([row]);
    return row?.todo;
  }

  /** Removes rows of this shelf. */
  removeAll(rows: readonly TodoRow[]): void {
    for (const row of rows) this.#byId.delete(row.todo.id);
    this.#all.removeAll(rows);
    this.#takeOffLists(rows);
  }

  #put(row: TodoRow): Todo {
    this.#byId.set(row.todo.id, row);
    this.#all.put(row);
    const list = this.#lists.get(row.listKey) ?? new RowSet();
    this.#lists.set(row.listKey, list);
    list.put(row);
    return row.todo;
  }

  #takeOffLists(rows: readonly TodoRow[]): void {
    const byList = new Map<string, TodoRow[]>();
    for (const row of rows) {
      const ofList = byList.get(row.listKey) ?? [];
      byList.set(row.listKey, ofList);
      ofList.push(row);
    }
    for (const [listKey, ofList] of byList) {
      const list = this.#lists.get(listKey);
      list?.removeAll(ofList);
      if (list?.size === 0) this.#lists.delete(listKey);
    }
  }
}
