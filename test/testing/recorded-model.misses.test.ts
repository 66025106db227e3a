import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelRequest } from "planwright";
import { createRecordedModel } from "planwright/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../new-folder.ts";
import { ask, qwen, record } from "./record.ts";

let path: string;

beforeEach(() => {
  path = join(newFolder(), "calls.json");
});

describe("a call that was not recorded", () => {
  const schema = { type: "object" };

  it("is reported with its request, the difference to the nearest call, and how to record it", async () => {
    await record(path, ["1", "2"], [ask("Add a todo to buy milk"), ask("Calculate 1 + 1", { temperature: 0 })]);
    const replayed = createRecordedModel({ path });
    await expect(replayed.generate(ask("Calculate 1 + 2", { temperature: 0 }))).rejects.toThrow(
      `The recording "${path}" has no answer from ollama/qwen3 for this call: its last user message is "Calculate 1 + 2". ` +
        '2 calls are recorded; the most similar, calls[1], differs in messages[1].content from character 14: "Calculate 1 + 2", ' +
        `recorded "Calculate 1 + 1". To record it again, run once with createRecordedModel({ mode: "record", model, path: "${path}" }).`,
    );
    await expect(replayed.generate(ask("Add a todo to buy bread"))).rejects.toThrow(
      "the most similar, calls[0], differs in",
    );
    await expect(replayed.generate(ask("x".repeat(200)))).rejects.toThrow(`message is "${"x".repeat(80)}…". 2 calls`);
    await expect(replayed.generate(ask("", { messages: [] }))).rejects.toThrow('its last user message is "".');
    expect(() => replayed.assertComplete()).toThrow(
      `The recording "${path}" had no answer to 4 calls. The first: its last user message is "Calculate 1 + 2".`,
    );
  });

  it.each<[string, ModelRequest, string]>([
    ["maxOutputTokens", ask("One", { maxOutputTokens: 5 }), "maxOutputTokens: 5, recorded undefined"],
    ["temperature", ask("One", { temperature: 1 }), "temperature: 1, recorded undefined"],
    ["logprobs", ask("One", { logprobs: true }), "logprobs: true, recorded false"],
    [
      "format",
      ask("One", { responseFormat: { type: "json" } }),
      'responseFormat from character 9: "{\\"type\\":\\"json\\"}"',
    ],
    ["schema", ask("One", { responseFormat: { type: "json", schema } }), "responseFormat from character 9"],
    [
      "more messages",
      ask("One", { messages: [...ask("One").messages, { role: "assistant", content: "?" }] }),
      "messages[2], which only this call has",
    ],
    [
      "fewer messages",
      ask("One", { messages: ask("One").messages.slice(0, 1) }),
      "messages[1], which only the recorded call has",
    ],
    [
      "roles",
      ask("One", { messages: ask("One").messages.map(({ content }) => ({ role: "user", content })) }),
      'messages[0].role: "user", recorded "system"',
    ],
  ])("is reported to differ in its %s", async (_, request, difference) => {
    await record(path, ["1"], [ask("One")]);
    const answer = createRecordedModel({ path }).generate(request);
    await expect(answer).rejects.toThrow(`1 call is recorded; the most similar, calls[0], differs in ${difference}`);
    await expect(answer).rejects.not.toMatchObject({ code: "model-failed" });
  });

  it("is reported without a nearest call if nothing is recorded", async () => {
    await writeFile(path, JSON.stringify({ version: 2, model: qwen, calls: [] }));
    await expect(createRecordedModel({ path }).generate(ask("One"))).rejects.toThrow(
      'message is "One". Nothing is recorded.',
    );
  });

  it("does not hide the recorded calls that were not made", async () => {
    await record(path, ["1", "2", "3"], [ask("One"), ask("Two"), ask("Three")]);
    const replayed = createRecordedModel({ path });
    await replayed.generate(ask("Two"));
    expect(() => replayed.assertComplete()).toThrow(
      `The recording "${path}" has calls that were not made: calls[0], calls[2]. To record it again`,
    );
  });
});
