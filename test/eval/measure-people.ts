import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as planwright from "planwright";
import type { EvalArguments } from "./arguments.ts";
import type { DataRow } from "./data.ts";
import { quantiles } from "./measure.ts";
import { planRows } from "./plan-rows.ts";
import { plannersWith } from "./planners-with.ts";

/** Thursday, 26 November 2026: the sentences speak of days near it. */
const clock = { nowMs: Date.UTC(2026, 10, 26, 10), timeZone: "UTC" };

/** True for a folder of what people typed, with its plans field by field. */
export function isOfPeople(folder: string): boolean {
  return existsSync(join(folder, "apps"));
}

/**
 * Plans what people typed, for the built-in tools and for the tools of apps, and prints the scores of the folder's own scorers.
 * The apps are planned by the built package (`npm run build`).
 */
export async function measurePeople(
  folder: string,
  { languageModel: asked, argv }: Pick<EvalArguments, "languageModel" | "argv">,
): Promise<void> {
  const places = [folder, join(folder, "..", "fresh"), resolve("../shared/eval/fresh")];
  const scorers = places.find((place) => existsSync(join(place, "run-apps.mjs")));
  if (scorers === undefined) throw new Error(`There is no run-apps.mjs in ${places.join(", ")}.`);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
  const rows = files
    .flatMap((file) => readFileSync(file, "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as DataRow);
  const calls = new ModelCalls();
  const work = mkdtempSync(join(tmpdir(), "planwright-eval-"));
  for (const [name, planner] of Object.entries(plannersWith(planwright, asked && calls.count(asked)))) {
    const planned = await planRows(rows, { planner, clock, onRow: () => process.stderr.write(".") });
    const out = join(work, `${name}.jsonl`);
    writeFileSync(out, planned.map((row) => JSON.stringify(row)).join("\n"));
    console.log(
      `\n\n## Built-in tools, planned by ${name}\n${run(join(scorers, "check-fields.mjs"), [files.join(","), out])}`,
    );
  }
  console.log(calls.describe());
  for (const kind of Object.keys(plannersWith(planwright, asked))) {
    const args = [resolve("."), "--apps", folder, "--planner", resolve("test/eval/app-planner.ts")];
    const fixed = ["--import", "tsx", "--import", join(scorers, "fixed-clock.mjs"), join(scorers, "run-apps.mjs")];
    console.log(
      `\n## Tools of apps, planned by ${kind}\n${run(fixed, args, { EVAL_PLANNER: kind, EVAL_ARGUMENTS: JSON.stringify(argv) })}`,
    );
  }
  rmSync(work, { recursive: true });
}

function run(
  script: string | readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
) {
  const options = { encoding: "utf8", env: { ...process.env, TZ: "UTC", ...env }, maxBuffer: 1e8 } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [...[script].flat(), ...args], options);
  return stdout || stderr;
}

/** Counts what a model is asked; an equal question is asked once. */
class ModelCalls {
  private readonly known = new Map<string, ReturnType<planwright.LanguageModel["generate"]>>();
  private readonly seconds: number[] = [];
  private readonly tokens = { input: 0, output: 0 };

  count(model: planwright.LanguageModel): planwright.LanguageModel {
    return {
      ...model,
      getContextTokens: async (signal) => model.getContextTokens?.(signal),
      generate: (request) => {
        const { messages, responseFormat } = request;
        const key = JSON.stringify([messages, responseFormat]);
        const answer = this.known.get(key) ?? this.ask(model, request);
        this.known.set(key, answer);
        return answer;
      },
    };
  }

  describe(): string {
    if (this.seconds.length === 0) return "";
    const { median, p99 } = quantiles(this.seconds);
    const perCall = (tokens: number) => Math.round(tokens / this.seconds.length);
    return `${this.seconds.length} calls of the model: median ${median.toFixed(2)} s, 99th percentile ${p99.toFixed(2)} s; ${perCall(this.tokens.input)} tokens in, ${perCall(this.tokens.output)} out`;
  }

  private async ask(model: planwright.LanguageModel, request: Parameters<planwright.LanguageModel["generate"]>[0]) {
    const start = performance.now();
    const response = await model.generate(request);
    this.seconds.push((performance.now() - start) / 1_000);
    this.tokens.input += response.usage.inputTokens ?? 0;
    this.tokens.output += response.usage.outputTokens ?? 0;
    return response;
  }
}
