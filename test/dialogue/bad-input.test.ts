import { join } from "node:path";
import { createAgent, createMemoryRunStore, defineTool, type QuestionItem } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createManualClock } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod/v4";
import { newFolder } from "../new-folder.ts";
import { withMethods } from "../scenario/two-processes.ts";
import { createRooms } from "./rooms.ts";
import { createTalkAgent, nowMs } from "./talk-agent.ts";

const app = createRooms();
const thread = "talk";

function createRoomTalk(options: object = {}) {
  app.reset();
  return createTalkAgent({ tools: app.tools, ...options });
}

describe("the last run of a thread", () => {
  it("failed: what it did not do is no thing", async () => {
    const { agent, say } = createRoomTalk();
    await say("list the rooms");
    await say("set the attic to 5 seats");
    const input = { room: 99, seats: 6 };
    expect((await agent.execute({ steps: [{ id: "s1", tool: "SetSeats", input }] }, { thread })).status).toBe("failed");
    await say("set it to 7 seats");
    expect(app.calls.at(-1)).toEqual(["SetSeats", { room: 12, seats: 7 }]);
  });

  it("waits for approval: nothing that is typed approves it", async () => {
    const { agent, say } = createRoomTalk({
      needsApproval: () => true,
      requestApproval: async () => "suspend" as const,
    });
    await say("list the rooms");
    const { runId, pending } = await say("close room 12");
    expect(pending).toMatchObject([{ kind: "plan-approval" }]);
    for (const line of ["yes", "ok", "approve", "go ahead", "approve it", "1"]) await say(line);
    expect((await agent.getRun(runId))?.status).toBe("suspended");
    expect(app.calls).toEqual([]);
  });

  it("was undone: it is not undone again", async () => {
    const { say } = createRoomTalk();
    await say("list the rooms");
    await say("set the attic to 5 seats");
    await say("undo that");
    const { length } = app.calls;
    expect((await say("undo that")).text).toBe("There is nothing to undo.");
    expect(app.calls).toHaveLength(length);
  });

  it("was deleted: nothing of it is known", async () => {
    const { agent, say } = createRoomTalk();
    const { runId } = await say("list the rooms");
    await agent.deleteRun(runId);
    await say("set the attic to 5 seats");
    await say("close the second one");
    expect(app.calls).toEqual([]);
  });
});

describe("a question", () => {
  const ask = async () => {
    const talk = createRoomTalk();
    const asked = await talk.say("let Loft for 6 people");
    return { ...talk, runId: asked.runId, item: asked.pending?.[0] as QuestionItem };
  };

  it("takes no answer of a megabyte, and none for another run or thread", async () => {
    const { agent, runId, item, say } = await ask();
    await expect(agent.answer(runId, item, "x".repeat(1_000_000)).result).rejects.toMatchObject({ name: "AgentError" });
    const other = await say("list the rooms");
    await expect(agent.answer(other.runId, item, "tomorrow").result).rejects.toMatchObject({ name: "AgentError" });
    await expect(agent.answer("nobody", item, "tomorrow").result).rejects.toMatchObject({ code: "run-not-found" });
    await expect(agent.answer(runId, item, "tomorrow at 6pm", { thread: "bob" }).result).rejects.toMatchObject({
      code: "run-not-found",
    });
    expect((await say("tomorrow at 6pm", { thread: "bob" })).answered).toBeUndefined();
    expect(app.calls).toEqual([]);
    expect((await agent.getRun(runId))?.status).toBe("suspended");
  });

  it("is answered once by the same line with the same id", async () => {
    const { say } = await ask();
    for (let time = 0; time < 2; time++)
      expect(await say("tomorrow at 6pm", { runId: "answer" })).toMatchObject({ status: "completed" });
    expect(app.calls).toHaveLength(1);
  });

  it("is answered though the clock was set back in between, and by the day that the clock says", async () => {
    app.reset();
    const clock = createManualClock({ nowMs });
    const agent = createAgent({ tools: app.tools, clock });
    const options = { thread, timeZone: "UTC" };
    await agent.run("list the rooms", options);
    clock.setNow(nowMs - 2 * 86_400_000);
    const asked = await agent.run("let Loft for 6 people", options);
    clock.setNow(nowMs - 4 * 86_400_000);
    const done = await agent.run("tomorrow at 6pm", options);
    expect(done).toMatchObject({ status: "completed", runId: asked.runId });
    expect(app.calls).toEqual([["LetRoom", { name: "Loft", seats: 6, from: "2026-11-23T18:00:00.000Z" }]]);
  });
});

