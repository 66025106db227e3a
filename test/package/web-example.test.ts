import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { placeWebExample } from "./web-example.ts";

interface SentEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: { readonly type: string; readonly outcome?: object; readonly value?: unknown };
}

/** A client of the routes of examples/web. */
function clientOf(address: string) {
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${address}${path}`, {
      method,
      ...(body !== undefined && { headers, body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text };
  };
  /** Connects as a browser does; disconnects when nobody reads on. */
  async function* events(runId: string, after?: string): AsyncGenerator<SentEvent> {
    const controller = new AbortController();
    const headers: Record<string, string> = after === undefined ? {} : { "last-event-id": after };
    const response = await fetch(`${address}/runs/${runId}/events`, { headers, signal: controller.signal });
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const parts = text.split("\n\n");
        text = parts.pop() ?? "";
        for (const part of parts) {
          if (part.startsWith(":")) continue;
          const read = Object.fromEntries(part.split("\n").map((line) => line.split(/: (.*)/s)));
          yield { ...read, data: JSON.parse(read.data) };
        }
      }
    } finally {
      controller.abort();
    }
  }
  return { ask, events };
}

const request = "Pack 3 boxes for Ada, then send an invoice to Ada";

it("examples/web plans, waits for approval, survives a kill, and continues its events where they were cut off", async () => {
  const example = await placeWebExample();
  const { ask, events } = clientOf(example.address);
  const killed = await example.start({ boxMs: 60_000 });
  expect(await ask("GET", "/")).toMatchObject({
    status: 200,
    body: readFileSync("examples/web/public/index.html", "utf8"),
  });
  expect(await ask("PUT", "/runs/r1", { request })).toEqual({ status: 202, body: { runId: "r1" } });
  // Sent twice, it is one run.
  expect(await ask("PUT", "/runs/r1", { request })).toMatchObject({ status: 202 });
  await expect.poll(async () => (await ask("GET", "/runs/r1")).body.status).toBe("suspended");
  const { body: approvals } = await ask("GET", "/approvals");
  const plan = 's1  pack 3 boxes for Ada\n    Pack {"boxes":3,"customer":"Ada"}\ns2  send an invoice to Ada\n';
  expect(approvals).toEqual([
    {
      runId: "r1",
      request,
      metadata: {},
      text: "pack 3 boxes for Ada\nsend an invoice to Ada",
      item: { kind: "plan-approval", hash: expect.any(String) },
      plan: expect.stringContaining(plan),
    },
  ]);
  const [{ item }] = approvals;
  expect(await ask("POST", "/runs/r1/approve", { ...item, hash: "0".repeat(64) })).toMatchObject({ status: 409 });

  const before: SentEvent[] = [];
  for await (const sent of events("r1")) {
    before.push(sent);
    if (sent.event === "run-suspend")
      expect(await ask("POST", "/runs/r1/approve", item)).toMatchObject({ status: 202 });
    if (sent.event === "step-progress") break;
  }
  expect(before.at(-1)).toMatchObject({ data: { value: { box: 1, boxes: 3 } } });
  expect(before.at(-1)).not.toHaveProperty("id");
  await killed.stop("SIGKILL");

  const restarted = await example.start({ boxMs: 1 });
  const after: SentEvent[] = [];
  for await (const sent of events("r1", before.findLast(({ id }) => id !== undefined)?.id)) after.push(sent);
  expect(after.at(-1)).toMatchObject({ event: "run-end", data: { outcome: { status: "completed" } } });
  const ids = [...before, ...after].flatMap(({ id }) => (id === undefined ? [] : Number(id)));
  expect(ids).toEqual(ids.map((_, index) => index + 1));
  const ends = [...before, ...after].filter(({ event }) => event === "run-end" || event === "approval-request");
  expect(ends.map(({ event }) => event)).toEqual(["approval-request", "run-end"]);
  expect(await ask("GET", "/runs/r1")).toMatchObject({ body: { status: "completed" } });
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
  const { ask, events } = clientOf(example.address);
  const killed = await example.start({ boxMs: 60_000 });
  for (const id of ["r1", "r2"]) {
    await ask("PUT", `/runs/${id}`, { request: "Send an invoice to Ada" });
    for await (const { event, data } of events(id)) {
      if (event === "approval-request") await ask("POST", `/runs/${id}/approve`, { ...data, kind: "plan-approval" });
      if (event === "step-start") break;
    }
  }
  await killed.stop("SIGKILL");

  const restarted = await example.start({ boxMs: 1 });
  await expect.poll(async () => (await ask("GET", "/approvals")).body, { timeout: 15_000 }).toHaveLength(2);
  const { body: asked } = await ask("GET", "/approvals");
  const item = { kind: "outcome", stepId: "s1" };
  const text = "Send an invoice to Ada: it is not known whether this took effect";
  expect(asked).toMatchObject(
    ["r2", "r1"].map((runId) => ({ runId, item, text: expect.stringMatching(RegExp(text, "i")) })),
  );
  expect(await ask("POST", "/runs/r1/approve", asked[1].item)).toMatchObject({ status: 400 });
  expect(await ask("POST", "/runs/r1/happened", asked[1].item)).toMatchObject({ status: 202 });
  expect(await ask("POST", "/runs/r2/retry", asked[0].item)).toMatchObject({ status: 202 });
  for (const id of ["r1", "r2"])
    await expect.poll(async () => (await ask("GET", `/runs/${id}`)).body).toMatchObject({ status: "completed" });
  expect(restarted.said().match(/^sends .*/gm)).toEqual(["sends an invoice to Ada"]);
  expect(await restarted.stop()).toBe(0);
});

it("examples/web bears readers that come and go, and says what is gone", async () => {
  const example = await placeWebExample();
  const { ask, events } = clientOf(example.address);
  const server = await example.start({ boxMs: 1 });
  await ask("PUT", "/runs/r1", { request: "Send an invoice to Ada" });
  await expect.poll(async () => (await ask("GET", "/approvals")).body).toHaveLength(1);
  const [{ item }] = (await ask("GET", "/approvals")).body;
  expect(await ask("POST", "/runs/r1/reject", item)).toMatchObject({ status: 202 });
  await expect
    .poll(async () => (await ask("GET", "/runs/r1")).body)
    .toMatchObject({
      status: "failed",
      error: { code: "approval-rejected" },
    });

  // A browser that reconnects after each event.
  const ids: string[] = [];
  for (let connection = 0; connection < 100; connection++)
    for await (const { id = "" } of events("r1", ids.at(-1))) {
      ids.push(id);
      break;
    }
  expect(ids).toEqual(ids.map((_, index) => String(index + 1)));
  expect(ids.length).toBeGreaterThan(5);
  // Readers that never read.
  const silent = await Promise.all(Array.from({ length: 100 }, () => fetch(`${example.address}/runs/r1/events`)));
  expect(silent.every(({ ok }) => ok)).toBe(true);

  const refused = (status: number) => ({ status, body: { message: expect.any(String) } });
  for (const path of ["/runs/none", "/runs/none/events", "/none"]) expect(await ask("GET", path)).toEqual(refused(404));
  const headers = { "last-event-id": "the last one" };
  expect(await fetch(`${example.address}/runs/r1/events`, { headers })).toMatchObject({ status: 400 });
  expect(await ask("POST", "/runs/none/approve", item)).toEqual(refused(404));
  expect(await ask("POST", "/runs/r1/approve", {})).toEqual(refused(400));
  expect(await ask("POST", "/runs/r1/happened", {})).toEqual(refused(400));
  expect(await ask("POST", "/runs/r1/retry", { stepId: "s1" })).toEqual(refused(409));
  expect(await ask("POST", "/runs/r1/delete", item)).toEqual(refused(404));
  expect(await ask("PUT", "/runs/r1", { request: "Send an invoice to Ben" })).toMatchObject({ status: 409 });
  for (const body of [{}, { request: { steps: [] } }, "{"])
    expect(await ask("PUT", "/runs/r2", body)).toEqual(refused(400));
  expect(await ask("PUT", "/runs/r3", { request: "Fly to the moon" })).toMatchObject({ status: 202 });
  await expect.poll(async () => (await ask("GET", "/runs/r3")).body).toMatchObject({ error: { code: "cannot-plan" } });
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
