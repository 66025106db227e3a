import type { TestProject } from "vitest/node";
import { startServer } from "../adapters/postgres/start-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of an empty database, for a project whose scenarios run on PostgreSQL. */
    readonly scenarioServer: string;
  }
}

/** Starts a server for all files of a project. */
// biome-ignore lint/style/noDefaultExport: Vitest calls it.
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  project.provide("scenarioServer", await server.newDatabase());
  return () => server.end();
}
