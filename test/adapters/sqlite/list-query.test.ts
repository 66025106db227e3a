import { expect, it, onTestFinished } from "vitest";
import { readListOptions } from "../../../src/adapters/sql/run-rows.ts";
import { openDatabase } from "../../../src/adapters/sqlite/database-file.ts";
import { listSql } from "../../../src/adapters/sqlite/sqlite-run-store.ts";

it.each([
  { filter: {}, index: "runs_by_creation" },
  { filter: { status: "running" }, index: "runs_by_status" },
  { filter: { status: ["failed", "running"] }, index: "runs_by_status" },
  { filter: { resumable: true } },
  { filter: { until: "2026-01-01" }, index: "runs_by_creation" },
  { filter: { metadata: { tenant: "a", user: "b" }, status: "failed" } },
] as const)(
  "listSql uses an index for $filter, so that a page costs the same among many runs",
  ({ filter, ...expected }) => {
    const db = openDatabase({ path: ":memory:", driver: undefined, busyTimeoutMs: 0 });
    onTestFinished(() => db.close());
    const { texts, values } = listSql(readListOptions(filter), 0);
    const details = db.all(`EXPLAIN QUERY PLAN ${texts.join("?")}`, ...values).map(({ detail }) => String(detail));
    expect(details.filter((detail) => /^SCAN (runs|m\b)/.test(detail))).toEqual([]);
    const covering = details.map((detail) => /SEARCH runs USING COVERING INDEX (\w+)/.exec(detail)?.[1]);
    expect(covering.find((index) => index !== undefined)).toBe("index" in expected ? expected.index : undefined);
  },
);
