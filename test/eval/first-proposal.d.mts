import type { Planner } from "../../src/index.ts";

export function withFirstProposal(planner: Planner, toPlan: typeof import("../../src/index.ts").toPlan): Planner;
