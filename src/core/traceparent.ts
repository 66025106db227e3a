/** What the header `traceparent` names. */
export interface TraceParent {
  /** 32 lowercase hex digits. */
  readonly traceId: string;
  /** 16 lowercase hex digits. */
  readonly spanId: string;
  /** Of 8 bits. */
  readonly flags: number;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header. The version `ff` and ids of zeros are invalid. */
const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** Reads a W3C trace context; undefined for anything else. */
export function parseTraceparent(text: unknown): TraceParent | undefined {
  const [, traceId, spanId, flags] = (typeof text === "string" && form.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
