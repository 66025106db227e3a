import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { jsonLines, printable } from "../core/text.ts";
import type { RunVerdict } from "../view/export-run.ts";
import { type CliCall, exitCodes } from "./cli-io.ts";
import { createRunNotFound, describeFileError, isSameFile, requireRun, saveFile } from "./stored-runs.ts";

/** A file with an exported run, and one with a key. */
interface ExportFiles {
  readonly file: string;
  readonly key?: string | undefined;
}

/** Exports a run as a JSON document, signed if there is a private key. */
export async function exportToFile(call: CliCall, runId: string, { file, key }: ExportFiles): Promise<number> {
  const { store } = call;
  if (store === undefined) throw createRunNotFound(call, runId);
  await requireRun(call, runId);
  // Imported here and below, as nothing else needs it.
  const { exportRun } = await import("../view/index.ts");
  if (key !== undefined && isSameFile(file, key)) {
    throw new Error(`The file "${file}" has the key. Choose another one for the run.`);
  }
  const document = await exportRun({ store, runId, key: key === undefined ? undefined : await readKeys(key) });
  await saveFile(call, file, `${JSON.stringify(document, undefined, 2)}\n`);
  call.out.print([`Wrote ${printable(file)}${key === undefined ? ", unsigned" : ", signed"}.`]);
  return exitCodes.completed;
}

/** Says whether an exported run was changed: the exit code, too. `key` is the file with the public key that is expected. */
export async function verifyFile(
  { options, out }: Pick<CliCall, "options" | "out">,
  { file, key }: ExportFiles,
): Promise<number> {
  const document = readExport(file);
  const publicKey = key === undefined ? undefined : getRawKey(readKey(key, "public")).toString("base64");
  const { verifyRun } = await import("../view/index.ts");
  const verdict = await verifyRun(document, { publicKey });
  out.print(options.json ? jsonLines(verdict) : describeVerdict(verdict, { isExpected: key !== undefined }));
  return verdict.status === "changed" || verdict.status === "untrusted" ? exitCodes.failed : exitCodes.completed;
}

function describeVerdict(verdict: RunVerdict, { isExpected }: { readonly isExpected: boolean }): string[] {
  switch (verdict.status) {
    case "changed":
      return [printable(`Changed: ${verdict.reason}`)];
    case "untrusted":
      return [`Unchanged, but not signed by this key: ${verdict.reason}`];
    case "signed":
      return isExpected
        ? ["Unchanged, signed by this key."]
        : [
            `Unchanged, signed by ${verdict.publicKey}.`,
            "Whose key is that? Give the one that you expect: --key public.pem",
          ];
    case "unsigned":
      return ["Unchanged, unsigned: whoever can write the store could have made it."];
    default:
      return verdict satisfies never;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`The file "${file}" cannot be read: ${describeFileError(error as NodeJS.ErrnoException)}.`);
  }
}

function readExport(file: string): unknown {
  const text = readText(file);
  try {
    const document: { readonly format?: unknown } | null = JSON.parse(text);
    if (document?.format === "planwright-run") return document;
  } catch {
    // The error below covers this, too.
  }
  throw new Error(`The file "${file}" is not an exported run.`);
}

/** Both keys of WebCrypto, from the private one in a PEM file. */
async function readKeys(file: string) {
  const key = readKey(file, "private");
  const [pkcs8, spki] = [key.export({ type: "pkcs8", format: "der" }), getDer(createPublicKey(key))];
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]),
    crypto.subtle.importKey("spki", spki, "Ed25519", true, ["verify"]),
  ]);
  return { privateKey, publicKey };
}

const keyKinds = {
  private: { create: createPrivateKey, howTo: "genpkey -algorithm ed25519 -out private.pem" },
  public: { create: createPublicKey, howTo: "pkey -in private.pem -pubout -out public.pem" },
} as const;

function readKey(file: string, kind: keyof typeof keyKinds): KeyObject {
  const { create, howTo } = keyKinds[kind];
  const text = readText(file);
  try {
    const key = create(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The error below says more than that of OpenSSL.
  }
  throw new Error(
    `The file "${file}" is not an Ed25519 ${kind} key as PEM, unencrypted. To make one: openssl ${howTo}`,
  );
}

function getDer(key: KeyObject): Buffer<ArrayBuffer> {
  return Buffer.from(key.export({ type: "spki", format: "der" }));
}

/** The 32 bytes of the key, which its DER ends with. */
function getRawKey(key: KeyObject): Buffer {
  return getDer(key).subarray(-32);
}
