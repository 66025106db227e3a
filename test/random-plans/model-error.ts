import type { Behaviour } from "./model-case.ts";

/** Extra data on an error besides its message, as a client of some service may add. */
export type Carried = "nothing" | "large" | "deep" | "bottomless" | "cyclic" | "causes";

/** An error that a tool of the model throws. */
export class ModelError extends Error {
  readonly retryable: boolean | undefined;
  readonly retryAfterMs: number | undefined;
  readonly details: unknown;

  constructor({ retryable, retryAfterMs, carries }: Omit<Behaviour, "does" | "afterMs">) {
    super("as the case says", carries === "causes" ? { cause: chainOf(1_000) } : undefined);
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
    this.details = detailsOf[carries]();
  }
}

const detailsOf: Readonly<Record<Carried, () => unknown>> = {
  nothing: () => undefined,
  large: () => ({ page: "<p>".repeat(20_000), rows: Array.from({ length: 2_000 }, (_, row) => ({ row })) }),
  // Small as text, and deeper than an output may be.
  deep: () => ({ query: nested(1_000) }),
  // Deeper than JSON.stringify goes.
  bottomless: () => ({ query: nested(20_000) }),
  cyclic: () => {
    const request: { self?: unknown } = {};
    request.self = request;
    return { request };
  },
  causes: () => ({ query: [nested(3)] }),
};

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

/** A chain of causes, each with details, that leads back to its start. */
function chainOf(length: number): Error {
  const last = new Error("the last cause");
  let cause = last;
  for (let left = length; left > 1; left--) {
    cause = Object.assign(new Error(`cause ${left}`, { cause }), { details: { query: nested(20) } });
  }
  last.cause = cause;
  return cause;
}
