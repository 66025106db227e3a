import type { ToldInput } from "../../core/describe-step.ts";

const verbs: Readonly<Record<string, string>> = {
  add: "Add",
  complete: "Complete",
  reopen: "Reopen",
  delete: "Delete",
  get: "Show",
};

/** "Add the todo "milk" to the list "shopping"". Only where that is all that the input says. */
export function describeTodoStep({ input, tell }: ToldInput): string | undefined {
  const { operation, title, list, index, ...others } = input;
  if (Object.keys(others).length > 0) return undefined;
  const [named, on] = [tell("title"), tell("list")];
  const place = on === undefined ? "" : ` ${operation === "add" ? "to" : "on"} the list ${on}`;
  if (title === undefined && index === undefined) return describeAll(operation, { on, place });
  const verb = typeof operation === "string" ? verbs[operation] : undefined;
  if (verb === undefined) return undefined;
  if (index !== undefined) return `${verb} ${index === -1 ? "the last todo" : `todo ${tell("index")}`}${place}`;
  if (named === "the result") return `${verb} ${operation === "add" ? "a" : "the"} todo titled with the result${place}`;
  return `${verb} the todo ${named}${place}`;
}

function describeAll(operation: unknown, { on, place }: { on: string | undefined; place: string }): string | undefined {
  if (operation === "list") return `Show the todos${place}`;
  if (operation !== "clear") return undefined;
  return on === undefined ? "Clear the todo list" : `Clear the list ${on}`;
}
