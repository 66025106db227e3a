import type { JsonObject } from "planwright";
import { expect, it } from "vitest";
import { compileExpressions } from "../../src/plan/expressions.ts";
import { dependenciesOf } from "../../src/plan/references.ts";

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

it("an invalid reference adds nothing", () => {
  expect([...dependenciesOf(step("s2", { a: "${", b: { $ref: "no no" } }, []), before)]).toEqual([]);
});

it("expressions add the steps that they name, but not item and index in a loop", async () => {
  const looped = { ...step("s9", { a: "${item.id} ${index} ${s2}" }, []), forEach: "s3.rows", when: "item.x > s4.y" };
  const plain = { ...step("s8", { a: { $ref: "item.id" } }, []), when: "index > 1 && [1].all(s7, s7 > 0)" };
  const expressions = await compileExpressions([looped, plain]);
  expect([...dependenciesOf(looped, before, expressions?.get("s9"))]).toEqual(["s2", "s4", "s3"]);
  expect([...dependenciesOf(plain, before, expressions?.get("s8"))]).toEqual(["item", "index"]);
});
