import { AgentError } from "../../core/errors.ts";
import { describeThrown } from "../../core/text.ts";
import type { Sql, SqlRow, SqlValue, Steps } from "../sql/statement.ts";

interface NativeStatement {
  run(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): SqlRow[];
}

interface NativeDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): NativeStatement;
  close(): unknown;
}

const maxStatements = 200;

export class SqlDatabase {
  readonly #prepared = new Map<string, NativeStatement>();

  constructor(private readonly native: NativeDatabase) {}

  exec(text: string): void {
    this.native.exec(text);
  }

  run(text: string, ...values: readonly SqlValue[]): void {
    this.#prepare(text).run(...values);
  }

  all(text: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return this.#prepare(text).all(...values);
  }

  get(text: string, ...values: readonly SqlValue[]): SqlRow | undefined {
    // Does not use `get`, as that of libsql adds a key to the row.
    return this.all(text, ...values)[0];
  }

  value(text: string, ...values: readonly SqlValue[]): unknown {
    return Object.values(this.get(text, ...values) ?? {})[0];
  }

  select({ texts, values }: Sql): readonly SqlRow[] {
    return this.all(texts.join("?"), ...values);
  }

  finish<T>(steps: Steps<T>): T {
    let step = steps.next();
    while (step.done !== true) step = steps.next(this.select(step.value));
    return step.value;
  }

  close(): void {
    // libsql keeps the file open while prepared statements exist.
    this.#prepared.clear();
    this.native.close();
  }

  #prepare(text: string): NativeStatement {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    if (this.#prepared.size >= maxStatements) this.#prepared.clear();
    const statement = this.native.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  }
}

export function inTransaction<T>(db: SqlDatabase, mode: "DEFERRED" | "IMMEDIATE" | "EXCLUSIVE", work: () => T): T {
  db.exec(`BEGIN ${mode}`);
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (thrown) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // SQLite has already rolled back, for example because the disk is full.
    }
    throw thrown;
  }
}

/** Selects columns as bytes, as one driver crashes on damaged text. To sort by such a column, name its table. */
export function asBytes(...columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS BLOB) AS ${column.slice(column.indexOf(".") + 1)}`).join(", ");
}

/** `node` is `node:sqlite` of Node 22.13 or later; the others are packages. All share one format. @inline */
export type SqliteDriver = "node" | "better-sqlite3" | "libsql";

type DatabaseConstructor = new (path: string) => NativeDatabase;

export type FindDriver = (driver: SqliteDriver) => DatabaseConstructor | undefined;

export const drivers: readonly SqliteDriver[] = ["node", "better-sqlite3", "libsql"];

export const driverPlaces: string[] = [];

/** Uses a `require` that bundlers ignore. */
function findFrom(path: string): FindDriver {
  const load = process.getBuiltinModule("node:module").createRequire(path);
  return (driver) => {
    if (driver !== "node") return load(driver);
    const builtin = process.getBuiltinModule("node:sqlite") as { DatabaseSync?: DatabaseConstructor } | undefined;
    return builtin?.DatabaseSync;
  };
}

export function loadDriver(driver: SqliteDriver | undefined, places?: readonly FindDriver[]): DatabaseConstructor {
  const failures: unknown[] = [];
  // A CommonJS bundle has no `import.meta.url`.
  const finders = places ?? [import.meta.url ?? __filename, ...driverPlaces].map(findFrom);
  for (const candidate of driver === undefined ? drivers : [driver]) {
    for (const find of finders) {
      try {
        const Database = find(candidate);
        if (Database === undefined) continue;
        // Loads the compiled part, which is missing if the install script was skipped.
        new Database(":memory:").close();
        return Database;
      } catch (thrown) {
        if (!isNotFound(thrown, candidate)) failures.push(thrown);
      }
    }
  }
  throw missingDriver(driver, failures);
}

function isNotFound(thrown: unknown, name: string): boolean {
  const { code, message } = thrown as Partial<NodeJS.ErrnoException>;
  return code === "MODULE_NOT_FOUND" && String(message).includes(`'${name}'`);
}

function missingDriver(driver: SqliteDriver | undefined, failures: readonly unknown[]): AgentError {
  const isPackage = driver !== undefined && driver !== "node";
  const command = `npm install ${isPackage ? driver : "libsql"}`;
  const version = process.versions.node;
  const wanted = isPackage ? `The driver "${driver}" is not` : driver ? "Node's driver is not" : "No SQLite driver is";
  const broken = new Set(failures.map((thrown) => ` An installed driver does not load: ${describeThrown(thrown)}.`));
  const way = isPackage ? `Run "${command}".` : `Run "${command}", or use Node 22.13 or later (this is ${version}).`;
  return new AgentError("missing-dependency", `${wanted} available. ${way}${[...broken].join("")}`, {
    details: { packages: isPackage ? [driver] : drivers.slice(1), command },
    cause: failures[0],
  });
}
