import { start } from "node:repl";
import { createDbosClient } from "planwright/dbos";

const { DATABASE_URL } = process.env;
if (!DATABASE_URL) throw new Error("DATABASE_URL is not set: postgres://user:password@host/database");

// It needs no tools, and no key for secrets.
const client = createDbosClient({ databaseUrl: DATABASE_URL });
const prompt = start("planwright> ");
prompt.context.client = client;
prompt.once("exit", () => client.close());
