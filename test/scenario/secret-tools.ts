import { defineTool, sensitive, type Tool, type ToolContext } from "planwright";
import { expect } from "vitest";
import { z } from "zod/v4";

/** The secrets that the tools below accept or return. */
export const password = "hunter2-Zebra";
export const token = "tok_9f8e7d6c5b4a";

/** A key that is the same in each process. */
export const keyOf = (id: string, byte = 7) => ({ id, key: new Uint8Array(32).fill(byte) });

/** The calls of the tools below. */
export interface Calls {
  readonly logins: unknown[];
  readonly fetches: unknown[];
  readonly undone: unknown[];
}

export interface SecretToolOptions {
  /** The work of the tool that uses the token. */
  use?: (input: { header: string; url: string }, context: ToolContext) => unknown;
  needsApproval?: boolean;
}

/** A tool that takes a password and returns a token, and one that is not marked at all. */
export function secretTools({ use = () => ({ ok: true }), needsApproval = false }: SecretToolOptions = {}) {
  const calls: Calls = { logins: [], fetches: [], undone: [] };
  const login = defineTool({
    name: "Login",
    description: "Logs in",
    inputSchema: z.object({ user: z.string(), password: sensitive(z.string()) }),
    effect: "idempotent",
    outputSchema: z.object({ user: z.string(), token: sensitive(z.string()) }),
    needsApproval,
    execute: (input) => {
      calls.logins.push(input);
      return { user: input.user, token };
    },
    undo: (done) => {
      calls.undone.push(done);
    },
  });
  const fetch = defineTool({
    name: "Fetch",
    description: "Gets a page",
    inputSchema: z.object({ header: z.string(), url: z.string() }),
    effect: "idempotent",
    execute: (input, context) => {
      calls.fetches.push(input);
      return use(input, context);
    },
    undo: (done) => {
      calls.undone.push(done);
    },
  });
  return { tools: [login, fetch] as readonly Tool[], calls };
}

/** A plan that logs in and uses the token in text. */
export const secretPlan = {
  steps: [
    { id: "in", tool: "Login", input: { user: "ann", password } },
    {
      id: "get",
      tool: "Fetch",
      input: { header: "Bearer ${in.token}", url: "https://example.test/?q=${in.user}" },
    },
  ],
};

/** Shorter text may be part of a random id or of a sealed value by chance. */
const minSecretLength = 6;

/** Fails if a value contains a secret, in any form in which it is written. */
export function expectHidden(value: unknown, secrets: readonly string[] = [password, token]): void {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  for (const secret of secrets) {
    expect(secret.length, secret).toBeGreaterThanOrEqual(minSecretLength);
    for (const form of [secret, encodeURIComponent(secret), btoa(secret)]) expect(text).not.toContain(form);
  }
}
