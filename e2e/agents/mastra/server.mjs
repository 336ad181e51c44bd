// An agent of Mastra behind its AG-UI adapter: `node server.mjs PORT MODEL`. Threads and suspended runs are in a database
// for the process that starts this one, so that they outlive a restart.

import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

import { EventEncoder } from "@ag-ui/encoder";
import { MastraAgent } from "@ag-ui/mastra";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { Memory } from "@mastra/memory";
import { z } from "zod";

const [port, model] = process.argv.slice(2);

const lookupOrder = createTool({
  id: "lookup_order",
  description: "The state of an order.",
  inputSchema: z.object({ order_id: z.string() }),
  async execute({ order_id }) {
    if (order_id === "X-0") throw new Error("no order X-0");
    return { order: order_id, state: "packed" };
  },
});

const refundOrder = createTool({
  id: "refund_order",
  description: "Give money back for an order, once a person has approved it.",
  inputSchema: z.object({ order_id: z.string(), amount: z.number() }),
  resumeSchema: z.object({
    approved: z.boolean(),
    reason: z.string().optional(),
    editedArgs: z.object({ order_id: z.string(), amount: z.number() }).optional(),
  }),
  suspendSchema: z.object({ message: z.string() }),
  async execute(args, { agent }) {
    const { resumeData, suspend } = agent;
    if (!resumeData) return suspend({ message: `Refund order ${args.order_id}?` });
    if (!resumeData.approved) return { status: "denied", reason: resumeData.reason };
    const { order_id, amount } = resumeData.editedArgs ?? args;
    return { order: order_id, refunded: amount };
  },
});

const storage = new LibSQLStore({ id: "threads", url: `file:${path.join(tmpdir(), `mastra-${process.ppid}.db`)}` });
const agent = new Agent({
  id: "orders",
  name: "orders",
  instructions: "Help with orders.",
  model: { id: "scripted/small", url: model, apiKey: "none" },
  tools: { lookup_order: lookupOrder, refund_order: refundOrder },
  memory: new Memory({ storage }),
});
const mastra = new Mastra({ agents: { orders: agent }, storage, logger: false });

/** Runs the agent, and writes its events as they come. */
async function run(request, response) {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { "content-type": encoder.getContentType() });
  const events = new MastraAgent({ agent: mastra.getAgent("orders"), resourceId: "user" }).run(JSON.parse(body));
  events.subscribe({
    next: (event) => response.write(encoder.encodeSSE(event)),
    error: (error) => response.end(encoder.encodeSSE({ type: "RUN_ERROR", message: error.message })),
    complete: () => response.end(),
  });
}

http
  .createServer((request, response) => {
    if (request.method === "POST") run(request, response).catch((error) => response.destroy(error));
    else response.writeHead(404).end();
  })
  .listen(Number(port), "127.0.0.1");
