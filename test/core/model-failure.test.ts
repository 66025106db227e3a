import { AgentError, type ModelFailureReason, modelFailure } from "planwright";
import { describe, expect, it } from "vitest";

const model = { provider: "ollama", modelId: "qwen3" };
const reasons: Readonly<Record<ModelFailureReason, boolean>> = {
  unreachable: true,
  "unknown-model": false,
  unauthorized: false,
  busy: true,
  "format-rejected": false,
  "prompt-too-long": false,
  rejected: false,
  interrupted: true,
  "server-error": true,
  "invalid-response": true,
};

describe("modelFailure", () => {
  it.each(Object.entries(reasons))("with the reason %s is retryable or not: %s", (reason, retryable) => {
    const error = modelFailure(model, reason as ModelFailureReason, { message: "No." });
    expect(error).toBeInstanceOf(AgentError);
    expect(error.toJSON()).toEqual({
      name: "AgentError",
      code: "model-failed",
      message: "No.",
      retryable,
      details: { model: "ollama/qwen3", reason },
    });
  });

  it("keeps the status and the cause, but no header or body of the cause", () => {
    const cause = Object.assign(new TypeError("fetch failed"), { headers: { authorization: "Bearer secret" } });
    const error = modelFailure(model, "busy", { message: "Later.", status: 429, cause });
    expect(error.cause).toBe(cause);
    expect(error.toJSON()).toMatchObject({
      details: { status: 429 },
      cause: { name: "TypeError", message: "fetch failed" },
    });
    expect(JSON.stringify(error)).not.toContain("secret");
  });
});
