import type { Agent, ApprovalItem, PendingItem } from "planwright";
import * as z from "zod/v4";
import { failure, type GoldenRun, step, type World } from "../world.ts";

type Approvable = Extract<PendingItem, { hash: string }>;

/** The first item of a run that waits for approval. */
async function asked(agent: Agent, runId: string, stepId?: string): Promise<Approvable> {
  const pending = (await agent.getRun(runId))?.pending ?? [];
  const item = pending.find(
    (one) => "hash" in one && (stepId === undefined || ("stepId" in one && one.stepId === stepId)),
  );
  return item as Approvable;
}

/** The questions of an agent from now on. */
function questionsOf(agent: Agent): ApprovalItem[] {
  const items: ApprovalItem[] = [];
  agent.on("approval-request", (event) => items.push(event));
  return items;
}

const pay = (w: World, calls: Parameters<World["tool"]>[1] = [{ returns: "paid" }]) => {
  return w.tool("Pay", calls, { needsApproval: true, effect: "once", inputSchema: z.object({ euros: z.number() }) });
};

const plan = {
  steps: [
    step("get", "Get"),
    step("pay", "Pay", { input: { euros: { $ref: "get.euros" } }, reasoning: "the bill" }),
    step("tell", "Get"),
  ],
};

const tools = (w: World) => [w.tool("Get", [{ returns: { euros: 5 } }], { undo: [{}] }), pay(w)];

