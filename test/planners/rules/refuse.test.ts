import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { readWith } from "../../../src/core/clause-reader.ts";
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
    expect(await refusalOf(request)).toMatchObject({ reason: "small-talk", rejected: expect.any(String) });
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
    ["delete", "missing", "title"],
    ["clear everything", "missing", "list"],
  ])("names what is missing in %s", async (request, reason, missing) => {
    expect(await refusalOf(request)).toMatchObject({ reason, missing });
  });

  it("names both readings of a trained reader that are close together", async () => {
    const tool = (shares: readonly number[]) => {
      const plain = toolWith({ phrases: ["say {text}"] });
      const readings = shares.map((probability, index) => ({
        meaning: `meaning ${index + 1}`,
        probability,
        toInputs: () => [{ text: "x" }],
      }));
      return readWith(plain, async () => ({ read: () => readings }));
    };
    const readings = ["meaning 1", "meaning 2"].map((meaning) => ({ tool: "Probe", meaning }));
    const close = await refusalOf("fetch the thing", { tools: [tool([0.45, 0.4, 0.1])] });
    expect(close).toMatchObject({ reason: "ambiguous", readings });
    expect(close.message).toContain('fits Probe ("meaning 1") and Probe ("meaning 2") equally well');
    expect((await refusalOf("fetch the thing", { tools: [tool([0.6, 0.2])] })).reason).toBe("not-understood");
    expect((await refusalOf("fetch the thing", { tools: [tool([0.32, 0.31])] })).reason).toBe("not-understood");
    expect(await stepsFor("fetch the thing", { tools: [tool([0.75, 0.2])] })).toHaveLength(1);
  });
});
