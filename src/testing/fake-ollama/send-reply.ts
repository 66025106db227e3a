import type { ServerResponse } from "node:http";
import type { FakeReply } from "./fake-reply.ts";

/** Sends a reply, waiting where it says so. Ends early when the client has gone. Never rejects. */
export async function sendReply(
  response: ServerResponse,
  reply: FakeReply,
  hold: (isDrip: boolean) => Promise<void>,
): Promise<void> {
  const { status, headers, parts, holdsBefore, cut } = reply;
  // The client may go at any time.
  response.on("error", () => {});
  if (holdsBefore === "headers") await hold(false);
  if (cut === "at-once") response.destroy();
  if (response.destroyed) return;
  // So that a connection that is open is one that its client needs, or has not closed. But one that closes as it was told
  // to would be no cut one.
  response.writeHead(status, { ...headers, ...(cut === undefined && { connection: "close" }) });
  response.flushHeaders();
  for (const [index, part] of parts.entries()) {
    if (holdsBefore === "each" || holdsBefore === index) await hold(holdsBefore === "each");
    if (response.destroyed) return;
    const isLast = index === parts.length - 1 && cut === undefined;
    // The last goes with the end, so that a client that has it has all.
    if (isLast) response.end(part);
    else await write(response, part);
  }
  if (cut !== undefined) response.destroy();
  else if (parts.length === 0) response.end();
}

/** Settles once the part is on its way, or never will be. */
async function write(response: ServerResponse, part: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = () => {
      response.off("close", settle);
      resolve();
    };
    response.once("close", settle);
    response.write(part, settle);
  });
  // A client in this process reads it now. Else it would read many parts as one.
  await new Promise<void>((resolve) => setImmediate(resolve));
}
