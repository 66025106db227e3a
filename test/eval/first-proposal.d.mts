import { type Planner } from "planwright";

export function withFirstProposal(planner: Planner, toPlan: typeof import("../../src/index.ts").toPlan): Planner;
