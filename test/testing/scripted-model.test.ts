import { getEventListeners } from "node:events";
import { AgentError, type ModelRequest, modelFailure } from "planwright";
import { createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import { describe, expect, it } from "vitest";

function ask(content: string, rest: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: "user", content }], signal: new AbortController().signal, ...rest };
}

describe("createScriptedModel", () => {
  it("answers with texts, responses, errors and functions in order, and records its requests", async () => {
    const failure = modelFailure({ provider: "scripted", modelId: "script" }, "busy", { message: "Later." });
    const model = createScriptedModel([
      "one",
      { text: "two", reasoning: "hm", finishReason: "length", usage: { inputTokens: 3 }, deltas: ["t", "wo"] },
      failure,
      ({ messages }) => `${messages[0]?.content}!`,
      async () => ({ text: "five" }),
      () => failure,
    ]);
    expect(await model.generate(ask("1"))).toEqual({ text: "one", finishReason: "stop", usage: {} });
    expect(await model.generate(ask("2"))).toEqual({
      text: "two",
      reasoning: "hm",
      finishReason: "length",
      usage: { inputTokens: 3 },
    });
    await expect(model.generate(ask("3"))).rejects.toBe(failure);
    expect((await model.generate(ask("4"))).text).toBe("4!");
    expect((await model.generate(ask("5"))).text).toBe("five");
    await expect(model.generate(ask("6"))).rejects.toBe(failure);
    expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(() => model.assertComplete()).not.toThrow();
  });

  it("has the given names and price", () => {
    expect(createScriptedModel([])).toMatchObject({ provider: "scripted", modelId: "script" });
    expect("price" in createScriptedModel([])).toBe(false);
    const price = { inputPerMillion: 1, outputPerMillion: 2 };
    const named = { provider: "ollama", modelId: "qwen3", price };
    expect(createScriptedModel([], named)).toMatchObject(named);
  });

  it("streams its pieces, or the whole text, and nothing for an empty text", async () => {
    const model = createScriptedModel([
      "whole",
      { text: "pieces", deltas: ["pie", "", "ces"] },
      "",
      { text: "", deltas: [] },
    ]);
    const streamed: string[][] = [];
    for (let call = 0; call < 4; call++) {
      const deltas: string[] = [];
      await model.generate(ask("?", { onTextDelta: (delta) => deltas.push(delta) }));
      streamed.push(deltas);
    }
    expect(streamed).toEqual([["whole"], ["pie", "", "ces"], [], []]);
  });

  it("reports the first request without an answer", async () => {
    const model = createScriptedModel(["one"]);
    await model.generate(ask("1"));
    await expect(model.generate(ask("Plan this"))).rejects.toThrow(
      'The script of scripted/script has 1 answer; this is request 2, whose last message is "Plan this".',
    );
    await expect(model.generate(ask("x".repeat(300)))).rejects.toThrow(
      `is request 3, whose last message is "${"x".repeat(200)}…".`,
    );
    await expect(model.generate(ask("", { messages: [] }))).rejects.toThrow('whose last message is "".');
    expect(model.requests).toHaveLength(4);
    expect(() => model.assertComplete()).toThrow("has 1 answer; this is request 4");
  });

  it("reports how many answers were not used", async () => {
    const model = createScriptedModel(["one", "two", "three"]);
    await model.generate(ask("1"));
    expect(() => model.assertComplete()).toThrow(
      "The script of scripted/script has 3 answers; 2 of them were not requested.",
    );
    await model.generate(ask("2"));
    expect(() => model.assertComplete()).toThrow("has 3 answers; 1 of them was not requested.");
  });

  it("rejects with the reason of its signal, and leaves nothing behind", async () => {
    const model = createScriptedModel([
      { hangs: "until-aborted" },
      () => ({ hangs: "until-aborted" }),
      () => new Promise(() => {}),
      "too late",
    ]);
    for (const call of [1, 2, 3]) {
      const controller = new AbortController();
      const reason = new Error(`enough of ${call}`);
      const answer = model.generate(ask(String(call), { signal: controller.signal }));
      controller.abort(reason);
      await expect(answer).rejects.toBe(reason);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    }
    const streamed: string[] = [];
    const late = ask("4", { signal: AbortSignal.abort("gone"), onTextDelta: (delta) => streamed.push(delta) });
    await expect(model.generate(late)).rejects.toBe("gone");
    expect(streamed).toEqual([]);
    expect(() => model.assertComplete()).not.toThrow();
  });

  it("stops streaming once it has been aborted", async () => {
    const controller = new AbortController();
    const streamed: string[] = [];
    const onTextDelta = (delta: string) => {
      streamed.push(delta);
      controller.abort("enough");
    };
    const model = createScriptedModel([{ text: "abc", deltas: ["a", "b", "c"] }]);
    await expect(model.generate(ask("?", { signal: controller.signal, onTextDelta }))).rejects.toBe("enough");
    expect(streamed).toEqual(["a"]);
  });

  it("leaves no listener on its signal, and rejects with the error of its listener or function", async () => {
    const { signal } = new AbortController();
    const model = createScriptedModel([
      "one",
      "two",
      () => {
        throw new Error("no idea");
      },
    ]);
    await model.generate(ask("1", { signal }));
    const onTextDelta = () => {
      throw new Error("not heard");
    };
    await expect(model.generate(ask("2", { signal, onTextDelta }))).rejects.toThrow("not heard");
    await expect(model.generate(ask("3", { signal }))).rejects.toThrow("no idea");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it.each<[unknown, string]>([
    ["one", 'Option "answers" must be an array of replies (text, { text }, an Error'],
    [[undefined], 'Option "answers[0]" must be text, { text }, an Error or { hangs: "until-aborted" }; it is missing.'],
    [["one", 2], 'Option "answers[1]" must be text, { text }, an Error or { hangs: "until-aborted" }; received 2.'],
    [[{ txt: "one" }], 'Option "answers[0].text" must be text; it is missing.'],
    [[{ hangs: "forever" }], 'Option "answers[0].hangs" must be "until-aborted"; received "forever".'],
    [[{ text: "one", deltas: ["o", "n"] }], 'Option "answers[0].deltas" must be an array of the pieces of "text"'],
    [[{ text: "one", deltas: "one" }], 'Option "answers[0].deltas" must be an array of the pieces of "text"'],
  ])("refuses the script %j", (answers, message) => {
    const create = () => createScriptedModel(answers as readonly ScriptedAnswer[]);
    expect(create).toThrow(AgentError);
    expect(create).toThrow(message);
  });

  it("refuses an invalid result of a function", async () => {
    const model = createScriptedModel([(() => undefined) as unknown as ScriptedAnswer]);
    await expect(model.generate(ask("1"))).rejects.toThrow('Option "answers[0]" must be text');
  });
});

describe("the probabilities of a scripted model", () => {
  it("are told to a request that asks for them, and its context to any", async () => {
    const logprobs = [{ token: "Hi", logprob: -0.5 }];
    const model = createScriptedModel([{ text: "Hi", logprobs }, { text: "Hi", logprobs }, "Hi"], {
      contextTokens: 2_048,
    });
    const { signal } = new AbortController();
    const request = { messages: [{ role: "user" as const, content: "?" }], signal };
    expect((await model.generate({ ...request, logprobs: true })).logprobs).toEqual(logprobs);
    expect(await model.generate(request)).not.toHaveProperty("logprobs");
    expect(await model.generate({ ...request, logprobs: true })).not.toHaveProperty("logprobs");
    expect(await model.getContextTokens?.(signal)).toBe(2_048);
    expect(createScriptedModel([]).getContextTokens).toBeUndefined();
  });
});
