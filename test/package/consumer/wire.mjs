// Streams as the APIs of providers send them, for an answer of one text.

const encoder = new TextEncoder();

/** The API's answer with a text; with a `fault`, what comes after its beginning. */
export function answerTo(url, body, text, { fault } = {}) {
  const api = apiOf(url, body);
  const half = Math.ceil(text.length / 2);
  const lines = [...api.begin(), ...api.delta(text.slice(0, half)), ...api.delta(text.slice(half))];
  if (fault === undefined) lines.push(...api.end());
  if (fault === "error") lines.push(...api.error());
  if (fault === "malformed") lines.push("data: {this is not JSON");
  const chunks = lines.map((line) => encoder.encode(`${line}\n\n`));
  const stream = new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (fault === "cut") controller.error(new TypeError("terminated"));
      else controller.close();
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

function apiOf(url, body) {
  if (url.includes("/responses")) return responses;
  if (url.includes("/messages")) return body.tools?.length > 0 ? messagesWithTool(body.tools.at(-1).name) : messages;
  if (url.includes("GenerateContent")) return gemini;
  if (url.includes("/chat/completions")) return chat;
  throw new Error(`nobody answers at ${url}`);
}

const data = (value) => `data: ${JSON.stringify(value)}`;
const event = (value) => `event: ${value.type}\n${data(value)}`;

const chunk = (delta, more = {}, finish_reason = null) =>
  data({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
const chat = {
  begin: () => [chunk({ role: "assistant", content: "" })],
  delta: (content) => [chunk({ content })],
  end: () => [
    chunk({}, { usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }, "stop"),
    "data: [DONE]",
  ],
  error: () => [data({ error: { message: "Overloaded.", type: "server_error", code: null, param: null } })],
};

const response = (more) => ({
  id: "r",
  object: "response",
  created_at: 1,
  model: "m",
  output: [],
  incomplete_details: null,
  ...more,
});
const usage = {
  input_tokens: 9,
  output_tokens: 4,
  total_tokens: 13,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};
const message = (content) => ({ type: "message", id: "m", role: "assistant", status: "completed", content });
let told = "";
const responses = {
  begin: () => {
    told = "";
    return [
      event({ type: "response.created", sequence_number: 0, response: response({ status: "in_progress" }) }),
      event({
        type: "response.output_item.added",
        sequence_number: 1,
        output_index: 0,
        item: { ...message([]), status: "in_progress" },
      }),
    ];
  },
  delta: (delta) => {
    told += delta;
    return [
      event({
        type: "response.output_text.delta",
        sequence_number: 2,
        item_id: "m",
        output_index: 0,
        content_index: 0,
        delta,
        logprobs: [],
      }),
    ];
  },
  end: () => {
    const item = message([{ type: "output_text", text: told, annotations: [], logprobs: [] }]);
    return [
      event({ type: "response.output_item.done", sequence_number: 3, output_index: 0, item }),
      event({
        type: "response.completed",
        sequence_number: 4,
        response: response({ status: "completed", output: [item], usage }),
      }),
    ];
  },
  error: () => [
    event({
      type: "error",
      sequence_number: 3,
      error: { type: "server_error", code: "server_error", message: "Overloaded.", param: null },
      code: "server_error",
      message: "Overloaded.",
      param: null,
    }),
  ],
};

const started = event({
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 1 },
  },
});
const stopped = (stop_reason) => [
  event({ type: "content_block_stop", index: 0 }),
  event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 4 } }),
  event({ type: "message_stop" }),
];
const overloaded = () => [event({ type: "error", error: { type: "overloaded_error", message: "Overloaded." } })];
const messages = {
  begin: () => [started, event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } })],
  delta: (text) => [event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })],
  end: () => stopped("end_turn"),
  error: overloaded,
};
const messagesWithTool = (name) => ({
  begin: () => [
    started,
    event({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name, input: {} } }),
  ],
  delta: (partial_json) => [
    event({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } }),
  ],
  end: () => stopped("tool_use"),
  error: overloaded,
});

const candidate = (text, more = {}) =>
  data({
    candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
  });
const gemini = {
  begin: () => [],
  delta: (text) => [candidate(text)],
  end: () => [candidate("", { finishReason: "STOP" })],
  error: () => [data({ error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } })],
};
