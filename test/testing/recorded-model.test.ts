import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AgentError, type LanguageModel, type ModelResponse, modelFailure } from "planwright";
import { createRecordedModel, createScriptedModel } from "planwright/testing";
import { beforeEach, describe, expect, it } from "vitest";
import type { RecordedModelOptions } from "../../src/testing/recorded-model.ts";
import { newFolder } from "../new-folder.ts";
import { ask, qwen, record } from "./record.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = newFolder();
  path = join(folder, "calls.json");
});

describe("createRecordedModel", () => {
  it("records the answers of a model, and replays them without it", async () => {
    const response: ModelResponse = {
      text: '{\n  "steps": []\n}',
      reasoning: "Hm.\r\nWell.\n",
      finishReason: "length",
      usage: { inputTokens: 12, outputTokens: 0 },
    };
    const price = { inputPerMillion: 1, outputPerMillion: 2 };
    const request = ask("One", {
      responseFormat: { type: "json", schema: { type: "object" } },
      maxOutputTokens: 9,
      temperature: 0,
    });
    const { model } = await record(path, [response, ""], [request, ask("Two")], { price });
    expect(model).toMatchObject({ ...qwen, price });
    expect(() => model.assertComplete()).not.toThrow();

    const replayed = createRecordedModel({ path });
    expect(replayed).toMatchObject({ ...qwen, price });
    const deltas: string[] = [];
    const onTextDelta = (delta: string) => deltas.push(delta);
    expect(await replayed.generate({ ...request, onTextDelta })).toEqual(response);
    expect(await replayed.generate(ask("Two", { onTextDelta }))).toEqual({ text: "", finishReason: "stop", usage: {} });
    expect(deltas).toEqual([response.text]);
    expect(() => replayed.assertComplete()).not.toThrow();
  });

  it("keeps what the model said of itself, and how likely its tokens were", async () => {
    const facts = {
      price: { inputPerMillion: 2, cachedInputPerMillion: 1, outputPerMillion: 3 },
      schemas: "strict",
      hasOutputLimit: true,
    } as const;
    const response: ModelResponse = {
      text: '{"a": 1}\n',
      finishReason: "stop",
      usage: { inputTokens: 3, cachedInputTokens: 2, outputTokens: 3 },
      logprobs: [
        { token: '{"a":', logprob: -2.384185791015625e-7 },
        { token: " 1}", logprob: -1.25 },
        { token: "\n", logprob: 0 },
      ],
      maxOutputTokens: 5,
    };
    const model: LanguageModel = {
      ...qwen,
      ...facts,
      generate: async () => response,
      getContextTokens: async () => 4_096,
    };
    const request = ask("One", {
      responseFormat: { type: "json", schema: { type: "object" }, strict: true },
      logprobs: true,
    });
    const recorded = createRecordedModel({ mode: "record", model, path });
    await recorded.generate(request);
    const replayed = createRecordedModel({ path });
    for (const either of [recorded, replayed]) {
      expect(either).toMatchObject({ ...qwen, ...facts });
      expect(await either.getContextTokens?.(request.signal)).toBe(4_096);
    }
    expect(await replayed.generate(request)).toEqual(response);
    await expect(replayed.generate({ ...request, logprobs: false })).rejects.toThrow("logprobs: false, recorded true");
    expect(JSON.parse(await readFile(path, "utf8")).calls[0].response.logprobs).toContain("-1.25  1}");
  });

  it("passes on requests unchanged, and streams while it records", async () => {
    const scripted = createScriptedModel([{ text: "abc", deltas: ["a", "bc"] }]);
    const model = createRecordedModel({ mode: "record", model: scripted, path });
    const deltas: string[] = [];
    const request = ask("One", { onTextDelta: (delta) => deltas.push(delta) });
    expect((await model.generate(request)).text).toBe("abc");
    expect(scripted.requests[0]).toBe(request);
    expect(deltas).toEqual(["a", "bc"]);
  });

  it("writes a readable and deterministic file with nothing but what it reads again", async () => {
    const secret = {
      text: "Yes\nNo",
      finishReason: "stop",
      usage: { outputTokens: 1, raw: "secret" },
      headers: "secret",
    };
    const model: LanguageModel & object = {
      ...qwen,
      generate: async () => secret as unknown as ModelResponse,
      ...{ apiKey: "secret" },
    };
    const recorded = createRecordedModel({ mode: "record", model, path });
    await recorded.generate(ask("One", { temperature: 0.5, responseFormat: { type: "json", schema: { b: 1, a: 2 } } }));
    expect(await readFile(path, "utf8")).toBe(`{
  "version": 2,
  "model": {
    "provider": "ollama",
    "modelId": "qwen3"
  },
  "calls": [
    {
      "request": {
        "messages": [
          {
            "role": "system",
            "content": [
              "You plan.",
              "Be brief."
            ]
          },
          {
            "role": "user",
            "content": "One"
          }
        ],
        "responseFormat": {
          "type": "json",
          "schema": {
            "b": 1,
            "a": 2
          }
        },
        "temperature": 0.5
      },
      "response": {
        "text": [
          "Yes",
          "No"
        ],
        "finishReason": "stop",
        "usage": {
          "outputTokens": 1
        }
      }
    }
  ]
}
`);
  });

  it("records and replays failures of the model, but no other errors", async () => {
    const failure = modelFailure(qwen, "busy", { message: "Later.", status: 429, cause: new Error("secret") });
    const broken = modelFailure(qwen, "unreachable", { message: "Nobody." });
    const requests = [ask("One"), ask("Two"), ask("Three")];
    const { text } = await record(path, [failure, new Error("bug"), broken], requests);
    expect(text).not.toMatch(/secret|bug|Two/);
    const replayed = createRecordedModel({ path });
    await expect(replayed.generate(ask("One"))).rejects.toMatchObject({
      code: "model-failed",
      message: "Later.",
      retryable: true,
      details: { model: "ollama/qwen3", reason: "busy", status: 429 },
    });
    await expect(replayed.generate(ask("Three"))).rejects.toMatchObject({ details: { reason: "unreachable" } });
    expect(() => replayed.assertComplete()).not.toThrow();
  });

  it("rejects with the model's own error while it records", async () => {
    const failure = modelFailure(qwen, "busy", { message: "Later." });
    const model = createRecordedModel({ mode: "record", model: createScriptedModel([failure]), path });
    await expect(model.generate(ask("One"))).rejects.toBe(failure);
    await expect(model.generate(ask("Two"))).rejects.toThrow("The script of");
  });

  it("does not record calls that were aborted", async () => {
    const controller = new AbortController();
    const model = createRecordedModel({
      mode: "record",
      model: createScriptedModel([{ hangs: "until-aborted" }, "two"]),
      path,
    });
    const aborted = model.generate(ask("One", { signal: controller.signal }));
    const answered = model.generate(ask("Two"));
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    await answered;
    expect(JSON.parse(await readFile(path, "utf8")).calls).toHaveLength(1);

    const replayed = createRecordedModel({ path });
    await expect(replayed.generate(ask("Two", { signal: AbortSignal.abort("gone") }))).rejects.toBe("gone");
    const late = new AbortController();
    const onTextDelta = () => late.abort("heard enough");
    await expect(replayed.generate(ask("Two", { signal: late.signal, onTextDelta }))).rejects.toBe("heard enough");
    expect(() => replayed.assertComplete()).not.toThrow();
  });

  it("records all of several simultaneous calls, in the order in which they were made", async () => {
    const waiting: (() => void)[] = [];
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const answers = numbers.map(
      (number) => () => new Promise<string>((resolve) => waiting.push(() => resolve(`${number}!`))),
    );
    const model = createRecordedModel({ mode: "record", model: createScriptedModel(answers, qwen), path });
    const calls = numbers.map((number) => model.generate(ask(String(number))));
    for (const answer of waiting.reverse()) answer();
    await Promise.all(calls);
    const texts = JSON.parse(await readFile(path, "utf8")).calls.map(
      (call: { response: ModelResponse }) => call.response.text,
    );
    expect(texts).toEqual(numbers.map((number) => `${number}!`));
    expect(await readdir(folder)).toEqual(["calls.json"]);

    const replayed = createRecordedModel({ path });
    const again = await Promise.all(numbers.map((number) => replayed.generate(ask(String(number)))));
    expect(again.map(({ text }) => text)).toEqual(texts);
  });

  it("replays the answers of a repeated call in order, and no more of them", async () => {
    await record(path, ["first", "other", "second"], [ask("Same"), ask("Other"), ask("Same")]);
    const replayed = createRecordedModel({ path });
    expect((await replayed.generate(ask("Same"))).text).toBe("first");
    expect((await replayed.generate(ask("Same"))).text).toBe("second");
    await expect(replayed.generate(ask("Same"))).rejects.toThrow(
      'for this call: it was recorded 2 times, but made more often (its last user message is "Same").',
    );
    await replayed.generate(ask("Other"));
    await expect(replayed.generate(ask("Other"))).rejects.toThrow("it was recorded once");
  });

  it("ignores the order of keys when it compares requests", async () => {
    await record(
      path,
      ["yes"],
      [ask("One", { responseFormat: { type: "text" }, maxOutputTokens: Number.POSITIVE_INFINITY })],
    );
    const [system, user] = ask("One").messages;
    if (system === undefined || user === undefined) throw new Error("There are two.");
    const messages = [
      { content: system.content, role: system.role },
      { ...user, id: 1 },
    ];
    expect((await createRecordedModel({ path }).generate(ask("", { messages }))).text).toBe("yes");
  });

  it("is not affected by later changes of a request or an answer", async () => {
    const messages = [{ role: "user" as const, content: "One" }];
    const scripted = createScriptedModel(["yes", "no"]);
    const model = createRecordedModel({ mode: "record", model: scripted, path });
    await model.generate(ask("", { messages }));
    messages.push({ role: "user", content: "Two" });
    await model.generate(ask("", { messages }));
    const replayed = createRecordedModel({ path });
    expect((await replayed.generate(ask("", { messages: messages.slice(0, 1) }))).text).toBe("yes");
    expect((await replayed.generate(ask("", { messages }))).text).toBe("no");
  });

  it("starts a new recording with its first call, not before", async () => {
    await record(path, ["old"], [ask("Old")]);
    createRecordedModel({ mode: "record", model: createScriptedModel([]), path });
    expect(await readFile(path, "utf8")).toContain("Old");
    await record(path, ["new"], [ask("New")]);
    expect(await readFile(path, "utf8")).not.toContain("Old");
  });

  it("creates missing folders", async () => {
    path = join(folder, "a/b/calls.json");
    await record(path, ["yes"], [ask("One")]);
    expect((await createRecordedModel({ path }).generate(ask("One"))).text).toBe("yes");
  });
});

describe("the options of createRecordedModel", () => {
  const model = createScriptedModel([]);
  it.each<[unknown, string]>([
    [undefined, 'Option "options" must be an object; it is missing.'],
    [{}, 'Option "options.path" must be the path of a file; it is missing.'],
    [{ path: "" }, 'Option "options.path" must be the path of a file; received "".'],
    [{ path: "x", mode: "auto" }, 'Option "options.mode" must be "record" or "replay"; received "auto".'],
    [
      { path: "x", mode: "record" },
      'Option "options.model" must be the model to record, as mode is "record"; it is missing.',
    ],
    [{ path: "x", mode: "record", model: "qwen3" }, 'Option "options.model" must be an object; received text.'],
    [{ path: "x", mode: "record", model: qwen }, 'Option "options.model.generate" must be a function; it is missing.'],
    [{ path: "x", file: "y", model }, 'Unknown option "file". The options are path, mode, model.'],
  ])("refuse %j", (options, message) => {
    const create = () => createRecordedModel(options as RecordedModelOptions);
    expect(create).toThrow(AgentError);
    expect(create).toThrow(message);
  });
});
