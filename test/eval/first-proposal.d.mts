import { type Planner } from "planwright";

export function withFirstProposal(planner: Planner, toPlan: typeof import("planwright").toPlan): Planner;
