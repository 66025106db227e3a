import { createNotes, createWebSearch } from "planwright";
import { expect, it } from "vitest";
import { knownWrong } from "./known-wrong.ts";
import { calculator, inputsFor, todos } from "./plan-for.ts";

const tools = [calculator, todos, createNotes(), createWebSearch({ search: () => [] })];

it.each(knownWrong)("plans wrongly, as is known: $request", async ({ request, everyTool, today, wanted }) => {
  const inputs = await inputsFor(request, everyTool === true ? tools : tools.slice(0, 2));
  expect(inputs).toEqual(today);
  expect(inputs).not.toEqual(wanted);
});
