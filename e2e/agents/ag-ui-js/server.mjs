// An agent without a framework: `node server.mjs PORT MODEL`. It streams the model's answer as events of @ag-ui/core in
// the format that the request accepts, by @ag-ui/encoder.

import http from "node:http";

import { EventType } from "@ag-ui/core";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { EventEncoder } from "@ag-ui/encoder";

import { completion } from "./model.mjs";
import { TOOLS, approvals, execute } from "./tools.mjs";

const [port, model] = process.argv.slice(2);

/** Runs the agent: steps of the model, until it calls a tool of the page, asks the user, or is finished. */
async function* run(input) {
  const ids = { threadId: input.threadId, runId: input.runId };
  yield { type: EventType.RUN_STARTED, ...ids };
  const messages = [...input.messages];
  yield* resumed(input, messages);
  for (;;) {
    const answer = { id: crypto.randomUUID(), role: "assistant", content: "", toolCalls: [] };
    yield* completion(model, messages, [...input.tools, ...TOOLS], answer);
    messages.push(answer);
    const own = answer.toolCalls.filter((call) => TOOLS.some(({ name }) => name === call.function.name));
    const interrupts = approvals(own);
    for (const call of own) {
      if (!interrupts.some(({ toolCallId }) => toolCallId === call.id)) yield* result(call, execute(call), messages);
    }
    if (interrupts.length) return yield { type: EventType.RUN_FINISHED, ...ids, outcome: { type: "interrupt", interrupts } };
    if (own.length < answer.toolCalls.length || !own.length) break;
  }
  yield { type: EventType.RUN_FINISHED, ...ids, outcome: { type: "success" } };
}

/** Executes the calls that the user has approved. */
async function* resumed({ resume = [] }, messages) {
  const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  for (const { interruptId, payload } of resume) {
    const call = calls.find(({ id }) => id === interruptId);
    if (!call) continue;
    const { approved = false, reason, editedArgs } = payload ?? {};
    const args = editedArgs ?? JSON.parse(call.function.arguments);
    const denied = { content: JSON.stringify({ status: "denied", reason }) };
    yield* result(call, approved ? execute({ function: { name: call.function.name, arguments: JSON.stringify(args) } }) : denied, messages);
  }
}

async function* result({ id }, { content, error }, messages) {
  const message = { id: crypto.randomUUID(), role: "tool", toolCallId: id, content, ...(error && { error }) };
  const after = messages.findIndex(({ toolCalls }) => toolCalls?.some((call) => call.id === id));
  messages.splice(after + 1, 0, message);
  yield { type: EventType.TOOL_CALL_RESULT, messageId: message.id, toolCallId: id, content, role: "tool" };
}

async function answer(request, response) {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const input = RunAgentInputSchema.parse(JSON.parse(body));
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { "content-type": encoder.getContentType() });
  try {
    for await (const event of run(input)) {
      if (response.destroyed) return;
      response.write(encoder.encodeBinary(event));
    }
  } catch (error) {
    response.write(encoder.encodeBinary({ type: EventType.RUN_ERROR, message: error.message }));
  }
  response.end();
}

http
  .createServer((request, response) => {
    if (request.method !== "POST") return response.writeHead(404).end();
    answer(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(400);
      response.end(error.message);
    });
  })
  .listen(Number(port), "127.0.0.1");
