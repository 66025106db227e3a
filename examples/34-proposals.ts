import { createAgent, defineTool, isAgentError, type Proposal, toPlan } from "planwright";
import * as z from "zod/v4";

const lessons = defineTool({
  name: "BookLesson",
  description: "Books a riding lesson",
  inputSchema: z.object({ rider: z.string(), level: z.enum(["beginner", "jumping", "dressage"]) }),
  effect: "once",
  phrases: ["book a {level} lesson for {rider}"],
  execute: ({ rider, level }) => `${rider} rides: ${level}`,
});
const agent = createAgent({ tools: [lessons] });

/** What the request may mean; empty if it is planned, or nothing is likely. */
async function proposalsFor(request: string): Promise<readonly Proposal[]> {
  try {
    await agent.plan(request);
    return [];
  } catch (error) {
    if (isAgentError(error, "cannot-plan")) return error.details.proposals ?? [];
    throw error;
  }
}

// Other words for something that is done once: a person says yes first.
const [likely] = await proposalsFor("I would like a dressage lesson for Emma");
console.log(likely?.text, likely?.unused);
if (likely !== undefined) console.log((await agent.execute(toPlan(likely))).output);

// One value is missing: the answer completes the plan.
const [asking] = await proposalsFor("book a lesson for Emma");
console.log(asking?.text, "-", asking?.asks?.text, asking?.asks?.choices);
if (asking !== undefined) console.log((await agent.execute(toPlan(asking, "jumping"))).output);
