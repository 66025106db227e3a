import {
  AgentError,
  type AgentErrorDetails,
  createFallbackPlanner,
  createLlmPlanner,
  createRulePlanner,
  createTodoStore,
  type DefinedTool,
  type Planner,
  type PlanRequest,
} from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { answerOf, note, noteOf, planWith, requestOf, sum } from "./ask-llm-planner.ts";

const tools: readonly DefinedTool[] = [createTodoStore(), note];

/** A chain of the rules, or of a planner in their place, and a model. */
async function planInTurn(request: string, answers: readonly string[], first: Planner = createRulePlanner()) {
  const model = createScriptedModel(answers);
  const told: string[] = [];
  const emit: PlanRequest["emit"] = (event) => {
    told.push(event.type === "plan-delta" ? `${event.index} ${event.step.tool}` : event.type);
  };
  const planner = createFallbackPlanner([first, createLlmPlanner({ model })]);
  const planned = await Promise.resolve(planner.plan(requestOf(request, { tools, emit }))).catch(
    (error: unknown) => error,
  );
  const asked = model.requests.map(({ messages }) => messages.at(-1)?.content);
  return { planned, asked, told };
}

describe("several wishes", () => {
  it("are asked about one at a time, below the steps before it if it refers to one", async () => {
    const { steps, requests, source } = await planWith(
      [noteOf("milk"), answerOf({ do: "Sum", a: 2, b: 3 }), noteOf("$2")],
      requestOf("note milk. add 2 to 3. note it", { tools: [note, sum] }),
    );
    expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      expect.stringMatching(/^note milk/),
      expect.stringMatching(/^add 2 to 3/),
      expect.stringMatching(/^\$1 Note\n\$2 Sum\nnote it/),
    ]);
    expect(steps.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ["s1", []],
      ["s2", ["s1"]],
      ["s3", ["s2"]],
    ]);
    expect(steps[2]?.input).toEqual({ title: "${s2.value}" });
    expect(source).toMatchObject({ attempts: 3 });
  });

  it("that are planned one by one, but not together, are all asked about", async () => {
    const step = (id: string, title: string) => ({ id, tool: "Note", input: { title }, dependsOn: [] });
    const wishes = ["note milk", "note bread"].map((text, at) => ({ text, steps: [step(`s${at + 1}`, text)] }));
    const { steps, requests } = await planWith([noteOf("milk"), noteOf("bread")], {
      ...requestOf("note milk. note bread"),
      wishes,
    });
    expect(requests).toHaveLength(2);
    expect(steps.map(({ input }) => input)).toEqual([{ title: "milk" }, { title: "bread" }]);
  });

  it("that nobody can cut are asked about at once", async () => {
    const both = answerOf({ do: "Note", title: "milk" }, { do: "Note", title: "bread" });
    const { steps } = await planWith([both], "note milk and bread");
    expect(steps.map(({ input }) => input)).toEqual([{ title: "milk" }, { title: "bread" }]);
  });

  it("that only state something are asked about with the next one", async () => {
    const answers = [answerOf({ do: "Sum", a: 15, b: 62 })];
    const request = "the dose is 15 mg and the rest 62 mg, how many mg are that";
    const { requests } = await planWith(answers, requestOf(request, { tools: [note, sum] }), { minCertainty: 0.3 });
    expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([request]);
  });

  it("that the rules plan stay as they are, and the model is asked for the others", async () => {
    const text = "add buy milk, then scribble pears, then complete tea";
    const { planned, asked, told } = await planInTurn(text, [noteOf("pears")]);
    expect(asked).toEqual(["scribble pears"]);
    expect(planned).toMatchObject({
      steps: [
        { tool: "TodoStore", input: { operation: "add", title: "buy milk" }, dependsOn: [] },
        { tool: "Note", input: { title: "pears" }, dependsOn: ["s1"] },
        { tool: "TodoStore", input: { operation: "complete", title: "tea" }, dependsOn: ["s3"] },
      ],
      source: { planner: "llm", attempts: 1, failures: [{ planner: "rules", code: "cannot-plan" }] },
    });
    expect(told).toEqual(["plan-fallback", "0 TodoStore", "1 Note", "2 TodoStore"]);
  });

  it("may take the results of those that the rules plan", async () => {
    const { planned } = await planInTurn("add buy milk, then scribble it", [noteOf("$1.title")]);
    expect(planned).toMatchObject({ steps: [{ id: "s1" }, { input: { title: "${s1.title}" }, dependsOn: ["s1"] }] });
  });
});

