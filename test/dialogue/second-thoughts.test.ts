import { beforeEach, describe, expect, it } from "vitest";
import { createBuiltInTools, createTalkAgent } from "./talk-agent.ts";

let talk = createTalkAgent({ tools: createBuiltInTools() });

beforeEach(() => {
  talk = createTalkAgent({ tools: createBuiltInTools() });
});

async function talkAbout(titles: readonly string[], ...lines: readonly string[]) {
  for (const title of titles) await talk.agent.run(`add ${title}`);
  let run = await talk.say(lines[0] ?? "");
  for (const line of lines.slice(1)) run = await talk.say(line);
  return run;
}

const openTitles = async () => {
  const { output } = await talk.agent.run("show my todos");
  const { todos } = output as { todos: { title: string; completed: boolean }[] };
  return todos.filter(({ completed }) => !completed).map(({ title }) => title);
};

describe("a denial of what the line before stated", () => {
  it.each([
    "no it isn't",
    "ugh no it wasnt",
    "no it isnt that was yesterday sorry",
    "nvm it's not done, he only did the sink",
    "oops no, permit not yet",
    "No the permit isn't ready yet actually",
  ])("%s takes it back", async (denial) => {
    expect((await talkAbout(["renew permit", "buy milk"], "the permit is done", denial)).text).toContain("Undone");
    expect(await openTitles()).toEqual(["renew permit", "buy milk"]);
  });

  it.each(["it is not bad", "that's not right", "no the swim bags aren't in", "not all of it"])(
    "%s is none",
    async (line) => {
      await talkAbout(["renew permit", "buy milk"], "the permit is done", line);
      expect(await openTitles()).toEqual(["buy milk"]);
    },
  );

  it("needs a statement to deny", async () => {
    await talkAbout(["renew permit", "buy milk"], "delete renew permit", "no it isn't");
    expect(await openTitles()).toEqual(["buy milk"]);
  });
});

it.each(["Damn, wrong one. Bring it back.", "Oh no, I still need it. Can you bring it back?"])(
  "%s undoes",
  async (line) => {
    await talkAbout(["renew permit", "buy milk"], "delete renew permit", line);
    expect(await openTitles()).toContain("renew permit");
  },
);

describe("after an undo", () => {
  it("a pronoun means what is as before", async () => {
    const { steps } = await talkAbout(["renew permit"], "the permit is done", "undo that", "push it to friday");
    expect(steps).toMatchObject([{ input: { title: "permit", dueDate: "2026-11-27" }, status: "completed" }]);
  });

  it("a pronoun means nothing if the thing is gone", async () => {
    const run = await talkAbout([], "add milk", "add eggs", "undo that", "move it to friday");
    expect(run.steps.filter(({ status }) => status === "completed")).toEqual([]);
  });
});

describe("places", () => {
  const titles = ["milk", "nappies", "butter", "bread"];
  const idsOf = ({ steps }: Awaited<ReturnType<typeof talkAbout>>) =>
    steps.map(({ input }) => (input as { id?: string }).id);

  it.each([
    ["tick off the first two", ["t1", "t2"]],
    ["make the last three high priority", ["t2", "t3", "t4"]],
    ["check the first one off", ["t1"]],
    ["please check them off", ["t1", "t2", "t3", "t4"]],
  ])("%s", async (line, ids) => {
    expect(idsOf(await talkAbout(titles, "show my todos", line))).toEqual(ids);
  });

  it("the other two are what is left of four", async () => {
    expect(idsOf(await talkAbout(titles, "show my todos", "complete the first two", "delete the other two"))).toEqual([
      "t3",
      "t4",
    ]);
  });

  it("the other two of three others are not guessed", async () => {
    const { steps } = await talkAbout(titles, "show my todos", "complete the first one", "delete the other two");
    expect(steps.filter(({ status }) => status === "completed")).toEqual([]);
  });

  it("a place of a list is no index of all todos", async () => {
    await talk.agent.run("add Buy milk");
    await talk.agent.run("add passports to packing list");
    await talk.say("show my packing list");
    const { steps } = await talk.say("check the first one off");
    expect(steps).toMatchObject([{ input: { operation: "complete", id: "t2" } }]);
  });
});

describe("a word that changes a value is not dropped", () => {
  it.each(["move the last one to after saturday", "the others before that", "the others after saturday"])(
    "%s changes nothing",
    async (line) => {
      const { steps } = await talkAbout(["milk", "bread", "eggs"], "show my todos", "complete the first one", line);
      expect(steps.filter(({ status }) => status === "completed")).toEqual([]);
    },
  );

  it("the day after is the next day", async () => {
    const { steps } = await talkAbout(
      ["feed the cat", "water the fern"],
      "move feed the cat to saturday",
      "And the fern the day after.",
    );
    expect(steps).toMatchObject([{ input: { title: "fern", dueDate: "2026-11-29" } }]);
  });
});

it.each(["not the nappies they were out", "no not nappies i meant wipes lol", "not milk, oat milk"])(
  "%s renames nothing",
  async (line) => {
    const { steps } = await talkAbout(["milk", "nappies"], "show my todos", line);
    expect(steps.filter(({ status }) => status === "completed")).toEqual([]);
  },
);

it("the same for … does not replace one of two objects", async () => {
  const { steps } = await talkAbout([], "add send the dates to the altos", "the same for the tenors");
  expect(steps).toEqual([]);
});

it("also remind me is a request", async () => {
  const { steps } = await talkAbout([], "add milk", "also remind me of the choir rehearsal, please");
  expect(steps).toMatchObject([{ input: { operation: "add", title: "choir rehearsal" } }]);
});

it.each(["add a task to harper", "create a todo to harper"])("%s names no todo", async (line) => {
  expect((await talk.say(line)).steps.filter(({ status }) => status === "completed")).toEqual([]);
});

it("keeps its own words in a text", async () => {
  const { steps } = await talkAbout([], "make a note clementines 9.64 a crate this week");
  expect(steps).toMatchObject([{ input: { text: "clementines 9.64 a crate this week" } }]);
});

it.each([
  ["at 18 a metre", 648],
  ["times 6.20 a metre", 223.2],
  ["split over 4 flats", 9],
  ["with 20% VAT on top", 43.2],
  ["how much is that times 2", 72],
])("36, %s", async (line, value) => {
  expect((await talkAbout([], "what is 12 times 3", line)).output).toMatchObject({ value });
});

it.each([
  ["9 at 31.20", { value: 280.8 }],
  ["14 metres at 11.50 a metre", { value: 161 }],
  ["36 boxes with 24 pieces how much is together", { value: 864 }],
])("%s is a sum", async (line, output) => {
  expect((await talk.say(line)).output).toMatchObject(output);
});

it.each(["3 at 10.30", "meet 2 friends at 8.30"])("%s is none, as it may hold a time", async (line) => {
  expect((await talk.say(line)).steps.filter(({ status }) => status === "completed")).toEqual([]);
});
