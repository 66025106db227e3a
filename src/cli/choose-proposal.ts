import type { ErrorData } from "../core/error-data.ts";
import { isAgentError, type Proposal } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { PlanInput } from "../core/plan.ts";
import { toPlan } from "../plan/to-plan.ts";
import { readSlot } from "../planners/rules/slot-values.ts";
import type { CliIo } from "./cli-io.ts";
import { userClock } from "./render-run.ts";

const maxTries = 3;

export async function chooseProposal(error: ErrorData, { ask }: Pick<CliIo, "ask">): Promise<PlanInput | undefined> {
  const proposals = isAgentError(error, "cannot-plan") ? (error.details.proposals ?? []) : [];
  if (ask === undefined || proposals.length === 0) return undefined;
  const numbers = proposals.map((_, index) => index + 1).join(", ");
  const chosen = proposals[Number(await ask(`Which one? (${numbers}, or Enter for none) `)) - 1];
  if (chosen?.asks === undefined) return chosen && toPlan(chosen);
  const answer = await askFor(chosen.asks, ask);
  return answer === undefined ? undefined : toPlan(chosen, answer);
}

async function askFor(
  { text, type, choices }: NonNullable<Proposal["asks"]>,
  ask: NonNullable<CliIo["ask"]>,
): Promise<JsonValue | undefined> {
  const among = choices === undefined ? "" : ` (${choices.join(", ")})`;
  let why = "";
  for (let count = 0; count < maxTries; count++) {
    const said = (await ask(`${why}${text}${among} `)).trim();
    if (said === "") return undefined;
    const choice = choices?.find((each) => String(each).toLowerCase() === said.toLowerCase());
    if (choice !== undefined || type === "text") return choice ?? said;
    const read = choices === undefined ? readSlot({ kind: type, form: "offset" }, said, userClock()) : undefined;
    if (read?.ok === true) return read.value as JsonValue;
    why = read === undefined ? "" : `Not understood: ${read.why}. `;
  }
  return undefined;
}
