import { describe, expect, it } from "vitest";
import { callsOf } from "./todo-calls.ts";

const filled = async (...titles: string[]) => {
  const calls = callsOf();
  for (const title of titles) await calls.call({ operation: "add", title });
  return calls;
};

describe("a todo found by its title", () => {
  it("is the one with the same text, or else the same words", async () => {
    const { call } = await filled("re-sign", "re sign", "Milk", "milk and eggs");
    expect(await call({ operation: "get", title: "Re-Sign" })).toMatchObject({ id: "t1" });
    expect(await call({ operation: "get", title: "RE  SIGN" })).toMatchObject({ id: "t2" });
    await expect(call({ operation: "get", title: "re_sign" })).rejects.toMatchObject({ code: "todo-ambiguous" });
    expect(await call({ operation: "delete", title: "milk" })).toMatchObject({ id: "t3" });
  });

  it("may be named by its id, as people type the id that an error names", async () => {
    const { call } = await filled("milk", "milk", "t1");
    expect(await call({ operation: "delete", title: "t2" })).toMatchObject({ id: "t2" });
    expect(await call({ operation: "complete", title: "t1" })).toMatchObject({ id: "t3" });
    const error = { code: "todo-not-found" };
    await expect(call({ operation: "delete", title: "t2", list: "Other" })).rejects.toMatchObject(error);
  });

  it("may be named by some of its words if the operation loses nothing", async () => {
    const { call } = await filled("Wash the dishes", "Wash the car", "Carpet");
    expect(await call({ operation: "complete", title: "dishes" })).toMatchObject({ id: "t1" });
    expect(await call({ operation: "get", title: "car" })).toMatchObject({ id: "t2" });
    expect(await call({ operation: "reopen", title: "dishes wash" })).toMatchObject({ id: "t1" });
    await expect(call({ operation: "complete", title: "wash" })).rejects.toMatchObject({ code: "todo-ambiguous" });
    await expect(call({ operation: "get", title: "carp" })).rejects.toMatchObject({ code: "todo-not-found" });
  });

  it("may be named by the thing that is bought, if its title says no more", async () => {
    const { call } = await filled(
      "a pint of cream",
      "return milk",
      "oats",
      "pizza night",
      "get butter",
      "get rid of old sofa",
    );
    expect(await call({ operation: "complete", title: "buy cream" })).toMatchObject({ id: "t1" });
    expect(await call({ operation: "complete", title: "Get oats" })).toMatchObject({ id: "t3" });
    expect(await call({ operation: "complete", title: "buy butter" })).toMatchObject({ id: "t5" });
    const error = { code: "todo-not-found" };
    await expect(call({ operation: "complete", title: "buy milk" })).rejects.toMatchObject(error);
    await expect(call({ operation: "complete", title: "order pizza" })).rejects.toMatchObject(error);
    await expect(call({ operation: "complete", title: "buy old sofa" })).rejects.toMatchObject(error);
    await expect(call({ operation: "complete", title: "return oats" })).rejects.toMatchObject(error);
    await expect(call({ operation: "delete", title: "buy oats" })).rejects.toMatchObject(error);
  });

  it("is deleted only by its title, with or without the verb", async () => {
    const { call } = await filled(
      "Wash the dishes",
      "Order netting for the shed",
      "oat milk",
      "Pay rent",
      "Raise rent",
    );
    const error = { code: "todo-not-found", message: expect.stringContaining("with or without its verb, or an id") };
    for (const title of ["netting", "shed", "milk"])
      await expect(call({ operation: "delete", title })).rejects.toMatchObject(error);
    await expect(call({ operation: "delete", title: "rent" })).rejects.toMatchObject({ code: "todo-ambiguous" });
    expect(await call({ operation: "delete", title: "the dishes one" })).toMatchObject({ id: "t1" });
    expect(await call({ operation: "delete", title: "order netting for shed" })).toMatchObject({ id: "t2" });
  });

  it("is updated by a few words of its title", async () => {
    const { call } = await filled("Order netting for the shed", "Clean the shed");
    expect(await call({ operation: "update", title: "netting", newTitle: "x" })).toMatchObject({ id: "t1" });
    await expect(call({ operation: "update", title: "lawn", newTitle: "x" })).rejects.toMatchObject({
      code: "todo-not-found",
    });
  });

  it("is refused with a list if several titles match", async () => {
    const { call } = await filled("milk", "Milk", "MILK!");
    await expect(call({ operation: "delete", title: "milk." })).rejects.toMatchObject({
      name: "AgentError",
      code: "todo-ambiguous",
      retryable: false,
      message:
        '"milk." fits 3 todos: "milk" (id t1, list todos); "Milk" (id t2, list todos); "MILK!" (id t3, list todos). Use an id.',
      details: {
        wanted: "milk.",
        count: 3,
        matches: [
          { id: "t1", title: "milk", list: "todos", completed: false },
          { id: "t2", title: "Milk", list: "todos", completed: false },
          { id: "t3", title: "MILK!", list: "todos", completed: false },
        ],
      },
    });
    expect(await call({ operation: "list" })).toMatchObject({ count: 3, completed: 0 });
  });

  it("is refused with a list of ten if many titles match, with long titles cut", async () => {
    const { call } = await filled(...Array<string>(12).fill("x".repeat(1_000)));
    const thrown = await call({ operation: "get", title: "x".repeat(1_000) }).catch((error) => error);
    expect(thrown.message).toContain("fits 12 todos");
    expect(thrown.message).toContain("and 2 more");
    expect(thrown.details.matches).toHaveLength(10);
    expect(JSON.stringify(thrown.details).length).toBeLessThan(16_384);
    expect(thrown.message.length).toBeLessThan(8_192);
  });

  it("is refused if more than a thousand todos match", async () => {
    const { call } = await filled(...Array<string>(1_001).fill("buy milk"));
    await expect(call({ operation: "get", title: "buy milk" })).rejects.toMatchObject({ details: { count: 1_001 } });
    await expect(call({ operation: "get", title: "milk" })).rejects.toMatchObject({ details: { count: 1_001 } });
  });

  it("is the open one to complete, and the completed one to reopen", async () => {
    const { call } = await filled("milk", "milk");
    await call({ operation: "complete", id: "t1" });
    expect(await call({ operation: "complete", title: "milk" })).toMatchObject({ id: "t2" });
    await expect(call({ operation: "complete", title: "milk" })).rejects.toMatchObject({ code: "todo-ambiguous" });
    await call({ operation: "reopen", id: "t1" });
    expect(await call({ operation: "reopen", title: "milk" })).toMatchObject({ id: "t2" });
    await call({ operation: "complete", id: "t2" });
    await expect(call({ operation: "delete", title: "milk" })).rejects.toMatchObject({
      code: "todo-ambiguous",
      message: expect.stringContaining("(id t2, list todos, completed)"),
    });
  });

  it("is searched for in the named list only", async () => {
    const { call } = await filled("milk");
    await call({ operation: "add", title: "milk", list: "Shopping" });
    await expect(call({ operation: "get", title: "milk" })).rejects.toMatchObject({ code: "todo-ambiguous" });
    expect(await call({ operation: "get", title: "milk", list: "shopping" })).toMatchObject({ id: "t2" });
    await expect(call({ operation: "get", title: "milk", list: "work" })).rejects.toMatchObject({
      message: 'No todo is titled "milk" in the list "work".',
    });
  });
});

