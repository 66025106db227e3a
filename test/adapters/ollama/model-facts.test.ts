import { describe, expect, it } from "vitest";
import type { FakeOllamaShowAnswer } from "../../fake-ollama/fake-ollama-answer.ts";
import { checkNothingIsLeft, setUp } from "./setup-ollama.ts";

const hi = { text: "Hi" };
const asked = (paths: readonly { readonly path: string }[]) => paths.filter(({ path }) => path === "/api/show").length;
const answerWith = (facts: unknown) => ({ body: JSON.stringify(facts) });

checkNothingIsLeft();

describe("the server's facts about a model", () => {
  it("are requested once, even by simultaneous calls", async () => {
    const { ask, ollama } = await setUp([hi, hi, hi]);
    await Promise.all([ask(), ask()]);
    await ask();
    expect(asked(ollama.requests)).toBe(1);
    expect(JSON.parse(ollama.requests[0]?.body ?? "")).toEqual({ model: "qwen3" });
  });

  it.each<FakeOllamaShowAnswer>([
    { status: 500, error: "no" },
    { status: 404, body: "404 page not found" },
    { fault: "busy" },
    { fault: "html" },
    { fault: "unauthorized" },
    { fault: "cut-at-once" },
    { body: "no JSON" },
  ])("are unknown after %j, and requested again by the next call", async (answer) => {
    const { ask, ollama } = await setUp([hi, hi, hi], { server: { showScript: [answer] } });
    await ask();
    await ask();
    await ask();
    expect(asked(ollama.requests)).toBe(2);
    // False harms no model that cannot think.
    expect(ollama.chats.map(({ think }) => think)).toEqual([false, undefined, undefined]);
    ollama.assertComplete();
  });

  it.each([
    [{}, "qwen3", false],
    [null, "qwen3", false],
    [{}, "gpt-oss:20b", "low"],
    [{ capabilities: "thinking", details: null, model_info: [] }, "qwen3", false],
    [{ capabilities: ["thinking"], model_info: { "general.architecture": "gptoss" } }, "mine", "low"],
    [{ capabilities: ["thinking"], details: { family: "gemma4" } }, "mine", false],
    [{ capabilities: ["completion"], details: { family: "gemma3" } }, "mine", undefined],
  ])("may be %j, so that %s is called with think %j", async (facts, model, think) => {
    const models = [{ name: model, capabilities: ["completion", "thinking"] }];
    const { ask, ollama } = await setUp([hi], { model, server: { models, showScript: [answerWith(facts)] } });
    await ask();
    expect(ollama.chats[0]?.think).toBe(think);
  });

  it("limit the context only if they contain a valid length", async () => {
    for (const length of ["2048", 0, -1, 2.5, undefined]) {
      const facts = { model_info: { "general.architecture": "llama", "llama.context_length": length } };
      const { ask, ollama } = await setUp([hi], { server: { showScript: [answerWith(facts)] } });
      await ask();
      expect(ollama.chats[0]?.options).toMatchObject({ num_ctx: 8_192 });
    }
  });

  it("fail the call if the model is unknown, and are requested again by the next call", async () => {
    const { ask, fail, ollama } = await setUp([hi], { server: { showScript: [{ fault: "unknown-model" }] } });
    const error = await fail();
    expect(error.details).toEqual({ model: "ollama/qwen3", reason: "unknown-model", status: 404 });
    expect(error.message).toContain("Type: ollama pull qwen3");
    expect(ollama.chats).toEqual([]);
    expect((await ask()).text).toBe("Hi");
  });

  it("stay requested while one waiting call is left, and no longer when all are aborted", async () => {
    const { ask, ollama } = await setUp([hi], { server: { showScript: [{ fault: "hang" }, { fault: "hang" }] } });
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const refused = [first, second].map((each) => expect(ask({ signal: each.signal })).rejects.toBe("enough"));
    await ollama.waitForRequest("/api/show");
    first.abort("enough");
    await refused[0];
    expect(ollama.openSockets).toBe(1);
    second.abort("enough");
    await refused[1];
    await ollama.waitForDisconnect();
    const last = ask({ signal: third.signal });
    await ollama.waitForRequest("/api/show");
    ollama.release();
    expect((await last).text).toBe("Hi");
    expect(asked(ollama.requests)).toBe(2);
  });
});
