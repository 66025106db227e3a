import { createAgent, createTodoStore } from "planwright";

const agent = createAgent({ tools: [createTodoStore()] });
const lists = ["work", "home"];
const answer = { type: "string", enum: lists };

const asked = await agent.execute(
  {
    steps: [
      {
        id: "list",
        wait: {
          ask: {
            message: "On which list?",
            display: "select",
            options: lists.map((id) => ({ id, label: `the ${id} list` })),
            responseSchema: { type: "object", properties: { answer }, required: ["answer"] },
          },
        },
      },
      { id: "add", tool: "TodoStore", input: { operation: "add", title: "buy milk", list: { $ref: "list" } } },
    ],
  },
  { runId: "milk" },
);

// A page shows the message and the labels, and posts the id of an option.
const [question] = (await agent.listPending({ kinds: "question" })).items;
console.log(asked.status, question?.text);

const wrong = agent.answer("milk", "list", { answer: "garage" });
await wrong.result.catch((error: Error) => console.log(error.message));

const answered = await agent.answer("milk", "list", { answer: "work" }).result;
console.log(answered.status, answered.steps.at(-1)?.input);
