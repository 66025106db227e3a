import { countPending } from "../../async/promises.ts";
import { AgentError } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import type { SecretKey } from "./engine-settings.ts";

// Without the DOM types, these types have no global names.
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
type DeriveParameters = Parameters<typeof crypto.subtle.deriveKey>;

interface RunKey {
  readonly id: string;
  readonly seal: CryptoKey;
  readonly hash: CryptoKey;
}

/** The format of sealed values: `1.<id of the key>.<nonce and ciphertext in base64>`. */
const version = "1";
const nonceBytes = 12;
const encoder = new TextEncoder();

/** Each derived key (HKDF, the id of the run as salt) seals so few values that random nonces never collide. */
export class RunKeys {
  readonly #derived = new Map<string, Promise<RunKey>>();

  constructor(
    private readonly runId: string,
    private readonly keys: readonly SecretKey[],
  ) {}

  async seal(value: JsonValue, place: string): Promise<string> {
    const { id, seal } = await this.#first();
    const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const additionalData = encoder.encode(place);
    const data = encoder.encode(JSON.stringify(value));
    const sealed = await countPending(crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, seal, data));
    return `${version}.${id}.${toBase64(iv)}${toBase64(new Uint8Array(sealed))}`;
  }

  async open(text: string, place: string): Promise<JsonValue> {
    const [format, id = "", data = ""] = text.split(".");
    const key = this.keys.find((one) => one.id === id);
    if (format !== version || key === undefined) throw this.#unreadable(id, `read: secrets.keys has no key "${id}"`);
    try {
      const { seal } = await this.#derive(key);
      const bytes = fromBase64(data);
      const [iv, sealed] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes)];
      const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(place) };
      const opened = await countPending(crypto.subtle.decrypt(algorithm, seal, sealed));
      return JSON.parse(new TextDecoder().decode(opened)) as JsonValue;
    } catch {
      throw this.#unreadable(id, `read: it was changed or moved, or the key "${id}" was replaced`);
    }
  }

  async hash(text: string): Promise<string> {
    return hashWith(await this.#first(), text);
  }

  async isHash(hash: string, text: string): Promise<boolean> {
    const hashes = await Promise.all(this.keys.map(async (key) => hashWith(await this.#derive(key), text)));
    return hashes.includes(hash);
  }

  async #first(): Promise<RunKey> {
    const [key] = this.keys;
    // A field may have become sensitive since the plan was accepted.
    if (key === undefined) throw this.#unreadable("", "sealed: there is no key");
    return this.#derive(key);
  }

  #derive(key: SecretKey): Promise<RunKey> {
    const known = this.#derived.get(key.id) ?? countPending(deriveKey(key, this.runId));
    this.#derived.set(key.id, known);
    return known;
  }

  #unreadable(keyId: string, reason: string): AgentError<"secret-unreadable"> {
    const { runId } = this;
    const available = this.keys.map(({ id }) => id);
    const message = `A secret of run "${runId}" cannot be ${reason}.`;
    return new AgentError("secret-unreadable", message, { details: { runId, keyId, available } });
  }
}

async function deriveKey({ id, key }: SecretKey, runId: string): Promise<RunKey> {
  const bytes = typeof key === "string" ? fromBase64(key) : Uint8Array.from(key);
  const base = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const derive = (use: string, type: DeriveParameters[2], usages: DeriveParameters[4]) => {
    const algorithm = { name: "HKDF", hash: "SHA-256", salt: encoder.encode(runId), info: encoder.encode(use) };
    return crypto.subtle.deriveKey(algorithm, base, type, false, usages);
  };
  const [seal, hash] = await Promise.all([
    derive("planwright seal", { name: "AES-GCM", length: 256 }, ["encrypt", "decrypt"]),
    derive("planwright hash", { name: "HMAC", hash: "SHA-256", length: 256 }, ["sign"]),
  ]);
  return { id, seal, hash };
}

async function hashWith({ hash }: RunKey, text: string): Promise<string> {
  const digest = await countPending(crypto.subtle.sign("HMAC", hash, encoder.encode(text)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const chunkBytes = 3 * 8_192;

function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  // Too many arguments would overflow the stack.
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    chunks.push(btoa(String.fromCharCode(...bytes.subarray(start, start + chunkBytes))));
  }
  return chunks.join("");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
