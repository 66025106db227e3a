// Prints what planning by a model takes besides the model, in microseconds a plan, sorted: the model answers at once.
import { createAgent, createLlmPlanner, defineTool } from "planwright";
import { z } from "zod/v4";

const [plans, warmUps] = process.argv.slice(2).map(Number);
const toolCount = 20;

const tools = Array.from({ length: toolCount }, (_, index) =>
  defineTool({
    name: `Tool${index}`,
    description: `Does the thing number ${index} with what it is given`,
    inputSchema: z.object({
      title: z.string().min(1).max(200).describe("What it is about"),
      count: z.number().int().min(1).max(100).optional(),
      priority: z.enum(["low", "medium", "high"]).optional(),
      tags: z.array(z.string()).max(10).optional(),
    }),
    effect: "idempotent",
    outputSchema: z.object({ id: z.string(), value: z.number() }),
    execute: ({ title }) => ({ id: title, value: 1 }),
  }),
);

const words = "oat milk bread butter apples rice beans salt sugar flour".split(" ");
const stepOf = (index) => ({
  do: `Tool${index % toolCount}`,
  ...(index === 0 ? { title: words[0], count: 3 } : { title: index < words.length ? words[index] : `$${index}.id` }),
});
const answerOf = (count) => JSON.stringify({ steps: Array.from({ length: count }, (_, index) => stepOf(index)) });
const request = `Put 3 of ${words.join(", ")} where they belong, one after the other`;

/** A model that answers at once, in one piece or in pieces of twelve characters, as a server streams them. */
function modelOf(text, { isStreamed }) {
  const deltas = isStreamed ? (text.match(/[\s\S]{1,12}/g) ?? []) : [text];
  return {
    provider: "bench",
    modelId: "instant",
    async generate({ onTextDelta }) {
      for (const delta of deltas) onTextDelta?.(delta);
      return { text, finishReason: "stop", usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
}

async function measure(text, options) {
  const agent = createAgent({ tools, planner: createLlmPlanner({ model: modelOf(text, options) }) });
  const times = [];
  for (let plan = 0; plan < warmUps + plans; plan++) {
    const started = performance.now();
    await agent.plan(request);
    if (plan >= warmUps) times.push((performance.now() - started) * 1_000);
  }
  return times.sort((left, right) => left - right);
}

const samples = {};
for (const count of [1, 5, 20]) {
  samples[`${count} steps`] = await measure(answerOf(count), { isStreamed: false });
  samples[`${count} steps, streamed`] = await measure(answerOf(count), { isStreamed: true });
}
samples["5 steps in a code fence"] = await measure(`\`\`\`json\n${answerOf(5)}\n\`\`\``, {});
console.log(JSON.stringify(samples));
