import { runInside } from "../run-inside.mjs";
import { median, medianRatio, round } from "../statistics.mjs";

/** What it costs to keep runs in a file of SQLite. */
export const storedRuns = {
  name: "stored-runs",
  title: "Runs in a file of SQLite",

  async measure({ folders, isQuick }) {
    const [rounds, commits, runs, steps, events] = isQuick
      ? [2, 50, 2_000, 1_000, 20_000]
      : [11, 300, 100_000, 10_000, 1_000_000];
    const {
      commits: samples,
      pages,
      resume,
      deletion,
    } = runInside(folders.bench, "stored-runs.mjs", [rounds, commits, runs, steps, events]);
    return {
      runs,
      steps,
      driver: samples.driver,
      store: median(samples.store),
      bare: median(samples.bare),
      ratio: medianRatio(samples.store, samples.bare),
      pages: pages.map(({ name, times }) => ({
        name,
        pages: times.length,
        p50: median(times),
        longest: Math.max(...times),
      })),
      deletion: {
        events,
        lock: median(deletion.locksMs),
        longestLock: Math.max(...deletion.locksMs),
        append: median(deletion.appendMs),
        longestAppend: Math.max(...deletion.appendMs),
        totalMs: deletion.totalMs,
      },
      resume: { read: median(resume.readMs), opened: median(resume.openedMs), ended: median(resume.endedMs) },
    };
  },

  tables: ({ runs, steps, driver, store, bare, ratio, pages, resume, deletion }) => [
    {
      title: `Commits a second of an event of 280 bytes, each on the disk (${driver})`,
      rows: [{ "the run store": round(store), "the driver alone": round(bare), "against the driver": round(ratio) }],
    },
    {
      title: `Pages of 100 of ${runs} runs, in milliseconds`,
      rows: pages.map(({ name, pages, p50, longest }) => ({
        runs: name,
        pages,
        median: round(p50),
        longest: round(longest),
      })),
    },
    {
      title: `A run of ${deletion.events} events is deleted, in milliseconds`,
      rows: [
        {
          "a lock": round(deletion.lock),
          "the longest": round(deletion.longestLock),
          "an append": round(deletion.append),
          "the longest of these": round(deletion.longestAppend),
          "all of it": round(deletion.totalMs),
        },
      ],
    },
    {
      title: `A run of ${steps} steps, cut off in its middle, in milliseconds`,
      rows: [
        {
          "read its events": round(resume.read),
          "resume, to run-resume": round(resume.opened),
          "to its end": round(resume.ended),
        },
      ],
    },
  ],

  goals: ({ runs, pages }) => [
    {
      what: `the longest page of 100 of ${runs} stored runs, ms`,
      measured: round(Math.max(...pages.map(({ longest }) => longest))),
      goal: 50,
    },
  ],
};
