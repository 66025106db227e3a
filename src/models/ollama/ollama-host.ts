import { failOption } from "../../core/options.ts";

const defaultOllamaHost = "http://127.0.0.1:11434";

/** No address is longer; parsing a name of many non-ASCII letters takes quadratic time. */
const maxHostLength = 2_000;

/**
 * The address of a server, without a trailing slash. As in the client library, the default port of an address without a
 * scheme is 11434, and else the scheme's own. Throws `invalid-options`.
 */
export function readOllamaHost(host: unknown = defaultOllamaHost, option: string): string {
  const expected = `an address such as ${defaultOllamaHost}`;
  if (typeof host !== "string" || host.trim() === "") return failOption(option, host, expected);
  const text = host.trim();
  if (text.length > maxHostLength)
    return failOption(option, `${text.length} characters`, `an address of at most ${maxHostLength} characters`);
  const hasScheme = text.includes("://");
  const url = parseUrl(hasScheme ? text : `http://${text.startsWith(":") ? "127.0.0.1" : ""}${text}`);
  // Does not show what was received: it may contain a password.
  if (url !== undefined && url.username + url.password !== "") {
    return failOption(option, "…@…", 'an address without a name and password, which go in "headers"');
  }
  if (url === undefined || !/^https?:$/.test(url.protocol)) return failOption(option, host, expected);
  if (!hasScheme && !/:\d+(?:\/|$)/.test(text)) url.port = "11434";
  let path = url.pathname;
  while (path.endsWith("/")) path = path.slice(0, -1);
  return `${url.protocol}//${url.host}${path}`;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
