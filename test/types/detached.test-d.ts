import type { Agent, Clock, LanguageModel, Orchestrator, RunHandle, RunStore, Tool, ToolContext } from "planwright";
import type {
  CollectedEvents,
  ConformanceCase,
  FaultyRunStore,
  ManualClock,
  RecordedModel,
  ScriptedModel,
} from "planwright/testing";
import { describe, expectTypeOf, it } from "vitest";
import type { calculator, todos } from "./tools.ts";

type Tools = typeof calculator | typeof todos;

/** The methods that typescript-eslint does not let one detach (`unbound-method`): those not declared with `this: void`. */
type Unbound<T> = {
  [TKey in keyof T]-?: NonNullable<T[TKey]> extends (...args: never) => unknown
    ? unknown extends ThisParameterType<NonNullable<T[TKey]>>
      ? TKey
      : never
    : never;
}[keyof T];

describe("the methods of our objects", () => {
  it("can be detached", () => {
    expectTypeOf<Unbound<Agent<Tools>>>().toBeNever();
    expectTypeOf<Unbound<Orchestrator<Tools>>>().toBeNever();
    expectTypeOf<Unbound<RunHandle<Tools>>>().toBeNever();
    expectTypeOf<Unbound<ToolContext>>().toBeNever();
    // `stop` is a property, which may be detached as it is.
    expectTypeOf<Unbound<CollectedEvents>>().toEqualTypeOf<"stop">();
    expectTypeOf<Unbound<ConformanceCase>>().toBeNever();
  });

  it("can be detached unless users implement them", () => {
    expectTypeOf<Unbound<FaultyRunStore>>().toEqualTypeOf<Unbound<RunStore>>();
    expectTypeOf<Unbound<ManualClock>>().toEqualTypeOf<Exclude<Unbound<Clock>, "monotonic">>();
    expectTypeOf<Unbound<ScriptedModel | RecordedModel>>().toEqualTypeOf<Unbound<LanguageModel>>();
  });

  it("are methods, so that an agent of certain tools is an Agent", () => {
    expectTypeOf<Agent<Tools>>().toExtend<Agent>();
    expectTypeOf<Orchestrator<Tools>>().toExtend<Orchestrator>();
    expectTypeOf<RunHandle<Tools>>().toExtend<RunHandle>();
    expectTypeOf<Agent<Tool>>().toExtend<Agent>();
  });

  it("are distinguished from methods that cannot be detached", () => {
    expectTypeOf<Unbound<{ one(): void; two(this: void): void; three: number; four?(): void }>>().toEqualTypeOf<
      "one" | "four"
    >();
  });
});
