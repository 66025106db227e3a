/** No plan is nested deeper, and code that walks one recurses for each level. */
const maxDepth = 100;

/** Parses JSON; undefined if it is invalid, has a key twice in one object, or is nested deeper than any plan. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, maxDepth) || countKeys(value) < writtenKeys(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Of a key that is written twice, one value would be lost. */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, item) => sum + countKeys(item), own);
}

/** How many strings of valid JSON have a colon behind them. */
function writtenKeys(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', start)) {
    start = endOfString(text, start) + 1;
    while (/\s/.test(text.charAt(start))) start++;
    if (text[start] === ":") count++;
  }
  return count;
}

/** Where the JSON string that starts at a quote ends. */
export function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeper(item, depth - 1));
}
