import { RecentMap } from "../../async/recent-map.ts";
import { settleOrAbort } from "../../async/timeout.ts";
import { isAgentError } from "../../core/errors.ts";
import type { LanguageModel, ModelMessage } from "../../core/language-model.ts";
import type { PlanDraft, PlanRequest, ReplanRequest } from "../../core/planner.ts";
import { isDoneRecord } from "../../core/run-result.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { toolFingerprint } from "../../core/tool-schemas.ts";
import { toolOf } from "../../core/wait-step.ts";
import { textsOf } from "../../plan/grounding/leaves.ts";
import { contextShown, shownIn } from "../../plan/grounding/unsaid-words.ts";
import { askModel, type ModelPlan, type ModelTask, type Question } from "./ask-model.ts";
import type { AnswerScope } from "./check-answer.ts";
import type { GroundingPolicy } from "./check-grounding.ts";
import { replanMessages } from "./prompt/follow-up.ts";
import { nearestExamples } from "./prompt/nearest-examples.ts";
import { type PromptOptions, promptOf, type ToolsPrompt } from "./prompt/system-prompt.ts";
import { planMessages, speaksOfTime } from "./prompt/user-message.ts";
import { maxModelSteps } from "./schemas/model-schema.ts";
import { ToolSets } from "./tool-sets.ts";

/** The options of a planner, checked and with their defaults. */
export interface ModelPlannerSettings extends PromptOptions {
  readonly name: string;
  readonly model: LanguageModel;
  /** Null for the model's default. */
  readonly temperature: number | null;
  readonly maxOutputTokens: number | undefined;
  readonly tools: "all" | "nearest";
  readonly grounding: GroundingPolicy;
  /** How many plans are kept. */
  readonly maxCachedPlans: number;
}

/** How many examples of a tool's own sentences a model sees. */
const maxExamples = 3;

/** What a planner that asks a model keeps between requests: prompts, plans, and what the model is known to refuse. */
export class ModelPlanner {
  private readonly prompts: ToolSets<ToolsPrompt>;
  private readonly nearest = new ToolSets(async (tools) => (await import("./nearest-tools.ts")).NearestTools.of(tools));
  private readonly plans: RecentMap<ModelPlan>;
  /** Plans that are being asked for: an equal request waits for the answer. */
  private readonly underWay = new Map<string, Promise<ModelPlan | undefined>>();
  private readonly refusedFormats = new WeakSet<object>();
  private refusesTemperature = false;

  constructor(private readonly settings: ModelPlannerSettings) {
    this.plans = new RecentMap(settings.maxCachedPlans);
    const dialect = settings.model.schemas ?? "plain";
    this.prompts = new ToolSets((tools, maxSteps) => promptOf(tools, { ...settings, maxSteps, dialect }));
  }

  /** See `Planner.plan`. */
  async plan(request: PlanRequest): Promise<PlanDraft> {
    // What a request means that speaks of a time changes with every minute.
    const isTimed = speaksOfTime(request.request);
    const key = await cacheKey(request, isTimed);
    for (;;) {
      const known = isTimed ? undefined : this.plans.get(key);
      if (known !== undefined) return asCached(known);
      const others = this.underWay.get(key);
      if (others === undefined)
        return this.lead(key, request, { isKept: !isTimed && this.settings.maxCachedPlans > 0 });
      const shared = await settleOrAbort(others, request.signal);
      // If it failed for a reason of its own, such as its budget, the next one asks.
      if (shared !== undefined) return asCached(shared);
    }
  }

