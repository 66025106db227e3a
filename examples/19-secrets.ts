import { createAgent, createMemoryRunStore, defineTool, sensitive } from "planwright";
import * as z from "zod/v4";

const signUp = defineTool({
  name: "SignUp",
  description: "Creates an account",
  inputSchema: z.object({ user: z.string(), password: sensitive(z.string()) }),
  effect: "once",
  execute: ({ user, password }) => `${user} signed up with ${password.length} characters`,
});
const store = createMemoryRunStore();
// The first key seals, and all of them open: put a new one before the old ones.
const keys = [{ id: "2026-11", key: crypto.getRandomValues(new Uint8Array(32)) }];
const agent = createAgent({ tools: [signUp], store, secrets: { keys } });
agent.on("step-start", ({ input }) => console.log("shown:", input));

const steps = [{ id: "new", tool: "SignUp", input: { user: "ada", password: "correct horse" } }] as const;
const { output } = await agent.execute({ steps }, { runId: "account-1" });
console.log(output);

const recorded = JSON.stringify(await store.read("account-1"));
console.log("recorded in the clear:", recorded.includes("correct horse"));
