import { it } from "vitest";
import { decideAtOnce } from "../../scenario/decide-at-once.ts";
import { askingAgent, deciderOf } from "../../scenario/deciders.ts";
import { useDecidingProcesses } from "../../scenario/deciding-processes.ts";
import { openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();
const start = useDecidingProcesses();

it("one of two processes that decide at once decides, 200 times", async () => {
  const databaseUrl = await server.newDatabase();
  await decideAtOnce(openStore(databaseUrl), [start({ databaseUrl }), start({ databaseUrl })]);
});

it("one of three people who decide at once decides, 200 times", async () => {
  const databaseUrl = await server.newDatabase();
  const people = [1, 2, 3].map(() => deciderOf(askingAgent(openStore(databaseUrl))));
  await decideAtOnce(openStore(databaseUrl), people);
});
