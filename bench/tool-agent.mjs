// The agent of the first load: calls a tool of the page, and answers with its result.

import http from "node:http";

import { listening } from "../e2e/support/servers.mjs";

/** The text of the answer. */
export const ANSWER = "The order was sent.";

export async function toolAgent() {
  const server = http.createServer(async (request, answer) => {
    answer.setHeader("access-control-allow-origin", "*");
    answer.setHeader("access-control-allow-headers", "*");
    if (request.method !== "POST") return answer.writeHead(204).end();
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { threadId, runId, messages } = JSON.parse(body);
    const event = (type, more) => answer.write(`data: ${JSON.stringify({ type, threadId, runId, ...more })}\n\n`);
    answer.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    answer.socket.setNoDelay(true);
    event("RUN_STARTED", { protocolVersion: "1.0" });
    if (messages.at(-1).role === "tool") {
      event("TEXT_MESSAGE_START", { messageId: "answer", role: "assistant" });
      event("TEXT_MESSAGE_CONTENT", { messageId: "answer", delta: ANSWER });
      event("TEXT_MESSAGE_END", { messageId: "answer" });
    } else {
      event("TOOL_CALL_START", { toolCallId: "call", toolCallName: "lookUp" });
      event("TOOL_CALL_ARGS", { toolCallId: "call", delta: '{"order":"A-17"}' });
      event("TOOL_CALL_END", { toolCallId: "call" });
    }
    event("RUN_FINISHED", { outcome: { type: "success" } });
    answer.end();
  });
  return listening(server);
}
