import {
  createFallbackPlanner,
  createRulePlanner,
  type LanguageModel,
  type PlanDraft,
  type Planner,
  type ReplanRequest,
} from "planwright";
import { createScriptedModel, createScriptedPlanner } from "planwright/testing";
import * as z from "zod/v4";
import { failure, type GoldenRun, step, type World } from "../world.ts";

const final = failure("no seats", false);

/** A planner whose first plan fails at its second step, and that replans as given. */
function replanner(w: World, replan: (request: ReplanRequest) => PlanDraft): Planner {
  return {
    name: "travel",
    plan: ({ request, context }) => {
      w.note(`plan ${JSON.stringify({ request, context })}`);
      return { steps: [step("find", "Find", { dependsOn: [] }), step("train", "Train", { dependsOn: ["find"] })] };
    },
    replan: (request) => {
      const { error, steps, replan: number } = request;
      w.note(`replan ${number} ${error.code}: ${steps.map(({ stepId, status }) => `${stepId} ${status}`).join(", ")}`);
      return replan(request);
    },
  };
}

const travelTools = (w: World) => [
  w.tool("Find", [{ returns: { hotel: "Grand" } }], { effect: "pure" }),
  w.tool("Train", [{ throws: final }], { undo: [{}] }),
  w.tool("Bus", [{ returns: "seat 12" }]),
  w.tool("Walk", [{ throws: failure("too far", false) }]),
];

const bus = step("bus", "Bus", { dependsOn: ["find"], input: { to: "${find.hotel}" } });

