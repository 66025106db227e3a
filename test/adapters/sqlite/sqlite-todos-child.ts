import { readSync, writeSync } from "node:fs";
import { createSqliteTodos } from "planwright/sqlite";
import type { SqliteDriver } from "../../../src/adapters/sqlite/sql-database.ts";
import { todoWith } from "../../tools/todo-store/todo-storage-contract.ts";
import { childWork } from "./processes/child-work.ts";

// A process that adds todos, as the child of the run store records events: started in the same way.
const { driver, path, count, name } = childWork(process.argv);

function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

tell("ready");
// Until the parent says go.
readSync(0, Buffer.alloc(1));
tell("opening");
try {
  const storage = createSqliteTodos({ path, driver: driver as SqliteDriver });
  for (let number = 1; number <= count; number++) {
    const id = `${name} ${number}`;
    await storage.apply("a", { key: id, operation: "add", change: { type: "insert", todo: todoWith({ id }) } });
    tell(id);
  }
  storage.close();
  tell("done");
} catch (thrown) {
  tell(`failed ${String(thrown)}`);
}
