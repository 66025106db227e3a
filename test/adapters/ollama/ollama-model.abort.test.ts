import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { sleep } from "../../../src/async/clock.ts";
import { checkNothingIsLeft, deferred, setUp } from "./setup-ollama.ts";

const reason = new Error("enough");

checkNothingIsLeft();

describe("aborting a call", () => {
  it("before it starts sends nothing", async () => {
    const { controller, ask, ollama } = await setUp([]);
    controller.abort(reason);
    await expect(ask()).rejects.toBe(reason);
    expect(ollama.requests).toEqual([]);
  });

  it("immediately sends no chat", async () => {
    const { controller, ask, ollama } = await setUp([]);
    const answer = ask();
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(ollama.chats).toEqual([]);
  });

  it("while the model's facts are requested closes the connection", async () => {
    const { controller, ask, ollama } = await setUp([], { server: { showScript: [{ fault: "hang" }] } });
    const answer = ask();
    await ollama.waitForRequest("/api/show");
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect((await ollama.waitForDisconnect()).path).toBe("/api/show");
  });

  it("before the response headers closes the connection", async () => {
    const { controller, ask, ollama } = await setUp([{ fault: "hang" }]);
    const answer = ask();
    await ollama.waitForRequest();
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect((await ollama.waitForDisconnect()).path).toBe("/api/chat");
  });

  it("in the middle of an answer closes the connection, and stops onTextDelta", async () => {
    const { controller, ask, ollama, deltas } = await setUp([{ fault: "drip", text: "one two three" }]);
    const first = deferred();
    const answer = ask({
      onTextDelta: (delta) => {
        deltas.push(delta);
        first.resolve();
      },
    });
    await ollama.waitForRequest();
    ollama.release();
    await first.promise;
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await ollama.waitForDisconnect();
    expect(deltas).toEqual(["one "]);
  });

  it("from within onTextDelta ends the answer there", async () => {
    const lines = ["one ", "two "].map((content) => JSON.stringify({ message: { content }, done: false }));
    // Both come at once.
    const { controller, ask, deltas } = await setUp([{ body: `${lines.join("\n")}\n` }]);
    const onTextDelta = (delta: string) => {
      deltas.push(delta);
      controller.abort(reason);
    };
    await expect(ask({ onTextDelta })).rejects.toBe(reason);
    await new Promise((resolve) => setImmediate(resolve));
    expect(deltas).toEqual(["one "]);
  });

  it("while an error response is read closes the connection", async () => {
    const { controller, ask, ollama } = await setUp([], {
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).endsWith("chat")) return response;
        return new Response(response.body, { status: 500 });
      },
      server: { script: [{ fault: "hang-mid-stream" }] },
    });
    const answer = ask();
    await ollama.waitForRequest();
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await ollama.waitForDisconnect();
  });

  it("while it waits for another attempt leaves no timer behind", async () => {
    const clock = createManualClock();
    const waiting = deferred();
    const setTimeout: typeof clock.setTimeout = (callback, delayMs) => {
      waiting.resolve();
      return clock.setTimeout(callback, delayMs);
    };
    const { controller, ask } = await setUp([{ fault: "busy" }], { clock: { ...clock, now: clock.now, setTimeout } });
    const answer = ask();
    await waiting.promise;
    expect(clock.pendingTimers).toBe(1);
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  it("after the answer changes nothing", async () => {
    const { controller, ask } = await setUp([{ text: "Hi" }]);
    const answer = await ask();
    controller.abort(reason);
    expect(answer.text).toBe("Hi");
  });

  it("rejects soon even if the given fetch ignores its signal, and closes its late response", async () => {
    const answered = deferred<Response>();
    const cancelled = deferred<unknown>();
    const asked = deferred();
    const { controller, ask } = await setUp([], {
      fetch: () => {
        asked.resolve();
        return answered.promise;
      },
    });
    const answer = ask();
    await asked.promise;
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    answered.resolve(new Response(new ReadableStream({ cancel: cancelled.resolve })));
    await cancelled.promise;
  });

  it("closes the response of a given fetch that ignores its signal", async () => {
    const cancelled = deferred<unknown>();
    const line = `${JSON.stringify({ message: { content: "Hi" }, done: false })}\n`;
    const { controller, ask } = await setUp([], {
      fetch: async (input) => {
        if (String(input).endsWith("show")) return new Response("{}");
        return new Response(
          new ReadableStream({
            start: (stream) => stream.enqueue(new TextEncoder().encode(line)),
            cancel: cancelled.resolve,
          }),
        );
      },
    });
    const firstDelta = deferred<string>();
    const refused = expect(ask({ onTextDelta: firstDelta.resolve })).rejects.toBe(reason);
    expect(await firstDelta.promise).toBe("Hi");
    controller.abort(reason);
    await refused;
    expect(await cancelled.promise).toBe(reason);
  });

  it("does not affect other calls", async () => {
    const { ask, ollama, controller } = await setUp([{ fault: "hang" }, { text: "Hi" }]);
    const own = new AbortController();
    const hanging = ask({ signal: own.signal });
    await ollama.waitForRequest();
    const other = ask();
    own.abort(reason);
    await expect(hanging).rejects.toBe(reason);
    expect((await other).text).toBe("Hi");
    expect(controller.signal.aborted).toBe(false);
  });
});

describe("a hanging server", () => {
  it("is waited for until the signal aborts", async () => {
    const clock = createManualClock();
    const { controller, ask, ollama } = await setUp([{ fault: "hang-mid-stream" }]);
    const refused = expect(ask()).rejects.toBe(reason);
    void sleep(60_000, { clock, signal: controller.signal }).then((isOver) => isOver && controller.abort(reason));
    await ollama.waitForRequest();
    await clock.advance(60_000);
    await refused;
  });

  it("may still answer in the end", async () => {
    const { ask, ollama } = await setUp([{ fault: "hang", text: "Hi" }]);
    const answer = ask();
    await ollama.waitForRequest();
    ollama.release();
    expect((await answer).text).toBe("Hi");
  });
});
