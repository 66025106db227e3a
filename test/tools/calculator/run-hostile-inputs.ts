import { isAgentError } from "planwright";
import { evaluate } from "../../../src/tools/calculator/evaluate.ts";
import { type HostileInput, hostileInputs } from "./hostile-inputs.ts";

/*
 * Evaluates hostile inputs and writes one line of JSON for each: how it ended. With a number as argument, only that
 * input: the first evaluation of a fresh process.
 */

async function run({ name, expression, variables }: HostileInput): Promise<object> {
  let outcome: object;
  try {
    outcome = { value: await evaluate(expression, { variables }) };
  } catch (error) {
    outcome = isAgentError(error, "calculation-failed")
      ? { problem: error.details.problem, position: error.details.position, length: error.message.length }
      : { problem: String(error) };
  }
  return { name, ...outcome };
}

const only = process.argv[2];
for (const [index, input] of hostileInputs.entries()) {
  if (only === undefined || Number(only) === index) console.log(JSON.stringify(await run(input)));
}
