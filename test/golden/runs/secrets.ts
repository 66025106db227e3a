import { sensitive, type Tool } from "planwright";
import * as z from "zod/v4";
import { failure, type GoldenRun, step, type World } from "../world.ts";

const password = "hunter2-Zebra";
const token = "tok_9f8e7d6c5b4a";
const given = { keys: [{ id: "k1", key: new Uint8Array(32).fill(7) }] };

function tools(
  w: World,
  fetch: Parameters<World["tool"]>[1] = [{ returns: "ok" }],
  extras: object = {},
): readonly Tool[] {
  const login = {
    inputSchema: z.object({ user: z.string(), password: sensitive(z.string()) }),
    outputSchema: z.object({ user: z.string(), token: sensitive(z.string()) }),
    undo: [{}],
    ...extras,
  };
  return [w.tool("Login", [{ returns: { user: "ann", token } }], login), w.tool("Fetch", fetch)];
}

const login = step("in", "Login", { input: { user: "ann", password } });
const get = step("get", "Fetch", { input: { header: "Bearer ${in.token}", user: "${in.user}" } });

/** Sensitive values are sealed where they are recorded, and hidden where they are shown. */
export const secrets: Readonly<Record<string, GoldenRun>> = {
  "sealed-and-hidden": async (w) => {
    const fetch = [{ progress: [`with ${token}`], throws: failure(`refused ${token}`) }, { returns: { echo: token } }];
    await w.end(w.agent(tools(w, fetch), { secrets: given }).start({ steps: [login, get] }, { runId: "r" }));
  },

  "resumed-and-undone": async (w) => {
    const failing = () => tools(w, [{ throws: failure(`no ${password}`, false) }]);
    const first = w.process(failing(), { secrets: given }, { crashAfterAppend: 3 });
    first.agent.start({ steps: [login, get] }, { runId: "r", undoOnFailure: true });
    await w.died(first);
    await w.end(w.agent(failing(), { secrets: given }).resume("r"));
  },

  "approved-and-changed": async (w) => {
    const agent = w.agent(tools(w, [{}], { needsApproval: true }), { secrets: given });
    const { pending = [] } = await w.end(agent.start({ steps: [login, get] }, { runId: "r" }));
    await w.end(agent.approve("r", pending[0] as never, { input: { user: "bob", password: "another-Zebra" } }));
  },

  "forked-with-another-key": async (w) => {
    await w.end(w.agent(tools(w), { secrets: given }).start({ steps: [login, get] }, { runId: "r" }));
    const keys = [{ id: "k2", key: new Uint8Array(32).fill(8) }];
    await w.end(w.agent(tools(w), { secrets: { keys } }).fork("r", { after: 3, runId: "unreadable" }));
    await w.end(
      w.agent(tools(w), { secrets: { keys: [...keys, ...given.keys] } }).fork("r", { after: 3, runId: "fork" }),
    );
  },

  "without-a-key": async (w) => {
    await w.end(w.agent(tools(w)).execute({ steps: [login, get] }, { runId: "r" }));
  },

  redacted: async (w) => {
    const redact = (value: unknown, { kind }: { kind: string }) => (kind === "output" ? "(an output)" : value);
    await w.end(
      w.agent([w.tool("Any", [{ returns: 1 }])], { redact }).start({ steps: [step("a", "Any")] }, { runId: "r" }),
    );
  },
};
