/**
 * Units whose ratio is exact by definition and the same everywhere, in the smallest unit of their kind. Gallons
 * differ between countries, but not how many quarts they have; months and years are not all of one number of days, and
 * ounces are of weight or of volume: a conversion that mixes those is refused.
 */
export const unitKinds: Readonly<
  Record<string, Readonly<Record<string, readonly [size: string, ...names: string[]]>>>
> = {
  length: {
    millimeter: ["1", "millimeters", "millimetre", "millimetres", "mm"],
    centimeter: ["10", "centimeters", "centimetre", "centimetres", "cm"],
    meter: ["1000", "meters", "metre", "metres", "m"],
    kilometer: ["1000000", "kilometers", "kilometre", "kilometres", "km", "kms"],
    inch: ["25.4", "inches"],
    foot: ["304.8", "feet", "ft"],
    yard: ["914.4", "yards", "yd", "yds"],
    mile: ["1609344", "miles", "mi"],
  },
  mass: {
    milligram: ["1", "milligrams", "mg"],
    gram: ["1000", "grams", "gramme", "grammes", "g"],
    tonne: ["1000000000", "tonnes"],
    kilogram: ["1000000", "kilograms", "kilo", "kilos", "kg", "kgs"],
    ounce: ["28349.523125", "ounces", "oz"],
    pound: ["453592.37", "pounds", "lb", "lbs"],
  },
  time: {
    second: ["1", "seconds", "secs"],
    minute: ["60", "minutes", "mins"],
    hour: ["3600", "hours", "hrs"],
    day: ["86400", "days"],
    week: ["604800", "weeks"],
    fortnight: ["1209600", "fortnights"],
  },
  calendar: {
    month: ["1", "months"],
    year: ["12", "years"],
    decade: ["120", "decades"],
    century: ["1200", "centuries"],
  },
  kitchen: {
    teaspoon: ["1", "teaspoons", "tsp"],
    tablespoon: ["3", "tablespoons", "tbsp"],
    cup: ["48", "cups"],
    pint: ["96", "pints"],
    quart: ["192", "quarts"],
    gallon: ["768", "gallons"],
  },
  volume: {
    milliliter: ["1", "milliliters", "millilitre", "millilitres", "ml"],
    liter: ["1000", "liters", "litre", "litres", "l"],
  },
  money: { cent: ["1", "cents"], dollar: ["100", "dollars"] },
  count: { piece: ["1", "pieces", "eggs"], dozen: ["12", "dozens"] },
};

/** Signs of currencies. */
export const currencySigns: ReadonlySet<string> = new Set(["$", "€", "£", "¥"]);

/** Names of currencies. */
export const currencyWords: ReadonlySet<string> = new Set(
  "dollar dollars euro euros pound pounds buck bucks usd eur gbp".split(" "),
);
