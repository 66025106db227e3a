import { type AiSdkLanguageModel, createAiSdkModel } from "planwright/ai-sdk";
import { describe, expect, it } from "vitest";
import { ask } from "./ask-model.ts";
import { finishOf, streamingV3, textParts } from "./fake-models.ts";

const schema = { type: "object" };

/** What a model of a provider is called with. */
async function callOf(provider: string, strict: boolean, providerOptions = {}) {
  const sdkModel = streamingV3(...textParts("{}"), finishOf("stop"));
  const named = Object.assign(Object.create(sdkModel) as AiSdkLanguageModel, { provider });
  const model = createAiSdkModel(named, { providerOptions });
  await model.generate(ask({ responseFormat: { type: "json", schema, strict } }));
  const [call] = sdkModel.doStreamCalls;
  return { schemas: model.schemas, format: call?.responseFormat, options: call?.providerOptions };
}

describe("a closed schema", () => {
  it.each([
    ["openai.responses", ["openai"]],
    ["azure.chat", ["openai", "azure"]],
    ["groq.chat", ["groq"]],
    ["cerebras.chat", ["cerebras"]],
    ["together.chat", ["together"]],
  ])("is sent as strict to %s, and an open one is not", async (provider, names) => {
    for (const strict of [true, false]) {
      const { schemas, format, options } = await callOf(provider, strict);
      expect(schemas).toBe("strict");
      expect(format).toMatchObject({ schema });
      expect(options).toEqual(Object.fromEntries(names.map((name) => [name, { strictJsonSchema: strict }])));
    }
  });

  it.each(["xai.chat", "openrouter"])("alone is sent to %s, which holds each strictly", async (provider) => {
    expect(await callOf(provider, true)).toMatchObject({ schemas: "strict", format: { schema } });
    expect((await callOf(provider, false)).format).toEqual({ type: "json" });
  });

  it.each(["anthropic.messages", "google.generative-ai", "mistral.chat", "mock-provider"])(
    "is like any other to %s",
    async (provider) => {
      const { schemas, format, options } = await callOf(provider, false, { other: {} });
      expect(schemas).toBe("plain");
      expect(format).toMatchObject({ schema });
      expect(options).toEqual({ other: {} });
    },
  );

  it("is strict or not as the application says, if it does", async () => {
    const given = { openai: { strictJsonSchema: false, user: "u1" } };
    expect((await callOf("openai.chat", true, given)).options).toEqual(given);
  });
});
