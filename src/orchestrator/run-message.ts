import { type Keyed, wrongKeyOf } from "../core/event-shapes.ts";
import type { RunSettleEvent } from "../core/events.ts";
import type { JsonObject } from "../core/json.ts";
import type { StepPlace } from "../core/step-place.ts";
import type { Decision } from "./decide-run.ts";

/** A request to a run, whichever process has it, as JSON. */
export type RunMessage =
  | { readonly type: "cancel"; readonly reason: string }
  | { readonly type: "decide"; readonly decision: Decision }
  | { readonly type: "settle"; readonly place: StepPlace; readonly outcome: RunSettleEvent["outcome"] };

/** A message as a store keeps it. */
export function messageToJson(message: RunMessage): JsonObject {
  return JSON.parse(JSON.stringify(message)) as JsonObject;
}

/** A message that a store returned, which may be anything. Throws, with the reason, if it is not a message. */
export function parseMessage(found: unknown): RunMessage {
  const message = keyed(found, "it is not an object");
  switch (message.type) {
    case "cancel":
      if (typeof message.reason !== "string") throw new TypeError("its reason is not a text");
      return { type: "cancel", reason: message.reason };
    case "decide":
      return { type: "decide", decision: parseDecision(message.decision) };
    case "settle": {
      const place = parsePlace(message.place);
      const wrong = wrongKeyOf["run-settle"]({ ...place, outcome: message.outcome });
      if (wrong !== undefined) throw new TypeError(`its ${wrong} is invalid`);
      return { type: "settle", place, outcome: message.outcome as RunSettleEvent["outcome"] };
    }
    default:
      throw new TypeError(`there is no message of type ${JSON.stringify(message.type)}`);
  }
}

function parseDecision(found: unknown): Decision {
  const decision = keyed(found, "its decision is not an object");
  const { verdict, hash, reason, atMs } = decision;
  if (verdict !== "approve" && verdict !== "reject") throw new TypeError("its verdict is neither approve nor reject");
  if (typeof hash !== "string" || typeof reason !== "string")
    throw new TypeError("its hash or its reason is not a text");
  for (const key of ["by", "comment"])
    if (!["undefined", "string"].includes(typeof decision[key])) throw new TypeError(`its ${key} is not a text`);
  if (decision.input !== undefined) keyed(decision.input, "its input is not an object");
  const place = decision.place === undefined ? undefined : parsePlace(decision.place);
  if (typeof atMs !== "number") throw new TypeError("its time is not a number");
  return { ...decision, verdict, hash, reason, atMs, place };
}

function parsePlace(found: unknown): StepPlace {
  const { stepId, iteration } = keyed(found, "its place is not an object");
  const isIndex = iteration === undefined || (Number.isInteger(iteration) && (iteration as number) >= 0);
  if (typeof stepId !== "string" || !isIndex) throw new TypeError("its place is not that of a step");
  return { stepId, ...(iteration !== undefined && { iteration: iteration as number }) };
}

function keyed(value: unknown, why: string): Keyed {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError(why);
  return value as Keyed;
}
