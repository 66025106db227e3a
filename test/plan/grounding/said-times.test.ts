import { describe, expect, it } from "vitest";
import { Grounds } from "../../../src/plan/grounding/grounds.ts";

// Sunday.
const nowMs = Date.UTC(2026, 10, 22, 12);
const isSaid = (request: string, value: string) => new Grounds(request, { nowMs }).missing(value).length === 0;

describe("a day that a request names", () => {
  it.each([
    ["on 15 May 2024", "2024-05-15"],
    ["on May 15th", "2027-05-15"],
    ["on the 3rd of June", "2026-06-03"],
    ["from Aug 12 to Aug 15 2024", "2024-08-12"],
    ["after 2025-08-01", "2025-08-01"],
    ["due 12/24/2026", "2026-12-24"],
    ["from 2024-11-02, for 5 days", "2024-11-07"],
    ["from 2024-11-02, for 5 days", "2024-11-06"],
    ["checking in April 2nd 2025 and staying 4 nights", "2025-04-06"],
    ["today is 2024-05-13, remind me on Thursday", "2024-05-16"],
    ["the week after May 3 2026", "2026-05-12"],
    ["tomorrow", "2026-11-23"],
    ["the day after tomorrow, in 2 days", "2026-11-24"],
    ["next friday", "2026-11-27"],
    ["in 3 weeks", "2026-12-13"],
    ["next month", "2027-01-15"],
    ["in may 2030 on the 2nd", "2030-05-02"],
    ["at 15:30", "2026-11-22T15:30"],
    ["add milk", "2026-11-22"],
  ])("%s: %s", (request, value) => {
    expect(isSaid(request, value)).toBe(true);
  });

  it.each([
    ["on 15 May 2024", "2024-05-13"],
    ["on 15 May 2024", "2023-05-15"],
    ["on 15 May", "2026-06-15"],
    ["after 2025-08-01", "2025-08-10"],
    ["from 2024-11-02, for 5 days", "2024-11-12"],
    ["today is 2024-05-13, remind me on Thursday", "2024-05-17"],
    ["how many days from March 3, 2021 to January 15, 2022", "2022-01-16"],
    ["due 24 Dec", "2024-12-24"],
    ["tomorrow", "2023-10-09"],
    ["next week", "2023-10-09"],
    ["at 15:30", "2024-03-21T15:30"],
    ["add milk", "2024-03-21"],
  ])("%s, not %s", (request, value) => {
    expect(isSaid(request, value)).toBe(false);
  });

  it("may be any that has a part of the request if the time of the request is not known", () => {
    expect(new Grounds("tomorrow").missing("2023-10-09")).toEqual([]);
    expect(new Grounds("add milk").missing("2023-10-09")).toEqual(["2023-10-09"]);
  });
});

describe("a time that a request names", () => {
  it.each([
    ["at 6:15 am", "06:15"],
    ["at 6pm", "18:00"],
    ["at 18:30", "18:30"],
    ["at 18h30", "18:30"],
    ["it is 08:15, wake me in 45 min", "09:00"],
    ["quarter past six", "06:15"],
    ["between 3pm and half past four", "16:30"],
  ])("%s: %s", (request, value) => {
    expect(isSaid(request, value)).toBe(true);
  });

  it.each([
    ["at 6:15 am", "06:45"],
    ["at 6pm", "19:00"],
    ["add milk", "09:00"],
  ])("%s, not %s", (request, value) => {
    expect(isSaid(request, value)).toBe(false);
  });
});
