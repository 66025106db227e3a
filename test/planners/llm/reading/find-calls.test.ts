import { describe, expect, it } from "vitest";
import { findCalls } from "../../../../src/planners/llm/reading/find-calls.ts";
import { toolNames } from "../../../../src/planners/llm/reading/find-tool.ts";

const isTool = toolNames(new Map(["SendEmail", "FindContact"].map((name) => [name, undefined])));
const calls = (answer: string) => findCalls(answer, isTool);
const mail = { tool: "SendEmail", input: { to: "a", count: 2 } };

describe("calls that are not JSON steps are found", () => {
  it.each([
    ["a name and an object", 'Action: SendEmail\nAction Input: {"to": "a", "count": 2}'],
    ["a name in a thought, too", 'I need SendEmail.\nAction: SendEmail\nAction Input: {"to": "a", "count": 2}'],
    ["tokens of a model", '<|channel|>commentary to=SendEmail <|message|>{"to":"a","count":2}<|call|>'],
    ["tokens in brackets", '[TOOL_CALLS]SendEmail[ARGS]{"to":"a","count":2}'],
    ["a fence", 'SendEmail\n```json\n{"to":"a","count":2}\n```'],
    ["arguments", 'SendEmail(to="a", count=2)'],
    ["arguments in single quotes, in a list", "[SendEmail(to='a', count=2)]"],
    ["an object as the argument", 'SendEmail({"to": "a", "count": 2})'],
  ])("%s", async (_form, answer) => {
    expect(await calls(answer)).toEqual([mail]);
  });

  it.each([
    ["attributes", '<invoke name="SendEmail"><parameter name="to">a</parameter></invoke>'],
    ["names in tags", "<tool_call><function=SendEmail><parameter=to>\na\n</parameter></function></tool_call>"],
    ["keys and values", "<tool_call>SendEmail<arg_key>to</arg_key><arg_value>a</arg_value></tool_call>"],
  ])("elements with %s", async (_form, answer) => {
    expect(await calls(answer)).toEqual([{ tool: "SendEmail", input: { to: "a" } }]);
  });

  it("with the names that the model gives to them", async () => {
    expect(await calls('1. FindContact(name="Ana")\n2. SendEmail(to="$1")\n3. join()')).toEqual([
      { id: "1", tool: "FindContact", input: { name: "Ana" } },
      { id: "2", tool: "SendEmail", input: { to: "$1" } },
    ]);
    expect(await calls('#E1 = FindContact[{"name": "Ana"}]\nPlan: send it\n#E2 = SendEmail[{"to": "#E1"}]')).toEqual([
      { id: "#E1", tool: "FindContact", input: { name: "Ana" } },
      { id: "#E2", tool: "SendEmail", input: { to: "#E1" } },
    ]);
  });

  it("with Python's values, lists and brackets in texts", async () => {
    expect(await calls("SendEmail(to=f'a (b), c', cc=['x', \"y\"], urgent=True, note=None)")).toEqual([
      { tool: "SendEmail", input: { to: "a (b), c", cc: ["x", "y"], urgent: true, note: null } },
    ]);
    expect(await calls("SendEmail()")).toEqual([{ tool: "SendEmail", input: {} }]);
    expect(await calls('FindContact("Ana")')).toEqual([{ tool: "FindContact", input: "Ana" }]);
  });
});

describe("nothing is read where something would be lost or guessed", () => {
  it.each([
    ["nothing but words", "I would send an email."],
    ["a result that the model made up", 'Action: SendEmail\nAction Input: {"to": "a"}\nObservation: sent'],
    ["an object without a name", 'SendEmail {"to": "a"}\n{"to": "b"}'],
    ["a name that is far from its object", 'SendEmail is what I would use here, I think: {"to": "a"}'],
    ["another tool", 'SendEmail(to="a")\nDeleteAll(sure=True)'],
    ["a call among other words", 'You could use SendEmail(to="a") for that.'],
    ["a call that never ends", 'SendEmail(to="a"'],
    ["words as arguments", "SendEmail(recipient, text)"],
    ["one argument with a name, one without", 'SendEmail("a", count=2)'],
    ["an element that never ends", '<invoke name="SendEmail"><parameter name="to">a'],
    ["a value that never ends", '<invoke name="SendEmail"><parameter name="to">a</invoke>'],
    ["an element of another tool", '<invoke name="Wipe"><parameter name="to">a</parameter></invoke>'],
    ["words between values", '<invoke name="SendEmail">or <parameter name="to">a</parameter></invoke>'],
    ["a very long answer", `SendEmail(to="a")\n${"a ".repeat(50_000)}`],
  ])("%s", async (_what, answer) => {
    expect(await calls(answer)).toBeUndefined();
  });
});
