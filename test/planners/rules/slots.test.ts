import type { StandardSchema } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { schemasAt } from "../../../src/core/json-schema.ts";
import { toJsonSchema } from "../../../src/core/schema.ts";
import { readSlot } from "../../../src/planners/rules/slot-values.ts";
import { slotTypeOf } from "../../../src/planners/rules/slots.ts";
import { nowMs } from "./plan-for.ts";

/** Sunday, 22 November 2026, noon UTC. */
const clock = { nowMs, timeZone: "Europe/Berlin" };

async function read(schema: StandardSchema, words: string) {
  return readSlot(slotTypeOf(schemasAt(await toJsonSchema(schema, "input"), [])), words, clock);
}

const text = z.string();
const number = z.number();
const area = z.enum(["inside", "terrace"]).meta({ synonyms: { terrace: ["outside"] } });
const time = z.iso.datetime({ offset: true });
const range = z.string().meta({ slot: "range" });
const sum = z.string().meta({ slot: "sum" });
const list = z.array(z.string());

describe("readSlot", () => {
  it.each<[StandardSchema, string, unknown]>([
    [text, "buy milk", "buy milk"],
    [text, '"it"', "it"],
    [text, "Salt & Pepper.", "Salt & Pepper"],
    [number, "7", 7],
    [number, "two hundred and five", 205],
    [number, "$1,200.50", 1200.5],
    [number, "third", 3],
    [number, "for 4", 4],
    [z.boolean(), "yes", true],
    [z.boolean(), "off", false],
    [area, "the terrace", "terrace"],
    [area, "outside", "terrace"],
    [z.iso.date(), "tomorrow", "2026-11-23"],
    [z.iso.date(), "on Friday!", "2026-11-27"],
    [time, "friday at 5pm", "2026-11-27T17:00:00+01:00"],
    [time, "at 17:30", "2026-11-22T17:30:00+01:00"],
    [range, "next week", "2026-11-23/2026-11-29"],
    [range, "before friday", "../2026-11-26"],
    [sum, "7 times 6", "7 times 6"],
    [sum, "12 * 7", "12 * 7"],
    [list, "milk, eggs and bread", ["milk", "eggs", "bread"]],
    [list, "H&M", ["H&M"]],
    [z.array(z.number()), "3, 4 and five", [3, 4, 5]],
  ])("reads the value of %#: %j", async (schema, words, value) => {
    expect(await read(schema, words)).toEqual({ ok: true, value });
  });

  it.each<[StandardSchema, string, RegExp]>([
    [text, "", /received none/],
    [text, "it", /expected the name of something; received "it"/],
    [number, "many", /expected a number; received "many"/],
    [number, "7 days", /expected a number/],
    [number, "that", /expected a number/],
    [area, "roof", /expected one of inside, terrace; received "roof"/],
    [z.iso.date(), "30 february", /expected a day; received "30 february", which does not exist/],
    [z.iso.date(), "friday at 5pm", /expected a day/],
    [time, "soon", /expected a time/],
    [range, "milk", /expected a range of days/],
    [sum, "milk", /expected a sum/],
    [z.array(z.number()), "3 and milk", /expected a list/],
  ])("says why %# has no value: %j", async (schema, words, why) => {
    expect(await read(schema, words)).toEqual({ ok: false, why: expect.stringMatching(why) });
  });
});
