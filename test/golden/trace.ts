import type { AgentEvent, RunResult, RunStore } from "planwright";

/**
 * The ordered list of what happens in a golden run: one line for each entry. Ids, hashes and sealed bytes are numbered
 * or hidden, instants are milliseconds since the start, and keys are sorted, as nothing depends on them.
 */
export class Trace {
  private readonly lines: string[] = [];
  private readonly numbers = { id: new Map<string, number>(), hash: new Map<string, number>() };
  /** The recorded events as JSON, by run and number. */
  private readonly recorded = new Map<string, string>();
  private toldMs = 0;
  /** The number of repetitions of the last line. */
  private repeats = 0;

  /** `elapsedMs` returns the time since the start. */
  constructor(private readonly elapsedMs: () => number) {}

  add(line: string): void {
    const nowMs = this.elapsedMs();
    const shown = this.withoutAccidents(line);
    // Whoever waits for a run of another process asks for it again and again.
    const isRepeated = shown === this.lines.at(-1) && shown.includes(" → run-owned-elsewhere");
    if (isRepeated) {
      this.repeats++;
      return;
    }
    this.endRepeats();
    if (nowMs !== this.toldMs) this.lines.push(`+${nowMs - this.toldMs} ms`);
    this.toldMs = nowMs;
    this.lines.push(shown);
  }

  /** Adds the events of an append, which are recorded now. */
  addRecorded(runId: string, events: readonly AgentEvent[]): void {
    for (const event of events) {
      this.recorded.set(`${runId}#${event.sequence}`, toJson(event));
      this.add(`    ${this.describeEvent(event)}`);
    }
  }

  /** Adds an event that a listener received: its name if it is as it was recorded, else all of it. */
  addEmitted(agent: string, event: AgentEvent): void {
    const isRecorded = this.recorded.get(`${event.runId}#${event.sequence}`) === toJson(event);
    this.add(
      `${agent} emit ${event.runId} ${isRecorded ? `${event.sequence} ${event.type}` : this.describeEvent(event)}`,
    );
  }

  get length(): number {
    return this.lines.length;
  }

  /** Adds the lines of another trace, from a number on. */
  addAll(other: Trace, from: number): void {
    this.endRepeats();
    other.endRepeats();
    this.lines.push(...other.lines.slice(from));
  }

  toString(): string {
    this.endRepeats();
    return `${this.lines.join("\n")}\n`;
  }

  private endRepeats(): void {
    if (this.repeats > 0) this.lines.push(`    and ${this.repeats} times more`);
    this.repeats = 0;
  }

  private describeEvent({ type, sequence, runId: _runId, timestamp, ...fields }: AgentEvent): string {
    const atMs = Date.parse(timestamp) - startMs;
    return `${sequence} ${type} ${toJson(atMs === this.elapsedMs() ? fields : { ...fields, timestamp })}`;
  }

  private withoutAccidents(line: string): string {
    return line
      .replace(/"\$sealed":"[^"]*"/g, '"$sealed":"…"')
      .replace(/\b[0-9a-f]{64}\b/g, (hash) => `<hash ${this.numberOf("hash", hash)}>`)
      .replace(/gid\d+gid/g, (id) => `<id ${this.numberOf("id", id)}>`)
      .replace(/"atMs":(\d+)/g, (_, atMs) => `"atMs":"<${Number(atMs) - startMs} ms>"`)
      .replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, (time) => `<${Date.parse(time) - startMs} ms>`);
  }

  /** Numbers of one kind begin with 1, in the order in which they appear. */
  private numberOf(kind: "id" | "hash", value: string): number {
    const numbers = this.numbers[kind];
    const number = numbers.get(value) ?? numbers.size + 1;
    numbers.set(value, number);
    return number;
  }
}

/** When each golden run starts. */
export const startMs = Date.UTC(2026, 0, 1);

/** The zone that run options have if none is given. */
const machineZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** JSON with sorted keys, without the stacks of errors, the zone of the machine, and the number of the format. */
export function toJson(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? "undefined" : JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return "(no JSON)";
  }
}

