// The model in llama.cpp: one text at a time, in the order in which they are asked for.
import { getLlama, LlamaCompletion } from "node-llama-cpp";
import { createGrammars } from "./grammars.mjs";
import { HttpError } from "./http-error.mjs";

const optionTypes = {
  temperature: "float32",
  top_p: "float32",
  min_p: "float32",
  num_predict: "integer",
  seed: "integer",
  top_k: "integer",
};
const tooLong =
  "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context " +
  "length in settings, or use a model with a longer context length";

/** Loads a model. `contextSize` is what it was trained for unless told otherwise. */
export async function createEngine({ modelPath, contextSize }) {
  const llama = await getLlama({ gpu: false, build: "never", skipDownload: true, progressLogs: false });
  const model = await llama.loadModel({ modelPath });
  const size = contextSize ?? model.trainContextSize;
  // Threads wait for each other in a loop: with two on a busy machine, a model this small becomes a thousand times slower.
  const context = await model.createContext({ contextSize: size, sequences: 1, threads: 1 });
  const sequence = context.getSequence();
  const completion = new LlamaCompletion({ contextSequence: sequence });
  const { grammarFor } = createGrammars({ llama, modelPath });
  let last = Promise.resolve();

  /** Continues a prompt. Throws `HttpError` for what the client did wrong, and the signal's reason once it is aborted. */
  function generate(request) {
    const result = last.then(() => generateNow(request));
    last = result.catch(() => {});
    return result;
  }

  async function generateNow({ prompt, format, options, signal, onText }) {
    signal.throwIfAborted();
    checkOptions(options);
    const grammar = await grammarFor(format);
    const tokens = [model.tokens.bos, ...model.tokenize(prompt)];
    const room = size - tokens.length - 1;
    if (room < 1) throw new HttpError(400, tooLong);
    await sequence.clearHistory();
    const counter = createCounter(tokens.length);
    const { response, metadata } = await completion.generateCompletionWithMeta(tokens, {
      ...samplingOf(options),
      maxTokens: options.num_predict > 0 ? Math.min(options.num_predict, room) : room,
      grammar,
      signal,
      onToken: counter.onToken,
      onTextChunk: onText,
    });
    return {
      text: response,
      doneReason: metadata.stopReason === "maxTokens" ? "length" : "stop",
      metrics: counter.end(),
    };
  }

  return { generate, contextSize: size, dispose: () => llama.dispose() };
}

function checkOptions(options) {
  for (const [name, type] of Object.entries(optionTypes)) {
    const value = options[name];
    if (value === undefined || value === null || typeof value === "number") continue;
    throw new HttpError(500, `option "${name}" must be of type ${type}`);
  }
}

/** Ollama's defaults. */
function samplingOf(options) {
  return {
    temperature: options.temperature ?? 0.8,
    topK: options.top_k ?? 40,
    topP: options.top_p ?? 0.9,
    minP: options.min_p ?? 0,
    seed: options.seed ?? undefined,
    customStopTriggers: options.stop ?? undefined,
    repeatPenalty: false,
  };
}

/** What Ollama tells of a text: counts of tokens, and durations in nanoseconds. */
function createCounter(promptTokens) {
  const started = process.hrtime.bigint();
  let first;
  let count = 0;
  return {
    onToken(tokens) {
      first ??= process.hrtime.bigint();
      count += tokens.length;
    },
    end() {
      const ended = process.hrtime.bigint();
      return {
        prompt_eval_count: promptTokens,
        prompt_eval_duration: Number((first ?? ended) - started),
        eval_count: count,
        eval_duration: Number(ended - (first ?? ended)),
      };
    },
  };
}