/** Approval of steps and plans, at once and later, here and from elsewhere. */
export const approvals: Readonly<Record<string, GoldenRun>> = {
  "answered-at-once": async (w) => {
    const agent = w.agent(tools(w), {
      requestApproval: async (request, { signal }) => {
        w.note(`asked ${JSON.stringify({ ...request, hash: "…" })}, aborted ${signal.aborted}`);
        await new Promise<void>((resolve) => w.clock.setTimeout(resolve, 700));
        return { decision: "approve", by: "Cleo", comment: "fine", input: { euros: 4 } };
      },
    });
    await w.end(agent.start(plan, { runId: "r" }));
  },

  "rejected-at-once": async (w) => {
    const agent = w.agent(tools(w), {
      requestApproval: async () => ({ decision: "reject", reason: "too much", by: "Cleo" }),
    });
    await w.end(agent.start(plan, { runId: "r", undoOnFailure: true, onStepFailure: "continue" }));
  },

  "answer-that-fails": async (w) => {
    const agent = w.agent(tools(w), {
      needsApproval: ({ kind }) => {
        if (kind === "step") throw new Error("no policy today");
        return false;
      },
      requestApproval: () => Promise.reject(new Error("nobody there")),
    });
    await w.end(agent.start(plan, { runId: "r" }));
  },

  "approved-later-elsewhere": async (w) => {
    await w.end(w.agent(tools(w)).start(plan, { runId: "r", metadata: { m: 1 } }));
    await w.clock.advance(60_000);
    const office = w.agent(tools(w));
    const item = await asked(office, "r");
    const handle = office.approve("r", item, { by: "Cleo", comment: "ok" });
    const double = office.approve("r", item, { by: "Cleo" });
    await w.end(handle);
    await w.end(double);
    w.note("the same again, and another verdict");
    await w.end(office.approve("r", item));
    await w.end(office.reject("r", item));
  },

  "rejected-later": async (w) => {
    const agent = w.agent(tools(w));
    await w.end(agent.start(plan, { runId: "r", undoOnFailure: true }));
    await w.end(agent.reject("r", await asked(agent, "r"), { reason: "too much", by: "Cleo", comment: "no" }));
    await w.end(agent.resume("r"));
  },

  "approved-with-another-input": async (w) => {
    const agent = w.agent(tools(w));
    await w.end(agent.start(plan, { runId: "r" }));
    const item = await asked(agent, "r");
    await w.end(agent.approve("r", item, { input: { euros: "many" } as never }));
    await w.end(agent.approve("r", item, { input: { euros: 3 } }));
  },

  "approved-from-a-listener": async (w) => {
    const agent = w.agent(tools(w));
    agent.on("approval-request", (event) => void agent.approve("r", event, { by: "listener" }));
    await w.end(agent.start(plan, { runId: "r" }));
  },

  "two-decisions-while-others-run": async (w) => {
    const steps = [
      step("a", "Pay", { dependsOn: [], input: { euros: 1 } }),
      step("quick", "Quick", { dependsOn: [] }),
      step("b", "Pay", { dependsOn: ["quick"], input: { euros: 2 } }),
      step("c", "Slow", { dependsOn: [] }),
    ];
    const agent = w.agent([pay(w), w.tool("Quick", [{ afterMs: 10 }]), w.tool("Slow", [{ afterMs: 1_000 }])]);
    const items = questionsOf(agent);
    const handle = agent.start({ steps }, { runId: "r", concurrency: 3, onStepFailure: "continue" });
    await w.clock.advance(500);
    const [a, b] = items;
    const decided = [agent.approve("r", a as ApprovalItem), agent.reject("r", b as ApprovalItem)];
    await w.end(handle);
    for (const one of decided) await w.end(one);
  },

  "a-step-fails-meanwhile": async (w) => {
    const steps = [step("a", "Pay", { dependsOn: [], input: { euros: 1 } }), step("b", "Fail", { dependsOn: [] })];
    const agent = w.agent([pay(w), w.tool("Fail", [{ afterMs: 100, throws: failure("no", false) }])]);
    await w.end(agent.start({ steps }, { runId: "r", concurrency: 2 }));
  },

  "iterations-ask-one-by-one": async (w) => {
    const steps = [step("l", "List"), step("p", "Pay", { forEach: "l", input: { euros: { $ref: "item" } } })];
    const list = () => w.tool("List", [{ returns: [1, 2] }]);
    await w.end(w.agent([list(), pay(w)]).start({ steps }, { runId: "r" }));
    const office = w.agent([list(), pay(w)]);
    await w.end(office.approve("r", await asked(office, "r")));
    await w.end(office.approve("r", await asked(office, "r")));
  },

  "plan-approved": async (w) => {
    const needsApproval = ({ kind }: { kind: string }) => kind === "plan";
    const agent = w.agent([w.tool("Any")], { needsApproval });
    await w.end(agent.start({ steps: [step("a", "Any")] }, { runId: "r" }));
    await w.end(agent.approve("r", await asked(agent, "r"), { by: "Cleo" }));
  },

  "plan-rejected": async (w) => {
    const agent = w.agent([w.tool("Any")], { needsApproval: ({ kind }) => kind === "plan" });
    await w.end(agent.start({ steps: [step("a", "Any")] }, { runId: "r" }));
    await w.end(agent.reject("r", await asked(agent, "r"), { reason: "too long" }));
  },

  "approved-by-hash": async (w) => {
    const agent = w.agent([w.tool("Any")], { needsApproval: () => true });
    const one = { steps: [step("a", "Any")] };
    const { planHash } = await agent.dryRun(one);
    await w.end(agent.execute({ steps: [step("b", "Any")] }, { runId: "other", approvedHash: planHash }));
    await w.end(agent.start(one, { runId: "r", approvedHash: planHash }));
  },

  expired: async (w) => {
    const agent = w.agent(tools(w), { approvalTtlMs: 5_000 });
    await w.end(agent.start(plan, { runId: "r" }));
    await w.end(agent.resumeAll());
    const item = await asked(agent, "r");
    await w.clock.advance(5_000);
    await w.end(agent.approve("r", item));
    await w.end(agent.resumeAll());
    await w.end(agent.getRun("r") as Promise<unknown>);
  },

  "posted-to-the-owner": async (w) => {
    const steps = [step("a", "Pay", { dependsOn: [], input: { euros: 1 } }), step("b", "Slow", { dependsOn: [] })];
    const slow = () => w.tool("Slow", [{ afterMs: 25_000 }]);
    const owner = w.agent([pay(w), slow()]);
    const items = questionsOf(owner);
    const handle = owner.start({ steps }, { runId: "r", concurrency: 2 });
    await w.clock.advance(1_000);
    const decided = w.agent([pay(w), slow()]).approve("r", items[0] as ApprovalItem, { by: "office" });
    await w.end(handle);
    await w.end(decided);
  },

  "decided-and-left": async (w) => {
    const agent = w.agent(tools(w));
    await w.end(agent.start(plan, { runId: "r" }));
    const office = w.agent(tools(w));
    await w.end(office.approve("r", await asked(office, "r"), { resume: false }));
    await w.end(agent.resumeAll());
  },

  "policy-of-the-agent": async (w) => {
    const agent = w.agent([w.tool("Any")], {
      needsApproval: (question) => {
        w.note(`policy ${question.kind} ${question.kind === "step" ? JSON.stringify(question.input) : ""}`);
        return question.kind === "step" && question.stepId === "b";
      },
      requestApproval: async () => "suspend",
    });
    await w.end(agent.start({ steps: [step("a", "Any"), step("b", "Any", { input: { x: "${a}" } })] }, { runId: "r" }));
    w.note("an agent without the policy still does not run it");
    const other = w.agent([w.tool("Any")]);
    await w.end(other.resume("r"));
    await w.end(other.approve("r", { kind: "step", stepId: "b", hash: "0".repeat(64) }));
  },

  "cancelled-while-it-asks": async (w) => {
    const agent = w.agent(tools(w), { requestApproval: () => new Promise(() => {}) });
    const handle = agent.start(plan, { runId: "r" });
    await w.clock.advance(100);
    handle.cancel("enough");
    await w.end(handle);
  },

  "expires-while-it-asks": async (w) => {
    const agent = w.agent(tools(w), { requestApproval: () => new Promise(() => {}), approvalTtlMs: 3_000 });
    await w.end(agent.start(plan, { runId: "r" }));
  },

  "deadline-starts-again": async (w) => {
    const steps = [
      step("a", "Slow"),
      step("pay", "Pay", { input: { euros: 1 } }),
      step("b", "Slow"),
      step("c", "Slow"),
    ];
    const agent = w.agent([pay(w), w.tool("Slow", [{ afterMs: 600 }])]);
    await w.end(agent.start({ steps }, { runId: "r", timeoutMs: 1_000 }));
    await w.clock.advance(5_000);
    await w.end(agent.approve("r", await asked(agent, "r")));
  },
};
