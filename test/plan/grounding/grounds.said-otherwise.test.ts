import { describe, expect, it } from "vitest";
import { Field } from "../../../src/plan/grounding/field.ts";
import { Grounds } from "../../../src/plan/grounding/grounds.ts";

/** What a request does not say of a value, in a field of this name. */
const missing = (request: string, value: string | number, field = "") =>
  new Grounds(request).missing(value, new Field([field], undefined));

describe("a number that follows from what was said", () => {
  it.each([
    ["at 8% a year", 0.08],
    ["at eight percent", 0.08],
    ["at 7.5 per cent", 0.075],
    ["wait 5 minutes", 300],
    ["wait five minutes", 300_000],
    ["for 2 hours", 120],
    ["for 1.5 h", 5_400],
    ["for three days", 259_200_000],
    ["a capacitance of 100µF", 0.0001],
    ["an inductance of 50 mH", 0.05],
    ["a budget of 5k", 5_000],
    ["a file of 10 MB", 1e7],
    ["run 15 kilometers", 15_000],
    ["over the past decade", 10],
    ["in April 2022", "2022-04"],
    ["more than 5 players", 6, "minPlayers"],
    ["under 60 minutes", 59, "maxMinutes"],
    ["with $1,000 at 3%", 0.03],
    ["half an hour", 1_800],
    ["an hour and a half", 5_400],
    ["for an hour", 60],
    ["two and a half hours", 9_000],
    ["half a kilogram", 500],
    ["half a million", 500_000],
    ["two thirds of it", 0.6667],
    ["a third of it", 0.333],
    ["three quarters", 0.75],
    ["increase it by 12.5%", 1.125, "factor"],
    ["reduce it by 20%", 0.8, "multiplier"],
    ["2 microcoulombs", 0.000002],
    ["2.5 milliseconds", 0.0025],
    ["from the nineties", 1_990, "from_year"],
    ["from the 1990s", 1_999, "toYear"],
    ["the 17th century", 1_699, "end_year"],
    ["in twenty-ten", 2_010, "year"],
    ["in nineteen eighty four", 1_984, "year"],
    ["the 2019-20 season", 2_020],
    ["a pair of dice", 2],
    ["x cubed", 3],
    ["compounded quarterly", 4, "periodsPerYear"],
    ["from 0 to 2 pi", 6.2832],
    ["2 TiB", 2_048, "size_gb"],
    ["90 km/h", 25, "speed"],
    ["call 415-555-0173", "4155550173"],
    ["33.87 south", -33.87, "latitude"],
  ] as readonly (readonly [string, string | number, string?])[])("%s: %j %s", (...row) => {
    expect(missing(...(row as Parameters<typeof missing>))).toEqual([]);
  });

  it.each([
    ["pay Ann 5 for the daily report", 365, "amount"],
    ["pay Ann over 5", 6, "amount"],
    ["pay Ann 5%", 1.05, "amount"],
    ["pay Ann for the march", 3, "amount"],
    ["pay Ann for the nineties records", 1_999, "amount"],
    ["pay Ann for 5 minutes", 300, "amount"],
    ["pay Ann for 5 m of rope", 0.005, "amount"],
    ["pay Kanye West 5", -5, "amount"],
    ["wait 5 minutes", 300, "delayHours"],
    ["wait 5 minutes", 300_000, "seconds"],
    ["wait 5 minutes", 300, "timeout_ms"],
  ])("not where the field speaks of something else: %s, not %j as %s", (request, value, field) => {
    expect(missing(request, value, field)).toEqual([String(value)]);
  });

  it.each([
    ["at 8% a year", 0.8],
    ["wait 5 minutes", 500],
    ["5 apples", 500],
    ["add milk", 60],
    ["more than 5 players", 7],
    ["a budget of 5k", 50_000],
    ["8% a year", 96],
    ["the third one", 0.333],
    ["two thirds of it", 0.67891],
    ["from the nineties", 1_995],
  ])("%s, not %j", (request, value) => {
    expect(missing(request, value)).toEqual([String(value)]);
  });
});

describe("a field that names somebody or something", () => {
  it.each([
    ["pay Martinez 5", "Martines", "to"],
    ["pay Andrea 5", "Andreas", "recipient"],
    ["pay 5 to VA", "Virginia", "payee"],
    ["mail to the Jordanian", "Jordan", "customerId"],
    ["open report", "reports", "path"],
  ])("needs it to the letter: %s, not %s", (request, value, field) => {
    expect(missing(request, value, field)).not.toEqual([]);
    expect(missing(request, value, "topic")).toEqual([]);
  });

  it("and nothing has the initials of what somebody did not name", () => {
    expect(missing("pay 5 ASAP", "Anna Schmidt Adam Porter")).toHaveLength(4);
    expect(missing("pay Ann 5 for the red umbrella", "RU", "country")).toEqual(["ru"]);
  });
});

describe("a word that says the same", () => {
  it.each([
    ["convert 5 kilometers to miles", "km"],
    ["convert 5 km to mi", "kilometers"],
    ["change 5000 Japanese Yen into US Dollars", "JPY"],
    ["change 5000 Japanese Yen into US Dollars", "usd"],
    ["pay €20", "EUR"],
    ["pay 20 euros", "EUR"],
    ["pay $20", "USD"],
    ["the weather in France", "FR"],
    ["translate it into German", "DE"],
    ["a hotel in New York", "NY"],
    ["remind me to call the denttist", "dentist"],
    ["book a restarant", "restaurant"],
    ["add choclate", "chocolate"],
    ["send it to Jonathan", "Johnathan"],
    ["translate it into French", "fr"],
    ["in Portuguese as spoken in Brazil", "pt-BR"],
    ["news about Italian politics", "Italy"],
    ["a Norwegian income", "Norway"],
    ["somebody from Austria", "Austrian"],
    ["in the UK", "United Kingdom"],
    ["the capital of the USA", "United States of America"],
    ["filed in California", "CA"],
    ["in Boston, MA", "Massachusetts"],
    ["half a million kroner", "NOK"],
    ["3,200 bucks", "USD"],
    ["find pharmacies", "pharmacy"],
    ["Beyonce's albums", "Beyoncé"],
    ["9am in New York", "America/New_York"],
    ["keep it for 30 days", "P30D"],
  ])("%s: %s", (request, word) => {
    expect(missing(request, word)).toEqual([]);
  });

  it.each([
    ["pay $20", "EUR"],
    ["pay 20", "USD"],
    ["the weather in France", "de"],
    ["add milk", "mild"],
    ["add apples", "maples juice"],
    ["call Anna", "Hanna"],
    ["write to jonas", "jones"],
    ["delete the invoices", "devices"],
  ])("%s, not %s", (request, word) => {
    expect(missing(request, word).length).toBeGreaterThan(0);
  });

  it("is found in linear time", () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `word${"abcdefghij"[index % 10]}${index}x`).join(" ");
    const grounds = new Grounds(`${long} ${"chocolate ".repeat(20_000)}`);
    expect(grounds.missing("x".repeat(50_000))).toHaveLength(1);
    expect(grounds.missing("nothing ".repeat(10_000))).toHaveLength(10_000);
  });
});
