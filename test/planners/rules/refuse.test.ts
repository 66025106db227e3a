import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { refusalOf, stepsFor, toolWith } from "./plan-for.ts";

describe("the reason of a refusal", () => {
  it.each([
    "hi",
    "Hello there!",
    "help",
    "Can you help me?",
    "what can you do?",
    "Hi, what can you do for me, please",
    "thanks a lot!",
    "who are you",
    "how does this work?",
    "ok bye",
    "lol",
    "Good morning. How are you?",
  ])("is small talk for %s", async (request) => {
    expect((await refusalOf(request)).reason).toBe("small-talk");
  });

  it("is not small talk if something is asked for as well", async () => {
    expect((await refusalOf("hi, help me book a flight")).reason).toBe("not-understood");
    expect(await stepsFor("hi! what can you do? add milk to my list").catch(() => [])).toEqual([]);
    expect((await refusalOf("thanks, and book a flight")).reason).toBe("not-understood");
  });

  it("is not small talk if a tool has a phrase for it", async () => {
    const help = toolWith({ name: "Help", inputSchema: z.object({}), phrases: ["help", "what can you do"] });
    expect(await stepsFor("what can you do?", { tools: [help] })).toMatchObject([{ tool: "Help" }]);
  });

  it.each([
    ["delete", "title"],
    ["delete everything", "title"],
  ])("names what is missing in %s", async (request, field) => {
    const steps = [{ tool: "TodoStore", input: { operation: "delete" } }];
    const { reason, proposals } = await refusalOf(request);
    expect(reason).toBe("missing");
    expect(proposals?.[0]).toMatchObject({ steps, unused: [], asks: { stepId: "s1", field, type: "text" } });
  });
});
