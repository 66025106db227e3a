import { isAgentError, type ModelFailureReason } from "planwright";
import { describe, expect, it } from "vitest";
import { toErrorData } from "../../../src/core/error-data.ts";
import { type FakeOllamaAnswer, fakeOllamaFaults } from "../../fake-ollama/fake-ollama-answer.ts";
import { checkNothingIsLeft, createInstantClock, setUp } from "./setup-ollama.ts";

const once = { retry: { maxAttempts: 1 } };
const json = { responseFormat: { type: "json" } } as const;

checkNothingIsLeft();

describe("a server that responds with an error", () => {
  const cases: readonly (readonly [FakeOllamaAnswer, ModelFailureReason, number | undefined, string])[] = [
    [{ fault: "unknown-model" }, "unknown-model", 404, 'has no model "qwen3". Type: ollama pull qwen3'],
    [{ fault: "unauthorized" }, "unauthorized", 401, "(401, unauthorized)"],
    [{ status: 403, error: "ollama cloud is disabled" }, "unauthorized", 403, "ollama cloud is disabled"],
    [{ fault: "busy" }, "busy", 503, "server busy"],
    [{ status: 429, error: "slow down" }, "busy", 429, "slow down"],
    [{ fault: "format-rejected" }, "format-rejected", 500, "failed to parse grammar"],
    [{ status: 400, error: "JSON schema conversion failed: x" }, "format-rejected", 400, "conversion failed"],
    [{ fault: "prompt-too-long" }, "prompt-too-long", 400, "exceeds the available context size"],
    [
      { status: 400, error: "the prompt is longer than the context length currently available to the model" },
      "prompt-too-long",
      400,
      "longer than the context length",
    ],
    [{ body: "<html>large</html>", status: 413 }, "prompt-too-long", 413, "a page of HTML"],
    [{ status: 400, error: "nope" }, "rejected", 400, "refused the request (400, nope)"],
    [{ status: 500, error: 'option "num_predict" must be of type integer' }, "server-error", 500, "must be of type"],
    [{ fault: "crash" }, "server-error", 500, "model runner has unexpectedly stopped"],
    [{ status: 499, error: "request canceled" }, "interrupted", 499, "request canceled"],
    [{ fault: "html" }, "server-error", 502, "(502, a page of HTML)"],
    [
      { status: 404, body: "404 page not found" },
      "rejected",
      404,
      "does not seem to be Ollama (404, 404 page not found)",
    ],
    [{ status: 300, body: "" }, "invalid-response", 300, "(300, Multiple Choices)"],
    [{ status: 418, body: '{"error":{"message":"teapot"}}' }, "rejected", 418, "teapot"],
    [{ status: 418, body: '{"error":["teapot"]}' }, "rejected", 418, '["teapot"]'],
    [{ status: 418, body: '{"error":null}' }, "rejected", 418, '{"error":null}'],
  ];

  it.each(cases)("is reported for %j as %s", async (answer, reason, status, text) => {
    const { fail, deltas } = await setUp([answer], once);
    const error = await fail(json);
    expect(error.details).toEqual({ model: "ollama/qwen3", reason, status });
    expect(error.message).toContain(text);
    expect(deltas).toEqual([]);
  });

  it("is reported as format-rejected only if a format was requested", async () => {
    const { fail } = await setUp([{ fault: "format-rejected" }], once);
    expect((await fail()).details).toMatchObject({ reason: "server-error" });
  });

  it("is quoted in one short line, and not at all if it sent HTML", async () => {
    const { fail } = await setUp(
      [
        { status: 400, error: `no\n\u001b[31m${"x".repeat(500)}` },
        { fault: "html" },
        { status: 400, body: "y".repeat(50_000) },
      ],
      once,
    );
    for (const _ of [1, 2, 3]) {
      const error = await fail();
      expect(error.message.length).toBeLessThan(350);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(error.message).not.toMatch(/[\u0000-\u001f]|nginx/);
      expect(JSON.stringify(toErrorData(error))).not.toContain("nginx");
    }
  });

  it("is read up to 64 KiB, however much it sends at once", async () => {
    const ofLength = (length: number) => ({ status: 500, error: `${"x".repeat(length)} schema` });
    const { fail } = await setUp([ofLength(60_000), ofLength(70_000)], once);
    expect((await fail(json)).message).toContain("(500, xxx");
    expect((await fail(json)).message).toContain('(500, {"error":"xxx');
  });

  it("never puts a key into an error message", async () => {
    const { fail } = await setUp([{ fault: "unauthorized" }], { headers: { authorization: "Bearer secret" } });
    expect(JSON.stringify(toErrorData(await fail()))).not.toContain("secret");
  });
});

