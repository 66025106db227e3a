import { createCalculator, createTodoStore, defineTool } from "planwright";
import { z } from "zod/v4";

/** The built-in tools, and three of an app. */
export const tools = [
  createCalculator(),
  createTodoStore(),
  defineTool({
    name: "BookTable",
    description: "Books a table in a restaurant",
    inputSchema: z.object({ restaurant: z.string(), people: z.number().int().positive(), time: z.iso.datetime() }),
    effect: "once",
    phrases: [
      "book a table at {restaurant} for {people} [people] {time}",
      "reserve {restaurant} for {people} [people] {time}",
    ],
    execute: () => ({ ok: true }),
  }),
  defineTool({
    name: "SetLight",
    description: "Sets how bright the light of a room is, in percent",
    inputSchema: z.object({ room: z.enum(["kitchen", "bedroom", "hallway"]), level: z.number().min(0).max(100) }),
    effect: "idempotent",
    phrases: ["set [the] {room} light to {level} [percent]", "dim [the] {room} to {level} [percent]"],
    execute: () => ({ ok: true }),
  }),
  defineTool({
    name: "SendMessage",
    description: "Sends a message to somebody",
    inputSchema: z.object({ to: z.string(), text: z.string() }),
    effect: "once",
    needsApproval: true,
    phrases: ["tell {to} that {text}", "message {to}: {text}", "let {to} know that {text}"],
    execute: () => ({ ok: true }),
  }),
] as const;
