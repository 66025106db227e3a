import {
  type AgentEvent,
  type Clock,
  createAgent,
  defineTool,
  type LanguageModel,
  type PlanDraft,
  type Planner,
  type PlanRequest,
  type RunResult,
  sensitive,
} from "planwright";
import { createManualClock } from "planwright/testing";
import { z } from "zod/v4";

const digest = "sha256:9f2c61d7a04be38f5c1e77d2b60a94c83de1f5a2";

/** How a release goes. */
export interface Release {
  readonly runId: string;
  /** What comes in as the request. */
  readonly request: string;
  readonly startMs: number;
  /** How long the question waits for its answer; without it, it is still open. */
  readonly answerMs?: number;
  /** How often the check of what was released fails; the planner thinks again after the first time. */
  readonly failedChecks: number;
}

/** Everything in one run: steps side by side, a delay, an approval, a loop, a replan, a failure, and what it undid. */
export const everything: Release = {
  runId: "run_4fK2hQ8mZt",
  request: "Release version 2.4 to all regions and tell the team",
  startMs: Date.UTC(2026, 10, 24, 8, 15, 19),
  answerMs: 42 * 60_000,
  failedChecks: 2,
};

const monday = Date.UTC(2026, 10, 23, 7, 40);

/** Runs of some days: all went well, one waits, some failed. */
export const releases: readonly Release[] = [
  everything,
  {
    runId: "run_7bTq0RwXc2",
    request: "Release version 2.5 to all regions",
    startMs: monday + 93_000_000,
    failedChecks: 0,
  },
  ...["2.3.1", "2.3.2", "2.3.3", "2.3.4"].map((version, index) => ({
    runId: `run_${version.replaceAll(".", "")}Zp4Vn1`,
    request: `Release version ${version} to all regions and tell the team`,
    startMs: monday + index * 5_400_000,
    answerMs: (index + 2) * 400_000,
    failedChecks: index === 2 ? 2 : index % 2,
  })),
];

/** A release as events, as `agent.events` gives them. */
export async function release(how: Release): Promise<readonly AgentEvent[]> {
  const clock = createManualClock({ nowMs: how.startMs });
  const agent = createAgent({ tools: toolsOf(clock, how), planner: plannerOf(clock), clock, random: () => 1 });
  const { runId, request, answerMs } = how;
  const options = { runId, concurrency: 3, maxReplans: 1, undoOnFailure: true };
  let result: RunResult = await clock.runUntil(agent.run(request, options));
  if (result.status === "suspended" && answerMs !== undefined) {
    await clock.advance(answerMs);
    const answer = { by: "dana@example.com", comment: "Tests are green, go ahead." };
    result = await clock.runUntil(agent.approve(runId, result.pending[0] as never, answer).result);
  }
  const events: AgentEvent[] = [];
  for await (const event of agent.events(runId)) events.push(event);
  return events;
}

