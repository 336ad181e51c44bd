// The agent of the benchmark: plays the stream that the last message names, at a pace that is independent of the page.

import http from "node:http";

import { listening } from "../e2e/support/servers.mjs";
import { STREAMS } from "./streams.mjs";

/** The interval between two writes, in milliseconds. Everything that is due by then is sent in one write. */
const TICK = 8;

/** Starts the agent. `ended()` resolves when the next stream has ended; call it before that stream is requested. */
export async function pacedAgent() {
  let ended = () => {};
  const server = http.createServer(async (request, answer) => {
    answer.setHeader("access-control-allow-origin", "*");
    answer.setHeader("access-control-allow-headers", "*");
    if (request.method !== "POST") return answer.writeHead(204).end();
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    await play(JSON.parse(body), answer);
    ended();
  });
  return { ...(await listening(server)), ended: () => new Promise((resolve) => (ended = resolve)) };
}

async function play({ threadId, runId, messages }, answer) {
  const last = messages.at(-1);
  const { frames, seconds } = STREAMS[last.content]({ messages: [last] });
  const event = (type, more) => `data: ${JSON.stringify({ type, threadId, runId, ...more })}\n\n`;
  answer.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  answer.socket.setNoDelay(true);
  answer.write(event("RUN_STARTED", { protocolVersion: "1.0" }));
  const start = performance.now();
  for (let sent = 0; sent < frames.length; ) {
    const part = seconds ? (performance.now() - start) / (seconds * 1000) : 1;
    const due = Math.min(frames.length, Math.ceil(part * frames.length));
    if (due > sent) answer.write(frames.slice(sent, due).join(""));
    sent = due;
    if (sent < frames.length) await new Promise((resolve) => setTimeout(resolve, TICK));
  }
  answer.end(event("RUN_FINISHED", { outcome: { type: "success" } }));
}
