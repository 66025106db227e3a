// Every entry, for compilers and settings that are older than those of the other files.
import { createAgent, createCalculator, defineTool } from "planwright";
import * as aiSdk from "planwright/ai-sdk";
import * as dbos from "planwright/dbos";
import * as engine from "planwright/engine";
import * as log from "planwright/log";
import * as metrics from "planwright/metrics";
import * as otel from "planwright/otel";
import * as postgres from "planwright/postgres";
import * as schemas from "planwright/schemas";
import * as sqlite from "planwright/sqlite";
import * as testing from "planwright/testing";
import * as view from "planwright/view";
import * as z from "zod/v4";

const weather = defineTool({
  name: "Weather",
  description: "Current weather in a city",
  inputSchema: z.object({ city: z.string() }),
  effect: "idempotent",
  execute: ({ city }) => ({ celsius: city.length }),
});
export const agent = createAgent({ tools: [weather, createCalculator()] });
export const entries = [aiSdk, dbos, engine, log, metrics, otel, postgres, schemas, sqlite, testing, view];
