import { createInterface } from "node:readline";
import { createSqliteRunStore } from "planwright/sqlite";
import type { SqliteDriver } from "../../src/adapters/sqlite/sql-database.ts";
import { openStore, type StoreAddress } from "../kills/store-address.ts";
import { type Asked, askingAgent, deciderOf } from "./deciders.ts";

// A process of its own that decides: it reads what it is asked, and prints what it is told, a line each.
const address = JSON.parse(process.argv.at(-1) ?? "") as StoreAddress & { readonly driver?: SqliteDriver };
const store =
  "path" in address && address.driver !== undefined ? createSqliteRunStore(address as never) : openStore(address);
const decide = deciderOf(askingAgent(store));
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await decide(JSON.parse(line) as Asked)));
await store.close();
