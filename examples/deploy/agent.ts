import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createAgent, createTodoStore, defineTool } from "planwright";
import { createPostgresRunStore, createPostgresTodos } from "planwright/postgres";
import * as z from "zod/v4";
import { settings } from "./settings.ts";

const report = defineTool({
  name: "Report",
  description: "Writes a report, which takes a while",
  inputSchema: z.object({ topic: z.string() }),
  effect: "idempotent",
  phrases: ["write a report on {topic}"],
  async execute({ topic }, { signal, attempt, idempotencyKey }) {
    console.log("writes", idempotencyKey, "attempt", attempt);
    await sleep(2_000, undefined, { signal });
    return `All about ${topic}`;
  },
});

const letter = defineTool({
  name: "Letter",
  description: "Sends a letter",
  inputSchema: z.object({ to: z.string() }),
  effect: "once",
  needsApproval: true,
  phrases: ["send a letter to {to}"],
  execute: ({ to }) => `A letter to ${to} was sent`,
});

// One pool, so that this process has at most 10 connections for all that it stores.
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 10 });

export const store = createPostgresRunStore({ pool });

/** The same in every process: only workers run its steps. */
export const agent = createAgent({
  tools: [report, letter, createTodoStore({ storage: createPostgresTodos({ pool }) })],
  store,
  // How soon the runs of a worker that was killed continue.
  leaseMs: 3_000,
});
