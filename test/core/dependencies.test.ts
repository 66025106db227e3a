import { expect, it } from "vitest";
import { dependenciesOf } from "../../src/core/dependencies.ts";
import type { JsonObject } from "../../src/core/json.ts";

const step = (id: string, input: JsonObject = {}, dependsOn?: readonly string[]) => ({
  id,
  tool: "T",
  input,
  ...(dependsOn && { dependsOn }),
});
const before = step("s1");

it("a step without dependsOn waits for the step before it", () => {
  expect([...dependenciesOf(step("s2"), before)]).toEqual(["s1"]);
  expect([...dependenciesOf(before, undefined)]).toEqual([]);
});

it("an empty dependsOn waits for nothing", () => {
  expect([...dependenciesOf(step("s2", {}, []), before)]).toEqual([]);
});

it("references add to dependsOn, each step once", () => {
  const input = { a: { $ref: "s3.x" }, b: "${s4} ${s3.y}", c: [{ $ref: "s5" }], d: { $literal: { $ref: "s6" } } };
  expect([...dependenciesOf(step("s9", input, ["s3", "s3", "s2"]), before)]).toEqual(["s3", "s2", "s4", "s5"]);
  expect([...dependenciesOf(step("s9", input), before)]).toEqual(["s1", "s3", "s4", "s5"]);
});

it("what is no valid reference adds nothing", () => {
  expect([...dependenciesOf(step("s2", { a: "${", b: { $ref: "no no" } }, []), before)]).toEqual([]);
});
