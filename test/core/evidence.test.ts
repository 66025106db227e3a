import { createHash } from "node:crypto";
import type { AgentEvent } from "planwright";
import { expect, it } from "vitest";
import { EvidenceChain } from "../../src/core/evidence.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const eventOf = (event: object) => event as AgentEvent;

it("a digest is that of the one before it, and of each event since then as canonical JSON, line by line", () => {
  const chain = new EvidenceChain();
  chain.add(eventOf({ b: 1, a: "ü" }));
  chain.add(eventOf({ type: "run-end", a: [true, null], digest: "not covered by itself", z: undefined }));
  const first = hash('\n{"a":"ü","b":1}\n{"a":[true,null],"type":"run-end"}\n');
  expect(chain.close()).toBe(first);
  chain.add(eventOf({ type: "step-end", digest: "covered, as it states none" }));
  const second = `{"digest":"covered, as it states none","type":"step-end"}`;
  expect(chain.close()).toBe(hash(`${first}\n${second}\n`));
});

it("a chain goes on from a digest", () => {
  const chain = new EvidenceChain("abc");
  chain.add(eventOf({ b: 1 }));
  expect(chain.close()).toBe(hash('abc\n{"b":1}\n'));
});
