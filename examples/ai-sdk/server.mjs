// A backend on the AI SDK to talk to: `streamText` with a scripted model (scenes.mjs), so it needs no key and no network.
//
// POST / answers with the UI message stream. GET /{chat}/stream repeats an answer that is under way from its beginning, or
// says 204. GET /requests gives the requests so far as they came in (the last 200), DELETE /requests forgets them and the
// answers that could be repeated: the end-to-end tests read there what the page sent.

import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import http from "node:http";
import { parseArgs } from "node:util";

import {
  UI_MESSAGE_STREAM_HEADERS,
  convertToModelMessages,
  createUIMessageStreamResponse,
  isStepCount,
  jsonSchema,
  streamText,
  toUIMessageStream,
  tool,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";

import { answer, pieces, scene, words } from "./scenes.mjs";

const RECORDED = [];
/** The ids of messages whose broken line was played: each breaks once, so that a retry works. */
const BROKEN = new Set();
/** The newest answer of each chat, as it goes out. */
const ANSWERS = new Map();

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
const refund = {
  type: "object",
  properties: { order_id: { type: "string" }, amount: { type: "integer" } },
  required: ["order_id", "amount"],
};
const TOOLS = {
  lookup_order: tool({
    description: "The state of an order. Runs here, on the server.",
    inputSchema: jsonSchema(order),
    execute: ({ order_id }) => ({ order: order_id, state: "packed" }),
  }),
  refund_order: tool({
    description: "Give money back for an order. Runs here, once a person has approved it.",
    inputSchema: jsonSchema(refund),
    execute: ({ order_id, amount }) => ({ order: order_id, refunded: amount }),
  }),
};

/** The scripted model. */
const model = new MockLanguageModelV4({
  doStream: ({ prompt, tools = [] }) => {
    const offered = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema]));
    const { question, results } = latest(prompt);
    const repeats = question.toLowerCase().includes("keep searching");
    return { stream: played(results.length && !repeats ? answer(results, question) : scene(question, offered)) };
  },
});

/** The user's last words and the tool results that came after them, of the newest step. */
function latest(prompt) {
  const user = prompt.findLast(({ role }) => role === "user");
  const question = user?.content.map((part) => part.text ?? "").join("") ?? "";
  const results = [];
  for (const { role, content } of prompt) {
    if (role !== "tool") results.length = 0;
    else for (const part of content) if (part.type === "tool-result") results.push(result(part));
  }
  return { question, results };
}

function result({ toolName, output }) {
  const value =
    output.type === "execution-denied"
      ? { status: "denied", reason: output.reason }
      : output.type.startsWith("error")
        ? { error: reason(output.value) }
        : JSON.stringify(output.value);
  return { name: toolName, value };
}

/** The reason for a failed tool: from the page, or from the AI SDK itself. */
function reason(value) {
  try {
    return JSON.parse(value).error ?? value;
  } catch {
    return value;
  }
}

/** The stream of a model that plays a scene. */
function played({ text = "", calls = [], error, delay = 0, hold = 0 }) {
  return ReadableStream.from(parts(text, calls, error, delay, hold));
}

async function* parts(text, calls, error, delay, hold) {
  yield { type: "stream-start", warnings: [] };
  if (text) yield { type: "text-start", id: "text" };
  for (const delta of words(text)) {
    yield { type: "text-delta", id: "text", delta };
    await new Promise((resolve) => (delay ? setTimeout(resolve, delay) : setImmediate(resolve)));
  }
  if (hold) await new Promise((resolve) => setTimeout(resolve, hold));
  if (text) yield { type: "text-end", id: "text" };
  for (const { name, args } of calls) {
    const id = `call_${randomUUID()}`;
    const input = JSON.stringify(args);
    yield { type: "tool-input-start", id, toolName: name };
    for (const delta of pieces(input)) yield { type: "tool-input-delta", id, delta };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: name, input };
  }
  if (error) yield { type: "error", error: new Error(error) };
  const unified = error ? "error" : calls.length ? "tool-calls" : "stop";
  const usage = { inputTokens: { total: 12 }, outputTokens: { total: words(text).length + calls.length } };
  yield { type: "finish", finishReason: { unified, raw: unified }, usage };
}

