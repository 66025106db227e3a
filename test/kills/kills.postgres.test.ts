import { describe, expect, it } from "vitest";
import { usePostgres } from "../adapters/postgres/postgres-server.ts";
import { useKillChains } from "./kill-chains.ts";
import { seededRandom } from "./seeded-random.ts";

const server = usePostgres();
const playChain = useKillChains(async () => ({ databaseUrl: await server.newDatabase() }));

// A sample: test/long kills at each point of each kind.
describe.concurrent("processes that are killed lose nothing and repeat nothing", () => {
  it("at each append of a run, undone", async (context) => {
    const { kills } = await playChain(context, (chain) => chain.killFirstExecution("undone", ["append"]));
    expect(kills).toBeGreaterThanOrEqual(10);
  });

  it("at each append of an execution that starts with an answer, and asks twice more", async (context) => {
    const { kills } = await playChain(context, (chain) => chain.killSecondExecution("asked", ["append"]));
    expect(kills).toBeGreaterThanOrEqual(20);
  });

  it("at any time, while others resume their runs, or have slept for longer than their claims", async (context) => {
    const how = { disturbances: 6, random: seededRandom(1), withinMs: 150, leaseMs: 500 };
    const { kills, closes, sleeps } = await playChain(context, (chain) => chain.disturbAtRandom(how));
    expect(kills + closes).toBe(how.disturbances);
    expect(sleeps).toBeGreaterThanOrEqual(how.disturbances / 2 - 1);
  });
});