  /** Asks for all equal requests that come before the answer. What the model did not answer is thrown for them, too. */
  private async lead(key: string, request: PlanRequest, { isKept }: { readonly isKept: boolean }): Promise<ModelPlan> {
    const asking = this.ask(request);
    const shared = asking.catch((thrown) => {
      if (!request.signal.aborted && !isAgentError(thrown, "limit-exceeded")) throw thrown;
      return undefined;
    });
    this.underWay.set(key, shared);
    shared.catch(() => {});
    try {
      const plan = await asking;
      if (isKept) this.plans.set(key, plan);
      return plan;
    } finally {
      this.underWay.delete(key);
    }
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
    asked: Asked = {
      emit: request.emit,
      kept: [],
      prefix: "s",
      planned: [],
      shown: contextShown(request.context),
      isReplan: false,
      messagesOf: async (prompt, tools) =>
        planMessages(prompt, request, await nearestExamples({ ...request, tools }, maxExamples)),
    },
  ): Promise<ModelPlan> {
    const { name, model, temperature, maxOutputTokens } = this.settings;
    const { question, elsewhere } = await this.choose(request, asked);
    return askModel({
      planner: name,
      model,
      request: { ...request, emit: asked.emit },
      question,
      elsewhere,
      temperature: this.refusesTemperature ? null : temperature,
      maxOutputTokens,
      refusedFormats: this.refusedFormats,
      onTemperatureRefused: () => {
        this.refusesTemperature = true;
      },
    });
  }

  /** The question about all tools, or about those that are nearest to the request, and about others. */
  private async choose(request: PlanRequest, asked: Asked): Promise<Pick<ModelTask, "question" | "elsewhere">> {
    const nearest = this.settings.tools === "nearest" ? await this.nearest.get(request.tools) : undefined;
    if (nearest === undefined) return { question: await this.questionOf(request, asked, request.tools) };
    const about = async (chosen: readonly DefinedTool[]) => ({
      ...(await this.questionOf(request, asked, chosen)),
      chosen: chosen.map((tool) => tool.name),
    });
    const { first, others } = nearest.choose(request.request, new Set(asked.kept.map(toolOf)));
    return {
      question: await about(first),
      elsewhere: (missing) => about(others(missing)),
    };
  }

  private async questionOf(request: PlanRequest, asked: Asked, tools: readonly DefinedTool[]): Promise<Question> {
    const { maxSteps } = request;
    const { grounding, expressions } = this.settings;
    const { emit: _, messagesOf, ...scope } = asked;
    const prompt = await this.prompts.get(tools, maxSteps);
    return {
      messages: await messagesOf(prompt, tools),
      schema: prompt.schema,
      isStrict: prompt.isStrict,
      scope: {
        tools: new Map(tools.map((tool) => [tool.name, tool])),
        request: request.request,
        nowMs: request.nowMs,
        typed: [request.request, ...asked.shown.flatMap(({ value }) => textsOf(value))].join("\n"),
        maxSteps: Math.min(maxSteps, maxModelSteps),
        grounding,
        isStrict: prompt.isStrict,
        instructions: instructionsOf(this.settings),
        expressions,
        ...scope,
      },
    };
  }
}

/** The developer's words, which a plan may quote like the user's. */
function instructionsOf({ instructions = "", examples }: PromptOptions): string {
  return [instructions, ...examples.map(({ steps }) => JSON.stringify(steps.map(({ input }) => input)))].join("\n");
}

/** How a model is asked. */
interface Asked extends Pick<AnswerScope, "kept" | "prefix" | "planned" | "shown" | "isReplan"> {
  readonly emit: PlanRequest["emit"];
  readonly messagesOf: (prompt: ToolsPrompt, tools: readonly DefinedTool[]) => Promise<readonly ModelMessage[]>;
}

/** A plan that was made for an equal request. */
function asCached({ steps, source }: ModelPlan): PlanDraft {
  return { steps, source: { ...source, attempts: 0, cached: true } };
}

/** What a plan depends on: the words, the tools, and the minute if they speak of a time. */
async function cacheKey(request: PlanRequest, isTimed: boolean): Promise<string> {
  const { tools, context = null, maxSteps, nowMs, timeZone } = request;
  const fingerprints = await Promise.all(tools.map(toolFingerprint));
  const descriptions = tools.map(({ description }) => description);
  const time = isTimed ? [Math.floor(nowMs / 60_000), timeZone] : null;
  return JSON.stringify([request.request, context, maxSteps, fingerprints, descriptions, time]);
}
