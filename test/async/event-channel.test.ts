import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventChannel } from "../../src/async/event-channel.ts";

/** Texts that begin with "~" may be dropped first. */
function createChannel(capacity: number, ...events: readonly string[]) {
  const channel = new EventChannel<string>({ capacity, isExpendable: (event) => event.startsWith("~") });
  for (const event of events) channel.push(event);
  return channel;
}

async function readAll(channel: EventChannel<string>): Promise<string> {
  channel.close();
  const events: string[] = [];
  for await (const event of channel) events.push(event);
  return events.join(" ");
}

describe("EventChannel", () => {
  it("gives what was pushed, in order, before and after it is closed", async () => {
    const channel = createChannel(9, "a", "b");
    const reader = channel[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ value: "a", done: false });
    channel.push("c");
    expect(await readAll(channel)).toBe("b c");
    expect(await reader.next()).toEqual({ value: undefined, done: true });
    expect(channel.dropped).toBe(0);
  });

  it("gives its error to whoever reads on, once all is read that was pushed before", async () => {
    const channel = createChannel(9, "a");
    const reader = channel[Symbol.asyncIterator]();
    const error = new Error("refused");
    channel.fail(error);
    channel.push("b");
    expect(await reader.next()).toEqual({ value: "a", done: false });
    await expect(reader.next()).rejects.toBe(error);
    await expect(channel[Symbol.asyncIterator]().next()).rejects.toBe(error);
  });

  it("gives its error to whoever waits", async () => {
    const channel = createChannel(9);
    const waiting = [channel, channel].map((each) => each[Symbol.asyncIterator]().next());
    const error = new Error("refused");
    channel.fail(error);
    for (const each of waiting) await expect(each).rejects.toBe(error);
  });

  it("holds as many as it has room for", async () => {
    const channel = createChannel(3, "a", "b", "c");
    expect(channel.dropped).toBe(0);
    expect(await readAll(channel)).toBe("a b c");
  });

  it("drops the oldest expendable one first, and the oldest when there is none", async () => {
    const channel = createChannel(4, "a", "~1", "b", "~2", "c");
    expect(channel.dropped).toBe(1);
    channel.push("d");
    channel.push("e");
    expect(channel.dropped).toBe(3);
    expect(await readAll(channel)).toBe("b c d e");
  });

  it("drops what is expendable for something that is, too", async () => {
    const channel = createChannel(2, "a", "~1", "~2", "~3");
    expect(channel.dropped).toBe(2);
    expect(await readAll(channel)).toBe("a ~3");
  });

  it("knows after reading what is still expendable", async () => {
    const channel = createChannel(2, "~1", "a");
    expect(await channel[Symbol.asyncIterator]().next()).toMatchObject({ value: "~1" });
    for (const event of ["b", "c"]) channel.push(event);
    expect(channel.dropped).toBe(1);
    expect(await readAll(channel)).toBe("b c");
  });

  it("stays within its bounds and keeps its order, whatever comes and is read", async () => {
    const actions = fc.array(fc.constantFrom("~", "event", "read"), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(actions, fc.integer({ min: 1, max: 8 }), async (list, capacity) => {
        const channel = createChannel(capacity);
        const model: string[] = [];
        const reader = channel[Symbol.asyncIterator]();
        for (const [index, action] of list.entries()) {
          if (action !== "read") {
            if (model.length === capacity) {
              const oldest = model.findIndex((event) => event.startsWith("~"));
              model.splice(Math.max(0, oldest), 1);
            }
            model.push(`${action}${index}`);
            channel.push(`${action}${index}`);
          } else if (model.length > 0) expect(await reader.next()).toEqual({ value: model.shift(), done: false });
        }
        expect(await readAll(channel)).toBe(model.join(" "));
      }),
    );
  });

  it("gives an event to the reader that waits longest, and never keeps it", async () => {
    const channel = createChannel(1);
    const reader = channel[Symbol.asyncIterator]();
    const waiting = [reader.next(), reader.next()];
    channel.push("a");
    channel.push("b");
    expect(await Promise.all(waiting)).toEqual([
      { value: "a", done: false },
      { value: "b", done: false },
    ]);
    expect(channel.dropped).toBe(0);
    expect(await readAll(channel)).toBe("");
  });

  it("ends all who wait when it is closed, and takes nothing afterwards", async () => {
    const channel = createChannel(9);
    const reader = channel[Symbol.asyncIterator]();
    const waiting = [reader.next(), reader.next()];
    channel.close();
    channel.close();
    channel.push("late");
    expect(await Promise.all(waiting)).toEqual([
      { value: undefined, done: true },
      { value: undefined, done: true },
    ]);
    expect(await readAll(channel)).toBe("");
    expect(channel.dropped).toBe(0);
  });

  it("can be left and read on", async () => {
    const channel = createChannel(9, "a", "b");
    for await (const event of channel) {
      expect(event).toBe("a");
      break;
    }
    expect(await readAll(channel)).toBe("b");
  });
});
