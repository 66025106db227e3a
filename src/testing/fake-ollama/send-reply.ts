import type { ServerResponse } from "node:http";
import type { FakeReply } from "./fake-reply.ts";

/** Sends a reply, waiting where it says so. Ends early when the client has disconnected. Never rejects. */
export async function sendReply(
  response: ServerResponse,
  reply: FakeReply,
  hold: (isDrip: boolean) => Promise<void>,
): Promise<void> {
  const { status, headers, parts, holdsBefore, cut } = reply;
  // The client may disconnect at any time.
  response.on("error", () => {});
  if (holdsBefore === "headers") await hold(false);
  if (cut === "at-once") response.destroy();
  if (response.destroyed) return;
  // With `close`, an open connection is one that its client still needs or has not closed. A cut connection must not
  // announce that it closes.
  response.writeHead(status, { ...headers, ...(cut === undefined && { connection: "close" }) });
  response.flushHeaders();
  for (const [index, part] of parts.entries()) {
    if (holdsBefore === "each" || holdsBefore === index) await hold(holdsBefore === "each");
    if (response.destroyed) return;
    const isLast = index === parts.length - 1 && cut === undefined;
    // The last part is sent with the end, so that a client that has it has everything.
    if (isLast) response.end(part);
    else await write(response, part);
  }
  if (cut !== undefined) response.destroy();
  else if (parts.length === 0) response.end();
}

/** Settles once the part is sent, or never will be. */
async function write(response: ServerResponse, part: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = () => {
      response.off("close", settle);
      resolve();
    };
    response.once("close", settle);
    response.write(part, settle);
  });
  // Lets a client in this process read it now. Otherwise it would read many parts as one.
  await new Promise<void>((resolve) => setImmediate(resolve));
}