function sorted(value: unknown, key = ""): unknown {
  if (key === "stack" && typeof value === "string") return `${value.split("\n")[0]} …`;
  if (key === "timeZone" && value === machineZone) return "<zone>";
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  const isExecution = "tools" in value && "version" in value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, isExecution && name === "version" ? "<format>" : sorted(item, name)]),
  );
}

/** The parts of a result that do not repeat the events. */
export function describeResult({ status, runId, output, error, steps, pending, ...rest }: RunResult): string {
  const { notUndone, approvals, usage, forkedFrom, digest } = rest;
  const log = steps.map(({ stepId, iteration, status, attempts }) => {
    return `${placeOf({ stepId, iteration })} ${status} ${attempts}`;
  });
  const parts = { output, error: error?.code, pending, notUndone, approvals, usage, forkedFrom, digest };
  return `result of ${runId}: ${status}; ${log.join(", ") || "no steps"}; ${toJson(parts)}`;
}

/** A step, or an iteration of one, as one word. */
export function placeOf({ stepId, iteration }: { stepId: string; iteration?: number | undefined }): string {
  return iteration === undefined ? stepId : `${stepId}[${iteration}]`;
}

/** Whatever was thrown, in a line. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return toJson(thrown);
  const { code } = thrown as { code?: unknown };
  return `${code === undefined ? thrown.name : String(code)}: ${thrown.message}`;
}

/**
 * A store that adds each call to a trace once it is answered. It is not volatile, whatever the one inside says, so that
 * leases on runs in memory last as long as those on a disk. It cannot be watched, as not every store can.
 */
export function traceStore(store: RunStore, { trace, agent }: { trace: Trace; agent: string }): RunStore {
  const answer = <T>(call: string, ask: () => T | Promise<T>, tell: (value: T) => void): T | Promise<T> => {
    const refuse = (thrown: unknown): never => {
      trace.add(`${agent} ${call} → ${describeThrown(thrown)}`);
      throw thrown;
    };
    const told = (value: T): T => {
      tell(value);
      return value;
    };
    try {
      const value = ask();
      return value instanceof Promise ? value.then(told, refuse) : told(value);
    } catch (thrown) {
      return refuse(thrown);
    }
  };
  const simple = <T>(call: string, ask: () => T | Promise<T>, show: (value: T) => unknown) =>
    answer(call, ask, (value) => {
      const shown = show(value);
      trace.add(`${agent} ${call}${shown === undefined ? "" : ` → ${toJson(shown)}`}`);
    });
  return {
    isVolatile: false,
    append: (runId, events, options) => {
      const { fence, acknowledged = [], sequence } = options;
      const processed = acknowledged.length > 0 ? `, acknowledges ${acknowledged.join(", ")}` : "";
      const call = `append ${runId} from ${sequence}, fence ${fence}${processed}`;
      return answer(
        call,
        () => store.append(runId, events, options),
        () => {
          trace.add(`${agent} ${call}`);
          trace.addRecorded(runId, events);
        },
      );
    },
    read: (...args) => store.read(...args),
    list: (...args) => store.list(...args),
    claim: (runId, options) =>
      simple(
        `claim ${runId} for ${options.ttlMs} ms by ${options.owner}`,
        () => store.claim(runId, options),
        ({ fence, posted = [] }) => ({ fence, ...(posted.length > 0 && { posted }) }),
      ),
    renew: (runId, options) =>
      simple(
        `renew ${runId} for ${options.ttlMs} ms, fence ${options.fence}`,
        () => store.renew(runId, options),
        ({ posted = [] }) => (posted.length > 0 ? posted : undefined),
      ),
    release: (runId, options) => {
      const { fence, acknowledged = [] } = options;
      const processed = acknowledged.length > 0 ? `, acknowledges ${acknowledged.join(", ")}` : "";
      return simple(
        `release ${runId}, fence ${fence}${processed}`,
        () => store.release(runId, options),
        () => undefined,
      );
    },
    post: (runId, message, options) =>
      simple(
        `post ${runId} ${toJson(message)}`,
        () => store.post(runId, message, options),
        ({ number, isFull }) => ({ number, isFull }),
      ),
    delete: (runId, options) =>
      simple(
        `delete ${runId} ${toJson(options)}`,
        () => store.delete(runId, options),
        (isDeleted) => isDeleted,
      ),
  };
}
