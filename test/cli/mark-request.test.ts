import { expect, it } from "vitest";
import { markRequest } from "../../src/cli/parse-arguments.ts";

it.each([
  ["add milk", "-- add milk"],
  ["--json add milk", "--json -- add milk"],
  ["add milk --json", "--json -- add milk"],
  ["--db a.db show run_1 --html run.html", "--db a.db --html run.html -- show run_1"],
  ["show run_1 --mermaid --events", "--mermaid --events -- show run_1"],
  ["say --html x today", "-- say --html x today"],
  ["add -- --json", "-- add --json"],
  ["--json", "--json --"],
])("marks the request in %j", (line, marked) => {
  expect(markRequest(line.split(" "), ["--db", "--html"])).toEqual(marked.split(" "));
});
