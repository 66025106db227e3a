import { getEventListeners } from "node:events";
import { type LanguageModel as AiLanguageModel, APICallError } from "ai";
import { AgentError } from "planwright";
import { type AiSdkLanguageModel, createAiSdkModel } from "planwright/ai-sdk";
import { describe, expect, it } from "vitest";
import { ask, deferred, generateFrom, settled } from "./ask-model.ts";
import {
  fakeV4,
  finishOf,
  mockV3,
  type StreamPartV3,
  streamingV3,
  streamOf,
  textParts,
  usageOf,
} from "./fake-models.ts";

const schema = { type: "object", properties: { a: { type: "string" } } };

describe("createAiSdkModel", () => {
  it("takes its name from the given model, and its price from the options", () => {
    const price = { inputPerMillion: 1, outputPerMillion: 0 };
    expect(createAiSdkModel(streamingV3(), { price })).toMatchObject({ provider: "mock.chat", modelId: "m-3", price });
    expect("price" in createAiSdkModel(streamingV3(), { price: undefined })).toBe(false);
  });

  it("passes every part of a request on", async () => {
    const model = streamingV3(...textParts("Yes"), finishOf("stop"));
    const providerOptions = { mock: { effort: "low" } };
    const request = ask({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
        { role: "user", content: "Plan" },
      ],
      responseFormat: { type: "json", schema },
      maxOutputTokens: 100,
      temperature: 0,
    });
    await createAiSdkModel(model, { providerOptions }).generate(request);
    expect(model.doStreamCalls).toEqual([
      {
        prompt: [
          { role: "system", content: "Be brief." },
          { role: "user", content: [{ type: "text", text: "Hi" }] },
          { role: "assistant", content: [{ type: "text", text: "Hello" }] },
          { role: "user", content: [{ type: "text", text: "Plan" }] },
        ],
        responseFormat: { type: "json", schema, name: "answer" },
        maxOutputTokens: 100,
        temperature: 0,
        providerOptions: { mock: { effort: "low", strictJsonSchema: false } },
        abortSignal: expect.any(AbortSignal),
      },
    ]);
  });

  it.each([
    [undefined, undefined],
    [{ type: "text" }, { type: "text" }],
    [{ type: "json" }, { type: "json" }],
  ] as const)("passes on only the options that a request has: format %j", async (responseFormat, expected) => {
    const model = streamingV3(...textParts("Yes"), finishOf("stop"));
    await createAiSdkModel(model).generate(ask({ responseFormat }));
    const keys = ["prompt", ...(expected ? ["responseFormat"] : []), "abortSignal"];
    expect(Object.keys(model.doStreamCalls[0] ?? {})).toEqual(keys);
    expect(model.doStreamCalls[0]?.responseFormat).toEqual(expected);
  });
});

