// The graph: LangChain's agent with CopilotKit's middleware, which adds the page's tools, and one that asks the user.

import { copilotkitMiddleware } from "@copilotkit/sdk-js/langgraph";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { z } from "zod";

const lookupOrder = tool(
  ({ order_id }) => {
    if (order_id === "X-0") throw new Error("no order X-0");
    return JSON.stringify({ order: order_id, state: "packed" });
  },
  { name: "lookup_order", description: "The state of an order.", schema: z.object({ order_id: z.string() }) },
);

const refundOrder = tool(({ order_id, amount }) => JSON.stringify({ order: order_id, refunded: amount }), {
  name: "refund_order",
  description: "Give money back for an order, once a person has approved it.",
  schema: z.object({ order_id: z.string(), amount: z.number() }),
});

export const graph = createAgent({
  model: new ChatOpenAI({
    model: "small",
    apiKey: "none",
    maxRetries: 0,
    streaming: true,
    configuration: { baseURL: process.env.OPENAI_BASE_URL },
  }),
  tools: [lookupOrder, refundOrder],
  middleware: [copilotkitMiddleware, humanInTheLoopMiddleware({ interruptOn: { refund_order: true } })],
});
