import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";

const secret = "correct horse battery staple: the passphrase of the vault";

it.each([4, 8, 15, 16, 30, secret.length - 1])(
  "the first %i characters of a secret are not shown at the end of a message that is cut",
  async (kept) => {
    const store = createMemoryRunStore();
    const tool = defineTool({
      name: "Open",
      description: "",
      inputSchema: z.object({ phrase: z.string().meta({ sensitive: true }) }),
      effect: "idempotent",
      retry: { maxAttempts: 1 },
      execute: ({ phrase }) => {
        const after = "b".repeat(3_000);
        const message = (before: number) => `${"a".repeat(before)}${phrase}${after}`;
        const end = `… (${message(8_000).length} characters)`.length;
        throw new Error(message(8_192 - end - kept));
      },
    });
    const agent = createAgent({ tools: [tool], store });
    const { error } = await agent.execute(
      { steps: [{ id: "s", tool: "Open", input: { phrase: secret } }] },
      { runId: "r" },
    );
    for (const text of [JSON.stringify(error), JSON.stringify(await store.read("r"))]) {
      expect(text).toContain("a[sensitive]…");
      expect(text).not.toContain(`a${secret.slice(0, 4)}`);
    }
  },
);
