import { expect, it } from "vitest";
import { decideAtOnce } from "../../scenario/decide-at-once.ts";
import { useDecidingProcesses } from "../../scenario/deciding-processes.ts";
import { checkIntegrity, drivers, newPath, openStore } from "./sqlite-files.ts";

const start = useDecidingProcesses();

it.each(drivers)("one of two processes with %s that decide at once decides, 200 times", async (driver) => {
  const path = newPath();
  const store = openStore(path, { driver });
  await decideAtOnce(store, [start({ path, driver }), start({ path, driver })]);
  expect(checkIntegrity(path, driver)).toBe("ok");
});
