import { expect, it } from "vitest";
import { sealedPartsIn } from "../../../src/runs/run/sensitive-values.ts";

it("a sealed value is of its step's tool, whatever a delivered value says", () => {
  const events = [
    { type: "run-start", plan: { steps: [{ id: "s1", tool: "Login" }] } },
    { type: "run-deliver", value: { stepId: "s1", tool: "Other" } },
    { type: "run-settle", stepId: "s1", outcome: { status: "completed", output: { $sealed: "k1.text" } } },
  ];
  expect([...sealedPartsIn(events)]).toEqual([{ tool: "Login", path: ["output"], text: "k1.text" }]);
});