describe("a model that does not stream", () => {
  const content = [
    { type: "reasoning" as const, text: "Hm." },
    { type: "text" as const, text: "Draft. " },
    { type: "source" as const, sourceType: "url" as const, id: "s", url: "https://example.com" },
    { type: "text" as const, text: "{}" },
  ];
  const whole = {
    content,
    finishReason: { unified: "length" as const, raw: "max" },
    usage: usageOf(4, 9),
    warnings: [],
  };
  const read = { reasoning: "Hm.", finishReason: "length", usage: { inputTokens: 4, outputTokens: 9 } };

  it("is asked for the whole answer at once", async () => {
    const model = mockV3({ doGenerate: whole });
    expect(await generateFrom(model)).toEqual({ response: { text: "Draft. {}", ...read }, deltas: ["Draft. {}"] });
    expect(model.doGenerateCalls[0]).toMatchObject({ prompt: [{ role: "user" }] });
    const { doStream: _, ...rest } = fakeV4({ doGenerate: async () => whole }).model;
    expect((await generateFrom(rest as unknown as AiSdkLanguageModel)).response.text).toBe("Draft. {}");
    const unsupported = Object.assign(new Error("'streaming' functionality not supported."), {
      name: "AI_UnsupportedFunctionalityError",
    });
    const refusing = mockV3({ doGenerate: whole, doStream: () => Promise.reject(unsupported) });
    expect((await generateFrom(refusing)).response.text).toBe("Draft. {}");
  });

  it("may name the text that is the JSON (version 4), if JSON was requested", async () => {
    for (const structuredOutputText of ["{}", ""]) {
      const { model } = fakeV4({ doGenerate: async () => ({ ...whole, structuredOutputText }) });
      const { response, deltas } = await generateFrom(model, { responseFormat: { type: "json" } });
      expect(response).toEqual({ text: structuredOutputText, ...read });
      expect(deltas).toEqual(structuredOutputText === "" ? [] : ["{}"]);
      expect((await generateFrom(model)).response.text).toBe("Draft. {}");
    }
  });

  it("fails with its own error, or because its answer is invalid", async () => {
    const refused = mockV3({ doGenerate: () => Promise.reject(Object.assign(new Error("No."), { statusCode: 401 })) });
    await expect(generateFrom(refused)).rejects.toMatchObject({
      code: "model-failed",
      details: { reason: "unauthorized", status: 401 },
    });
    for (const answer of [undefined, null, {}, { content: "text" }]) {
      const { model } = fakeV4({ doGenerate: async () => answer as unknown as object });
      await expect(generateFrom(model)).rejects.toMatchObject({ details: { reason: "invalid-response" } });
    }
  });

  it("is ignored once the signal has aborted", async () => {
    const controller = new AbortController();
    const streamed: string[] = [];
    const asked = deferred<void>();
    const answered = deferred<typeof whole>();
    const doGenerate = () => {
      asked.resolve();
      return answered.promise;
    };
    const request = ask({ signal: controller.signal, onTextDelta: (delta) => streamed.push(delta) });
    const response = createAiSdkModel(mockV3({ doGenerate })).generate(request);
    await asked.promise;
    controller.abort("enough");
    answered.resolve(whole);
    await expect(response).rejects.toBe("enough");
    await settled();
    expect(streamed).toEqual([]);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});

describe("the options of createAiSdkModel", () => {
  const model = streamingV3();
  it.each<[unknown, object | undefined, string]>([
    [
      "openai/gpt-5",
      undefined,
      'Option "model" must be a language model of the AI SDK, such as openai("gpt-5-mini"), or gateway(id)',
    ],
    [() => model, undefined, "call the provider with the id of a model; received a function."],
    [undefined, undefined, 'Option "model" must be an object; it is missing.'],
    [
      { ...model, specificationVersion: "v1" },
      undefined,
      'Option "model.specificationVersion" must be "v2", "v3" or "v4"',
    ],
    [{ specificationVersion: "v3", modelId: "m" }, undefined, 'Option "model.provider" must be text; it is missing.'],
    [{ specificationVersion: "v3", provider: "p" }, undefined, 'Option "model.modelId" must be text; it is missing.'],
    [
      { specificationVersion: "v3", provider: "p", modelId: "m" },
      undefined,
      'Option "model.doStream" must be a function',
    ],
    [model, { headers: {} }, 'Unknown option "headers". The options are price, '],
    [model, { price: { inputPerMillion: 1 } }, 'Option "options.price.outputPerMillion" must be a number from 0 to'],
    [model, { price: { inputPerMillion: -1, outputPerMillion: 1 } }, 'Option "options.price.inputPerMillion" must be'],
    [model, { price: 3 }, 'Option "options.price" must be an object such as { inputPerMillion: … }; received 3.'],
    [model, { providerOptions: "low" }, 'Option "options.providerOptions" must be an object'],
  ])("refuses %j with %j", (wrong, options, message) => {
    const create = () => createAiSdkModel(wrong as AiSdkLanguageModel, options);
    expect(create).toThrow(AgentError);
    expect(create).toThrow(message);
  });
});

describe("an error of the AI SDK itself", () => {
  it("is classified by its fields, and its bodies and headers are left out", async () => {
    const error = new APICallError({
      message: "Incorrect key.",
      url: "https://example.com/v1",
      requestBodyValues: { secret: "prompt" },
      statusCode: 401,
      responseHeaders: { "x-secret": "header" },
      responseBody: "secret body",
      data: { secret: "data" },
    });
    const model: AiLanguageModel = mockV3({ doStream: () => Promise.reject(error) });
    const failure: unknown = await generateFrom(model).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: "model-failed", cause: error });
    expect(JSON.stringify(failure)).not.toMatch(/secret|header|body/);
    expect(failure).toMatchObject({
      message: "mock.chat/m-3 has no key, or its key was refused: Incorrect key.",
      retryable: false,
    });
  });
});

const tokens = [
  { token: "He", logprob: -0.5, top_logprobs: [], bytes: [72, 101] },
  { token: "llo", logprob: -2, top_logprobs: [] },
];
const read = [
  { token: "He", logprob: -0.5 },
  { token: "llo", logprob: -2 },
];

function endOf(providerMetadata: unknown): StreamPartV3 {
  return { ...finishOf("stop"), providerMetadata } as StreamPartV3;
}

