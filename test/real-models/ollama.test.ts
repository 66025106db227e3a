import { describe, expect, it } from "vitest";
import { createOllamaModel } from "../../src/adapters/ollama/ollama-model.ts";
import { trainedWordings } from "./engine-requests.ts";
import { planWithModel } from "./plan-with-model.ts";

const { OLLAMA_HOST: host, OLLAMA_MODEL: model } = process.env;
const isWanted = Boolean(host && model);
if (!isWanted) console.info("Skipped: a real Ollama (set OLLAMA_HOST and OLLAMA_MODEL to run it).");

describe.skipIf(!isWanted)(`a real Ollama with ${model}`, () => {
  const llm = createOllamaModel({ model: model || "none", host });

  it("answers a message", { timeout: 600_000 }, async () => {
    const { signal } = new AbortController();
    const messages = [{ role: "user", content: "Say hello." }] as const;
    const { text } = await llm.generate({ messages, signal });
    expect(text).not.toBe("");
  });

  it("returns a plan, or says why not", { timeout: 600_000 }, async () => {
    for (const request of trainedWordings.slice(0, 5)) {
      const { kind, isRight, failures } = await planWithModel(llm, request, {
        temperature: 0,
        grounding: "refuse",
      });
      console.info(`${request.request}: ${kind}${isRight ? ", right" : ""} ${failures.join(" ")}`);
      expect(kind).not.toBe("failed");
    }
  });
});
