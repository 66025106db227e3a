import { inParallel } from "../../async/promises.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { PendingPage } from "../../core/run-result.ts";
import { createWordReader, type ListRunsOptions, selectRuns } from "../../core/run-store.ts";
import { pendingKinds } from "../../core/run-summary.ts";
import { callsTool, describeConditions, describeQuestion, describeRead, describeStepRef } from "../../core/step.ts";
import { printable } from "../../core/text.ts";
import type { DescribeCall, SaidCall } from "../../core/tool.ts";
import { describeWaits } from "../../plan/references.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import { listRuns, readUndamaged } from "./stored-runs.ts";

/** @inline */
type Decidable = PendingPage["items"][number]["item"];

/** Options of `listPending`. @inline */
export interface ListPendingOptions extends Pick<ListRunsOptions, "limit" | "cursor"> {
  /** Kinds of items to list; `approval` selects approvals of steps and of plans. @default all */
  readonly kinds?: Decidable["kind"] | readonly Decidable["kind"][] | undefined;
}

const decidableKinds = pendingKinds.filter((kind) => kind !== "wait");

const pendingOptions = {
  kinds: createWordReader(decidableKinds),
  limit: { type: "integer", min: 1, max: 1_000, default: 100 },
  cursor: { type: "any" },
} satisfies OptionTable<ListPendingOptions>;

export async function listPending(
  settings: EngineSettings,
  options: ListPendingOptions = {},
  describeCall: DescribeCall,
): Promise<PendingPage> {
  const { kinds = decidableKinds, limit, cursor } = readOptions(pendingOptions, options);
  const selected = { pending: [...kinds], limit, cursor } as const;
  const { pending: wanted = [] } = selectRuns(selected);
  const { runs, ...rest } = await listRuns(settings.store, selected);
  const items: PendingPage["items"][] = [];
  await inParallel(runs, 8, async ({ runId }, index) => {
    const run = await readUndamaged(settings, runId);
    if (run === undefined) return;
    const { request, metadata, plan, pending = [] } = run;
    const asked = { runId, ...(request !== undefined && { request }), metadata };
    const shown = pending.filter((item): item is Decidable => wanted.includes(item.kind));
    const records = new Map(run.steps.map((record) => [describeStepRef(record), record]));
    const steps = plan?.steps ?? [];
    items[index] = shown.map((item) => {
      const read = "stepId" in item ? describeRead(plan?.source, item.stepId) : [];
      const said = describeItem(item, { steps, records, describeCall });
      const text = read.length === 0 ? said : `${said} (${printable(read.join(", "))})`;
      return { ...asked, item, text, ...(item.kind === "plan-approval" && { steps }) };
    });
  });
  return { ...rest, items: items.flat() };
}

const maxSteps = 10;

type Said = { steps: readonly PlanStep[]; records: ReadonlyMap<string, SaidCall>; describeCall: DescribeCall };

function describeItem(item: Decidable, { steps, records, describeCall }: Said): string {
  switch (item.kind) {
    case "approval":
      return describeCall(item);
    case "plan-approval": {
      const waits = describeWaits(steps);
      const texts = steps.slice(0, maxSteps).map((step) => {
        const text = callsTool(step) ? describeCall(step) : (waits.get(step.id) ?? "");
        return printable([text, ...describeConditions(step)].join(", "));
      });
      // Each step is one printable line, so its texts cannot imitate another step.
      return [...texts, ...(steps.length > maxSteps ? [`${steps.length - maxSteps} more`] : [])].join("\n");
    }
    case "question":
      return describeQuestion(item);
    case "outcome": {
      const record = records.get(describeStepRef(item));
      const text = record === undefined ? item.stepId : describeCall(record);
      return `${text}: it is not known whether this took effect`;
    }
    default:
      return item.reason;
  }
}
