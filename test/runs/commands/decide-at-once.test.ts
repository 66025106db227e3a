import { createMemoryRunStore, type RunStore } from "planwright";
import { describe, it } from "vitest";
import { drivers, newPath, openStore } from "../../adapters/sqlite/sqlite-files.ts";
import { answerLater } from "../../scenario/answer-later.ts";
import { decideAtOnce } from "../../scenario/decide-at-once.ts";
import { askingAgent, deciderOf } from "../../scenario/deciders.ts";

// Those of several processes with SQLite and PostgreSQL are with the adapters.
const stores: readonly (readonly [string, number, () => RunStore])[] = [
  ["memory", 200, () => createMemoryRunStore()],
  ["memory, answering later", 200, () => answerLater(createMemoryRunStore())],
  ...drivers.map((driver) => [`SQLite by ${driver}`, 20, () => openStore(newPath(), { driver })] as const),
];

describe.each(stores)("with %s, %d times", (_name, count, createStore) => {
  it.each([2, 3])("one of %d people who decide at once decides", async (people) => {
    const store = createStore();
    const deciders = Array.from({ length: people }, () => deciderOf(askingAgent(store)));
    await decideAtOnce(store, deciders, count);
  });
});
