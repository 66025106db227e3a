/** @module planwright/metrics */

import { type Clock, monotonicNow, systemClock } from "../../async/clock.ts";
import type { Observer } from "../../core/observer.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import { type MetricFactory, Metrics } from "../otel/metrics.ts";

/** Options of {@link createMetrics}. */
export interface MetricsOptions {
  /** Name of the agent. @default "planwright" */
  name?: string | undefined;
  /** Clock that measures durations. @default the system's */
  clock?: Clock | undefined;
}

/** Metric, named by the conventions of OpenTelemetry. */
export interface Metric {
  /** Name, such as `planwright.runs`. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly description: string;
  /** Unit in UCUM notation: `s` is seconds, and `{run}` counts runs. */
  readonly unit: string;
  readonly points: readonly MetricPoint[];
}

/** Numbers of a metric for one set of attributes. */
export interface MetricPoint {
  /** Attributes, such as `{ "planwright.run.status": "completed" }`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Total of a counter, level of a gauge, or sum of a histogram. */
  readonly value: number;
  /** Number of values of a histogram. */
  readonly count?: number;
  /** Counts of values up to `le` in a histogram, by ascending bounds. Larger values are only in `count`. */
  readonly buckets?: readonly { readonly le: number; readonly count: number }[];
}

/** Observer that keeps metrics in memory. */
export interface MetricsObserver extends Required<Pick<Observer, "event">> {
  /** Returns all metrics. */
  snapshot(this: void): readonly Metric[];
  /** Returns metrics in the text format of Prometheus, of type `text/plain; version=0.0.4`. */
  toPrometheus(this: void): string;
}

const metricsOptions = {
  name: { type: "text", default: "planwright" },
  clock: { methods: ["now"], expected: "a clock", default: systemClock },
} satisfies OptionTable<MetricsOptions>;

/**
 * Creates an observer that counts and measures runs, steps and model calls. Its metrics are those of `createTelemetry`,
 * but do not need OpenTelemetry. They start at zero in each process. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/35-metrics.ts}
 */
export function createMetrics(options: MetricsOptions = {}): MetricsObserver {
  const { name, clock } = readOptions(metricsOptions, options);
  const series: Series[] = [];
  const make =
    (type: Metric["type"]) =>
    (name: string, { description = "", unit = "", advice }: Described = {}) => {
      const made = new Series({ name, type, description, unit }, advice?.explicitBucketBoundaries ?? []);
      series.push(made);
      return made;
    };
  const meter: MetricFactory = {
    createCounter: make("counter"),
    createUpDownCounter: make("gauge"),
    createHistogram: make("histogram"),
    createObservableCounter: make("counter"),
    createObservableGauge: make("gauge"),
  };
  const metrics = new Metrics(meter, name, () => monotonicNow(clock));
  const snapshot = () => series.map((each) => each.read());
  return {
    event: (event) => metrics.event(event),
    snapshot,
    toPrometheus: () => snapshot().map(toText).join(""),
  };
}

type Attributes = Readonly<Record<string, unknown>>;
type Described = NonNullable<Parameters<MetricFactory["createHistogram"]>[1]>;
type Callback = Parameters<ReturnType<MetricFactory["createObservableGauge"]>["addCallback"]>[0];

interface Point {
  readonly attributes: Readonly<Record<string, string>>;
  value: number;
  count: number;
  readonly buckets: readonly { readonly le: number; count: number }[];
}

class Series {
  readonly #points = new Map<string, Point>();
  readonly #callbacks: Callback[] = [];

  constructor(
    private readonly kind: Omit<Metric, "points">,
    private readonly bounds: readonly number[],
  ) {}

  add(value: number, attributes: Attributes = {}): void {
    this.#pointOf(attributes).value += value;
  }

  record(value: number, attributes: Attributes = {}): void {
    const point = this.#pointOf(attributes);
    point.value += value;
    point.count++;
    for (const bucket of point.buckets) if (value <= bucket.le) bucket.count++;
  }

  addCallback(callback: Callback): void {
    this.#callbacks.push(callback);
  }

  removeCallback(): void {}

  read(): Metric {
    const observe = (value: number, attributes: Attributes = {}) => {
      this.#pointOf(attributes).value = value;
    };
    for (const callback of this.#callbacks) callback({ observe });
    const isHistogram = this.kind.type === "histogram";
    const points = [...this.#points.values()].map(({ attributes, value, count, buckets }) =>
      isHistogram ? { attributes, value, count, buckets: structuredClone(buckets) } : { attributes, value },
    );
    return { ...this.kind, points };
  }

  #pointOf(attributes: Attributes): Point {
    const entries = Object.entries(attributes).map(([key, value]) => [key, String(value)] as const);
    const key = JSON.stringify(entries);
    const known = this.#points.get(key);
    if (known !== undefined) return known;
    const buckets = this.bounds.map((le) => ({ le, count: 0 }));
    const point = { attributes: Object.fromEntries(entries), value: 0, count: 0, buckets };
    this.#points.set(key, point);
    return point;
  }
}

/** Follows https://prometheus.io/docs/instrumenting/exposition_formats, with the names of OpenTelemetry's exporter. */
function toText({ name, type, description, points }: Metric): string {
  if (points.length === 0) return "";
  const id = toName(name) + (type === "counter" ? "_total" : "");
  const lines = points.flatMap(({ attributes, value, count = 0, buckets }) => {
    const line = (ending: string, of: number, le?: number | string) =>
      `${id}${ending}${toLabels(le === undefined ? attributes : { ...attributes, le: String(le) })} ${of}`;
    if (buckets === undefined) return [line("", value)];
    const within = buckets.map((bucket) => line("_bucket", bucket.count, bucket.le));
    return [...within, line("_bucket", count, "+Inf"), line("_sum", value), line("_count", count)];
  });
  return `# HELP ${id} ${escapeText(description)}\n# TYPE ${id} ${type}\n${lines.join("\n")}\n`;
}

function toLabels(attributes: Readonly<Record<string, string>>): string {
  const labels = Object.entries(attributes).map(
    ([key, value]) => `${toName(key)}="${escapeText(value).replaceAll('"', '\\"')}"`,
  );
  return labels.length === 0 ? "" : `{${labels.join(",")}}`;
}

function toName(name: string): string {
  return name.replace(/[^\w:]/g, "_");
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
