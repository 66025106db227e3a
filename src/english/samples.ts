/** Words that show what a field of a name is for, wherever a request is given as an example. */
export const sampleTexts: Readonly<Record<string, string>> = {
  address: "10 Main Street",
  city: "Paris",
  country: "Norway",
  date: "tomorrow",
  email: "anna@example.com",
  expression: "12 * 7",
  item: "milk",
  list: "shopping",
  location: "Paris",
  message: "see you soon",
  name: "Anna",
  person: "Anna",
  place: "Paris",
  query: "milk",
  task: "milk",
  text: "see you soon",
  title: "milk",
  todo: "milk",
  topic: "gardens",
  url: "https://example.com",
};

/** Numbers, and places in a list. */
export const sampleNumbers: readonly string[] = ["20", "80", "5"];
export const samplePlaces: ReadonlyMap<string, string> = new Map([
  ["index", "second"],
  ["position", "second"],
]);

/** What there is to do, after words such as "remind me to". */
export const sampleDeed = "call Anna";
/** The words after which something to do is said. */
export const deedOpeners: ReadonlySet<string> = new Set(["to", "me", "forget"]);

/** Words that may be left out, and that people say. */
export const spokenWords: ReadonlySet<string> = new Set(["my", "to"]);
