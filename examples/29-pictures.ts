import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, createAgent, createCalculator, createTodoStore, describeCall } from "planwright";
import { toHtml, toMermaid } from "planwright/view";

const tools = [createCalculator(), createTodoStore()];
const agent = createAgent({ tools });
const plan = await agent.plan("Calculate 100 / 4 and add the result as a todo");
console.log(toMermaid(plan));

const { runId } = await agent.execute(plan);
const events: AgentEvent[] = [];
for await (const event of agent.events(runId)) events.push(event);

// One file that loads nothing and needs no script; the events tell more than a result.
const file = join(tmpdir(), "run.html");
writeFileSync(file, toHtml(events, { describeCall: (call) => describeCall(call, { tools }) }));
console.log(toMermaid(events).split("\n").slice(1, 3).join("\n"));
