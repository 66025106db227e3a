import fc from "fast-check";
import type { LanguageModel, ModelPrice, ModelRequest, ModelUsage, RunBudget } from "planwright";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/core/language-model.ts";
import { costOf } from "../../../src/core/model-usage.ts";
import { ModelMeter } from "../../../src/runs/planning/model-meter.ts";

const host = { now: () => 0, emit: () => {} };

/** One call: its prompt, its answer, and when it ends. */
interface Call {
  readonly content: string;
  readonly maxOutputTokens: number | undefined;
  /** The real length of the prompt, as a multiple of the estimate. */
  readonly promptFactor: number;
  /** How much of its longest answer the model returns. */
  readonly answerPart: number;
  readonly price: ModelPrice;
  /** After how many other calls it ends. */
  readonly endsAfter: number;
  readonly fails: boolean;
}

/** Not as doubles: most of those are close to zero. */
const thousandths = (max: number) => fc.nat(max * 1_000).map((count) => count / 1_000);
const perMillion = fc.oneof(fc.constant(0), thousandths(1_000));
const call: fc.Arbitrary<Call> = fc.record({
  content: fc.string({ maxLength: 300 }),
  maxOutputTokens: fc.option(fc.nat(2_000), { nil: undefined }),
  promptFactor: fc.oneof(fc.constant(1), thousandths(3)),
  answerPart: fc.oneof(fc.constant(1), thousandths(1)),
  price: fc.record({ inputPerMillion: perMillion, outputPerMillion: perMillion }),
  endsAfter: fc.nat(3),
  fails: fc.boolean(),
});
const budget: fc.Arbitrary<RunBudget> = fc.record(
  {
    modelCalls: fc.nat(6),
    tokens: fc.nat(3_000),
    cost: fc.oneof(fc.constant(0), thousandths(1)),
  },
  { requiredKeys: [] },
);
const spent: fc.Arbitrary<ModelUsage> = fc.record({
  modelCalls: fc.nat(3),
  inputTokens: fc.nat(500),
  outputTokens: fc.nat(500),
  cost: thousandths(0.1),
});
const usual = 500;

/** Plays overlapping calls, and returns what they really used and how far their prompts exceeded the estimates. */
async function play(meter: ModelMeter, calls: readonly Call[]) {
  const used = { modelCalls: 0, tokens: 0, cost: 0 };
  const beyond = { tokens: 0, cost: 0 };
  const going: { readonly endsAfter: number; end(): void; readonly ended: Promise<unknown> }[] = [];
  for (const { content, maxOutputTokens, promptFactor, answerPart, price, endsAfter, fails } of calls) {
    const estimate = estimateTokens(content) + 4;
    const inputTokens = Math.round(estimate * promptFactor);
    let end = () => {};
    const model: LanguageModel = {
      provider: "random",
      modelId: "model",
      price,
      async generate({ maxOutputTokens: cap = usual }: ModelRequest) {
        used.modelCalls++;
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        // Nobody knows what a broken call has used; it counts as its estimated prompt.
        const tokens = fails
          ? { inputTokens: estimate, outputTokens: 0 }
          : { inputTokens, outputTokens: Math.floor(cap * answerPart) };
        used.tokens += tokens.inputTokens + tokens.outputTokens;
        used.cost += costOf(price, tokens);
        const over = Math.max(0, tokens.inputTokens - estimate);
        beyond.tokens += over;
        beyond.cost += costOf(price, { inputTokens: over, outputTokens: 0 });
        if (fails) throw new Error("broken");
        return { text: "", finishReason: "stop", usage: tokens };
      },
    };
    const { signal } = new AbortController();
    const messages = [{ role: "user", content }] as const;
    const ended = meter.generate(model, { messages, maxOutputTokens, signal }).catch(() => undefined);
    going.push({ endsAfter, end, ended });
    for (const [index, other] of going.entries()) {
      if (index + other.endsAfter > going.length) continue;
      other.end();
      await other.ended;
    }
  }
  for (const { end, ended } of going) {
    end();
    await ended;
  }
  return { used, beyond };
}

describe("a budget", () => {
  it("is never exceeded by more than the prompts exceeded their estimates, whatever is called", async () => {
    let overruns = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        budget,
        fc.option(spent, { nil: undefined }),
        fc.array(call, { maxLength: 12 }),
        async (limits, before, calls) => {
          const meter = new ModelMeter(limits, before, host);
          const { used, beyond } = await play(meter, calls);
          const { modelCalls = 0, inputTokens = 0, outputTokens = 0, cost = 0 } = before ?? {};
          const total = {
            modelCalls: used.modelCalls + modelCalls,
            tokens: used.tokens + inputTokens + outputTokens,
            cost: used.cost + cost,
          };
          refused += calls.length - used.modelCalls;
          // Earlier spending may exceed it by itself; then no call follows.
          if (used.modelCalls > 0) {
            expect(total.modelCalls).toBeLessThanOrEqual(limits.modelCalls ?? Number.POSITIVE_INFINITY);
            expect(total.tokens).toBeLessThanOrEqual((limits.tokens ?? Number.POSITIVE_INFINITY) + beyond.tokens);
            expect(total.cost).toBeLessThanOrEqual(
              (limits.cost ?? Number.POSITIVE_INFINITY) * (1 + 1e-6) + beyond.cost + 1e-12,
            );
          }
          const isOver = total.tokens > (limits.tokens ?? Number.POSITIVE_INFINITY);
          if (isOver) expect(meter.describeOverrun()).toMatch(/but the budget is/);
          if (isOver) overruns++;
          const { usage } = meter;
          expect(usage?.modelCalls ?? 0).toBe(used.modelCalls);
          expect((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)).toBe(used.tokens);
          expect(usage?.cost ?? 0).toBeCloseTo(used.cost, 9);
        },
      ),
      { numRuns: 1_000 },
    );
    // Both occur, or the property would prove little.
    expect(overruns).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(1_000);
  });
});
