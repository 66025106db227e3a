import { z } from "zod/v4";
import { defineTool } from "../../../../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../../../../src/core/tool.ts";
import { createCalculator } from "../../../../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../../../../src/tools/todo-store/todo-store.ts";

const none = () => null as never;
const room = z.enum(["kitchen", "living_room", "bedroom"]);

const mail = [
  defineTool({
    name: "FindContact",
    description: "Finds a person in the address book",
    inputSchema: z.object({ name: z.string().min(1) }),
    outputSchema: z.object({ name: z.string(), email: z.string(), phones: z.array(z.string()) }),
    result: "email",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "SendEmail",
    description: "Sends an email",
    inputSchema: z.object({
      to: z.string().min(1),
      subject: z.string().min(1),
      body: z.string(),
      cc: z.array(z.string()).optional(),
      priority: z.enum(["low", "normal", "high"]).optional(),
    }),
    outputSchema: z.object({ messageId: z.string() }),
    effect: "once",
    execute: none,
  }),
];

const calendar = [
  defineTool({
    name: "FindSlot",
    description: "Finds free time in the calendar on a day",
    inputSchema: z.object({ day: z.iso.date(), minutes: z.int().min(1) }),
    outputSchema: z.object({ start: z.string(), minutes: z.int() }),
    result: "start",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "CreateEvent",
    description: "Puts a meeting into the calendar",
    inputSchema: z.strictObject({
      title: z.string().min(1),
      start: z.string().min(1),
      durationMinutes: z.int().min(1),
      attendees: z.array(z.string()).optional(),
      remind: z.boolean().optional(),
      location: z.string().min(1).optional(),
    }),
    outputSchema: z.object({ eventId: z.string() }),
    effect: "idempotent",
    execute: none,
  }),
];

const home = [
  defineTool({
    name: "ReadSensor",
    description: "Reads the temperature and humidity of a room",
    inputSchema: z.object({ room }),
    outputSchema: z.object({ celsius: z.number(), humidity: z.number() }),
    result: "celsius",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "set_lights",
    description: "Turns the lights of a room on or off",
    inputSchema: z.object({ room, on: z.boolean(), brightness: z.int().min(0).max(100).optional() }),
    outputSchema: z.object({ on: z.boolean() }),
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "set_heating",
    description: "Sets the temperature of a room",
    inputSchema: z.object({ room, celsius: z.number() }),
    outputSchema: z.object({ celsius: z.number() }),
    effect: "idempotent",
    execute: none,
  }),
];

const shop = [
  defineTool({
    name: "SearchProducts",
    description: "Searches the shop for products",
    inputSchema: z.object({ query: z.string(), maxPrice: z.number().optional(), inStock: z.boolean().optional() }),
    outputSchema: z.object({
      products: z.array(z.object({ id: z.string(), name: z.string(), price: z.number() })),
      count: z.int(),
    }),
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "AddToCart",
    description: "Puts a product into the cart",
    inputSchema: z.object({
      productId: z.string(),
      quantity: z.int().min(1).optional(),
      wrapping: z.object({ paper: z.enum(["red", "blue"]), note: z.string().optional() }).optional(),
    }),
    outputSchema: z.object({ total: z.number() }),
    result: "total",
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "Pay",
    description: "Pays an amount",
    inputSchema: z.object({ amount: z.number(), currency: z.enum(["EUR", "USD", "GBP"]) }),
    outputSchema: z.object({ receipt: z.string() }),
    effect: "once",
    execute: none,
  }),
];

const store = [
  defineTool({
    name: "ReadFile",
    description: "Reads a file",
    inputSchema: z.object({ path: z.string() }),
    outputSchema: z.object({ text: z.string(), bytes: z.int() }),
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "Store",
    description: "Stores a value under a key",
    inputSchema: z.object({ key: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) }),
    outputSchema: z.object({ ok: z.boolean() }),
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "Keep",
    description: "Keeps data of any kind under a key",
    inputSchema: z.object({ key: z.string(), data: z.unknown() }),
    outputSchema: z.object({ ok: z.boolean() }),
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "Repeat",
    description: "Runs a job so many times",
    inputSchema: z.object({ job: z.string(), times: z.coerce.number().int() }),
    outputSchema: z.object({ runs: z.int() }),
    effect: "idempotent",
    execute: none,
  }),
];

/** The tools that an answer was written for, by the name of their set. */
export const toolSets: Readonly<Record<string, readonly DefinedTool[]>> = {
  app: [createCalculator(), createTodoStore()] as readonly DefinedTool[],
  mail: mail as readonly DefinedTool[],
  calendar: calendar as readonly DefinedTool[],
  home: home as readonly DefinedTool[],
  shop: shop as readonly DefinedTool[],
  store: store as readonly DefinedTool[],
};
