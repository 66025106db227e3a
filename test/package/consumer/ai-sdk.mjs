// What a user of the AI SDK does with the package: a model of theirs, here the SDK's own mock of its newest kind, asked through
// planwright, streaming and whole, answering and failing.
import assert from "node:assert/strict";
import * as aiTest from "ai/test";
import { createAiSdkModel } from "planwright/ai-sdk";

const Mock = aiTest.MockLanguageModelV4 ?? aiTest.MockLanguageModelV3 ?? aiTest.MockLanguageModelV2;
const { specificationVersion } = new Mock();
const isOld = specificationVersion === "v2";
const usage = isOld
  ? { inputTokens: 9, outputTokens: 4, totalTokens: 13 }
  : { inputTokens: { total: 9 }, outputTokens: { total: 4 } };
const finishReason = isOld ? "stop" : { unified: "stop", raw: "stop" };
const answer = '{"steps":[]}';
const whole = { text: answer, finishReason: "stop", usage: { inputTokens: 9, outputTokens: 4 } };
const request = {
  messages: [
    { role: "system", content: "You plan." },
    { role: "user", content: "Nothing to do" },
  ],
  responseFormat: { type: "json", schema: { type: "object" } },
  signal: new AbortController().signal,
};

const streaming = mockOf({
  doStream: async () => ({
    stream: aiTest.convertArrayToReadableStream([
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: answer.slice(0, 5) },
      { type: "text-delta", id: "t", delta: answer.slice(5) },
      { type: "text-end", id: "t" },
      { type: "finish", finishReason, usage },
    ]),
  }),
});
const deltas = [];
const onTextDelta = (delta) => deltas.push(delta);
assert.deepEqual(await createAiSdkModel(streaming).generate({ ...request, onTextDelta }), whole);
assert.equal(deltas.join("|"), `${answer.slice(0, 5)}|${answer.slice(5)}`);
const [{ prompt, responseFormat }] = streaming.doStreamCalls;
assert.deepEqual(prompt[1], { role: "user", content: [{ type: "text", text: "Nothing to do" }] });
assert.deepEqual(responseFormat, { type: "json", schema: { type: "object" }, name: "answer" });

// The mock's own `doStream` throws that it is not implemented.
const content = [{ type: "text", text: answer }];
const generating = mockOf({ doGenerate: async () => ({ content, finishReason, usage, warnings: [] }) });
assert.deepEqual(await createAiSdkModel(generating).generate(request), whole);

const { APICallError } = await import("ai");
const refused = new APICallError({ message: "No key.", url: "", requestBodyValues: {}, statusCode: 401 });
const refusing = mockOf({ doStream: () => Promise.reject(refused) });
await assert.rejects(createAiSdkModel(refusing).generate(request), {
  code: "model-failed",
  message: "mock/m has no key, or its key was refused: No key.",
  details: { model: "mock/m", reason: "unauthorized", status: 401 },
});

console.log(
  `models ${specificationVersion} of the AI SDK: ${process.version} answered with ${answer}, streaming and whole`,
);

function mockOf(methods) {
  return new Mock({ provider: "mock", modelId: "m", ...methods });
}
