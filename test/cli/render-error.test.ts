import { AgentError } from "planwright";
import { expect, it } from "vitest";
import { renderError } from "../../src/cli/render-run.ts";

it("says how a driver is installed beside npx and beside a command that is installed globally", () => {
  const details = { packages: ["libsql"], command: "npm install libsql" };
  const [line] = renderError(new AgentError("missing-dependency", 'Run "npm install libsql".', { details }));
  expect(line).toBe(
    'planwright: Run "npm install libsql". With npx: "npx -p planwright -p libsql planwright …". Installed globally: "npm install -g libsql".',
  );
});

it("says nothing about drivers if another package is missing", () => {
  const details = { packages: ["pg"], command: "npm install pg" };
  const lines = renderError(new AgentError("missing-dependency", 'Run "npm install pg".', { details }));
  expect(lines).toEqual(['planwright: Run "npm install pg".']);
});
