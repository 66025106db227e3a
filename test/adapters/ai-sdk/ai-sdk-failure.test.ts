import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  NoSuchModelError,
  RetryError,
  TypeValidationError,
} from "ai";
import type { ModelFailureReason } from "planwright";
import { describe, expect, it } from "vitest";
import { aiSdkFailure } from "../../../src/adapters/ai-sdk/ai-sdk-failure.ts";
import { toErrorData } from "../../../src/core/error-data.ts";

const model = { provider: "openai.responses", modelId: "gpt-5" };

function fail(thrown: unknown, isAnswering = false) {
  return aiSdkFailure(model, thrown, { isAnswering });
}

function callError(statusCode: number | undefined, message = "No.", rest: object = {}) {
  return new APICallError({
    message,
    url: "https://example.com",
    requestBodyValues: {},
    ...(statusCode && { statusCode }),
    ...rest,
  });
}

function named(name: string, message = "No.") {
  return Object.assign(new Error(message), { name });
}

describe("aiSdkFailure", () => {
  it.each<[number, string, ModelFailureReason]>([
    [401, "No.", "unauthorized"],
    [403, "No JSON for you.", "unauthorized"],
    [404, "The model does not exist", "unknown-model"],
    [413, "No.", "prompt-too-long"],
    [429, "Request too large for the rate limit", "busy"],
    [503, "No.", "busy"],
    [529, "Overloaded", "busy"],
    [400, "Invalid schema for response_format 'answer'", "format-rejected"],
    [400, "'messages' must contain the word 'json'", "format-rejected"],
    [400, "Unknown name response_mime_type", "format-rejected"],
    [422, "Structured outputs are not supported", "format-rejected"],
    [400, "This model's maximum context length is 8192 tokens.", "prompt-too-long"],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", "prompt-too-long"],
    [400, "The input token count (9) exceeds the maximum number of tokens allowed (8).", "prompt-too-long"],
    [500, "the request exceeds the available context size", "prompt-too-long"],
    [400, "max_tokens is too large: 100000", "rejected"],
    [400, "No.", "rejected"],
    [418, "schema", "rejected"],
    [408, "Timeout", "busy"],
    [500, "No.", "server-error"],
    [502, "bad json", "server-error"],
    [200, "Invalid JSON response", "invalid-response"],
  ])("reads status %i, %j, as %s", (status, message, reason) => {
    expect(fail(callError(status, message)).details).toEqual({ model: "openai.responses/gpt-5", reason, status });
  });

  it.each<[unknown, ModelFailureReason]>([
    [new LoadAPIKeyError({ message: "OpenAI API key is missing." }), "unauthorized"],
    [new NoSuchModelError({ modelId: "gpt-99", modelType: "languageModel" }), "unknown-model"],
    [named("AI_LoadSettingError"), "rejected"],
    [
      named("AI_UnsupportedFunctionalityError", "'JSON response format' functionality not supported"),
      "format-rejected",
    ],
    [named("AI_UnsupportedFunctionalityError", "'tools' functionality not supported"), "rejected"],
    [named("AI_EmptyResponseBodyError"), "invalid-response"],
    [named("AI_TypeValidationError"), "invalid-response"],
    [new TypeError("fetch failed", { cause: Object.assign(new Error(""), { code: "ECONNREFUSED" }) }), "unreachable"],
    [callError(undefined, "Cannot connect to API: read", { isRetryable: true }), "unreachable"],
    [Object.assign(new Error("x"), { code: "ENOTFOUND" }), "unreachable"],
    [new Error("x", { cause: new Error("y", { cause: { code: "ETIMEDOUT" } }) }), "unreachable"],
    [new DOMException("The operation timed out", "TimeoutError"), "unreachable"],
    [
      callError(200, "Failed to process successful response", { cause: new TypeError("terminated") }),
      "invalid-response",
    ],
    [callError(200, "Failed", { cause: { code: "UND_ERR_SOCKET" } }), "interrupted"],
    [named("AI_InvalidResponseDataError", "Response stream ended without a finish reason."), "interrupted"],
    [new Error("The stream ended unexpectedly"), "interrupted"],
    [{ type: "rate_limit_error", message: "Slow down" }, "busy"],
    [{ error: { type: "authentication_error", message: "No" } }, "unauthorized"],
    [{ type: "error", error: { code: "context_length_exceeded", message: "x" } }, "prompt-too-long"],
    [{ code: "model_not_found", message: "x" }, "unknown-model"],
    [{ code: 429, message: "x" }, "busy"],
    [{ status: 500, message: "x" }, "server-error"],
    ["context length exceeded", "prompt-too-long"],
    [new Error("No."), "server-error"],
    [undefined, "server-error"],
    [null, "server-error"],
    ["boom", "server-error"],
    [42, "server-error"],
    [{}, "server-error"],
  ])("reads %j as %s", (thrown, reason) => {
    expect(fail(thrown).details.reason).toBe(reason);
  });

  it("reports a broken connection as interrupted only if it interrupted an answer", () => {
    expect(fail(new TypeError("terminated"), true).details.reason).toBe("interrupted");
    expect(fail(callError(undefined, "Cannot connect to API"), true).details.reason).toBe("interrupted");
    expect(fail(callError(500), true).details.reason).toBe("server-error");
  });

  it("uses the last error of a RetryError", () => {
    const last = callError(429, "Later.");
    const retries = new RetryError({
      message: "Failed after 3 attempts.",
      reason: "maxRetriesExceeded",
      errors: [last],
    });
    expect(fail(retries)).toMatchObject({
      message: "openai.responses/gpt-5 is busy: Later.",
      details: { reason: "busy", status: 429 },
      retryable: true,
      cause: retries,
    });
  });

  it.each<[unknown, string]>([
    [callError(404, "Not found"), "The model openai.responses/gpt-5 does not exist: Not found"],
    [callError(400, "  bad\n\n  request "), "openai.responses/gpt-5 refused the request: bad request"],
    [callError(400, "schema"), "openai.responses/gpt-5 cannot answer in the requested format: schema"],
    [callError(413, "x"), "The messages are too long for openai.responses/gpt-5: x"],
    [callError(200, "x"), "The answer of openai.responses/gpt-5 is malformed: x"],
    [new TypeError("fetch failed"), "openai.responses/gpt-5 cannot be reached: fetch failed"],
    [{ body: "secret" }, "openai.responses/gpt-5 failed: Object with the keys body"],
    [null, "openai.responses/gpt-5 failed: null"],
    [new Error(""), "openai.responses/gpt-5 failed: Error: "],
  ])("describes the error in its message: %j", (thrown, message) => {
    expect(fail(thrown).message.trim()).toBe(message.trim());
  });

  it("cuts long messages, and copies no other fields of the error", () => {
    const long = fail(callError(400, `${"x".repeat(498)}😀${"y".repeat(100)}`)).message;
    expect(long.endsWith(`${"x".repeat(498)}…`)).toBe(true);
    const thrown = { message: "No.", responseBody: "secret", details: { body: "secret" }, headers: { secret: 1 } };
    expect(JSON.stringify(toErrorData(fail(thrown)))).not.toContain("secret");
  });

  it("never quotes a response, not even through errors about one", () => {
    const parsing = new JSONParseError({ text: "<html>secret", cause: new Error("Unexpected token") });
    const validation = new TypeValidationError({ value: { secret: 1 }, cause: new Error("Expected text") });
    const invalid = new InvalidResponseDataError({ data: { secret: 1 } });
    for (const [thrown, expected] of [
      [parsing, "JSON parsing failed"],
      [validation, "Type validation failed"],
      [invalid, "Invalid response data"],
      [callError(200, "Invalid JSON response", { cause: parsing }), "Invalid JSON response"],
    ] as const) {
      const failure = fail(thrown);
      expect(failure.details.reason).toBe("invalid-response");
      expect(failure.message).toBe(`The answer of openai.responses/gpt-5 is malformed: ${expected}`);
      expect(JSON.stringify(failure)).not.toContain("secret");
    }
    const harmless = callError(500, "No.", { cause: new Error("closed") });
    expect(fail(harmless).cause).toBe(harmless);
  });

  it("handles values whose properties throw or are circular", () => {
    const hostile = {
      get message(): string {
        throw new Error("no");
      },
      get statusCode(): number {
        throw new Error("no");
      },
    };
    expect(fail(hostile).details.reason).toBe("server-error");
    const circular: { cause?: unknown; error?: unknown } = {};
    circular.cause = circular;
    circular.error = circular;
    expect(fail(circular).details.reason).toBe("server-error");
  });
});
