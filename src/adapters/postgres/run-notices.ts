import { Backoff } from "../../async/backoff.ts";
import { type Clock, sleep } from "../../async/clock.ts";
import { ignore, type NoticeClient, type PostgresQueryable } from "./sql-pool.ts";

/** Messages have their own channel, so that owners of runs do not receive all events. */
const [eventChannel, postChannel] = ["planwright", "planwright_posted"];
const [echo, echoMs] = [":", 5_000];

/** Sends notices after the commit: commits that notify wait for one another. Notices may be lost, so followers poll. */
export class RunNotices {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #postListeners = new Set<(runId?: string) => void>();
  /** Entries are `<channel> <run id>`. */
  #news = new Set<string>();
  #telling: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #client: NoticeClient | undefined;
  #wake: () => void = () => {};
  readonly #closing = new AbortController();
  #onNotice: (() => void) | undefined;

  constructor(
    private readonly options: {
      readonly schema: string;
      readonly clock: Clock;
      readonly createClient: () => Promise<NoticeClient | undefined>;
      readonly pool: () => Promise<PostgresQueryable>;
    },
  ) {}

  tell(runId: string, { isPosted = false } = {}): void {
    if (this.#closing.signal.aborted) return;
    this.#news.add(`${eventChannel} ${runId}`);
    if (isPosted) this.#news.add(`${postChannel} ${runId}`);
    this.#telling ??= this.#send();
  }

  watch(runId: string, listener: () => void): () => void {
    const known = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, known.add(listener));
    this.#follow();
    return () => {
      known.delete(listener);
      if (known.size === 0 && this.#listeners.get(runId) === known) this.#listeners.delete(runId);
      this.#follow();
    };
  }

  watchPosted(listener: (runId?: string) => void): () => void {
    this.#postListeners.add(listener);
    this.#follow();
    return () => {
      this.#postListeners.delete(listener);
      this.#follow();
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    this.#postListeners.clear();
    this.#wake();
    this.#client?.end().catch(ignore);
    await Promise.all([this.#telling, this.#listening]);
  }

  async #send(): Promise<void> {
    while (this.#news.size > 0) {
      const news = [...this.#news];
      this.#news = new Set();
      const statement = `SELECT pg_notify(split_part(news, ' ', 1), split_part(news, ' ', 2) || ' ' || $2)
        FROM unnest($1::text[]) AS news`;
      try {
        await (await this.options.pool()).query(statement, [news, this.options.schema]);
      } catch {
        // Ignores that notices could not be sent, as followers also poll.
      }
    }
    this.#telling = undefined;
  }

  #isWanted(channel: string): boolean {
    return (channel === eventChannel ? this.#listeners : this.#postListeners).size > 0;
  }

  get #isWatched(): boolean {
    return this.#isWanted(eventChannel) || this.#isWanted(postChannel);
  }

  #follow(): void {
    if (this.#isWatched) this.#listening ??= this.#listen();
    this.#wake();
  }

  async #listen(): Promise<void> {
    const { clock, createClient } = this.options;
    const backoff = new Backoff({ clock, firstMs: 1_000, maxMs: 60_000, mayExit: true });
    while (this.#isWatched) {
      const client = await createClient().catch(() => undefined);
      if (client === undefined) break;
      const hasListened = await this.#listenOn(client);
      this.#client = undefined;
      client.end().catch(ignore);
      if (hasListened) backoff.reset();
      else await backoff.pause(this.#closing.signal);
    }
    this.#listening = undefined;
  }

  async #listenOn(client: NoticeClient): Promise<boolean> {
    const heard = new Set<string>();
    let [isLost, hasListened] = [false, false];
    // Without a listener, a broken connection ends the process; `end` follows.
    client.on("error", ignore);
    client.on("end", () => {
      isLost = true;
      this.#wake();
    });
    client.on("notification", ({ channel, payload = "" }) => this.#pass(channel, payload));
    try {
      await client.connect();
      this.#client = client;
      client.unref?.();
      while (this.#isWatched && !isLost) {
        const changed = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        const channel = [eventChannel, postChannel].find((one) => this.#isWanted(one) !== heard.has(one));
        if (channel === undefined) await changed;
        else if (heard.delete(channel)) await client.query(`UNLISTEN ${channel}`);
        else {
          await client.query(`LISTEN ${channel}`);
          heard.add(channel);
          hasListened = true;
          // Notices may have been missed.
          this.#call(channel);
          void this.#tryEcho(client, channel);
        }
      }
    } catch {
      // The caller opens a new connection: a statement may fail without an `end`.
    }
    return hasListened;
  }

  /** Tests whether notices arrive: behind a pooler in transaction mode, they do not. */
  async #tryEcho(client: NoticeClient, channel: string): Promise<void> {
    const { clock, createClient, schema } = this.options;
    if (this.#onNotice !== undefined) return;
    const heard = new AbortController();
    this.#onNotice = () => heard.abort();
    // Uses another connection, as a pooler would deliver notices to their sender.
    const sender = await createClient().catch(() => undefined);
    sender?.on("error", ignore);
    try {
      await sender?.connect();
      await sender?.query("SELECT pg_notify($1, $2)", [channel, `${echo} ${schema}`]);
    } catch {
      heard.abort();
    }
    sender?.end().catch(ignore);
    const signal = AbortSignal.any([heard.signal, this.#closing.signal]);
    const isMissing = await sleep(echoMs, { clock, signal, mayExit: true });
    if (!isMissing || this.#client !== client) return;
    console.warn(
      "planwright: a store in PostgreSQL receives no notices, probably because of a pooler in transaction mode, " +
        "so it polls. Create the store with listen: false.",
    );
  }

  #pass(channel: string, payload: string): void {
    const space = payload.indexOf(" ");
    const runId = payload.slice(0, space);
    this.#onNotice?.();
    if (payload.slice(space + 1) === this.options.schema && runId !== echo) this.#call(channel, runId);
  }

  #call(channel: string, runId?: string): void {
    if (channel === postChannel) for (const listener of [...this.#postListeners]) listener(runId);
    else
      for (const id of runId === undefined ? [...this.#listeners.keys()] : [runId])
        for (const listener of [...(this.#listeners.get(id) ?? [])]) listener();
  }
}