describe("an interrupted or invalid answer", () => {
  it.each([
    [{ fault: "error-mid-stream" }, "interrupted", "The answer broke off with an error: an error was encountered"],
    [{ fault: "cut" }, "interrupted", "broke off before the answer was complete (UND_ERR_SOCKET)"],
    [{ fault: "cut-at-once" }, "interrupted", "broke off before the answer was complete (UND_ERR_SOCKET)"],
    [{ fault: "silent-end" }, "interrupted", 'ended without its last part, which has "done": true'],
    [{ body: "", status: 204 }, "interrupted", 'ended without its last part, which has "done": true'],
    [{ body: "" }, "interrupted", 'ended without its last part, which has "done": true'],
    [
      { body: '{"message":{"content":"a"},"done":fal' },
      "interrupted",
      'ended without its last part, which has "done": true',
    ],
    [{ body: "<html>Please log in</html>\n" }, "invalid-response", "A line of the answer is not a JSON object"],
    [{ body: 'data: {"done":true}\n\n' }, "invalid-response", "A line of the answer is not a JSON object"],
    [{ body: "[]\n" }, "invalid-response", "A line of the answer is not a JSON object"],
    [{ body: "null\n" }, "invalid-response", "A line of the answer is not a JSON object"],
    [{ body: `{"a":"${"x".repeat(3_000_000)}"}\n` }, "invalid-response", "A line of the answer is longer than 2097152"],
    [{ body: '{"status":"success"}\n' }, "invalid-response", "The answer is not a chat message"],
  ] as const)("is reported for %j as %s", async (answer, reason, text) => {
    const { fail } = await setUp([answer], once);
    const error = await fail();
    expect(error.details).toMatchObject({ reason });
    expect(error.message).toContain(text);
    expect(error.retryable).toBe(true);
  });

  it("is reported after its first part was passed to onTextDelta", async () => {
    const { fail, deltas } = await setUp([{ fault: "cut", text: "one two three four" }], once);
    await fail();
    expect(deltas.join("")).toBe("one two thre");
  });

  it("is reported as an error response if its first line is an error", async () => {
    const { fail } = await setUp([{ body: '{"error":"failed to parse grammar"}\n' }, { body: '{"error":"oh no"}\n' }]);
    const error = await fail(json);
    expect(error.details).toEqual({ model: "ollama/qwen3", reason: "format-rejected" });
    expect((await fail()).details).toMatchObject({ reason: "server-error" });
  });

  it("is not reported for blank lines or a missing last line break", async () => {
    const body = '\n{"message":{"content":"Hi"},"done":false}\r\n\n{"message":null,"done":true,"eval_count":-1}';
    const { ask } = await setUp([{ body }]);
    expect(await ask()).toEqual({ text: "Hi", finishReason: "stop", usage: {} });
  });
});

