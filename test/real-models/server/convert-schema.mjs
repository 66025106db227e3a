// Reads a `response_format` from stdin and prints one line, "@@" and then JSON: `{ grammar }` as llama.cpp makes it, or `{ error }`.
// A process of its own: it has a second copy of llama.cpp, and a schema that this one refuses may end the process.
// usage: node convert-schema.mjs MODEL.gguf
import { text } from "node:stream/consumers";
import { loadModel, toggleNativeLog } from "@fugood/llama.node";

async function convert(responseFormat) {
  const context = await loadModel({ model: process.argv[2], n_ctx: 64, n_gpu_layers: 0, n_threads: 1 });
  const messages = [{ role: "user", content: "x" }];
  try {
    const { grammar } = await context.getFormattedChat(messages, undefined, { response_format: responseFormat });
    return { grammar };
  } catch (error) {
    return { error: error.message.replace(/^.*(parser generation|schema conversion) failed:\s*/s, "") };
  }
}

await toggleNativeLog(false);
const result = await convert(JSON.parse(await text(process.stdin)));
process.stdout.write(`\n@@${JSON.stringify(result)}\n`, () => process.exit(0));
