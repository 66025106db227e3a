import { RecentMap } from "../../async/recent-map.ts";
import type { LanguageModel, ModelMessage } from "../../core/language-model.ts";
import type { PlanDraft, PlanRequest, ReplanRequest } from "../../core/planner.ts";
import { isDoneRecord } from "../../core/run-result.ts";
import type { Tool } from "../../core/tool.ts";
import { toolFingerprint } from "../../core/tool-schemas.ts";
import { contextShown, shownIn, textsOf } from "../../plan/unsaid-words.ts";
import { askModel, type ModelPlan } from "./ask-model.ts";
import type { AnswerScope } from "./check-answer.ts";
import type { GroundingPolicy } from "./check-grounding.ts";
import { replanMessages } from "./prompt/follow-up.ts";
import { nearestExamples } from "./prompt/nearest-examples.ts";
import { type PromptOptions, promptOf, type ToolsPrompt } from "./prompt/system-prompt.ts";
import { planMessages, speaksOfTime } from "./prompt/user-message.ts";

/** The options of a planner, checked and with their defaults. */
export interface ModelPlannerSettings extends PromptOptions {
  readonly name: string;
  readonly model: LanguageModel;
  /** Null for the model's default. */
  readonly temperature: number | null;
  readonly maxOutputTokens: number | undefined;
  readonly grounding: GroundingPolicy;
  /** How many plans are kept. */
  readonly maxCachedPlans: number;
}

/** How many examples of a tool's own sentences a model sees. */
const maxExamples = 3;
/** Sets of tools whose prompts are kept: an app has few, one for each kind of user. */
const maxPrompts = 20;

/** What a planner that asks a model keeps between requests: prompts, plans, and what the model is known to refuse. */
export class ModelPlanner {
  private readonly prompts: { readonly tools: readonly Tool[]; readonly maxSteps: number; prompt: ToolsPrompt }[] = [];
  private readonly plans: RecentMap<ModelPlan>;
  private readonly refusedFormats = new WeakSet<object>();
  private refusesTemperature = false;

  constructor(private readonly settings: ModelPlannerSettings) {
    this.plans = new RecentMap(settings.maxCachedPlans);
  }

  /** See `Planner.plan`. */
  async plan(request: PlanRequest): Promise<PlanDraft> {
    // What a request means that speaks of a time changes with every minute.
    if (this.settings.maxCachedPlans === 0 || speaksOfTime(request.request)) return this.ask(request);
    const key = await cacheKey(request);
    const known = this.plans.get(key);
    if (known !== undefined) return { steps: known.steps, source: { ...known.source, attempts: 0, cached: true } };
    const plan = await this.ask(request);
    this.plans.set(key, plan);
    return plan;
  }

  /** See `Planner.replan`. New steps may refer to the outputs of earlier ones, but not contain them. */
  async replan(request: ReplanRequest): Promise<PlanDraft> {
    const { steps, plan, firstPlan, replan } = request;
    // Nothing in a loop that was cut short can be referred to.
    const open = new Set(steps.filter((record) => !isDoneRecord(record)).map(({ stepId }) => stepId));
    return this.ask(request, {
      // Its steps follow others, which listeners have already received.
      emit: undefined,
      kept: plan.steps.filter(({ id }) => !open.has(id)),
      prefix: `r${replan}_`,
      planned: firstPlan.steps,
      shown: shownIn(request),
      isReplan: true,
      messagesOf: async (prompt) => replanMessages(prompt, request),
    });
  }

  private async ask(
    request: PlanRequest,
    { emit, messagesOf, ...asked }: Asked = {
      emit: request.emit,
      kept: [],
      prefix: "s",
      planned: [],
      shown: contextShown(request.context),
      isReplan: false,
      messagesOf: async (prompt) => planMessages(prompt, request, await nearestExamples(request, maxExamples)),
    },
  ): Promise<ModelPlan> {
    const { name, model, temperature, maxOutputTokens, grounding, expressions } = this.settings;
    const { tools, maxSteps } = request;
    const prompt = await this.promptOf(request);
    return askModel({
      planner: name,
      model,
      request: { ...request, emit },
      messages: await messagesOf(prompt),
      schema: prompt.schema,
      isStrict: prompt.isStrict,
      scope: {
        tools: new Map(tools.map((tool) => [tool.name, tool])),
        request: request.request,
        typed: [request.request, ...asked.shown.flatMap(({ value }) => textsOf(value))].join("\n"),
        maxSteps,
        grounding,
        instructions: instructionsOf(this.settings),
        expressions,
        ...asked,
      },
      temperature: this.refusesTemperature ? null : temperature,
      maxOutputTokens,
      refusedFormats: this.refusedFormats,
      onTemperatureRefused: () => {
        this.refusesTemperature = true;
      },
    });
  }

  private async promptOf({ tools, maxSteps }: PlanRequest): Promise<ToolsPrompt> {
    const known = this.prompts.find(
      (entry) =>
        entry.maxSteps === maxSteps &&
        entry.tools.length === tools.length &&
        entry.tools.every((tool, index) => tool === tools[index]),
    );
    if (known !== undefined) return known.prompt;
    const dialect = this.settings.model.schemas ?? "plain";
    const prompt = await promptOf(tools, { ...this.settings, maxSteps, dialect });
    if (this.prompts.push({ tools: [...tools], maxSteps, prompt }) > maxPrompts) this.prompts.shift();
    return prompt;
  }
}

/** The developer's words, which a plan may quote like the user's. */
function instructionsOf({ instructions = "", examples }: PromptOptions): string {
  return [instructions, ...examples.map(({ steps }) => JSON.stringify(steps.map(({ input }) => input)))].join("\n");
}

/** How a model is asked. */
interface Asked extends Pick<AnswerScope, "kept" | "prefix" | "planned" | "shown" | "isReplan"> {
  readonly emit: PlanRequest["emit"];
  readonly messagesOf: (prompt: ToolsPrompt) => Promise<readonly ModelMessage[]>;
}

/** What a plan depends on: the words and the tools. */
async function cacheKey(request: PlanRequest): Promise<string> {
  const { tools, context = null, maxSteps } = request;
  const fingerprints = await Promise.all(tools.map(toolFingerprint));
  const descriptions = tools.map(({ description }) => description);
  return JSON.stringify([request.request, context, maxSteps, fingerprints, descriptions]);
}