function refusal(statusCode: number, message: string): APICallError {
  return new APICallError({ message, url: "https://example.com", requestBodyValues: {}, statusCode });
}

/** A model that refuses the option, and answers without. */
function refusing(error: Error) {
  const model = mockV3({
    doStream: ({ providerOptions }) => {
      if (providerOptions?.openai?.logprobs !== undefined) return Promise.reject(error);
      return Promise.resolve({ stream: streamOf<StreamPartV3>(...textParts("Hello"), finishOf("stop")) });
    },
  });
  return model;
}

describe("the probabilities of an AI SDK model", () => {
  it.each<[string, unknown]>([
    ["a list", { openai: { logprobs: tokens } }],
    ["a list for each part", { openai: { responseId: "r", logprobs: tokens.map((token) => [token]) } }],
    ["Azure's", { azure: { logprobs: tokens } }],
  ])("are read from %s", async (_, metadata) => {
    const streamed = mockV3({ doStream: async () => ({ stream: streamOf(...textParts("Hello"), endOf(metadata)) }) });
    expect((await generateFrom(streamed, { logprobs: true })).response.logprobs).toEqual(read);
    const whole = fakeV4({
      doGenerate: async () => ({
        content: [{ type: "text", text: "Hello" }],
        finishReason: { unified: "stop" },
        usage: usageOf(7, 3),
        providerMetadata: metadata,
      }),
    });
    expect((await generateFrom(whole.model, { logprobs: true })).response.logprobs).toEqual(read);
  });

  it.each<[string, unknown]>([
    ["of the last piece alone, as an older provider has them", { openai: { logprobs: tokens.slice(1) } }],
    ["of another form", { openai: { logprobs: { tokens: ["Hello"], token_logprobs: [-1] } } }],
    ["that are missing", undefined],
  ])("%s are left out", async (_, metadata) => {
    const model = mockV3({ doStream: async () => ({ stream: streamOf(...textParts("Hello"), endOf(metadata)) }) });
    expect((await generateFrom(model, { logprobs: true })).response).not.toHaveProperty("logprobs");
  });

  it.each([
    ["openai.responses", { openai: { logprobs: 1, user: "u" } }],
    ["azure.chat", { openai: { logprobs: 1, user: "u" }, azure: { logprobs: 1 } }],
    ["gateway", { openai: { logprobs: 1, user: "u" } }],
  ])("are asked of %s only if they are wanted", async (provider, expected) => {
    const stream = () => streamOf<StreamPartV3>(...textParts("Hello"), finishOf("stop"));
    const sdkModel = mockV3({ doStream: async () => ({ stream: stream() }) });
    const named = Object.assign(Object.create(sdkModel) as AiSdkLanguageModel, { provider });
    const model = createAiSdkModel(named, { providerOptions: { openai: { user: "u" } } });
    await model.generate(ask({ logprobs: true }));
    await model.generate(ask());
    expect(sdkModel.doStreamCalls.map(({ providerOptions }) => providerOptions)).toEqual([
      expected,
      { openai: { user: "u" } },
    ]);
  });

  it.each([
    [400, "logprobs is not supported with this model."],
    [403, "You are not allowed to request logprobs from this model"],
    [422, "Unsupported parameter: top_logprobs"],
  ])("are not asked for again of a model that refuses them (%s)", async (status, message) => {
    const sdkModel = refusing(refusal(status, message));
    const model = createAiSdkModel(sdkModel, { retry: { maxAttempts: 1 } });
    const deltas: string[] = [];
    for (const _ of [1, 2]) {
      const answer = await model.generate(ask({ logprobs: true, onTextDelta: (delta) => deltas.push(delta) }));
      expect(answer).toMatchObject({ text: "Hello", finishReason: "stop" });
    }
    expect(deltas).toEqual(["Hello", "Hello"]);
    expect(sdkModel.doStreamCalls.map(({ providerOptions }) => providerOptions)).toEqual([
      { openai: { logprobs: 1 } },
      undefined,
      undefined,
    ]);
  });

  it("do not hide another refusal, or one of what the application asks for", async () => {
    const other = createAiSdkModel(refusing(refusal(400, "No.")), { retry: { maxAttempts: 1 } });
    await expect(other.generate(ask({ logprobs: true }))).rejects.toMatchObject({ details: { reason: "rejected" } });
    const own = { providerOptions: { openai: { logprobs: true } }, retry: { maxAttempts: 1 } };
    const model = createAiSdkModel(refusing(refusal(400, "logprobs is not supported.")), own);
    await expect(model.generate(ask({ logprobs: true }))).rejects.toMatchObject({ details: { reason: "rejected" } });
  });
});
