import { styleText } from "node:util";

const names = ["bold", "dim", "red", "green", "yellow"] as const;

/** Functions that colour text, or leave it unchanged. */
export type Colors = Readonly<Record<(typeof names)[number], (text: string) => string>>;

/** The codes of these colours, as the only group of a pattern to split by. */
export const colorCode = new RegExp(`(${"\u001b"}\\[(?:1|2|22|31|32|33|39)m)`);

/** Colours that are on or off. Whether they should be is known here, so Node is not asked again. */
export function createColors(isOn: boolean): Colors {
  const entries = names.map((name) => {
    const paint = (text: string) => (isOn ? styleText(name, text, { validateStream: false }) : text);
    return [name, paint] as const;
  });
  return Object.fromEntries(entries) as Colors;
}
