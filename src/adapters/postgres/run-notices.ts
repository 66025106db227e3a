import { type Clock, letExit, sleep } from "../../async/clock.ts";
import type { NoticeClient, PostgresQueryable } from "./sql-pool.ts";

/** Options of {@link RunNotices}. */
interface NoticeOptions {
  readonly schema: string;
  readonly clock: Clock;
  /** A new client, not connected yet, for a connection of its own; undefined if there cannot be one. */
  readonly createClient: () => Promise<NoticeClient | undefined>;
  readonly pool: () => Promise<PostgresQueryable>;
}

/** One channel for all that happens, and one for messages alone: an owner of runs need not hear of all events of others. */
const [eventChannel, postChannel] = ["planwright", "planwright_posted"];
/** The time between two attempts to connect: at first, and at most. It doubles each time. */
const [firstReconnectMs, maxReconnectMs] = [1_000, 60_000];

/**
 * Notifies stores on the same database of what was recorded. A notice is not a part of the statement that records, as a
 * commit with a notice waits for all others that have one. So a notice can be lost, and followers poll, too.
 */
export class RunNotices {
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly postListeners = new Set<(runId?: string) => void>();
  private client: NoticeClient | undefined;
  private connecting: Promise<void> | undefined;
  /** The channels that the client listens to. */
  private heard = new Set<string>();
  private listening: Promise<void> = Promise.resolve();
  /** The notices to send: a channel and a run id, neither of which has a space. */
  private news = new Set<string>();
  private telling: Promise<void> | undefined;
  private readonly closing = new AbortController();

  constructor(private readonly options: NoticeOptions) {}

  /** Sends a notice of a run soon; the notices until then share one statement. */
  tell(runId: string, { isPosted = false } = {}): void {
    if (this.closing.signal.aborted) return;
    this.news.add(`${eventChannel} ${runId}`);
    if (isPosted) this.news.add(`${postChannel} ${runId}`);
    this.telling ??= this.send();
  }

  watch(runId: string, listener: () => void): () => void {
    const known = this.listeners.get(runId) ?? new Set();
    this.listeners.set(runId, known.add(listener));
    this.follow();
    return () => {
      known.delete(listener);
      if (known.size === 0 && this.listeners.get(runId) === known) this.listeners.delete(runId);
      this.follow();
    };
  }

  watchPosted(listener: (runId?: string) => void): () => void {
    this.postListeners.add(listener);
    this.follow();
    return () => {
      this.postListeners.delete(listener);
      this.follow();
    };
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.listeners.clear();
    this.postListeners.clear();
    this.disconnect();
    await Promise.all([this.telling, this.connecting]);
  }

  private async send(): Promise<void> {
    while (this.news.size > 0) {
      const news = [...this.news].map((one) => one.split(" ") as [channel: string, runId: string]);
      this.news = new Set();
      const channels = news.map(([channel]) => channel);
      const payloads = news.map(([, runId]) => `${runId} ${this.options.schema}`);
      try {
        const pool = await this.options.pool();
        await pool.query("SELECT pg_notify(c, p) FROM unnest($1::text[], $2::text[]) AS news (c, p)", [
          channels,
          payloads,
        ]);
      } catch {
        // Followers poll.
      }
    }
    this.telling = undefined;
  }

  private get isWatched(): boolean {
    return this.listeners.size > 0 || this.postListeners.size > 0;
  }

  /** Listens to the channels that have listeners here, and to no others. */
  private follow(): void {
    const { client } = this;
    if (!this.isWatched) this.disconnect();
    else if (client === undefined) this.connecting ??= this.connect();
    else if (this.isChanged(eventChannel) || this.isChanged(postChannel))
      this.listening = this.listening
        .then(() => (this.client === client ? this.listen(client) : undefined))
        // The answer may be lost without an `end` event: only another connection is sure to get notices.
        .catch(() => this.replace(client));
  }

  private isChanged(channel: string): boolean {
    const isWanted = channel === eventChannel ? this.listeners.size > 0 : this.postListeners.size > 0;
    return isWanted !== this.heard.has(channel);
  }

  private async listen(client: NoticeClient): Promise<void> {
    for (const channel of [eventChannel, postChannel]) {
      if (!this.isChanged(channel)) continue;
      if (this.heard.delete(channel)) await client.query(`UNLISTEN ${channel}`);
      else {
        await client.query(`LISTEN ${channel}`);
        this.heard.add(channel);
        this.callAll(channel);
      }
    }
  }

  /** Tries to connect until there is a connection, or there are no listeners. */
  private async connect(): Promise<void> {
    const { clock, createClient } = this.options;
    for (let delayMs = firstReconnectMs; this.isWatched; delayMs = Math.min(2 * delayMs, maxReconnectMs)) {
      const client = await createClient().catch(() => undefined);
      if (client === undefined) break;
      // Otherwise a broken connection would end the process; `end` follows.
      client.on("error", () => {});
      try {
        await client.connect();
        // Each waiting caller also has a timer.
        client.unref?.();
        client.on("notification", ({ channel, payload }) => this.pass(channel, payload ?? ""));
        client.on("end", () => this.lose(client));
        this.heard = new Set();
        await this.listen(client);
        this.client = client;
        this.connecting = undefined;
        // Something may have changed meanwhile.
        this.follow();
        return;
      } catch {
        await client.end().catch(() => {});
      }
      await sleep(delayMs, { clock: withoutHold(clock), signal: this.closing.signal });
    }
    this.connecting = undefined;
  }

  private lose(client: NoticeClient): void {
    if (this.client !== client) return;
    this.client = undefined;
    if (this.isWatched) this.connecting ??= this.connect();
  }

  private replace(client: NoticeClient): void {
    this.lose(client);
    client.end().catch(() => {});
  }

  private disconnect(): void {
    const { client } = this;
    this.client = undefined;
    client?.end().catch(() => {});
  }

  private pass(channel: string, payload: string): void {
    const space = payload.indexOf(" ");
    if (payload.slice(space + 1) !== this.options.schema) return;
    const runId = payload.slice(0, space);
    if (channel === postChannel) for (const listener of [...this.postListeners]) listener(runId);
    else this.call(runId);
  }

  /** Calls all listeners of a channel, as notices may have been missed. */
  private callAll(channel: string): void {
    if (channel === postChannel) for (const listener of [...this.postListeners]) listener();
    else for (const runId of [...this.listeners.keys()]) this.call(runId);
  }

  private call(runId: string): void {
    for (const listener of [...(this.listeners.get(runId) ?? [])]) listener();
  }
}

/** A clock whose timers keep no process alive. */
function withoutHold(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    setTimeout(callback, delayMs) {
      const timer = clock.setTimeout(callback, delayMs);
      letExit(timer);
      return timer;
    },
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
}
