// A backend on the AI SDK: `node server.mjs PORT MODEL`. The page's tools are the ones without `execute`.

import { randomUUID } from "node:crypto";
import http from "node:http";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { convertToModelMessages, createUIMessageStreamResponse, isStepCount, jsonSchema, streamText, toUIMessageStream, tool } from "ai";

const [port, model] = process.argv.slice(2);
const provider = createOpenAICompatible({ name: "scripted", baseURL: model, apiKey: "none" });

const text = { type: "string" };
const TOOLS = {
  lookup_order: tool({
    description: "The state of an order.",
    inputSchema: jsonSchema({ type: "object", properties: { order_id: text }, required: ["order_id"] }),
    execute({ order_id }) {
      if (order_id === "X-0") throw new Error("no order X-0");
      return { order: order_id, state: "packed" };
    },
  }),
  refund_order: tool({
    description: "Give money back for an order, once a person has approved it.",
    inputSchema: jsonSchema({
      type: "object",
      properties: { order_id: text, amount: { type: "integer" } },
      required: ["order_id", "amount"],
    }),
    execute: ({ order_id, amount }) => ({ order: order_id, refunded: amount }),
  }),
};

async function answer(request) {
  const { messages, tools = {} } = await request.json();
  const offered = Object.entries(tools).map(([name, { description, parameters }]) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters) }),
  ]);
  const all = { ...Object.fromEntries(offered), ...TOOLS };
  const { stream } = streamText({
    model: provider("small"),
    messages: await convertToModelMessages(messages, { tools: all }),
    tools: all,
    toolApproval: { refund_order: "user-approval" },
    experimental_toolApprovalSecret: "known to this server only",
    stopWhen: isStepCount(5),
    maxRetries: 0,
    abortSignal: request.signal,
    onError: () => {},
  });
  const parts = toUIMessageStream({
    stream,
    tools: all,
    originalMessages: messages,
    generateMessageId: randomUUID,
    onError: (error) => (error instanceof Error ? error.message : String(error)),
  });
  return createUIMessageStreamResponse({ stream: parts });
}

/** Answers a request; the model is stopped when the page hangs up. */
async function handle(request, response) {
  const hangUp = new AbortController();
  response.on("close", () => hangUp.abort());
  const body = await new Response(request).text();
  const asked = new Request("http://localhost/", { method: "POST", body, signal: hangUp.signal });
  const { status, headers, body: stream } = await answer(asked);
  response.writeHead(status, Object.fromEntries(headers));
  for await (const chunk of stream) response.write(chunk);
  response.end();
}

http
  .createServer((request, response) => {
    // Nothing is stored here, so there is no answer to resume after a reload.
    if (request.method === "GET") response.writeHead(204).end();
    else handle(request, response).catch((error) => response.destroy(error));
  })
  .listen(Number(port), "127.0.0.1");