function toolsOf(clock: Clock, { failedChecks }: Release) {
  const wait = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
  const counts = { build: 0, check: 0 };
  const build = defineTool({
    name: "Build",
    description: "Builds an image",
    inputSchema: z.object({ version: z.string(), registryToken: sensitive(z.string()) }),
    effect: "idempotent",
    retry: { maxAttempts: 4, minDelayMs: 1_500 },
    execute: async () => {
      counts.build += 1;
      await wait(counts.build <= 2 ? 900 : 6_200);
      if (counts.build <= 2) throw new Error("registry.example.com answered 503 Service Unavailable");
      return { digest, sizeMb: 84.2 };
    },
  });
  const test = defineTool({
    name: "Test",
    description: "Runs the tests",
    effect: "pure",
    inputSchema: z.object({ suite: z.enum(["unit", "browser"]) }),
    execute: async ({ suite }) => {
      await wait(suite === "unit" ? 3_400 : 8_900);
      return { passed: suite === "unit" ? 1_842 : 96, failed: 0 };
    },
  });
  const notes = defineTool({
    name: "WriteNotes",
    description: "Writes release notes",
    effect: "pure",
    inputSchema: z.object({ since: z.string() }),
    execute: async () => {
      await wait(2_300);
      return { title: "What is new in 2.4", changes: ["Search finds typos", "Exports in the background"] };
    },
  });
  const deploy = defineTool({
    name: "Deploy",
    description: "Deploys an image to a region",
    inputSchema: z.object({ region: z.string(), digest: z.string() }),
    effect: "idempotent",
    execute: async ({ region }) => {
      await wait(1_400 + 300 * region.length);
      return { region, instances: 4 };
    },
    undo: () => wait(1_900),
  });
  const freeze = defineTool({
    name: "FreezeTraffic",
    description: "Holds new sessions while a release is under way",
    inputSchema: z.object({ minutes: z.number() }),
    effect: "idempotent",
    needsApproval: true,
    execute: async ({ minutes }) => {
      await wait(600);
      return { until: `${minutes} min from now` };
    },
    undo: () => wait(500),
  });
  const check = defineTool({
    name: "CheckHealth",
    description: "Checks what users see",
    effect: "pure",
    inputSchema: z.object({ url: z.string() }),
    execute: async ({ url }) => {
      counts.check += 1;
      await wait(1_700);
      if (counts.check > failedChecks) return { healthy: true };
      const error = new Error(`${url} answered 502 to 31 of 200 requests`);
      error.stack = `Error: ${error.message}\n    at checkHealth (file:///srv/app/tools/check-health.js:31:11)`;
      throw Object.assign(error, { retryable: false });
    },
  });
  const tell = defineTool({
    name: "Announce",
    description: "Tells the team",
    inputSchema: z.object({ channel: z.string(), text: z.string() }),
    effect: "idempotent",
    execute: async () => {
      await wait(350);
      return { posted: true };
    },
  });
  return [build, test, notes, deploy, freeze, check, tell];
}

const firstDraft: PlanDraft = {
  steps: [
    step("build", "Build", { version: "2.4", registryToken: "tok_live_5e0b" }, "Build the image of version 2.4", []),
    step("unit-tests", "Test", { suite: "unit" }, "Run the unit tests", []),
    step("browser-tests", "Test", { suite: "browser" }, "Run the browser tests", []),
    step("notes", "WriteNotes", { since: "2.3" }, "Collect what changed since 2.3", []),
    step("freeze", "FreezeTraffic", { minutes: 10 }, "Hold new sessions during the release", [
      "build",
      "unit-tests",
      "browser-tests",
    ]),
    {
      ...step("deploy", "Deploy", { region: "${item}", digest: "${build.digest}" }, "One region after the other", [
        "freeze",
      ]),
      forEach: '["eu-north", "us-east", "ap-south"]',
    },
    step("check", "CheckHealth", { url: "https://app.example.com/health" }, "See whether users are served", ["deploy"]),
    {
      ...step("announce", "Announce", { channel: "#releases", text: "${notes.title}" }, "Tell the team", [
        "check",
        "notes",
      ]),
      when: "check.healthy",
    },
  ],
};

const nextDraft: PlanDraft = {
  steps: [
    step("warm-up", "CheckHealth", { url: "https://app.example.com/warm" }, "Fill the caches first", ["deploy"]),
    step("announce-2", "Announce", { channel: "#releases", text: "${notes.title}" }, "Tell the team", [
      "warm-up",
      "notes",
    ]),
  ],
};

function step(
  id: string,
  tool: string,
  input: Record<string, string | number>,
  reasoning: string,
  dependsOn: string[],
) {
  return { id, tool, input, reasoning, dependsOn };
}

function plannerOf(clock: Clock): Planner {
  const wait = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
  const model: LanguageModel = {
    provider: "example",
    modelId: "planner-large",
    price: { inputPerMillion: 2.5, outputPerMillion: 10 },
    generate: async () => {
      await wait(1_900);
      return { text: "{}", finishReason: "stop", usage: { inputTokens: 3_420, outputTokens: 512 } };
    },
  };
  const ask = async ({ generate, signal }: PlanRequest) => {
    await generate?.(model, { messages: [{ role: "user", content: "Plan it" }], signal });
  };
  return {
    name: "llm",
    plan: async (request) => {
      await ask(request);
      return firstDraft;
    },
    replan: async (request) => {
      await ask(request);
      return nextDraft;
    },
  };
}
