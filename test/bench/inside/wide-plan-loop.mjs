/** What people write without us: one step, then all the others at most so many at a time, then one more. */
export async function runWideLoop(step, { inputs, concurrency }) {
  await step.execute(inputs[0]);
  await runLimited(inputs.slice(1, -1), (input) => step.execute(input), concurrency);
  await step.execute(inputs.at(-1));
}

/** As p-limit does it, without a package. */
function runLimited(items, work, concurrency) {
  let next = 0;
  const takeNext = async () => {
    while (next < items.length) await work(items[next++]);
  };
  return Promise.all(Array.from({ length: concurrency }, takeNext));
}