/** Answers a chat. */
async function chat(request, response) {
  const text = await read(request);
  const entry = record(request, text);
  const { id, messages, tools = {} } = JSON.parse(text);
  const offered = Object.entries(tools).map(([name, { description, parameters }]) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters) }),
  ]);
  const all = { ...Object.fromEntries(offered), ...TOOLS };
  const result = streamText({
    model,
    messages: await convertToModelMessages(messages, { tools: all }),
    tools: all,
    toolApproval: { refund_order: "user-approval" },
    experimental_toolApprovalSecret: "a secret of this server alone, by which it knows its approvals again",
    stopWhen: isStepCount(5),
    onError: () => {},
  });
  const stream = toUIMessageStream({
    stream: result.stream,
    tools: all,
    originalMessages: messages,
    generateMessageId: randomUUID,
    onError: (error) => (error instanceof Error ? error.message : String(error)),
    messageMetadata: ({ part }) => (part.type === "finish" ? { totalUsage: part.totalUsage } : undefined),
  });
  const { body, headers, status } = createUIMessageStreamResponse({ stream });
  response.writeHead(status, Object.fromEntries(headers));
  response.on("close", () => (entry.closed = !response.writableFinished));
  const kept = keep(id, body);
  await send(kept, response, brokenLine(messages));
}

/** Reads an answer to its end, regardless of listeners, and stores it. */
function keep(id, body) {
  const kept = Object.assign(new EventEmitter(), { chunks: [], ended: false });
  ANSWERS.set(id, kept);
  (async () => {
    for await (const chunk of body) kept.emit("more", kept.chunks.push(chunk));
    kept.ended = true;
    kept.emit("more");
  })();
  return kept;
}

/** Sends an answer from its beginning, as it grows; a broken line ends it early. */
async function send(kept, response, broken) {
  const end = broken ? 12 : Infinity;
  for (let next = 0; next < end && !response.destroyed; ) {
    if (next < kept.chunks.length) response.write(kept.chunks[next++]);
    else if (kept.ended) return response.end();
    else await once(kept, "more");
  }
  if (broken === "stop short") return response.end();
  // A browser throws away what it has not read when a connection breaks.
  setTimeout(() => response.destroy(), 300);
}

/** The broken connection that the user's newest message asks for. */
function brokenLine(messages) {
  const { id, role, parts } = messages.at(-1);
  if (role !== "user" || BROKEN.has(id)) return undefined;
  const lower = JSON.stringify(parts).toLowerCase();
  const how = ["cut the line", "stop short"].find((words) => lower.includes(words));
  if (how) BROKEN.add(id);
  return how;
}

/** Repeats the answer that is under way. */
function resume(request, response, id) {
  record(request, "");
  const kept = ANSWERS.get(id);
  if (!kept || kept.ended) return response.writeHead(204).end();
  response.writeHead(200, UI_MESSAGE_STREAM_HEADERS);
  return send(kept, response);
}

function record({ method, url, headers }, body) {
  const entry = { method, url, headers, body, closed: false };
  RECORDED.push(entry);
  if (RECORDED.length > 200) RECORDED.shift();
  return entry;
}

async function read(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

async function handle(request, response, origins) {
  if (origins.includes(request.headers.origin)) {
    response.setHeader("access-control-allow-origin", request.headers.origin);
    response.setHeader("access-control-allow-headers", "*, authorization");
  }
  const { pathname } = new URL(request.url, "http://localhost");
  const resumes = /^\/([^/]+)\/stream$/.exec(pathname);
  if (request.method === "OPTIONS") return response.writeHead(204).end();
  if (pathname === "/requests") {
    if (request.method === "DELETE") {
      RECORDED.length = 0;
      ANSWERS.clear();
    }
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify(RECORDED));
  }
  if (request.method === "GET" && resumes) return resume(request, response, decodeURIComponent(resumes[1]));
  if (request.method === "POST" && pathname === "/") return chat(request, response);
  return response.writeHead(404).end("POST / or GET /{chat}/stream\n");
}

function main() {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "8000" }, cors: { type: "string", multiple: true, default: [] } },
  });
  const server = http.createServer((request, response) => {
    handle(request, response, values.cors).catch((error) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(400);
      response.end(`${error.message}\n`);
    });
  });
  server.listen(Number(values.port), "127.0.0.1");
}

main();
