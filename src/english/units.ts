import { wordSet } from "./word-set.ts";
export interface Unit {
  readonly names: readonly [name: string, ...others: string[]];
  readonly size: number;
  readonly kind: ReadonlyMap<string, number>;
  readonly isMoney?: boolean;
}

// Each paragraph lists one kind, in multiples of its smallest unit. All ratios are exact and the same everywhere:
// gallons differ between countries, but each has four quarts. Months to days and ounces to volumes are refused.
const kinds = `
1 millimeter millimeters millimetre millimetres mm; 10 centimeter centimeters centimetre centimetres cm;
1000 meter meters metre metres m; 1000000 kilometer kilometers kilometre kilometres km kms; 25.4 inch inches;
304.8 foot feet ft; 914.4 yard yards yd yds; 1609344 mile miles mi

1 milligram milligrams mg; 1000 gram grams gramme grammes g; 1000000000 tonne tonnes;
1000000 kilogram kilograms kilo kilos kg kgs; 28349.523125 ounce ounces oz; 453592.37 pound pounds lb lbs

1 second seconds secs; 60 minute minutes mins; 3600 hour hours hrs; 86400 day days; 604800 week weeks;
1209600 fortnight fortnights

1 month months; 12 year years; 120 decade decades; 1200 century centuries

1 teaspoon teaspoons tsp; 3 tablespoon tablespoons tbsp; 48 cup cups; 96 pint pints; 192 quart quarts;
768 gallon gallons

1 milliliter milliliters millilitre millilitres ml; 1000 liter liters litre litres l

1 cent cents; 100 dollar dollars

1 piece pieces eggs; 12 dozen dozens
`;

const currencies = `
1 cent cents; 100 dollar dollars $ us$ usd buck bucks

1 cent cents; 100 euro euros € eur

1 pence penny p; 100 pound pounds £ gbp quid

1 yen ¥ jpy

1 rupee rupees ₹ inr

1 rappen; 100 franc francs chf
`;

function unitsOf(kind: string, isMoney: boolean): readonly (readonly [word: string, unit: Unit])[] {
  const rows = kind.split(/;\s/).map((row) => {
    const [size = "", name = "", ...others] = row.trim().split(" ");
    return { size: Number(size), name, others };
  });
  const sizes = new Map(rows.map(({ name, size }) => [name, size]));
  return rows.flatMap(({ name, others, size }) =>
    [name, ...others].map((word) => [word, { names: [name, ...others], size, kind: sizes, isMoney }] as const),
  );
}

const readKinds = (rows: string, isMoney = false) =>
  rows
    .trim()
    .split("\n\n")
    .flatMap((kind) => unitsOf(kind, isMoney));
const converted = new Map(readKinds(kinds));
const temperatures = new Map(readKinds("1 celsius centigrade c; 1 fahrenheit f"));

export const units: ReadonlyMap<string, Unit> = new Map([...converted, ...temperatures]);

const short = "h hour; hr hour; min minute; s second; sec second; m minute; d day"
  .split("; ")
  .map((row) => row.split(" "));
const named = [
  ...[...converted].filter(([word]) => !/^(?:(?:cent|dollar|piece|dozen)s?|eggs)$/.test(word)),
  ...readKinds(currencies, true),
  ...readKinds("1 percent % pct"),
  ...short.flatMap(([word = "", name = ""]) => {
    const unit = converted.get(name);
    return unit === undefined ? [] : [[word, unit] as const];
  }),
];
const byWord = new Map<string, Unit[]>();
for (const [word, unit] of named) byWord.set(word, [...(byWord.get(word) ?? []), unit]);

/** Returns several units for an ambiguous word: "m" is a meter or a minute, "pound" a weight or a currency. */
export function unitsNamed(word: string): readonly Unit[] {
  return byWord.get(word) ?? [];
}

export const currencySigns: ReadonlySet<string> = new Set(["$", "€", "£", "¥", "₹"]);

export const currencyWords = wordSet("dollar dollars euro euros pound pounds buck bucks usd eur gbp");
