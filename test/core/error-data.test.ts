import { expect, it } from "vitest";
import { hideUrlKeys, hideUrlKeysIn, toErrorData } from "../../src/core/error-data.ts";

it.each([
  ["GET https://x.test/a?api_key=abc&q=1 failed", "GET https://x.test/a?api_key=[sensitive]&q=1 failed"],
  ["https://ann:pw@x.test/", "https://[sensitive]@x.test/"],
  ["(https://x.test/#access_token=a.b-c)", "(https://x.test/#access_token=[sensitive])"],
  ["/a?X-Amz-Signature=0f;sig=1", "/a?X-Amz-Signature=[sensitive];sig=[sensitive]"],
  ["https://x.test/?q=key&page=2", "https://x.test/?q=key&page=2"],
  ["mail ann@x.test, a=b", "mail ann@x.test, a=b"],
  ["no such thing", "no such thing"],
])("hides the keys in %s", (text, hidden) => {
  expect(hideUrlKeys(text)).toBe(hidden);
});

it("hides keys in values and in errors, their causes and details", () => {
  const url = "https://x.test/?token=abc";
  const hidden = "https://x.test/?token=[sensitive]";
  expect(hideUrlKeysIn({ a: [url, 1, null] })).toEqual({ a: [hidden, 1, null] });
  const thrown = Object.assign(new Error(url, { cause: url }), { details: { url } });
  expect(toErrorData(thrown)).toEqual({
    name: "Error",
    message: hidden,
    details: { url: hidden },
    cause: { name: "Error", message: hidden },
  });
});

it("takes linear time for text that looks like many URLs", () => {
  const text = `${"?key".repeat(50_000)}${"://a".repeat(50_000)}= @`;
  expect(hideUrlKeys(text)).toBe(text);
});
