import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { placeWebExample } from "./web-example.ts";

interface Chunk {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A client of the routes of examples/web. */
function clientOf(address: string) {
  const send = (method: string, path: string, body?: unknown, signal?: AbortSignal) =>
    fetch(`${address}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
      ...(signal && { signal }),
    });
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await send(method, path, body);
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text };
  };
  /** Connects as a page does; disconnects when nobody reads on. */
  async function* chunks(method: string, path: string, body?: unknown): AsyncGenerator<Chunk> {
    const controller = new AbortController();
    const response = await send(method, path, body, controller.signal);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const parts = text.split("\n\n");
        text = parts.pop() ?? "";
        for (const part of parts) if (part.startsWith("data: {")) yield JSON.parse(part.slice(6));
      }
    } finally {
      controller.abort();
    }
  }
  const say = (id: string, text: string) => chunks("POST", "/chat", line(id, text));
  const follow = (id: string) => chunks("GET", `/chat/main.${id}`);
  const all = async (read: AsyncGenerator<Chunk>) => {
    const seen: Chunk[] = [];
    for await (const chunk of read) seen.push(chunk);
    return seen;
  };
  return { ask, say, follow, all, chunks };
}

const line = (id: string, text: string) => ({ messages: [{ id, role: "user", parts: [{ type: "text", text }] }] });
const toolReply = (toolName: string, toolCallId: string, rest: object) => ({
  messages: [{ id: "m", role: "assistant", parts: [{ type: "dynamic-tool", toolName, toolCallId, ...rest }] }],
});
const decision = (toolCallId: string, id: unknown, approved = true) =>
  toolReply("plan", toolCallId, { state: "approval-responded", approval: { id, approved } });
const wordsOf = (chunks: readonly Chunk[]) => chunks.flatMap(({ delta }) => (delta === undefined ? [] : [delta]));

it("examples/web asks what a line lacks, and takes the answer after a kill", async () => {
  const example = await placeWebExample();
  const { ask, say, follow, all } = clientOf(example.address);
  const killed = await example.start({ boxMs: 1 });
  expect(await ask("GET", "/")).toMatchObject({
    status: 200,
    body: readFileSync("examples/web/public/index.html", "utf8"),
  });
  const asked = await all(say("r1", "Pack for Ada"));
  expect(asked[0]).toEqual({ type: "start", messageId: "main.r1" });
  const { toolCallId } = asked.find(({ toolName }) => toolName === "ask_question") ?? { type: "none" };
  // Sent twice, it is one run.
  expect(await all(say("r1", "Pack for Ada"))).toEqual(asked);
  await killed.stop("SIGKILL");

  const restarted = await example.start({ boxMs: 1 });
  expect(await all(follow("r1"))).toEqual(asked);
  expect(await ask("GET", "/chat")).toMatchObject({ body: [{ runId: "main.r1", request: "Pack for Ada" }] });
  const answer = (given: unknown) =>
    toolReply("ask_question", String(toolCallId), { state: "output-available", output: { answer: given } });
  expect(await ask("POST", "/chat", answer("many"))).toMatchObject({ status: 400 });
  expect(await ask("POST", "/chat", answer(2))).toMatchObject({ status: 200 });
  expect(await ask("POST", "/chat", answer(3))).toMatchObject({ status: 409 });
  expect((await all(follow("r1"))).at(-1)).toEqual({ type: "finish", finishReason: "stop" });
  expect(restarted.said().match(/^packs .*/gm)).toEqual(["packs box 1 for Ada", "packs box 2 for Ada"]);
  expect(await restarted.stop()).toBe(0);
});

const request = "Pack 3 boxes for Ada, then send an invoice to Ada";

it("examples/web plans, waits for approval, survives a kill, and shows the run again from its start", async () => {
  const example = await placeWebExample();
  const { ask, say, follow, all, chunks } = clientOf(example.address);
  const killed = await example.start({ boxMs: 60_000 });
  await all(say("r1", request));
  const { body: approvals } = await ask("GET", "/approvals");
  const plan = 's1  pack 3 boxes for Ada\n    Pack {"boxes":3,"customer":"Ada"}\ns2  send an invoice to Ada\n';
  expect(approvals).toEqual([
    {
      runId: "main.r1",
      request,
      metadata: {},
      text: "pack 3 boxes for Ada\nsend an invoice to Ada",
      item: { kind: "plan-approval", hash: expect.any(String) },
      plan: expect.stringContaining(plan),
    },
  ]);
  const { hash } = approvals[0].item;
  expect(await ask("POST", "/chat", decision("main.r1/@plan", "0".repeat(64)))).toMatchObject({ status: 409 });

  const before: Chunk[] = [];
  for await (const chunk of chunks("POST", "/chat", decision("main.r1/@plan", hash))) {
    before.push(chunk);
    if (chunk.preliminary) break;
  }
  expect(before.at(-1)).toMatchObject({ toolCallId: "main.r1/s1", output: { box: 1, boxes: 3 } });
  await killed.stop("SIGKILL");

  const restarted = await example.start({ boxMs: 1 });
  const after = await all(follow("r1"));
  expect(after.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
  expect(after.filter(({ type }) => type === "data-plan")).toHaveLength(1);
  expect(wordsOf(after)).toHaveLength(1);
  // What was cut off ran again, and what runs once ran once.
  expect(`${killed.said()}${restarted.said()}`.match(/^packs box 1 |^sends /gm)).toEqual([
    "packs box 1 ",
    "packs box 1 ",
    "sends ",
  ]);
  expect(await restarted.stop()).toBe(0);
});

it("examples/web asks what became of an invoice that a kill cut off", async () => {
  const example = await placeWebExample();
  const { ask, say, follow, all } = clientOf(example.address);
  // Lines of a thread wait for each other, so one is cut off at a time.
  const settle = async (id: string, choice: "happened" | "retry") => {
    const killed = await example.start({ boxMs: 60_000 });
    const chunks = await all(say(id, "Send an invoice to Ada"));
    const [{ item: approval }] = (await ask("GET", "/approvals")).body;
    const isAsked = expect.objectContaining({ type: "tool-approval-request", approvalId: approval.hash });
    expect(chunks).toContainEqual(isAsked);
    expect(await ask("POST", `/runs/main.${id}/approve`, approval)).toMatchObject({ status: 202 });
    for await (const { toolName } of follow(id)) if (toolName === "Invoice") break;
    await killed.stop("SIGKILL");

    const restarted = await example.start({ boxMs: 1 });
    await expect.poll(async () => (await ask("GET", "/approvals")).body, { timeout: 15_000 }).toHaveLength(1);
    const { body: asked } = await ask("GET", "/approvals");
    const text = "Send an invoice to Ada: it is not known whether this took effect";
    const item = { kind: "outcome", stepId: "s1" };
    expect(asked).toMatchObject([{ runId: `main.${id}`, item, text: expect.stringMatching(RegExp(text, "i")) }]);
    expect(await ask("POST", `/runs/main.${id}/approve`, asked[0].item)).toMatchObject({ status: 400 });
    expect(await ask("POST", `/runs/main.${id}/${choice}`, asked[0].item)).toMatchObject({ status: 202 });
    await expect.poll(async () => (await all(follow(id))).at(-1)).toEqual({ type: "finish", finishReason: "stop" });
    expect(await restarted.stop()).toBe(0);
    return restarted.said().match(/^sends .*/gm);
  };
  expect(await settle("r1", "happened")).toBeNull();
  expect(await settle("r2", "retry")).toEqual(["sends an invoice to Ada"]);
});

it("examples/web bears readers that come and go, and says what is gone", async () => {
  const example = await placeWebExample();
  const { ask, say, follow, all } = clientOf(example.address);
  const server = await example.start({ boxMs: 1 });
  await all(say("r1", "Send an invoice to Ada"));
  const [{ item }] = (await ask("GET", "/approvals")).body;
  const rejected = decision("main.r1/@plan", item.hash, false);
  expect(await ask("POST", "/chat", rejected)).toMatchObject({ status: 200 });
  const whole = await all(follow("r1"));
  expect(whole.map(({ type }) => type)).toContain("tool-output-denied");
  expect(wordsOf(whole)).toEqual([expect.stringMatching(/refused/)]);

  // A page that reconnects after each chunk, and readers that never read.
  for (let connection = 0; connection < 100; connection++) for await (const _chunk of follow("r1")) break;
  const silent = await Promise.all(Array.from({ length: 100 }, () => fetch(`${example.address}/chat/main.r1`)));
  expect(silent.every(({ ok }) => ok)).toBe(true);
  expect(await all(follow("r1"))).toEqual(whole);

  const refused = (status: number) => ({ status, body: { message: expect.any(String) } });
  for (const path of ["/chat/none", "/chat/main.none", "/none"]) expect(await ask("GET", path)).toEqual(refused(404));
  expect(await ask("POST", "/runs/none/approve", item)).toEqual(refused(404));
  expect(await ask("POST", "/runs/main.r1/approve", {})).toEqual(refused(400));
  expect(await ask("POST", "/runs/main.r1/happened", {})).toEqual(refused(400));
  expect(await ask("POST", "/runs/main.r1/retry", { stepId: "s1" })).toEqual(refused(409));
  expect(await ask("POST", "/runs/main.r1/delete", item)).toEqual(refused(404));
  expect(await ask("POST", "/chat", line("r1", "Send an invoice to Ben"))).toEqual(refused(409));
  expect(await ask("POST", "/chat", decision("none/@plan", item.hash))).toEqual(refused(404));
  for (const body of [{}, { messages: [] }, { messages: [{ request: { steps: [] } }] }, line("../r", "Hi"), "{"])
    expect(await ask("POST", "/chat", body)).toEqual(refused(400));
  expect(wordsOf(await all(say("r3", "Fly to the moon")))).toEqual([expect.stringMatching(/cannot be planned/)]);
  expect(await server.stop()).toBe(0);
});

it("examples/web depends on what it imports, of the versions that are tested", () => {
  const { dependencies } = JSON.parse(readFileSync("examples/web/package.json", "utf8"));
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const sources = ["server.ts", "tools.ts"].map((name) => readFileSync(`examples/web/${name}`, "utf8")).join("\n");
  const imported = [...sources.matchAll(/from "(?!node:|\.)([\w-]+)/g)].map(([, name]) => name);
  expect(new Set(imported)).toEqual(new Set(Object.keys(dependencies)));
  const { express, zod } = manifest.devDependencies;
  expect(dependencies).toEqual({ express, planwright: `^${manifest.version}`, zod });
});