describe("a todo that is not found", () => {
  it("is reported with similar todos, the most similar first", async () => {
    const { call } = await filled("call the bank", "Wash dishes", "wash the dish rack", "Pay rent");
    const thrown = await call({ operation: "complete", title: "washing dishs" }).catch((error) => error);
    expect(thrown.code).toBe("todo-not-found");
    expect(thrown.details.near.map((todo: { id: string }) => todo.id)).toEqual(["t2", "t3"]);
    expect(thrown.message).toContain('Existing todos: "Wash dishes" (id t2, list todos)');
  });

  it("is reported with the first todos if none is similar", async () => {
    const { call } = await filled("a", "b");
    const thrown = await call({ operation: "get", title: "zebra" }).catch((error) => error);
    expect(thrown.details.near).toHaveLength(2);
  });

  it("is reported by its id", async () => {
    const { call } = await filled();
    await expect(call({ operation: "get", id: "x" })).rejects.toMatchObject({
      code: "todo-not-found",
      message: 'No todo has the id "x".',
      details: { wanted: "x", near: [] },
    });
  });
});

describe("a todo found by its position", () => {
  it("is counted from 1, or from the end if negative", async () => {
    const { call } = await filled("a", "b", "c");
    await call({ operation: "add", title: "d", list: "Work" });
    expect(await call({ operation: "get", index: 2 })).toMatchObject({ title: "b" });
    expect(await call({ operation: "get", index: -1 })).toMatchObject({ title: "d" });
    expect(await call({ operation: "complete", index: -1, list: "todos" })).toMatchObject({ title: "c" });
    expect(await call({ operation: "delete", index: 1 })).toMatchObject({ title: "a" });
    await expect(call({ operation: "delete", index: 4 })).rejects.toMatchObject({
      code: "todo-not-found",
      message: "There is no todo at position 4: there are 3.",
      details: { wanted: "position 4", near: [{ id: "t2" }, { id: "t3" }, { id: "t4" }] },
    });
  });
});
