import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../new-folder.ts";
import { call, listIds } from "./call-with-db.ts";
import { callCli } from "./fake-io.ts";

/** A folder with a run in a database, and two pairs of keys. */
async function prepare() {
  const folder = newFolder();
  const path = (name: string) => join(folder, name);
  const db = path("todo.db");
  await call(db, "add milk to my list");
  const [runId = ""] = await listIds(db);
  for (const name of ["one", "two"]) {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    writeFileSync(path(`${name}.pem`), privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(path(`${name}.pub`), publicKey.export({ type: "spki", format: "pem" }));
  }
  const show = (...options: string[]) => call(db, "show", runId, ...options);
  const verify = (name: string, ...options: string[]) => callCli(["verify", path(name), ...options]);
  const change = (name: string, from: string, to: string) =>
    writeFileSync(path(name), readFileSync(path(name), "utf8").replaceAll(from, to));
  return { path, show, verify, change };
}

describe("an exported run", () => {
  it("is unsigned without a key, and any change to it shows", async () => {
    const { path, show, verify, change } = await prepare();
    expect(await show("--export", path("run.json"))).toMatchObject({
      exitCode: 0,
      stdout: `Wrote ${path("run.json")}, unsigned.\n`,
    });
    expect(await verify("run.json")).toEqual({
      exitCode: 0,
      stdout: "Unchanged, unsigned: anyone who can write to the store could make this file.\n",
      stderr: "",
    });
    // Every event is covered by a digest that was recorded while it ran.
    const { events, recordedTo } = JSON.parse(readFileSync(path("run.json"), "utf8"));
    expect(recordedTo).toBe(events.length);
    const whole = readFileSync(path("run.json"), "utf8");
    change("run.json", '"status": "', '"status": "failed", "status": "');
    expect(await verify("run.json")).toEqual({
      exitCode: 1,
      stdout: 'Changed: The key "status" occurs twice in one object.\n',
      stderr: "",
    });
    writeFileSync(path("run.json"), whole.replaceAll("milk", "gold"));
    const { exitCode, stdout } = await verify("run.json");
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/^Changed: One of the events 1 to \d+ does not match/),
    ]);
    expect(JSON.parse((await verify("run.json", "--json")).stdout)).toMatchObject({ status: "changed" });
  });

  it("is signed by a key, which the verifier knows or is shown", async () => {
    const { path, show, verify } = await prepare();
    const { stdout } = await show("--export", path("run.json"), "--key", path("one.pem"));
    expect(stdout).toBe(`Wrote ${path("run.json")}, signed.\n`);
    expect(await verify("run.json", "--key", path("one.pub"))).toMatchObject({
      exitCode: 0,
      stdout: "Unchanged, signed by this key.\n",
    });
    expect((await verify("run.json")).stdout).toMatch(
      /^Unchanged, signed by [\w+/]{43}=\.\nCheck that you trust this key/,
    );
    expect(await verify("run.json", "--key", path("two.pub"))).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /^Unchanged, but not signed by this key: The document is signed by another key, .{43}=\.\n$/,
      ),
    });
  });
});

describe("what cannot be exported or verified is said in one line", () => {
  it.each([
    ["missing.json", "", /^planwright: The file ".*missing\.json" cannot be read: no such file/],
    ["text.json", "no JSON", /^planwright: The file ".*text\.json" is not an exported run\.\n$/],
    ["other.json", '{"runs":[]}', /^planwright: The file ".*other\.json" is not an exported run\.\n$/],
  ])("%s", async (name, text, expected) => {
    const { path, verify } = await prepare();
    if (text !== "") writeFileSync(path(name), text);
    const { exitCode, stdout, stderr } = await verify(name);
    expect([exitCode, stdout, stderr]).toEqual([expect.any(Number), "", expect.stringMatching(expected)]);
    expect(exitCode).not.toBe(0);
  });

  it("keys of another kind, encrypted, or missing", async () => {
    const { path, show, verify } = await prepare();
    const { privateKey, publicKey } = generateKeyPairSync("x25519");
    writeFileSync(path("x.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(path("x.pub"), publicKey.export({ type: "spki", format: "pem" }));
    const sealed = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "p" } as const;
    writeFileSync(path("sealed.pem"), generateKeyPairSync("ed25519").privateKey.export(sealed));
    for (const name of ["x.pem", "one.pub", "sealed.pem"]) {
      const { exitCode, stderr } = await show("--export", path("run.json"), "--key", path(name));
      expect([name, exitCode]).toEqual([name, 1]);
      expect(stderr).toMatch(
        /is not an unencrypted Ed25519 private key in PEM format: see docs\/observing\.md .* how to create one\.$/m,
      );
    }
    const same = await show("--export", `${path("")}/./one.pem`, "--key", path("one.pem"));
    expect(same.stderr).toContain("contains the key. Choose another file for the run.");
    await show("--export", path("run.json"), "--key", path("one.pem"));
    expect((await verify("run.json", "--key", path("x.pub"))).stderr).toContain("an unencrypted Ed25519 public key");
    expect((await verify("run.json", "--key", path("none.pub"))).stderr).toContain("cannot be read");
  });

  it("options that do not go together", async () => {
    const { path, show, verify } = await prepare();
    const wrong = [
      await show("--key", path("one.pem")),
      await show("--export", path("a.json"), "--html", path("a.html")),
      await show("--export", path("a.json"), "--json"),
      await verify("run.json", "--export", path("b.json")),
    ];
    for (const { exitCode, stdout, stderr } of wrong) {
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^error: option/);
    }
    expect((await show("--export", path("none/a.json"))).stderr).toContain("cannot be written");
  });
});
