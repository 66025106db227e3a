import { afterEach, describe, expect, it, vi } from "vitest";

const { argv, exitCode } = process;

afterEach(() => {
  process.argv = argv;
  process.exitCode = exitCode;
  vi.restoreAllMocks();
});

describe("main", () => {
  it("runs the command with the built-in tools, and sets the exit code", async () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
    process.argv = ["node", "planwright", "--json", "--plan-only", "Calculate 100 / 4 and add the result as a todo"];
    await import("../../src/cli/main.ts");
    await expect.poll(() => process.exitCode).toBe(0);
    const { steps } = JSON.parse(written.join(""));
    expect(steps.map(({ tool }: { tool: string }) => tool)).toEqual(["Calculator", "TodoStore"]);
  });
});
