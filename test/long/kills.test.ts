import { describe, expect, it } from "vitest";
import { usePostgres } from "../adapters/postgres/postgres-server.ts";
import type { ChainReport } from "../kills/kill-chain.ts";
import { useKillChains } from "../kills/kill-chains.ts";
import { planKinds } from "../kills/kill-plans.ts";
import { seededRandom } from "../kills/seeded-random.ts";

const server = usePostgres();
const stores = [
  { storeKind: "SQLite", playChain: useKillChains() },
  {
    storeKind: "PostgreSQL",
    playChain: useKillChains(async () => ({ databaseUrl: await server.newDatabase() })),
  },
];

// More than 9000 kills with each, which take an hour on two cores.
describe.for(stores)(
  "processes that are killed lose nothing and repeat nothing, with $storeKind",
  {
    concurrent: true,
    timeout: 7_200_000,
  },
  ({ storeKind, playChain }) => {
    for (const kind of planKinds) {
      it(`at each point of a run, ${kind}, and at each point of resuming it`, async (context) => {
        const report = await playChain(context, (chain) => chain.killBothExecutions(kind));
        console.log(storeKind, kind, JSON.stringify(report));
        expect(report.kills).toBeGreaterThan(100);
      });
    }

    for (const kind of planKinds) {
      it(`at each point of a run, ${kind}, while two processes resume it at once`, async (context) => {
        const report = await playChain(context, (chain) => chain.killAndResumeTwice(kind));
        console.log(storeKind, kind, "resumed twice", JSON.stringify(report));
        expect(report.kills).toBeGreaterThanOrEqual(10);
      });
    }

    it("at any time, while others resume their runs, or have slept for longer than their claims", async (context) => {
      const startMs = performance.now();
      const reports: ChainReport[] = [];
      const seeds = Array.from({ length: chains }, (_, index) => index + 1);
      const work = async () => {
        for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
          const how = { disturbances, random: seededRandom(seed), withinMs: 150, leaseMs: 1_000 };
          reports.push(await playChain(context, (chain) => chain.disturbAtRandom(how)));
        }
      };
      await Promise.all(Array.from({ length: chainsAtOnce }, work));
      const total = addReports(reports);
      const seconds = Math.round((performance.now() - startMs) / 1_000);
      console.log(`${storeKind}, at random, by claims of 1 s, in ${seconds} s:`, JSON.stringify(total));
      expect(total.kills + total.closes).toBe(chains * disturbances);
    });
  },
);

/** 2000 kills and requests to end; short chains, as each process reads the journal of its chain. */
const chains = 80;
const disturbances = 25;
const chainsAtOnce = 8;

function addReports(reports: readonly ChainReport[]): ChainReport {
  return reports.reduce((sum, report) => {
    const entries = Object.entries(report).map(([key, value]) => [key, sum[key as keyof ChainReport] + value]);
    return Object.fromEntries(entries) as ChainReport;
  });
}
