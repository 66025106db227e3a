import fc from "fast-check";
import { hashPlan, type PlanInput } from "planwright";
import { describe, expect, it } from "vitest";
import { canonicalJson, sha256 } from "../../src/core/json.ts";
import { canonicalPlan } from "../../src/plan/hash-plan.ts";

describe("canonicalJson, RFC 8785", () => {
  it("matches the example of section 3.2.2", () => {
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts keys by UTF-16 code units, as the example of section 3.2.3", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7);
    expect([...canonicalJson(value).matchAll(/:"(\w+)/g)].map(([, word]) => word)).toEqual([
      "Carriage",
      "One",
      "Control",
      "Latin",
      "Euro",
      "Emoji",
      "Hebrew",
    ]);
  });

  it.each([
    [0, "0"],
    [-0, "0"],
    [5e-324, "5e-324"],
    [-5e-324, "-5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [9007199254740992, "9007199254740992"],
    [295147905179352830000, "295147905179352830000"],
    [9.999999999999997e22, "9.999999999999997e+22"],
    [1e23, "1e+23"],
    [1e21, "1e+21"],
    [1e-7, "1e-7"],
    [333333333.33333343, "333333333.33333343"],
  ])("writes the number %s as in appendix B", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("sorts keys, and keeps the order of lists", () => {
    expect(canonicalJson({ b: [2, 1], a: { d: 1, c: 2 } })).toBe('{"a":{"c":2,"d":1},"b":[2,1]}');
    expect(canonicalJson({ "10": 1, "9": 2, a: 3 })).toBe('{"10":1,"9":2,"a":3}');
  });

  it("has the same meaning as JSON.stringify, for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("omits undefined keys, and writes null for undefined elsewhere", () => {
    expect(canonicalJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
    expect(canonicalJson(undefined)).toBe("null");
  });
});

describe("hashPlan", () => {
  const plan: PlanInput = {
    version: 1,
    request: "Add milk",
    steps: [
      { id: "s1", tool: "TodoStore", input: { operation: "add", title: "milk" }, dependsOn: [], reasoning: "Why" },
    ],
  };
  const [step] = plan.steps;

  it("is 64 lowercase hex digits, and the same in every version of the package", async () => {
    expect(await hashPlan(plan)).toMatch(/^[0-9a-f]{64}$/);
    expect(canonicalPlan(plan)).toBe(
      '{"request":"Add milk","steps":[{"dependsOn":[],"id":"s1","input":{"operation":"add","title":"milk"},"reasoning":"Why","tool":"TodoStore"}],"version":1}',
    );
    expect(await hashPlan(plan)).toBe("f8c38828f8b676762e4d45adabe4130c416b97565e07dc09c7056cc484e0f7be");
  });

  it("is a standard SHA-256", async () => {
    expect(await sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(await sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("ignores id, source, time and the order of keys", async () => {
    const others = { id: "plan_1", source: { planner: "rules" }, createdAt: "2026-01-01T00:00:00.000Z" };
    const turned: PlanInput = {
      steps: plan.steps.map((one) => Object.fromEntries(Object.entries(one).reverse()) as unknown as typeof one),
      request: "Add milk",
      version: 1,
      ...others,
    };
    expect(await hashPlan({ ...plan, ...others })).toBe(await hashPlan(plan));
    expect(await hashPlan(turned)).toBe(await hashPlan(plan));
  });

  it("treats a missing version as 1 and a missing request as empty text", async () => {
    const { version, request, ...bare } = plan;
    expect(await hashPlan({ ...bare, request })).toBe(await hashPlan(plan));
    expect(await hashPlan(bare)).toBe(await hashPlan({ ...bare, version, request: "" }));
    expect(await hashPlan({ ...bare, version: undefined, request: undefined })).toBe(await hashPlan(bare));
    expect(await hashPlan(bare)).not.toBe(await hashPlan(plan));
  });

  it.each([
    ["the request", { ...plan, request: "Add milk " }],
    ["an id", { ...plan, steps: [{ ...step, id: "s2" }] }],
    ["a tool", { ...plan, steps: [{ ...step, tool: "Todo" }] }],
    ["an input", { ...plan, steps: [{ ...step, input: { operation: "add", title: "Milk" } }] }],
    ["the reasoning", { ...plan, steps: [{ ...step, reasoning: "Because" }] }],
    ["dependsOn left out", { ...plan, steps: [{ ...step, dependsOn: undefined }] }],
    ["a condition", { ...plan, steps: [{ ...step, when: "true" }] }],
    ["one more step", { ...plan, steps: [step, { ...step, id: "s2" }] }],
  ])("changes with %s", async (_name, changed) => {
    expect(await hashPlan(changed as PlanInput)).not.toBe(await hashPlan(plan));
  });

  it("is the same for the plan and for its JSON", async () => {
    const through = JSON.parse(JSON.stringify(plan)) as PlanInput;
    expect(await hashPlan(through)).toBe(await hashPlan(plan));
  });

  it("is the same for a Date and for its text", async () => {
    const withInput = (at: unknown) => ({ steps: [{ id: "s1", tool: "T", input: { at } }] });
    const text = "2026-01-01T00:00:00.000Z";
    expect(await hashPlan(withInput(new Date(text)))).toBe(await hashPlan(withInput(text)));
  });

  it.each([
    ["undefined", undefined, "invalid-shape"],
    ["null", null, "invalid-shape"],
    ["text", "plan", "invalid-shape"],
    ["no steps", {}, "invalid-shape"],
    ["a BigInt", { steps: [{ id: "s1", tool: "T", input: { n: 5n } }] }, "not-json"],
    ["a cycle", cyclic(), "not-json"],
  ])("rejects instead of throwing for %s", async (_name, value, code) => {
    const hash = hashPlan(value as PlanInput);
    await expect(hash).rejects.toMatchObject({ code: "invalid-plan", details: { issues: [{ code }] } });
  });
});

function cyclic(): object {
  const steps: unknown[] = [];
  steps.push({ steps });
  return { steps };
}
