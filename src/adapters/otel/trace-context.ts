import { type Span, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { parseTraceparent } from "../../core/traceparent.ts";

/** A span as [the header traceparent](https://www.w3.org/TR/trace-context/#traceparent-header) names it. */
export function toTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;
}

/** The span that a traceparent names; undefined for anything else. */
export function fromTraceparent(text: string | undefined): SpanContext | undefined {
  const named = parseTraceparent(text);
  if (named === undefined) return undefined;
  const { traceId, spanId, flags } = named;
  return { traceId, spanId, traceFlags: flags & TraceFlags.SAMPLED, isRemote: true };
}
