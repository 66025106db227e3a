import { type Clock, sleep } from "../../async/clock.ts";
import type { NoticeClient, PostgresQueryable } from "./sql-pool.ts";

/** What {@link RunNotices} needs. */
interface NoticeOptions {
  readonly schema: string;
  readonly clock: Clock;
  /** A new client, not connected yet, for a connection of its own; undefined if there cannot be one. */
  readonly createClient: () => Promise<NoticeClient | undefined>;
  readonly pool: () => Promise<PostgresQueryable>;
}

const channel = "planwright";
/** How often it is tried to connect again, one second after the other; then followers only poll, until one more comes. */
const maxReconnects = 60;

/**
 * Tells stores on the same database of what was recorded. It is not a part of the statement that records, as a commit with
 * a notice waits for all others that have one; and so a notice can be lost, and followers poll, too.
 */
export class RunNotices {
  private readonly listeners = new Map<string, Set<() => void>>();
  private client: NoticeClient | undefined;
  private connecting: Promise<void> | undefined;
  private news = new Set<string>();
  private telling: Promise<void> | undefined;
  private readonly closing = new AbortController();

  constructor(private readonly options: NoticeOptions) {}

  /** Tells of a run soon; those that are told of meanwhile share one statement. */
  tell(runId: string): void {
    if (this.closing.signal.aborted) return;
    this.news.add(runId);
    this.telling ??= this.send();
  }

  watch(runId: string, listener: () => void): () => void {
    const known = this.listeners.get(runId) ?? new Set();
    this.listeners.set(runId, known.add(listener));
    if (this.client === undefined) this.connecting ??= this.connect();
    return () => {
      known.delete(listener);
      if (known.size === 0 && this.listeners.get(runId) === known) this.listeners.delete(runId);
      if (this.listeners.size === 0) this.disconnect();
    };
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.listeners.clear();
    this.disconnect();
    await Promise.all([this.telling, this.connecting]);
  }

  private async send(): Promise<void> {
    while (this.news.size > 0) {
      // A payload of a run id, which has no space, and the schema.
      const payloads = [...this.news].map((runId) => `${runId} ${this.options.schema}`);
      this.news = new Set();
      try {
        const pool = await this.options.pool();
        await pool.query(`SELECT pg_notify('${channel}', payload) FROM unnest($1::text[]) AS payload`, [payloads]);
      } catch {
        // Followers poll.
      }
    }
    this.telling = undefined;
  }

  /** Connects until there is a connection, or nobody listens. */
  private async connect(): Promise<void> {
    const { clock, createClient } = this.options;
    for (let attempt = 0; attempt < maxReconnects && this.listeners.size > 0; attempt++) {
      const client = await createClient().catch(() => undefined);
      if (client === undefined) break;
      // Otherwise a broken connection would end the process; `end` follows.
      client.on("error", () => {});
      try {
        await client.connect();
        client.on("notification", ({ payload }) => this.pass(payload ?? ""));
        client.on("end", () => this.lose(client));
        await client.query(`LISTEN ${channel}`);
        this.client = client;
        this.connecting = undefined;
        if (this.listeners.size === 0) this.disconnect();
        // Something may have been missed.
        for (const runId of [...this.listeners.keys()]) this.call(runId);
        return;
      } catch {
        await client.end().catch(() => {});
      }
      await sleep(1_000, { clock, signal: this.closing.signal });
    }
    this.connecting = undefined;
  }

  private lose(client: NoticeClient): void {
    if (this.client !== client) return;
    this.client = undefined;
    if (this.listeners.size > 0) this.connecting ??= this.connect();
  }

  private disconnect(): void {
    const { client } = this;
    this.client = undefined;
    client?.end().catch(() => {});
  }

  private pass(payload: string): void {
    const space = payload.indexOf(" ");
    if (payload.slice(space + 1) === this.options.schema) this.call(payload.slice(0, space));
  }

  private call(runId: string): void {
    for (const listener of [...(this.listeners.get(runId) ?? [])]) listener();
  }
}
