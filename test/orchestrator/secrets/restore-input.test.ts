import { expect, it } from "vitest";
import { hiddenText } from "../../../src/core/sealed.ts";
import { restoreInput } from "../../../src/orchestrator/secrets/plan-secrets.ts";
import { RunSecrets } from "../../../src/orchestrator/secrets/run-secrets.ts";
import { keyOf, password, secretTools } from "../../scenarios/secrets.ts";

it("an approver who sends [sensitive] back keeps the value", async () => {
  const tools = new Map(secretTools().tools.map((tool) => [tool.name, tool]));
  const secrets = await RunSecrets.create({ runId: "r1", tools, sealing: { keys: [keyOf("k1")] } });
  const recorded = await secrets.sealInput("Login", { user: "ann", password });
  expect(restoreInput({ user: "bob", password: hiddenText }, recorded, secrets)).toEqual({ user: "bob", password });
  expect(restoreInput({ user: hiddenText, password: "new" }, recorded, secrets)).toEqual({
    user: hiddenText,
    password: "new",
  });
});
