import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "planwright";
import * as z from "zod/v4";

const { BOX_MS = "1000" } = process.env;

const pack = defineTool({
  name: "Pack",
  description: "Packs boxes, one after the other",
  inputSchema: z.object({ boxes: z.int().min(1).max(20), customer: z.string() }),
  // A process that was killed may have packed some: packing them again does no harm.
  effect: "idempotent",
  phrases: ["pack {boxes} box[es] for {customer}"],
  async execute({ boxes, customer }, { progress, signal }) {
    for (let box = 1; box <= boxes; box++) {
      progress({ box, boxes });
      console.log(`packs box ${box} for ${customer}`);
      await sleep(Number(BOX_MS), undefined, { signal });
    }
    return { boxes };
  },
});

const invoice = defineTool({
  name: "Invoice",
  description: "Sends an invoice",
  inputSchema: z.object({ customer: z.string() }),
  // If the process dies while it is being sent, a person has to find out, and says so on the page of approvals.
  effect: "once",
  phrases: ["send an invoice to {customer}"],
  async execute({ customer }, { signal }) {
    console.log(`sends an invoice to ${customer}`);
    await sleep(Number(BOX_MS), undefined, { signal });
    return { sent: true };
  },
});

export const tools = [pack, invoice] as const;
