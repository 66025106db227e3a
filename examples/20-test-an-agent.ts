import { createAgent } from "planwright";
import { collectEvents, createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";

const clock = createManualClock();
const mail = createFakeTool({
  name: "Mail",
  outcomes: [{ throws: new Error("The server is busy") }, { hangs: "until-aborted" }, { returns: "sent" }],
});
const planner = createScriptedPlanner([
  { steps: [{ id: "s1", tool: "Mail", input: { to: "ada" }, dependsOn: [] }] },
  new Error("The planner is down"),
]);
const retry = { minDelayMs: 3_600_000, maxDelayMs: 3_600_000 };
const agent = createAgent({ tools: [mail], planner, clock, random: () => 1, retry });
const collected = collectEvents(agent);

// Delays of an hour and timeouts take no time.
const result = await clock.runUntil(agent.run("mail ada"));
console.log(result.status, result.output, "after", clock.monotonic(), "ms");
for (const { input, context } of mail.calls) console.log(input, "attempt", context.attempt);
console.log(collected.types().join(" "));

const failed = await clock.runUntil(agent.run("mail ben"));
console.log(
  failed.status,
  failed.error?.code,
  planner.requests.length,
  "requests,",
  clock.pendingTimers,
  "timers left",
);
