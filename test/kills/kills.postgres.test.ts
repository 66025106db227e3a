import { describe, expect, it } from "vitest";
import { usePostgres } from "../adapters/postgres/postgres-server.ts";
import { useKillChains } from "./kill-chains.ts";

const server = usePostgres();
const playChain = useKillChains(async () => ({ databaseUrl: await server.newDatabase() }));

// A sample: test/long kills at each point of each kind.
describe("processes that are killed lose nothing and repeat nothing", { timeout: 120_000 }, () => {
  it("at each append of a run, undone", async (context) => {
    const { kills } = await playChain(context, (chain) => chain.killFirstExecution("undone", ["append"]));
    expect(kills).toBeGreaterThanOrEqual(10);
  });
});
