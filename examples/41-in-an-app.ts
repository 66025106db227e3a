import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import * as z from "zod/v4";

const booked = new Map<string, number>();
const book = defineTool({
  name: "BookTable",
  description: "Books a table",
  inputSchema: z.object({ guests: z.number().int(), name: z.string() }),
  outputSchema: z.object({ table: z.number(), name: z.string() }),
  effect: "idempotent", // the same key books once
  needsApproval: ({ guests }) => guests > 6,
  phrases: ["(book|reserve) a table for {guests} [guest[s]] under {name}"],
  execute({ name }, { idempotencyKey }) {
    const table = booked.get(idempotencyKey) ?? booked.size + 1;
    booked.set(idempotencyKey, table);
    return { table, name };
  },
  undo: ({ output }) => console.log(`frees table ${output.table}`),
  say: ({ output }) => `Booked table ${output.table} for ${output.name}.`,
});
// In an app: createSqliteRunStore({ path: "./runs.db" }) of planwright/sqlite.
const agent = createAgent({ tools: [book], store: createMemoryRunStore() });

for (const line of ["book a table for 9 under Cleo", "reserve a table under Ben", "4", "undo that", "sing a song"]) {
  const { status, text, error, pending } = await agent.run(line, { thread: "user-7" });
  console.log(`> ${line}\n${status}: ${text}`, error?.code ?? "", pending?.map(({ kind }) => kind) ?? "");
}
// Behind a button of somebody who may decide, perhaps in another process that has the store:
for (const { runId, item } of (await agent.listPending({ kinds: "approval" })).items) {
  if (item.kind === "approval") console.log((await agent.approve(runId, item, { by: "Eve" }).result).text);
}