/** Planning, replanning and models. */
export const planning: Readonly<Record<string, GoldenRun>> = {
  "by-rules": async (w) => {
    const inputSchema = z.object({ city: z.string() });
    const agent = w.agent([
      w.tool("Weather", [{ returns: { celsius: 3 } }], { inputSchema, phrases: ["weather in {city}"] }),
    ]);
    await w.end(agent.run("Weather in Oslo, then weather in Rome", { runId: "r", context: "spring" }));
    await w.end(agent.run("Sing a song", { runId: "refused" }));
  },

  "by-the-next-planner": async (w) => {
    const planner = createFallbackPlanner([
      createScriptedPlanner([failure("out of order")]),
      { name: "second", plan: () => ({ steps: [step("a", "Any", { dependsOn: [] })] }) },
    ]);
    await w.end(w.agent([w.tool("Any")], { planner }).run("Do it", { runId: "r" }));
  },

  "planner-fails": async (w) => {
    const planner = createScriptedPlanner([failure("out of order"), { steps: [step("a", "None")] }]);
    const agent = w.agent([w.tool("Any")], { planner });
    await w.end(agent.run("Do it", { runId: "throws" }));
    await w.end(agent.run("Do it", { runId: "invalid" }));
    w.note("a failed planning is tried again");
    await w.end(agent.resume("throws"));
  },

  "planner-hangs": async (w) => {
    const planner: Planner = { name: "slow", plan: () => new Promise(() => {}) };
    const agent = w.agent([w.tool("Any")], { planner, plannerTimeoutMs: 3_000 });
    await w.end(agent.run("Do it", { runId: "times-out" }));
    const handle = agent.start("Do it", { runId: "cancelled" });
    await w.clock.advance(100);
    handle.cancel("enough");
    await w.end(handle);
    await w.end(agent.run("Do it", { runId: "deadline", timeoutMs: 1_000 }));
  },

  "killed-while-planning": async (w) => {
    const planner: Planner = { name: "own", plan: () => ({ steps: [step("a", "Any", { dependsOn: [] })] }) };
    const first = w.process([w.tool("Any")], { planner }, { crashAfterAppend: 2 });
    first.agent.start("Do it", { runId: "r" });
    await w.died(first);
    await w.end(w.agent([w.tool("Any")], { planner }).resume("r"));
  },

  "models-and-budgets": async (w) => {
    const usage = { inputTokens: 100, outputTokens: 50 };
    const price = { inputPerMillion: 1, outputPerMillion: 2 };
    const model = createScriptedModel([{ text: "one", usage }, { text: "two", usage }, new Error("broken")], { price });
    const planner = asking(model, 2);
    const agent = w.agent([w.tool("Any")], { planner });
    await w.end(agent.run("Do it", { runId: "r" }));
    await w.end(agent.run("Do it", { runId: "fails" }));
    await w.end(agent.run("Do it", { runId: "calls", budget: { modelCalls: 0 } }));
    const dear = w.agent([w.tool("Any")], {
      planner: asking(createScriptedModel([{ text: "one", usage }], { price }), 2),
    });
    await w.end(dear.run("Do it", { runId: "tokens", budget: { tokens: 151 } }));
  },

  "replan-with-a-named-tool": async (w) => {
    const planner = replanner(w, () => ({ steps: [bus] }));
    const agent = w.agent(travelTools(w), { planner });
    await w.end(agent.run("Get me there", { runId: "r", maxReplans: 1, replanTools: ["Bus"] }));
  },

  "replan-with-a-new-tool": async (w) => {
    const planner = replanner(w, () => ({ steps: [bus] }));
    const agent = w.agent(travelTools(w), { planner });
    const { pending = [] } = await w.end(agent.run("Get me there", { runId: "r", maxReplans: 1 }));
    await w.end(agent.approve("r", pending[0] as never));
  },

  "replan-with-words-of-an-output": async (w) => {
    const steps = [step("train2", "Train", { dependsOn: ["find"], input: { to: "Grand" } })];
    const planner = replanner(w, () => ({ steps }));
    const agent = w.agent([...travelTools(w).slice(0, 1), w.tool("Train", [{ throws: final }, {}])], { planner });
    await w.end(agent.run("Get me there", { runId: "r", maxReplans: 1 }));
  },

  "replan-until-it-is-over": async (w) => {
    const planner = replanner(w, ({ replan }) => ({ steps: [step(`walk${replan}`, "Walk", { dependsOn: ["find"] })] }));
    const agent = w.agent(travelTools(w), { planner });
    await w.end(agent.run("Get me there", { runId: "r", maxReplans: 2, replanTools: ["Walk"], undoOnFailure: true }));
  },

  "replan-fails": async (w) => {
    const refusing = replanner(w, () => {
      throw failure("no other way");
    });
    await w.end(w.agent(travelTools(w), { planner: refusing }).run("Get me there", { runId: "throws", maxReplans: 1 }));
    const invalid = replanner(w, () => ({ steps: [step("train", "Bus")] }));
    await w.end(w.agent(travelTools(w), { planner: invalid }).run("Get me there", { runId: "invalid", maxReplans: 1 }));
  },

  "replan-says-it-is-done": async (w) => {
    const planner = replanner(w, () => ({ steps: [] }));
    await w.end(w.agent(travelTools(w), { planner }).run("Get me there", { runId: "r", maxReplans: 1 }));
  },

  "replan-withdraws-a-question": async (w) => {
    const ask = step("ask", "Ask", { dependsOn: [] });
    const planner: Planner = {
      name: "asking",
      plan: () => ({ steps: [ask, step("fail", "Fail", { dependsOn: [] })] }),
      replan: () => ({ steps: [step("other", "Ask", { dependsOn: [], input: { x: 1 } })] }),
    };
    const tools = [w.tool("Ask", [{}], { needsApproval: true }), w.tool("Fail", [{ throws: final }])];
    await w.end(w.agent(tools, { planner }).run("Ask 1", { runId: "r", maxReplans: 1 }));
  },

  "replan-after-a-loop": async (w) => {
    const planner: Planner = {
      name: "looping",
      plan: () => {
        const each = step("each", "Each", { dependsOn: ["list"], forEach: "list" });
        return { steps: [step("list", "List", { dependsOn: [] }), each, step("all", "Each", { dependsOn: ["each"] })] };
      },
      replan: () => ({ steps: [step("again", "Each", { dependsOn: ["list"] })] }),
    };
    const list = w.tool("List", [{ returns: [1, 2, 3] }], { effect: "pure" });
    const agent = w.agent([list, w.tool("Each", [{}, { throws: final }, {}])], { planner });
    await w.end(agent.run("Do each", { runId: "r", maxReplans: 1 }));
  },

  "replan-asks-about-the-plan": async (w) => {
    const planner = replanner(w, () => ({ steps: [bus] }));
    const agent = w.agent(travelTools(w), {
      planner,
      needsApproval: ({ kind }) => kind === "plan",
      requestApproval: async (request) => {
        w.note(`asked about ${request.kind}`);
        return "approve";
      },
    });
    await w.end(agent.run("Get me there", { runId: "r", maxReplans: 1, replanTools: ["Bus"] }));
  },

  "rules-then-a-plan": async (w) => {
    const tools = [w.tool("Any", [{}], { inputSchema: z.object({}), phrases: ["do it"] })];
    const agent = w.agent(tools, { planner: createRulePlanner() });
    w.note(`planned ${JSON.stringify((await w.inTime(agent.plan("Do it"))).steps)}`);
    await w.end(agent.plan("Sing"));
  },
};

/** A planner that asks a model so often, and plans one step. */
function asking(model: LanguageModel, calls: number): Planner {
  return {
    name: "asking",
    async plan({ generate = (one, request) => one.generate(request), signal, emit }) {
      for (let call = 0; call < calls; call++) {
        await generate(model, { messages: [{ role: "user", content: "How?" }], signal });
      }
      await emit?.({
        type: "plan-delta",
        planner: "asking",
        attempt: 1,
        index: 0,
        step: step("a", "Any", { dependsOn: [] }),
      });
      return { steps: [step("a", "Any", { dependsOn: [] })] };
    },
  };
}
