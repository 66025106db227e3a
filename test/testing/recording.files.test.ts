import { readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRecordedModel, createScriptedModel } from "planwright/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../new-folder.ts";
import { ask, qwen, record } from "./record.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = newFolder();
  path = join(folder, "calls.json");
});

describe("a recording that cannot be replayed", () => {
  const call = { request: { messages: [] }, response: { text: "", finishReason: "stop", usage: {} } };
  const whole = { version: 2, model: qwen, calls: [call] };

  it("is missing, or not a file", () => {
    expect(() => createRecordedModel({ path })).toThrow(
      `There is no recording "${path}". To record it again, run once with createRecordedModel({ mode: "record", model, path:`,
    );
    expect(() => createRecordedModel({ path: folder })).toThrow(
      `The recording "${folder}" cannot be read (Error: EISDIR`,
    );
  });

  it.each<[string, unknown, string]>([
    ["no JSON", "{", "it is not JSON: "],
    ["no object", [], "Invalid input"],
    ["null", null, "Invalid input"],
    ["without a version", { ...whole, version: undefined }, "version: Invalid input: expected 2"],
    ["of a newer version", { ...whole, version: 3 }, "it has version 3, but this older planwright reads version 2"],
    ["of an older version", { ...whole, version: 1 }, "it has version 1, but this newer planwright reads version 2"],
    [
      "with a token without a number",
      { ...whole, calls: [{ ...call, response: { ...call.response, logprobs: ["Hi"] } }] },
      "calls.0.response.logprobs.0: Invalid string",
    ],
    ["without a model", { ...whole, model: {} }, "model.provider: Invalid input"],
    ["without calls", { ...whole, calls: {} }, "calls: Invalid input"],
    ["with a key too many", { ...whole, keys: [] }, "Unrecognized key"],
    [
      "with a call of nothing",
      { ...whole, calls: [{ request: { messages: [] } }] },
      "calls.0 must have a response or a failure",
    ],
    [
      "with a call of both",
      { ...whole, calls: [{ ...call, failure: { reason: "busy", message: "" } }] },
      "calls.0 must have a response or a failure, and not both",
    ],
    [
      "with an unknown reason",
      { ...whole, calls: [{ request: { messages: [] }, failure: { reason: "lazy", message: "" } }] },
      "calls.0.failure.reason: Invalid option",
    ],
  ])("is %s", async (_, content, message) => {
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    expect(() => createRecordedModel({ path })).toThrow(`The recording "${path}" cannot be read: ${message}`);
    expect(() => createRecordedModel({ path })).toThrow("To record it again");
  });

  it("is of another model than the given one", async () => {
    await record(path, ["1"], [ask("One")]);
    const price = { inputPerMillion: 5, outputPerMillion: 5 };
    expect(() => createRecordedModel({ path, model: createScriptedModel([]) })).toThrow(
      `The recording "${path}" was made with ollama/qwen3, not with scripted/script.`,
    );
    const same = createScriptedModel([], { ...qwen, price });
    expect(createRecordedModel({ path, model: same }).price).toBe(price);
  });
});

describe("a recording that cannot be written", () => {
  it("rejects the call, and leaves no file behind", async () => {
    const model = createRecordedModel({ mode: "record", model: createScriptedModel(["1", "2"]), path: folder });
    await expect(model.generate(ask("One"))).rejects.toThrow(`The recording "${folder}" cannot be written (Error: `);
    await expect(model.generate(ask("Two"))).rejects.toThrow("cannot be written");
    expect((await readdir(tmpdir())).filter((name) => join(tmpdir(), name).startsWith(`${folder}.`))).toEqual([]);
  });

  it("is written with the next call if that works", async () => {
    const model = createRecordedModel({
      mode: "record",
      model: createScriptedModel(["1", "2"], qwen),
      path: join(folder, "a/b"),
    });
    await writeFile(join(folder, "a"), "in the way");
    await expect(model.generate(ask("One"))).rejects.toThrow("cannot be written");
    await rm(join(folder, "a"));
    await model.generate(ask("Two"));
    const replayed = createRecordedModel({ path: join(folder, "a/b") });
    expect((await replayed.generate(ask("One"))).text).toBe("1");
  });
});
