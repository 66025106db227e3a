import { createAgent, createMemoryRunStore, createTodoStore } from "planwright";
import { exportRun, verifyRun } from "planwright/view";

const store = createMemoryRunStore();
const agent = createAgent({ tools: [createTodoStore()], store, evidence: true });
const { runId, digest } = await agent.run("Add a todo to buy milk");
console.log("digest of all events:", digest?.length, "hex digits");

// Your key, kept where nobody who can write the store can read it.
const key = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
if (!("privateKey" in key)) throw new Error("Ed25519 has two keys");
const text = JSON.stringify(await exportRun({ store, runId, key }));

// Whoever has the file checks it by your public key.
const bytes = await crypto.subtle.exportKey("raw", key.publicKey);
const publicKey = btoa(String.fromCharCode(...new Uint8Array(bytes)));
console.log((await verifyRun(text, { publicKey })).status);
console.log(await verifyRun(text.replaceAll("milk", "gold")));

const { signature, ...unsigned } = JSON.parse(text);
console.log(signature.algorithm, (await verifyRun(unsigned)).status);