describe("a server that cannot be reached", () => {
  it("is named in the error, with the command to start it", async () => {
    const { fail, ollama } = await setUp([]);
    await ollama.close();
    const error = await fail();
    expect(error.details).toEqual({ model: "ollama/qwen3", reason: "unreachable" });
    expect(error.message).toBe(`No Ollama server can be reached at ${ollama.host} (ECONNREFUSED). Type: ollama serve`);
    expect(error.retryable).toBe(true);
  });

  it.each([
    [new TypeError("Failed to fetch"), "unreachable", "(TypeError: Failed to fetch)"],
    [
      new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } }),
      "unreachable",
      '(ENOTFOUND). Check the option "host"',
    ],
    [new TypeError("fetch failed", { cause: new Error("bad port") }), "unreachable", "(Error: bad port)"],
    ["down", "unreachable", "(down)"],
    [undefined, "unreachable", "(undefined)"],
    [new TypeError("x", { cause: { code: "UND_ERR_HEADERS_TIMEOUT" } }), "interrupted", "(UND_ERR_HEADERS_TIMEOUT)"],
    [new TypeError("x", { cause: { code: "HPE_INVALID_CONSTANT" } }), "invalid-response", "does not speak HTTP"],
  ])("is described by the error of fetch: %s", async (thrown, reason, text) => {
    const { fail } = await setUp([], { fetch: () => Promise.reject(thrown) });
    const error = await fail();
    expect(error.details).toMatchObject({ reason });
    expect(error.message).toContain(text);
  });
});

describe("each fault of a server", () => {
  it.each(fakeOllamaFaults)("ends with an answer or with model-failed: %s", async (fault) => {
    const { ask, ollama } = await setUp([], { server: { otherwise: { fault } } });
    const ended = ask().then(
      ({ finishReason }) => finishReason,
      (thrown: unknown) => (isAgentError(thrown, "model-failed") ? thrown.details.reason : thrown),
    );
    await ollama.waitForRequest();
    // More often than a drip has lines.
    for (let line = 0; line < 30; line++) ollama.release();
    expect(await ended).toBeTypeOf("string");
  });
});

describe("attempts of a call", () => {
  const middle = { random: () => 1 };

  it("are repeated while the server is busy", async () => {
    const clock = createInstantClock();
    const { ask, ollama } = await setUp([{ fault: "busy" }, { fault: "busy" }, { text: "Hi" }], { clock, ...middle });
    expect((await ask()).text).toBe("Hi");
    expect(clock.delaysMs).toEqual([500, 1_000]);
    ollama.assertComplete();
  });

  it("end if the server stays busy", async () => {
    const { fail, ollama } = await setUp([], { server: { otherwise: { fault: "busy" } } });
    expect((await fail()).details).toMatchObject({ reason: "busy", status: 503 });
    expect(ollama.chats).toHaveLength(3);
  });

  it("wait as long as the server requests, unless that is too long", async () => {
    const clock = createInstantClock();
    const asks = (seconds: string) => ({ status: 503, error: "busy", headers: { "retry-after": seconds } });
    const { ask, fail } = await setUp([asks("7"), { text: "Hi" }, asks("31")], { clock, ...middle });
    await ask();
    expect(clock.delaysMs).toEqual([7_000]);
    expect((await fail()).details).toMatchObject({ reason: "busy" });
    expect(clock.delaysMs).toEqual([7_000]);
  });

  it("do not start after maxTotalMs", async () => {
    const { fail, ollama } = await setUp([{ fault: "busy" }], { retry: { maxTotalMs: 400 }, ...middle });
    expect((await fail()).details).toMatchObject({ reason: "busy" });
    ollama.assertComplete();
  });

  it("are repeated after a crash", async () => {
    const crash = { fault: "crash" } as const;
    const { ask, fail, ollama } = await setUp([crash, { text: "Hi" }, crash, crash, crash]);
    expect((await ask()).text).toBe("Hi");
    expect((await fail()).details).toMatchObject({ reason: "server-error", status: 500 });
    ollama.assertComplete();
  });

  it("end with the first failure that is not worth repeating", async () => {
    const { fail, ollama } = await setUp([{ fault: "busy" }, { fault: "unknown-model" }]);
    expect((await fail()).details).toMatchObject({ reason: "unknown-model" });
    ollama.assertComplete();
  });
});