describe("a model behind the rules", () => {
  const refuses = (details: Partial<AgentErrorDetails["cannot-plan"]>): Planner => ({
    name: "first",
    usesModel: false,
    plan: () => {
      throw new AgentError("cannot-plan", "No.", { details: { reason: "not-understood", examples: [], ...details } });
    },
  });
  const reading = { steps: [], text: "note milk", certainty: 0.5, unused: [] };
  const asks = { stepId: "s1", field: "title", type: "text", text: "Which title?" } as const;
  const proposals = [{ ...reading, asks }];
  const word = (by: "left" | "phrase") => [{ text: "milk", by }];
  type Refusal = Partial<AgentErrorDetails["cannot-plan"]>;

  it.each<Refusal>([
    ...(["denied", "others", "repeated", "later", "condition"] as const).map((reason) => ({
      reason,
    })),
    ...(["unbound", "small-talk", "too-long"] as const).map((reason) => ({ reason })),
    { reason: "missing", proposals, words: word("phrase") },
    { reason: "missing", proposals, words: [{ text: "tomorrow", by: "slot", slot: "due" }, ...word("phrase")] },
    { reason: "missing", proposals, words: [{ text: "could you please", by: "courtesy" }, ...word("phrase")] },
    { reason: "ambiguous", proposals: [reading, reading] },
    {
      wishes: [
        { text: "note milk", steps: [] },
        { text: "do not", reason: "denied" },
      ],
    },
  ])("is not asked after %j", async (details) => {
    const { planned, asked } = await planInTurn("note milk", [noteOf("milk")], refuses(details));
    expect(planned).toMatchObject({ code: "cannot-plan" });
    expect(asked).toEqual([]);
  });

  it.each<Refusal>([
    { reason: "not-understood" },
    { reason: "missing", proposals, words: word("left") },
    { reason: "missing", proposals, words: [{ text: "we are out of milk,", by: "courtesy" }, ...word("phrase")] },
    { reason: "missing", proposals, words: [{ text: "milk", by: "slot", slot: "list" }, ...word("phrase")] },
    { reason: "corrected" },
    { reason: "question" },
    { reason: "supposed" },
  ])("is asked after %j", async (details) => {
    const { planned, asked } = await planInTurn("note milk", [noteOf("milk")], refuses(details));
    expect(planned).toMatchObject({ steps: [{ tool: "Note" }] });
    expect(asked).toEqual(["note milk"]);
  });

  it("leaves what the rules said if it finds nothing that is meant", async () => {
    const details = { examples: ["note tea"], words: word("left") };
    const { planned } = await planInTurn("note milk", [answerOf({ do: "unclear" })], refuses(details));
    expect(planned).toMatchObject({
      message: "No.",
      details: { ...details, failures: [{ planner: "first" }, { planner: "llm", code: "cannot-plan" }] },
    });
  });

  it.each([true, false])("is asked always or never with continueOnCannotPlan: %s", async (continueOnCannotPlan) => {
    const model = createScriptedModel([noteOf("milk")]);
    const first = refuses({ reason: continueOnCannotPlan ? "denied" : "not-understood" });
    const planner = createFallbackPlanner([first, createLlmPlanner({ model })], { continueOnCannotPlan });
    const planning = Promise.resolve(planner.plan(requestOf("note milk", { tools })));
    if (continueOnCannotPlan) await planning;
    else await expect(planning).rejects.toMatchObject({ code: "cannot-plan" });
    expect(model.requests).toHaveLength(continueOnCannotPlan ? 1 : 0);
  });
});
