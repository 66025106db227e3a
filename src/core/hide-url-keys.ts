import { hiddenText, mapItems } from "./sealed.ts";

const parameter = /([?&;#])([^=&;#?\s]{1,100})=([^&;#\s"'`<>()[\]]+)/g;
const secretName = /key|token|secret|passw|passphrase|pwd|auth|credential|signature|^sig$|session/i;
const credentials = /:\/\/[^\s/?#@]{1,500}@/g;

/** A text without the keys in its URLs: parameters such as `api_key` and `token`, and `user:password@`. */
export function hideUrlKeys(text: string): string {
  if (!text.includes("=") && !text.includes("@")) return text;
  return text
    .replace(credentials, `://${hiddenText}@`)
    .replace(parameter, (whole: string, before: string, name: string) =>
      secretName.test(name) ? `${before}${name}=${hiddenText}` : whole,
    );
}

/** Like {@link hideUrlKeys}, for all texts of a value. */
export function hideUrlKeysIn<T>(value: T): T {
  if (typeof value === "string") return hideUrlKeys(value) as T;
  if (typeof value !== "object" || value === null) return value;
  return mapItems(value, (item) => hideUrlKeysIn(item));
}
