// Prints what an evaluator makes of 1 000 nested parentheses at its first call, and how many milliseconds that takes.
import { evaluators } from "./evaluators.mjs";

const evaluate = await evaluators[process.argv[2]]();
const expression = `${"(".repeat(1_000)}1${")".repeat(1_000)}`;
const started = performance.now();
let answer;
try {
  answer = String(await evaluate(expression));
} catch (error) {
  answer = `${error.name}: ${String(error.message).slice(0, 80)}`;
}
console.log(JSON.stringify({ ms: performance.now() - started, answer }));
