import { setImmediate as turn } from "node:timers/promises";
import { createFakeTool } from "planwright/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { record, until } from "../../scenario/resume-from.ts";
import { share, withMethods } from "../../scenario/two-processes.ts";

it("has given the run back when it rejects, though the store takes its time", async () => {
  const tool = createFakeTool({ name: "A" });
  const plan = { steps: [{ id: "s1", tool: "A", input: {} }] };
  const { recorded } = await record(() => ({ tools: [tool], plan }));
  const { process } = await share(() => [tool], { recorded: until(recorded, "step-start s1") });
  const strict = { ...tool, inputSchema: z.object({ to: z.string() }) };
  const other = process({ tools: [strict as never] }, (store) =>
    withMethods(store, {
      release: async (...args) => {
        await turn();
        await store.release(...args);
      },
    }),
  );
  const runId = recorded[0]?.runId ?? "";
  await expect(other.resume(runId)).rejects.toMatchObject({ code: "resume-mismatch" });
  expect(await process().resume(runId)).toMatchObject({ status: "completed" });
});
