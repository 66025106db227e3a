import pRetry from "p-retry";
import pTimeout from "p-timeout";

/** What people write without us: each step's input checked, its tool within p-timeout within p-retry, its output checked. */
export async function runLoop(tool, inputs) {
  const outputs = [];
  for (const input of inputs) outputs.push(await runStep(tool, input));
  return outputs;
}

/** The same, where each step takes the output of the one before it. */
export async function runChainedLoop(tool, inputs) {
  let previous = { value: 0 };
  for (const { label } of inputs) previous = await runStep(tool, { value: previous.value, label });
  return previous;
}

async function runStep(tool, input) {
  const parsed = tool.inputSchema.parse(input);
  const attempt = () => pTimeout(tool.execute(parsed), { milliseconds: 30_000 });
  return tool.outputSchema.parse(await pRetry(attempt, { retries: 2 }));
}
