// What `format` stands for: no grammar, the one for any JSON, or the one for a schema.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { LlamaGrammar } from "node-llama-cpp";
import { HttpError } from "./http-error.mjs";

const converter = join(import.meta.dirname, "convert-schema.mjs");
const maxGrammarBytes = 16 * 1_024 * 1_024;

/** Makes `grammarFor(format)`, which keeps what it once converted: a conversion starts a process. */
export function createGrammars({ llama, modelPath }) {
  const grammars = new Map();

  async function grammarFor(format) {
    if (format === undefined || format === null || format === "") return undefined;
    checkFormat(format);
    if (format === "json") return LlamaGrammar.getFor(llama, "json");
    const key = JSON.stringify(format);
    if (!grammars.has(key)) grammars.set(key, parse(await convertSchema(format, modelPath)));
    return grammars.get(key);
  }

  function parse(grammar) {
    try {
      return new LlamaGrammar(llama, { grammar });
    } catch {
      throw new HttpError(400, "Failed to parse grammar"); // the converter's mistake, such as for a `pattern` with \\w
    }
  }

  return { grammarFor };
}

function checkFormat(format) {
  if (format === "json" || (typeof format === "object" && !Array.isArray(format))) return;
  const received = JSON.stringify(JSON.stringify(format));
  throw new HttpError(500, `invalid format: ${received}; expected "json" or a valid JSON Schema object`);
}

/** The converter is llama.cpp's own, as in Ollama: that of node-llama-cpp ignores `anyOf` and `pattern`. */
function convertSchema(schema, modelPath) {
  return new Promise((resolve, reject) => {
    const options = { timeout: 20_000, maxBuffer: maxGrammarBytes };
    const child = execFile(process.execPath, [converter, modelPath], options, (failure, stdout) => {
      const line = /^@@(.*)$/m.exec(stdout)?.[1];
      const { grammar, error } = line ? JSON.parse(line) : { error: `the converter ended: ${failure?.message}` };
      if (grammar !== undefined) resolve(withoutFence(grammar));
      else reject(new HttpError(400, `JSON schema conversion failed:\n${error}`));
    });
    child.stdin.on("error", () => {}); // it ended without reading; the callback says why
    child.stdin.end(JSON.stringify({ type: "json_schema", json_schema: { strict: true, schema } }));
  });
}

/** The grammar for chats also allows a fence of ```json around the answer, which llama.cpp's server removes again. */
function withoutFence(grammar) {
  return grammar.replace(/^root ::=.*$/m, "root ::= response-format");
}
