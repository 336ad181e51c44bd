// An AG-UI agent that misbehaves on purpose: each scene is one way in which servers fail.
//
// A scene is chosen by the path of the address. It plays for the first request only, or is a list of which each plays
// for one request; afterwards the agent behaves, so a test can check that the chat still works. After tool results the
// agent quotes them.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";

const MEBI = 1024 * 1024;
/** A PNG of one pixel. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * The scenes. Each gets the response to write to, the run's input, and a function that waits for the test's `proceed`.
 */
const SCENES = {
  "http-500": (answer) => answer.writeHead(500, { "content-type": "text/plain" }).end("the agent is on fire"),
  // Continues until the page has read enough.
  "http-500-endless"(answer) {
    answer.writeHead(500, { "content-type": "text/plain" });
    const more = () => answer.destroyed || answer.write("the agent is on fire\n".repeat(100), () => setImmediate(more));
    more();
  },
  html: (answer) => answer.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Log in</title>"),
  empty: (answer) => stream(answer).end(),
  // Continues until the agent disconnects.
  cut: (answer, input) => start(answer, input, "The text so far"),
  truncated: (answer, input) => start(answer, input, "The text so far").end(),
  "huge-frame"(answer, input) {
    start(answer, input, "The text so far");
    answer.write(`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"`);
    answer.end("x".repeat(11 * MEBI));
  },
  "run-error"(answer, input) {
    start(answer, input, "The text so far");
    send(answer, { type: "RUN_ERROR", message: "the model gave up", code: "gave_up" });
    answer.end();
  },
  "arguments-no-json": calling("confirmAction", '{"action": oops'),
  "arguments-break-schema": calling("confirmAction", '{"importance":"urgent"}'),
  "unknown-tool": calling("teleport", '{"to":"Mars"}'),
  everything: (answer, input) => everything(answer, input, async () => {}),
  "everything-slowly": (answer, input, hold) => everything(answer, input, hold),
};

/**
 * Starts the agent. Pages of `origin` may call it; without one the browser refuses (the scene of a missing CORS
 * set-up). `scenes` are additional ones, called in the same way.
 */
export async function fakeAgent({ origin, scenes = {} } = {}) {
  const known = { ...SCENES, ...scenes };
  const recorded = [];
  const held = [];
  const hold = () => new Promise((resolve) => held.push(resolve));
  const server = http.createServer(async (request, answer) => {
    if (origin) {
      answer.setHeader("access-control-allow-origin", origin);
      answer.setHeader("access-control-allow-headers", "*");
    }
    if (request.method !== "POST") return answer.writeHead(204).end();
    const body = await read(request);
    const input = JSON.parse(body);
    const name = request.url.slice(1);
    const before = recorded.filter((other) => other.scene === name).length;
    recorded.push({ scene: name, text: body, body: input, headers: request.headers });
    const play = [known[name] ?? []].flat()[before] ?? behave;
    play(answer, input, hold);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/`;
  return {
    url,
    /** The bodies that were sent to one scene. */
    requests: (scene) => recorded.filter((request) => request.scene === scene),
    forget: () => recorded.splice(0),
    /** Resumes scenes that wait. */
    proceed: () => held.splice(0).forEach((resolve) => resolve()),
    /** Aborts all responses that are open. */
    hangUp: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function read(request) {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return body;
}

/** An ordinary run: quotes the newest tool results, else the user. */
export function behave(answer, input) {
  begin(answer, input);
  const results = [];
  for (let index = input.messages.length - 1; input.messages[index]?.role === "tool"; index--) {
    results.unshift(input.messages[index].content);
  }
  text(answer, results.length ? `Results: ${results.join(" | ")}` : `You said: ${input.messages.at(-1)?.content}`);
  finish(answer, input);
}

/** A run with every kind of part. Files at other addresses must not be fetched. */
async function everything(answer, input, hold) {
  begin(answer, input);
  send(answer, { type: "STEP_STARTED", stepName: "Think" });
  send(answer, { type: "REASONING_START", messageId: "r" });
  send(answer, { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" });
  send(answer, { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "First this.\n\nThen that" });
  await hold();
  send(answer, { type: "REASONING_MESSAGE_END", messageId: "r" });
  send(answer, { type: "REASONING_END", messageId: "r" });
  send(answer, { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "r", encryptedValue: "c2VhbGVk" });
  send(answer, { type: "STEP_FINISHED", stepName: "Think" });
  const activity = { messageId: "a", activityType: "gauge_readings" };
  send(answer, { type: "ACTIVITY_SNAPSHOT", ...activity, content: { status: "Asking", readings: [] } });
  await hold();
  const patch = [
    { op: "replace", path: "/status", value: "All read" },
    { op: "add", path: "/readings/-", value: { metres: 1.42 } },
  ];
  send(answer, { type: "ACTIVITY_DELTA", ...activity, patch });
  text(answer, "Here is the report.");
  const show = (activityType, content) =>
    send(answer, { type: "ACTIVITY_SNAPSHOT", messageId: activityType, activityType, content });
  show("files", {
    files: [
      { type: "image", source: { type: "data", value: PIXEL, mimeType: "image/png" }, metadata: { filename: "pixel.png" } },
      { type: "image", source: { type: "url", value: "https://elsewhere.example/spy.png" } },
      { type: "video", source: { type: "url", value: "https://elsewhere.example/spy.mp4" } },
      { type: "image", source: { type: "data", value: "PHN2Zy8+", mimeType: "image/svg+xml" }, metadata: { filename: "drawing.svg" } },
      { type: "document", source: { type: "url", value: "javascript:alert(1)" }, metadata: { filename: "evil.pdf" } },
      { type: "document", source: { type: "data", value: "SGVsbG8=", mimeType: "text/plain" }, metadata: { filename: "hello.txt" } },
    ],
  });
  show("sources", {
    sources: [
      { title: "Tides", url: "https://tides.example/today", snippet: "High and low water" },
      { title: "Evil", url: "java\tscript:alert(1)" },
    ],
  });
  show("from_the_future", { deep: [{ er: "<img src=x onerror=alert(1)>" }] });
  finish(answer, input);
}

/** A run that calls one tool and succeeds. */
function calling(toolCallName, args) {
  return (answer, input) => {
    begin(answer, input);
    const toolCallId = `call_${randomUUID()}`;
    send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName });
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: args });
    send(answer, { type: "TOOL_CALL_END", toolCallId });
    finish(answer, input);
  };
}

function stream(answer) {
  return answer.writeHead(200, { "content-type": "text/event-stream" });
}

/** Sends one event. */
export function send(answer, event) {
  answer.write(`data: ${JSON.stringify(event)}\n\n`);
}

/** Begins the stream and the run. */
export function begin(answer, { threadId, runId }) {
  send(stream(answer), { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
}

/** Ends both successfully. */
export function finish(answer, { threadId, runId }) {
  send(answer, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } });
  answer.end();
}

function text(answer, delta) {
  const messageId = randomUUID();
  send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  send(answer, { type: "TEXT_MESSAGE_END", messageId });
}

/** A run that is left open after some text. */
function start(answer, input, delta) {
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
  return answer;
}