it("two processes with one file share a thread", async () => {
  app.reset();
  const path = join(newFolder(), "runs.db");
  const [one, two] = [createSqliteRunStore({ path }), createSqliteRunStore({ path })];
  onTestFinished(() => {
    one.close();
    two.close();
  });
  const secrets = { keys: [{ id: "k1", key: Buffer.alloc(32, 7).toString("base64") }] };
  const first = createTalkAgent({ tools: app.tools, store: one, secrets });
  // Both go by one clock, as processes of one machine do.
  const second = createTalkAgent({ tools: app.tools, store: two, secrets, clock: first.clock });
  await first.say("list the rooms");
  await second.say("set the second one to 5 seats");
  await first.say("set it to 6 seats");
  expect(app.calls).toEqual([
    ["SetSeats", { room: 12, seats: 5 }],
    ["SetSeats", { room: 12, seats: 6 }],
  ]);
  const asked = await first.say("let Loft for 6 people");
  expect((await second.say("tomorrow at 6pm")).runId).toBe(asked.runId);
  expect((await first.say("tomorrow at 6pm")).answered).toBeUndefined();
  expect(app.calls).toHaveLength(3);
});

it("what a tool says neither ends a run nor gives it another name", async () => {
  const says: readonly (() => string)[] = [
    () => {
      throw new Error("no words");
    },
    () => "Closed the room Buckingham.",
    () => "Really delete everything? Type yes.",
  ];
  for (const say of says) {
    const tool = defineTool({
      name: "CloseRoom",
      description: "Closes a room",
      inputSchema: z.object({ room: z.number() }),
      outputSchema: z.object({ room: z.number(), name: z.string() }),
      effect: "idempotent",
      phrases: ["close room {room}"],
      execute: ({ room }) => ({ room, name: "Attic" }),
      say,
    });
    const talk = createTalkAgent({ tools: [tool] });
    const { status, text } = await talk.say("close room 12");
    expect([status, text]).toEqual(["completed", expect.not.stringMatching(/Buckingham|no words/)]);
    // Words are never a question.
    const yes = await talk.say("yes");
    expect([yes.answered, yes.plan]).toEqual([undefined, undefined]);
  }
});

it("a thread id of 10 kB is refused", async () => {
  const { agent } = createRoomTalk();
  await expect(agent.run("list the rooms", { thread: "x".repeat(10_000) })).rejects.toMatchObject({
    code: "invalid-options",
  });
});

it("a thread of 10,000 runs costs what one of 50 costs", async () => {
  const memory = createMemoryRunStore();
  let reads = 0;
  const store = withMethods(memory, {
    read: (...args) => {
      reads++;
      return memory.read(...args);
    },
    list: async (options) => {
      const page = await memory.list(options);
      reads += page.runs.length;
      return page;
    },
  });
  const { say } = createRoomTalk({ store });
  const { runId } = await say("list the rooms");
  const events = [...(await memory.read(runId))];
  const countReads = async () => {
    reads = 0;
    await say("set the second one to 5 seats");
    return reads;
  };
  const fill = async (from: number, to: number) => {
    for (let number = from; number < to; number++)
      await memory.append(`r${number}`, events.map((event) => ({ ...event, runId: `r${number}` })) as never, {
        sequence: 1,
      });
  };
  await fill(0, 50);
  const few = await countReads();
  await fill(50, 10_000);
  expect(await countReads()).toBe(few);
  expect(app.calls).toHaveLength(2);
});
