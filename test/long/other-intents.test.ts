import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createRulePlanner } from "../../src/index.ts";
import { planRows } from "../eval/plan-rows.ts";

const folder = "../shared/eval/training";
/** Intents that the calculator or the todo store has, or may have. */
const ours =
  /todo|lists?_|_list|calculator|qa_maths|tip$|measurement_conversion|reminder|convert|calendar_set|general_commandstop/;
/** One of so many sentences is planned. */
const every = 10;
/** How many percent are planned today, at most. */
const today = 0.6;

interface Sentence {
  readonly text: string;
  readonly intent: string | null;
}

function readSentences(file: string): readonly Sentence[] {
  const lines = gunzipSync(readFileSync(join(folder, file)))
    .toString()
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Sentence);
}

if (!existsSync(folder)) console.info(`other intents: ${folder} is not there, so nothing is measured`);

describe.skipIf(!existsSync(folder))("what people say to other assistants", () => {
  it("is planned by neither the calculator nor the todo store", { timeout: 600_000 }, async () => {
    const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz"));
    const others = files.flatMap(readSentences).filter(({ intent }) => intent !== null && !ours.test(intent));
    const rows = others
      .filter((_, index) => index % every === 0)
      .map(({ text, intent }, index) => ({
        id: `${index}`,
        prompt: text,
        reason: intent ?? "",
        expect: { kind: "reject" as const },
      }));
    const lines = await planRows(rows, { planner: createRulePlanner() });
    const planned = rows.filter((_, index) => lines[index]?.plan !== null);
    const percent = (100 * planned.length) / rows.length;
    console.info(`other intents: ${planned.length} of ${rows.length} planned (${percent.toFixed(2)} %)`);
    expect(percent, planned.map(({ prompt, reason }) => `${reason}: ${prompt}`).join("\n")).toBeLessThan(today);
  });
});
