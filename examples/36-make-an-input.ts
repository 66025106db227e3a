import { createAgent, defineTool, describePlan } from "planwright";
import * as z from "zod/v4";

const find = defineTool({
  name: "FindFile",
  description: "Finds a file by its title",
  inputSchema: z.object({ title: z.string() }),
  outputSchema: z.object({ id: z.string() }),
  effect: "pure",
  result: "id",
  phrases: ["find {title}"],
  execute: ({ title }) => ({ id: `file-${title.length}` }),
});

const share = defineTool({
  name: "ShareFile",
  description: "Shares a file with a person",
  inputSchema: z.object({ file: z.string(), person: z.string(), role: z.enum(["reader", "editor"]) }),
  effect: "idempotent",
  phrases: [
    {
      phrase: "let {person} {may} it",
      slots: { may: z.enum(["read", "edit"]) },
      // `previous` is a reference to what "it" is. Without one, the phrase does not fit.
      toInput: ({ person, may }, { previous }) =>
        previous && typeof person === "string"
          ? { file: previous, person, role: may === "edit" ? "editor" : "reader" }
          : undefined,
    },
  ],
  execute: ({ file, person, role }) => `${person} is ${role} of ${file}`,
});

const tools = [find, share] as const;
const agent = createAgent({ tools });
const plan = await agent.plan("find Budget 2027 and let Ada edit it");
console.log(describePlan(plan, { tools }));
const run = await agent.execute(plan);
console.log(run.status === "completed" && run.output);
