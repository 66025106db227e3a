import { createOllamaModel, isAgentError, type OllamaModelOptions } from "planwright";
import { describe, expect, it } from "vitest";
import { resolveOllamaOptions } from "../../../src/adapters/ollama/ollama-options.ts";

function failureOf(options: unknown) {
  try {
    createOllamaModel(options as OllamaModelOptions);
  } catch (thrown) {
    if (isAgentError(thrown, "invalid-options")) return thrown;
  }
  throw new Error("It did not throw invalid-options.");
}

describe("the options of createOllamaModel", () => {
  it("are not a text, which is never shown: it may be a key", () => {
    const { message, details } = failureOf("sk-secret");
    expect(message).toBe("createOllamaModel takes an object: write createOllamaModel({ model: … }). Received text.");
    expect(JSON.stringify([details, failureOf({ model: "m", apikey: "sk-secret" })])).not.toContain("secret");
  });

  it("have defaults", () => {
    expect(resolveOllamaOptions({ model: "qwen3" })).toMatchObject({
      modelId: "qwen3",
      host: "http://127.0.0.1:11434",
      headers: {},
      price: { inputPerMillion: 0, outputPerMillion: 0 },
      retry: { maxAttempts: 3, minDelayMs: 500, maxDelayMs: 30_000, factor: 2, maxTotalMs: Number.POSITIVE_INFINITY },
      random: expect.any(Function),
    });
  });

  it("may have a key, which is a header that headers may replace", () => {
    const { headers } = resolveOllamaOptions({ model: "m", apiKey: "k1", headers: { "x-team": "a" } });
    expect(headers).toEqual({ authorization: "Bearer k1", "x-team": "a" });
    const error = (() => {
      try {
        return resolveOllamaOptions({ model: "m", apiKey: "secret\nkey" });
      } catch (thrown) {
        return thrown as Error;
      }
    })();
    expect(String((error as Error).message)).not.toContain("secret");
  });

  it.each(["max", "high", true] as const)("may let a model think: %s", (think) => {
    expect(resolveOllamaOptions({ model: "m", think, contextTokens: "server", seed: 7 })).toMatchObject({
      think,
      contextTokens: "server",
      seed: 7,
    });
  });

  it("are used", () => {
    const options = {
      model: "qwen3:4b",
      think: "low",
      contextTokens: 8_192,
      keepAlive: -1,
      price: { inputPerMillion: 1, outputPerMillion: 2 },
    } as const;
    const { model, ...rest } = options;
    expect(resolveOllamaOptions(options)).toMatchObject({ modelId: model, ...rest });
    expect(
      resolveOllamaOptions({ model, retry: { maxAttempts: 1, factor: 3, maxDelayMs: 9, maxTotalMs: 8 } }).retry,
    ).toEqual({ maxAttempts: 1, minDelayMs: 500, maxDelayMs: 9, factor: 3, maxTotalMs: 8 });
  });

  it.each([
    ["localhost", "http://localhost:11434"],
    ["http://localhost", "http://localhost"],
    ["http://localhost:11434/", "http://localhost:11434"],
    [":8080", "http://127.0.0.1:8080"],
    ["gpu:80", "http://gpu"],
    ["gpu:80/", "http://gpu"],
    ["[::1]", "http://[::1]:11434"],
    ["[::1]:80", "http://[::1]"],
    ["https://gpu.example/ollama/", "https://gpu.example/ollama"],
    [" gpu/ollama ", "http://gpu:11434/ollama"],
  ])("accept %j as the host %s", (host, expected) => {
    expect(resolveOllamaOptions({ model: "m", host }).host).toBe(expected);
  });

  it.each([
    [undefined, "options"],
    [{}, "model"],
    [{ model: " " }, "model"],
    [{ model: "m", modle: "m" }, "options.modle"],
    [{ model: "m", host: 11434 }, "host"],
    [{ model: "m", host: "" }, "host"],
    [{ model: "m", host: "ftp://gpu" }, "host"],
    [{ model: "m", host: "a b" }, "host"],
    [{ model: "m", host: "買".repeat(2_001) }, "host"],
    [{ model: "m", host: `gpu/${"x".repeat(2_000)}` }, "host"],
    [{ model: "m", headers: "x" }, "headers"],
    [{ model: "m", headers: { a: 1 } }, "headers.a"],
    [{ model: "m", headers: new Headers({ authorization: "Bearer k" }) }, "headers"],
    [{ model: "m", headers: new Map([["authorization", "Bearer k"]]) }, "headers"],
    [{ model: "m", options: new Map([["top_k", 20]]) }, "options"],
    [{ model: "m", think: "most" }, "think"],
    [{ model: "m", contextTokens: 255 }, "contextTokens"],
    [{ model: "m", contextTokens: Number.POSITIVE_INFINITY }, "contextTokens"],
    [{ model: "m", keepAlive: "soon" }, "keepAlive"],
    [{ model: "m", keepAlive: Number.NaN }, "keepAlive"],
    [{ model: "m", price: { inputPerMillion: 1 } }, "price.outputPerMillion"],
    [{ model: "m", price: { inputPerMillion: -1, outputPerMillion: 1 } }, "price.inputPerMillion"],
    [{ model: "m", price: 1 }, "price"],
    [{ model: "m", retry: { maxAttempts: 0 } }, "retry.maxAttempts"],
    [{ model: "m", fetch: "x" }, "fetch"],
    [{ model: "m", random: 1 }, "random"],
    [{ model: "m", clock: 1 }, "clock"],
    [{ model: "m", clock: { now: () => 1 } }, "clock"],
  ])("of %j are refused for %s", (options, option) => {
    expect(failureOf(options).details.option).toBe(option);
  });

  it.each(["10m", "1h30m", "-1s", ".5h", "1.5h", 0, 300])("accept keepAlive %j", (keepAlive) => {
    expect(resolveOllamaOptions({ model: "m", keepAlive }).keepAlive).toBe(keepAlive);
  });

  it("never reveal a secret when they are refused", () => {
    const wrong = [
      { model: "m", host: "http://me:secret@gpu" },
      { model: "m", headers: { authorization: "secret\n1" } },
    ];
    for (const options of wrong) {
      const error = failureOf(options);
      expect(error.message).toContain("must be");
      expect(JSON.stringify(error)).not.toContain("secret");
    }
  });
});
