import { expect, it } from "vitest";
import { parseTraceparent } from "../../src/core/observer.ts";

const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];

it.each([
  ["00", "01", 1],
  ["cc", "ff", 255],
])("reads version %s with the flags %s", (version, flags, number) => {
  expect(parseTraceparent(`${version}-${traceId}-${spanId}-${flags}`)).toEqual({ traceId, spanId, flags: number });
});

it.each([
  [undefined],
  [7],
  [""],
  [`ff-${traceId}-${spanId}-01`],
  [`00-${"0".repeat(32)}-${spanId}-01`],
  [`00-${traceId}-${"0".repeat(16)}-01`],
  [`00-${traceId.toUpperCase()}-${spanId}-01`],
  [`00-${traceId}-${spanId}-01\n`],
  [`00-${traceId}-${spanId}`],
])("does not read %j", (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
