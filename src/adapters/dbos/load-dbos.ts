import { AgentError } from "../../core/errors.ts";

export type DbosModule = typeof import("@dbos-inc/dbos-sdk");

/**
 * How long DBOS may rest in a transaction. A process that is stopped in one, as a machine that falls asleep, would keep
 * rows locked, and the adoption of its runs waiting.
 */
export const idleTransactionMs = 2_000;

/** Loads the package. Rejects with `missing-dependency`. */
export async function loadDbos(): Promise<DbosModule> {
  try {
    return await import("@dbos-inc/dbos-sdk");
  } catch (thrown) {
    const command = "npm install @dbos-inc/dbos-sdk pg";
    throw new AgentError("missing-dependency", `Workers need the package "@dbos-inc/dbos-sdk": ${command}`, {
      details: { packages: ["@dbos-inc/dbos-sdk", "pg"], command },
      cause: thrown,
    });
  }
}
