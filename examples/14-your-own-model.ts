import { createAgent, createLlmPlanner, createTodoStore, type LanguageModel, modelFailure } from "planwright";

/** Stands for a server with an API of its own. */
async function callServer({ prompt, signal }: { prompt: string; signal: AbortSignal }) {
  signal.throwIfAborted();
  const title = /.*user: add (.*) to my list/s.exec(prompt)?.[1] ?? "nothing";
  const answer = { steps: [{ do: "TodoStore.add", title }] };
  return { answer: JSON.stringify(answer), isCut: false, tokens: { read: 900, written: 25 } };
}

const model: LanguageModel = {
  provider: "acme",
  modelId: "planner-1",
  price: { inputPerMillion: 0.5, outputPerMillion: 2 },
  async generate({ messages, signal, onTextDelta }) {
    const prompt = messages.map(({ role, content }) => `${role}: ${content}`).join("\n");
    if (prompt.length > 1e6) throw modelFailure(model, "prompt-too-long", { message: "Too long" });
    const { answer, isCut, tokens } = await callServer({ prompt, signal });
    onTextDelta?.(answer);
    return {
      text: answer,
      // Only "stop" marks a complete answer; one that was cut is never repaired.
      finishReason: isCut ? "length" : "stop",
      usage: { inputTokens: tokens.read, outputTokens: tokens.written },
    };
  },
};

const agent = createAgent({ tools: [createTodoStore()], planner: createLlmPlanner({ model }) });
agent.on("plan-delta", ({ step }) => console.log("so far:", step.id, step.tool));

const { output, plan, usage } = await agent.run("add green tea to my list");
console.log(plan?.source.model, usage);
if (output && "title" in output) console.log("added:", output.title);
