import { hideUrlKeys } from "./error-data.ts";
import { cutText } from "./text.ts";

const maxFrames = 10;
const maxLength = 2_000;
/** The longest message before the frames: all of it is in the error's own message. */
const maxHead = 500;

/**
 * The stack of a thrown value as it is recorded, if it has one: 10 frames and 2 000 characters, without keys in URLs
 * and without the text that `hide` removes. That happens before the stack is cut, as half a secret would not be
 * recognized.
 */
export function recordedStack(thrown: unknown, hide = (text: string) => text): string | undefined {
  const { stack, message } = readStack(thrown);
  if (typeof stack !== "string" || stack === "") return undefined;
  // A message may have lines that look like frames.
  const at = typeof message === "string" && message !== "" ? stack.indexOf(message) : -1;
  const headEnd = stack.indexOf("\n", at < 0 ? 0 : at + (message as string).length);
  const shown = (text: string) => hideUrlKeys(hide(text));
  if (headEnd < 0) return cutText(shown(stack), maxHead);
  const frames = stack.slice(headEnd + 1).split("\n", maxFrames);
  return cutText(`${cutText(shown(stack.slice(0, headEnd)), maxHead)}\n${shown(frames.join("\n"))}`, maxLength);
}

/** Whether a value is an error, of this realm or another. */
export function isError(value: unknown): boolean {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    return false;
  }
}

/** The `stack` of anything that is not an error may be anything. Getters may throw. */
function readStack(thrown: unknown): { stack?: unknown; message?: unknown } {
  if (!isError(thrown)) return {};
  try {
    const { stack, message } = thrown as { stack?: unknown; message?: unknown };
    return { stack, message };
  } catch {
    return {};
  }
}
