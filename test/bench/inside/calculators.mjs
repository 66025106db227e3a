// Prints microseconds a call, round by round, for each set of expressions and each evaluator, in one process.
import { interleave } from "../statistics.mjs";
import { evaluators } from "./evaluators.mjs";
import { expressions } from "./expressions.mjs";

const [rounds, warmUps, calls] = process.argv.slice(2).map(Number);
const evaluateBy = {};
for (const [name, load] of Object.entries(evaluators)) evaluateBy[name] = await load();

/** All must come to the same value, or their speed means nothing. */
async function checkValues(texts) {
  for (const text of texts) {
    const values = await Promise.all(Object.values(evaluateBy).map((evaluate) => evaluate(text)));
    const isSame = values.every((value) => Math.abs(value - values[0]) <= 1e-9 * Math.max(1, Math.abs(values[0])));
    if (!isSame) throw new Error(`${text}: ${values.join(", ")}`);
  }
}

async function time(evaluate, texts) {
  const started = performance.now();
  for (let call = 0; call < calls; call++) {
    const value = evaluate(texts[call % texts.length]);
    if (value instanceof Promise) await value;
  }
  return ((performance.now() - started) * 1_000) / calls;
}

const samples = {};
for (const [label, texts] of Object.entries(expressions)) {
  await checkValues(texts);
  const contenders = Object.entries(evaluateBy).map(([name, evaluate]) => [name, () => time(evaluate, texts)]);
  samples[label] = await interleave(Object.fromEntries(contenders), { rounds, warmUps });
}
console.log(JSON.stringify(samples));
