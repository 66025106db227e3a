import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  createRulePlanner,
  createTodoStore,
  type DefinedTool,
  defineTool,
  isAgentError,
  type PlanDraft,
  type Proposal,
  validatePlan,
} from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { requestOf } from "../planners/rules/plan-for.ts";

const folder = "test/eval/people/open";

interface Wish {
  readonly kind: "one" | "multi" | "no";
  readonly q: string;
}

/** The requests of an app. What each should lead to is for `npm run eval`, and left out here. */
async function readApp(name: string) {
  const load = (kind: string) => import(pathToFileURL(`${folder}/apps/${name}.${kind}.mjs`).href);
  const { tools } = await load("tools");
  const { requests } = await load("requests");
  const wish = (kind: Wish["kind"]) => (q: string) => ({ kind, q });
  const any = () => ({ dates: [] });
  const dsl = { one: wish("one"), multi: wish("multi"), no: wish("no"), t: any, ref: any, or: any, absent: {} };
  const days = { day: any, dow: any, lastDow: any, md: any, pastMd: any, at: any };
  return {
    tools: (tools(z) as never[]).map((tool) => defineTool(tool)) as readonly DefinedTool[],
    requests: requests({ ...dsl, ...days }) as readonly Wish[],
  };
}

const clock = { nowMs: Date.UTC(2026, 10, 26, 10), timeZone: "UTC" };

async function planOrPropose(request: string, tools: readonly DefinedTool[]) {
  try {
    const { steps } = await createRulePlanner().plan(requestOf(request, { tools, ...clock }));
    return { steps, proposals: [] };
  } catch (error) {
    if (!isAgentError(error, "cannot-plan")) throw error;
    return { steps: undefined, proposals: error.details.proposals ?? [] };
  }
}

type Steps = readonly Pick<PlanDraft["steps"][number], "tool" | "input">[];
const inputsOf = (steps: Steps = []) => steps.map(({ tool, input }) => [tool, input]);

describe("people who never saw the phrases", () => {
  const apps = readdirSync(`${folder}/apps`).flatMap((name) => /^(\w+)\.tools\.mjs$/.exec(name)?.[1] ?? []);

  it.each(apps)("are refused by %s where nothing is to be done", async (app) => {
    const { tools, requests } = await readApp(app);
    const none = requests.filter(({ kind }) => kind === "no");
    expect(none.length).toBeGreaterThan(5);
    for (const { q } of none) expect((await planOrPropose(q, tools)).steps, q).toBeUndefined();
  });

  it.each(apps)("get proposals from %s that can be run, in words that mean the same", async (app) => {
    const { tools, requests } = await readApp(app);
    let count = 0;
    for (const { q } of requests) {
      const { proposals } = await planOrPropose(q, tools);
      expect(proposals.length).toBeLessThanOrEqual(3);
      for (const proposal of proposals) {
        if (proposal.asks !== undefined) continue;
        count++;
        expect(await validatePlan({ request: q, steps: proposal.steps as never }, { tools }), q).toEqual([]);
        // A wait is no step of a tool, and a reference is said as "the id of step 1".
        if (proposal.steps.length > 1 || proposal.steps[0]?.wait !== undefined) continue;
        const again = await planOrPropose(proposal.text, tools);
        const meant = [again.steps, ...again.proposals.map(({ steps }: Proposal) => steps)].map((steps) =>
          inputsOf(steps),
        );
        expect(meant, `${q}: ${proposal.text}`).toContainEqual(inputsOf(proposal.steps));
      }
    }
    expect(count).toBeGreaterThan(10);
  });

  it("are refused by the todo list where nothing is to be done", async () => {
    const lines = readFileSync(`${folder}/plans-reject.jsonl`, "utf8").trim().split("\n");
    for (const line of lines) {
      const { prompt } = JSON.parse(line) as { prompt: string };
      expect((await planOrPropose(prompt, [createTodoStore()])).steps, prompt).toBeUndefined();
    }
  });
});
