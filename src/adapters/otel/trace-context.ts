import { isSpanContextValid, type Span, type SpanContext, TraceFlags } from "@opentelemetry/api";

/** A span as [the header traceparent](https://www.w3.org/TR/trace-context/#traceparent-header) names it. */
export function toTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;
}

/** The span that a traceparent names; undefined for anything else. */
export function fromTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags = "00"] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  const named = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(named) ? named : undefined;
}
