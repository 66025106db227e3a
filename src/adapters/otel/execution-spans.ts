import { type Attributes, type Context, type Span, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { ErrorData } from "../../core/error-data.ts";
import type { TelemetryContent } from "./content.ts";
import { attribute } from "./names.ts";

/** What spans are made with. */
export interface SpanSettings {
  readonly tracer: Tracer;
  /** Of the agent. */
  readonly name: string;
  readonly content: TelemetryContent;
}

/** How a span ends. */
export interface SpanEnd {
  readonly attributes?: Attributes;
  /** Set for what failed; what was cancelled or waits has not failed. */
  readonly error?: Pick<ErrorData, "name" | "message" | "code">;
}

/** The open spans of one execution of a run, or of a planning without a run. */
export class ExecutionSpans {
  /** By what they are of. Several for a model that is asked twice at once. */
  private readonly open = new Map<string, Span[]>();

  /** `root` is undefined for a planning without a run; `context` is what the spans are below. */
  constructor(
    readonly settings: SpanSettings,
    readonly context: Context,
    readonly root?: Span,
  ) {}

  /** The latest open span of something. */
  get(key: string): Span | undefined {
    return this.open.get(key)?.at(-1);
  }

  /** Starts a span below that of `parent`, if it is open, or below the execution. */
  start(key: string, name: string, { parent, attributes }: { parent?: string; attributes: Attributes }): Span {
    const span = this.settings.tracer.startSpan(name, { attributes }, this.contextOf(parent));
    const spans = this.open.get(key);
    if (spans === undefined) this.open.set(key, [span]);
    else spans.push(span);
    return span;
  }

  /** The context in which the span of something is active. */
  contextOf(key: string | undefined): Context {
    const span = key === undefined ? undefined : this.get(key);
    return span === undefined ? this.context : trace.setSpan(this.context, span);
  }

  /** Ends the span that is open the longest; does nothing if none is. */
  end(key: string, { attributes, error }: SpanEnd = {}): void {
    const spans = this.open.get(key);
    const span = spans?.shift();
    if (spans?.length === 0) this.open.delete(key);
    if (span !== undefined) endSpan(span, { attributes, error }, this.settings.content);
  }

  /** Ends all spans that are open, and that of the execution. */
  close(end: SpanEnd): void {
    for (const spans of this.open.values()) for (const span of spans) span.end();
    this.open.clear();
    if (this.root !== undefined) endSpan(this.root, end, this.settings.content);
  }
}

function endSpan(span: Span, { attributes, error }: SpanEnd, content: TelemetryContent): void {
  if (attributes !== undefined) span.setAttributes(attributes);
  if (error !== undefined) {
    span.setAttribute(attribute.errorType, error.code ?? error.name);
    // What an error says may quote what came out of a tool.
    span.setStatus({ code: SpanStatusCode.ERROR, ...(content === "all" && { message: error.message }) });
  }
  span.end();
}
