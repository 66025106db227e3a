import type { PlanInput } from "planwright";

const step = (id: string, tool: string, dependsOn?: readonly string[]) => ({
  id,
  tool,
  input: {},
  ...(dependsOn && { dependsOn }),
});

/** The kinds of runs: for the tools of worker-child.ts. */
const plans: Readonly<Record<string, PlanInput>> = {
  chain: { steps: ["a", "b", "c", "d"].map((id) => step(id, "Work")) },
  diamond: {
    steps: [step("a", "Work"), step("b", "Work", ["a"]), step("c", "Work", ["a"]), step("d", "Work", ["b", "c"])],
  },
  fanout: {
    steps: [step("a", "Work"), { ...step("b", "Work"), forEach: "a.list", concurrency: 3 }, step("c", "Work")],
  },
  approval: { steps: [step("a", "Work"), step("b", "Ask"), step("c", "Work")] },
  retry: { steps: [step("a", "Flaky"), step("b", "Work"), step("c", "Flaky")] },
  once: { steps: [step("a", "Work"), step("b", "Once"), step("c", "Once")] },
};

/** Runs of all kinds in turn, with their kind in front of their id. */
export function mixedRuns(count: number): { readonly run: PlanInput; readonly options: { readonly runId: string } }[] {
  const kinds = Object.entries(plans);
  return Array.from({ length: count }, (_, index) => {
    const [kind, run] = kinds[index % kinds.length] as (typeof kinds)[number];
    return { run, options: { runId: `${kind}-${index}` } };
  });
}
