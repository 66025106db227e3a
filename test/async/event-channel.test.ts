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
  it("returns pushed events in order, before and after it is closed", async () => {
    const channel = createChannel(9, "a", "b");
    const reader = channel[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ value: "a", done: false });
    channel.push("c");
    expect(await readAll(channel)).toBe("b c");
    expect(await reader.next()).toEqual({ value: undefined, done: true });
    expect(channel.dropped).toBe(0);
  });

  it("rejects with its error only after the events that were pushed before it", async () => {
    const channel = createChannel(9, "a");
    const reader = channel[Symbol.asyncIterator]();
    const error = new Error("refused");
    channel.fail(error);
    channel.push("b");
    expect(await reader.next()).toEqual({ value: "a", done: false });
    await expect(reader.next()).rejects.toBe(error);
    await expect(channel[Symbol.asyncIterator]().next()).rejects.toBe(error);
  });

  it("rejects every waiting read with its error", async () => {
    const channel = createChannel(9);
    const waiting = [channel, channel].map((each) => each[Symbol.asyncIterator]().next());
    const error = new Error("refused");
    channel.fail(error);
    for (const each of waiting) await expect(each).rejects.toBe(error);
  });

  it("keeps as many events as its capacity", async () => {
    const channel = createChannel(3, "a", "b", "c");
    expect(channel.dropped).toBe(0);
    expect(await readAll(channel)).toBe("a b c");
  });

  it("drops the oldest expendable event first, or the oldest event if none is expendable", async () => {
    const channel = createChannel(4, "a", "~1", "b", "~2", "c");
    expect(channel.dropped).toBe(1);
    channel.push("d");
    channel.push("e");
    expect(channel.dropped).toBe(3);
    expect(await readAll(channel)).toBe("b c d e");
  });

  it("drops an expendable event for a newer expendable event", async () => {
    const channel = createChannel(2, "a", "~1", "~2", "~3");
    expect(channel.dropped).toBe(2);
    expect(await readAll(channel)).toBe("a ~3");
  });

  it("still knows which events are expendable after some were read", async () => {
    const channel = createChannel(2, "~1", "a");
    expect(await channel[Symbol.asyncIterator]().next()).toMatchObject({ value: "~1" });
    for (const event of ["b", "c"]) channel.push(event);
    expect(channel.dropped).toBe(1);
    expect(await readAll(channel)).toBe("b c");
  });

  it("stays within its capacity and keeps the order under random pushes and reads", async () => {
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

  it("passes an event to the reader that has waited longest, without keeping it", async () => {
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

  it("ends all waiting reads when it is closed, and ignores later events", async () => {
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

  it("continues for a second reader after the first one has stopped", async () => {
    const channel = createChannel(9, "a", "b");
    for await (const event of channel) {
      expect(event).toBe("a");
      break;
    }
    expect(await readAll(channel)).toBe("b");
  });
});
