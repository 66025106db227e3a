import { AgentError, type AgentEvent, type RunStatus, type RunStore, type RunSummary } from "planwright";

/** A store in memory, and what it does wrong. */
export type Defect = (store: RunStore, now: () => number) => Partial<RunStore>;

/** As a store does that answers later, and so between whose questions others may come. */
export const later = async () => new Promise((resolve) => setImmediate(resolve));

/** What stores do wrong, and which case finds it. */
export const defects: readonly (readonly [what: string, defect: Defect, found: RegExp])[] = [
  [
    "loses the last event of an append",
    (store) => ({ append: (id, events, o) => store.append(id, events.slice(0, 1), o) }),
    /reads what was appended/,
  ],
  [
    "takes any number",
    (store) => ({
      append: async (id, events) => store.append(id, events, { sequence: (await store.read(id)).length + 1 }),
    }),
    /refuses every number but the next/,
  ],
  [
    "throws an error of its own",
    (store) => ({
      append: (id, events, o) => {
        try {
          return store.append(id, events, o);
        } catch {
          throw new Error("constraint failed");
        }
      },
    }),
    /refuses every number but the next/,
  ],
  [
    "looks and writes apart",
    (store) => ({
      append: async (id, events, o) => {
        const next = (await store.read(id)).length + 1;
        await later();
        if (o.sequence !== next) return store.append(id, events, o);
        return store.append(id, events, { ...o, sequence: (await store.read(id)).length + 1 });
      },
    }),
    /lets one of two writers win/,
  ],
  [
    "knows no fence",
    (store) => ({ append: (id, events, { sequence }) => store.append(id, events, { sequence }) }),
    /refuses the fence of an earlier claim/,
  ],
  [
    "reads from the beginning",
    (store) => ({ read: (id, o = {}) => store.read(id, { ...o, after: 0 }) }),
    /reads by page/,
  ],
  ["ignores a limit", (store) => ({ read: (id, { after = 0 } = {}) => store.read(id, { after }) }), /reads by page/],
  [
    "mixes ids that differ in case",
    (store) => ({ read: async (id) => await store.read(id.toLowerCase()) }),
    /keeps runs apart/,
  ],
  [
    "lists the oldest first",
    (store) => ({
      list: async (o) => {
        const page = await store.list(o);
        return { ...page, runs: [...page.runs].reverse() };
      },
    }),
    /the newest first/,
  ],
  [
    "lists without filters",
    (store) => ({ list: ({ limit, cursor } = {}) => store.list({ limit, cursor }) }),
    /selects by status/,
  ],
  ["lists one page", (store) => ({ list: async (o) => ({ runs: (await store.list(o)).runs }) }), /page by page/],
  [
    "has a cursor on the last page",
    (store) => {
      let asked = 0;
      return {
        list: async (o) => {
          if (o?.cursor === "end") return { runs: [] };
          asked++;
          return { cursor: asked > 50 ? undefined : "end", ...(await store.list(o)) } as never;
        },
      };
    },
    /has no cursor on the last/,
  ],
  [
    "lists as resumable what is claimed",
    (store) => ({
      list: ({ resumable, ...o } = {}) =>
        store.list(resumable ? { ...o, status: ["planning", "running", "interrupted"] } : o),
    }),
    /while a lease on it lasts/,
  ],
  [
    "takes what is asked for as it comes",
    (store) => ({
      list: ({ limit = 100, ...o } = {}) =>
        store.list({ ...o, limit: limit >= 1 && limit <= 1_000 ? Math.floor(limit) : 100 }),
    }),
    /refuses a status, a limit/,
  ],
  ["lets everybody have a run", (_store, now) => ({ claim: () => ({ fence: now() }) }), /one owner at a time/],
  [
    "gives the same fence to all",
    (store) => ({
      claim: async (id, o) => {
        await store.claim(id, o);
        return { fence: 1 };
      },
    }),
    /higher fence/,
  ],
  [
    "never ends a lease",
    (store) => ({ claim: (id, o) => store.claim(id, { ...o, ttlMs: 1e12 }) }),
    /ends a lease when it expires/,
  ],
  [
    "renews from the first claim on",
    (store) => ({
      renew: async (id, o) => {
        return store.renew(id, { ...o, ttlMs: 100 });
      },
    }),
    /lengthens a lease/,
  ],
  ["renews anything", () => ({ renew: () => ({}) }), /does not renew a lease/],
  [
    "releases the claim of anybody",
    (store) => {
      const claims = new Map<string, { owner: string; fence: number }>();
      return {
        claim: async (id, o) => {
          const { fence } = await store.claim(id, o);
          claims.set(id, { owner: o.owner, fence });
          return { fence };
        },
        release: (id) => store.release(id, claims.get(id) ?? { owner: "", fence: 0 }),
      };
    },
    /releases only what the owner holds/,
  ],
  [
    "looks and claims apart",
    () => {
      const owners = new Map<string, string>();
      return {
        claim: async (id, { owner }) => {
          const before = owners.get(id);
          await later();
          if (before !== undefined && before !== owner)
            throw new AgentError("run-owned-elsewhere", "taken", { details: { runId: id } });
          owners.set(id, owner);
          return { fence: 1 };
        },
      };
    },
    /one of two who claim at once/,
  ],
  [
    "forgets runs that were interrupted when it lists what can go on",
    (store) => ({
      list: async (o) => {
        const page = await store.list(o);
        return o?.resumable ? { ...page, runs: page.runs.filter(({ status }) => status !== "interrupted") } : page;
      },
    }),
    /selects the runs that have not ended and have no owner/,
  ],
  [
    "takes every end for a good one",
    (store) => ({
      list: async (o) => {
        const page = await store.list(o);
        const statusOf = (status: RunStatus) =>
          status === "failed" || status === "interrupted" ? "completed" : status;
        return { ...page, runs: page.runs.map((run) => ({ ...run, status: statusOf(run.status) })) };
      },
    }),
    /follows the status/,
  ],
  [
    "appends one event after another",
    (store) => ({
      append: async (id, events, { sequence, ...o }) => {
        for (const [index, event] of events.entries()) {
          await store.append(id, [event], { sequence: sequence + index, ...o });
          await later();
        }
      },
    }),
    /all of an append, or nothing/,
  ],
  [
    "knows no fence after the claim has ended",
    (store, now) => {
      const ends = new Map<string, number>();
      return {
        claim: async (id, o) => {
          const claim = await store.claim(id, o);
          ends.set(id, now() + o.ttlMs);
          return claim;
        },
        append: (id, events, o) => {
          if (o.fence !== undefined && now() >= (ends.get(id) ?? 0))
            throw new AgentError("run-owned-elsewhere", "ended", { details: { runId: id } });
          return store.append(id, events, o);
        },
      };
    },
    /even an expired one/,
  ],
  [
    "lists what is only claimed",
    (store) => {
      const claimed: RunSummary[] = [];
      return {
        claim: (id, o) => {
          claimed.push({ runId: id, status: "planning", metadata: {}, createdAt: "", updatedAt: "" });
          return store.claim(id, o);
        },
        list: async (o) => {
          const page = await store.list(o);
          return {
            ...page,
            runs: [...page.runs, ...claimed.filter(({ runId }) => !page.runs.some((r) => r.runId === runId))],
          };
        },
      };
    },
    /only claimed/,
  ],
  [
    "mixes claims on ids that differ in case",
    (store) => ({ claim: (id, o) => store.claim(id.toLowerCase(), o) }),
    /claims: keeps runs apart/,
  ],
  [
    "forgets the filter behind the first page",
    (store) => ({ list: (o = {}) => store.list(o.cursor === undefined ? o : { limit: o.limit, cursor: o.cursor }) }),
    /the same filter on each page/,
  ],
  [
    "lists nothing for an unknown status",
    (store) => ({ list: (o = {}) => ((o.status as string) === "nope" ? { runs: [] } : store.list(o)) }),
    /refuses a status/,
  ],
  [
    "takes the last execution for the beginning",
    (store) => ({
      list: async (o) => {
        const page = await store.list(o);
        return { ...page, runs: page.runs.map((run) => ({ ...run, createdAt: run.updatedAt })) };
      },
    }),
    /keeps the time of creation/,
  ],
  [
    "hands out its own list of events",
    (store) => {
      const lists = new Map<string, AgentEvent[]>();
      return {
        read: async (id, o) => {
          if (o !== undefined) return store.read(id, o);
          const list = lists.get(id) ?? [];
          lists.set(id, list);
          list.splice(0, list.length, ...(await store.read(id)));
          return list;
        },
        append: async (id, events, o) => {
          await store.append(id, events, o);
          lists.get(id)?.push(...events);
        },
      };
    },
    /never adds to a list of events/,
  ],
  [
    "holds a lease until its time comes again after the clock was set back",
    (store, now) => {
      const ends = new Map<string, number>();
      return {
        claim: async (id, o) => {
          if (now() < (ends.get(id) ?? 0) - o.ttlMs)
            throw new AgentError("run-owned-elsewhere", "taken", { details: { runId: id } });
          const claim = await store.claim(id, o);
          ends.set(id, now() + o.ttlMs);
          return claim;
        },
      };
    },
    /starts in the future/,
  ],
  [
    "gives no messages back when a lease is renewed",
    (store) => ({
      renew: async (id, o) => {
        await store.renew(id, o);
        return {};
      },
    }),
    /with a lease and each renewal, returns what was posted/,
  ],
  [
    "gives a message back once",
    (store) => {
      const given = new Set<number>();
      return {
        claim: async (id, o) => {
          const { fence, posted = [] } = await store.claim(id, o);
          const news = posted.filter(({ number }) => !given.has(number));
          for (const { number } of news) given.add(number);
          return { fence, posted: news };
        },
      };
    },
    /its predecessor did not acknowledge/,
  ],
  [
    "takes messages away before it records",
    (store) => ({
      append: async (id, events, { acknowledged, ...o }) => {
        if (acknowledged !== undefined) {
          const { fence } = await store.claim(id, { owner: "ada", ttlMs: 1_000 });
          await store.release(id, { owner: "ada", fence, acknowledged });
          await store.claim(id, { owner: "ada", ttlMs: 1_000 });
        }
        return store.append(id, events, o);
      },
    }),
    /keeps a message if the events that acknowledge it are refused/,
  ],
  [
    "never takes a message away with events",
    (store) => ({ append: (id, events, { acknowledged: _acknowledged, ...o }) => store.append(id, events, o) }),
    /removes only the messages that the appended events acknowledge/,
  ],
  [
    "keeps messages of no run",
    (store) => ({
      post: async (id, message) => {
        try {
          return await store.post(id, message);
        } catch {
          return { number: 1 };
        }
      },
    }),
    /refuses a message to a run that does not exist/,
  ],
  [
    "deletes what somebody has",
    (store) => ({
      delete: async (id, o) => {
        for (let fence = 0; fence < 5; fence++) await store.release(id, { owner: "ada", fence });
        return store.delete(id, o);
      },
    }),
    /refuses a run with a lease/,
  ],
  [
    "deletes whatever the status",
    (store) => ({ delete: (id) => store.delete(id) }),
    /deletes a run only if it has one of them/,
  ],
  [
    "begins with the first fence after a deletion",
    (store) => {
      const deleted = new Map<string, number>();
      return {
        delete: async (id, o) => {
          const { fence } = await store.claim(id, { owner: "deleter", ttlMs: 1_000 });
          await store.release(id, { owner: "deleter", fence });
          deleted.set(id, fence);
          return store.delete(id, o);
        },
        claim: async (id, o) => {
          const { fence, ...rest } = await store.claim(id, o);
          return { ...rest, fence: fence - (deleted.get(id) ?? 0) };
        },
      };
    },
    /lets no owner of the deleted run write/,
  ],
  [
    "finds by metadata what has more of it",
    (store) => ({
      list: async ({ metadata = {}, ...o } = {}) => {
        const page = await store.list(o);
        const wanted = JSON.stringify(metadata).slice(1, -1);
        return { ...page, runs: page.runs.filter((run) => JSON.stringify(run.metadata).includes(wanted)) };
      },
    }),
    /select by metadata: all given keys/,
  ],
  [
    "takes no notice of until",
    (store) => ({ list: ({ until: _until, ...o } = {}) => store.list(o) }),
    /select by the time before which/,
  ],
  [
    "keeps the error of a run that goes on",
    (store) => {
      const errors = new Map<string, RunSummary["error"]>();
      return {
        list: async (o) => {
          const page = await store.list(o);
          for (const { runId, error } of page.runs) if (error !== undefined) errors.set(runId, error);
          return { ...page, runs: page.runs.map((run) => ({ ...run, error: errors.get(run.runId) })) as never };
        },
      };
    },
    /why a run ended, until it is resumed/,
  ],
];
