import { createAgent, createLlmPlanner, createOllamaModel, createTodoStore, type LanguageModel } from "planwright";
import { createAiSdkModel } from "planwright/ai-sdk";
import { describe, expect, it } from "vitest";

/** What Node's `fetch` throws after 300 s without the beginning, or the next part, of an answer. */
function timedOut(part: "HEADERS" | "BODY"): TypeError {
  const cause = Object.assign(new Error(`${part} Timeout Error`), { code: `UND_ERR_${part}_TIMEOUT` });
  return new TypeError(part === "BODY" ? "terminated" : "fetch failed", { cause });
}

const about = () => new Response(JSON.stringify({ capabilities: ["completion"], model_info: {} }));

/** A model whose answer is longer in coming than Node waits, and the number of requests that were made. */
function aiSdkModel(fail: () => Promise<never>): LanguageModel {
  const provider = { specificationVersion: "v2", provider: "p", modelId: "m", supportedUrls: {} };
  return createAiSdkModel({ ...provider, doGenerate: fail, doStream: fail } as never);
}

const models: Readonly<Record<string, (counted: () => void) => LanguageModel>> = {
  "Ollama before its first token": (counted) =>
    createOllamaModel({
      model: "m",
      fetch: async (url) => {
        if (!String(url).endsWith("/api/chat")) return about();
        counted();
        throw timedOut("HEADERS");
      },
    }),
  "Ollama between two tokens": (counted) =>
    createOllamaModel({
      model: "m",
      fetch: async (url) => {
        if (!String(url).endsWith("/api/chat")) return about();
        counted();
        return new Response(new ReadableStream({ pull: (controller) => controller.error(timedOut("BODY")) }));
      },
    }),
  "a provider of the AI SDK": (counted) => {
    const fail = async () => {
      counted();
      throw timedOut("HEADERS");
    };
    return aiSdkModel(fail);
  },
  "the AI SDK's own retries": (counted) =>
    aiSdkModel(async () => {
      counted();
      throw Object.assign(new Error("Failed after 3 attempts"), { lastError: timedOut("HEADERS") });
    }),
  "an error in the stream of a provider": (counted) =>
    aiSdkModel(async () => {
      counted();
      throw { error: timedOut("BODY") };
    }),
};

describe("a model that answers later than Node waits", () => {
  it.each(Object.entries(models))(
    "is asked once, and the error names the limit and what raises it: %s",
    async (_, create) => {
      let requests = 0;
      const model = create(() => requests++);
      const agent = createAgent({ tools: [createTodoStore()], planner: createLlmPlanner({ model }) });
      await expect(agent.plan("add green tea to my list")).rejects.toMatchObject({
        code: "planning-failed",
        message: expect.stringContaining("Node's own fetch waits 300 s"),
        cause: { code: "model-failed", retryable: false },
      });
      expect(requests).toBe(1);
    },
  );
});
