// The tools of the server. The second runs once the user has approved it.

const text = { type: "string" };

export const TOOLS = [
  {
    name: "lookup_order",
    description: "The state of an order.",
    parameters: { type: "object", properties: { order_id: text }, required: ["order_id"] },
  },
  {
    name: "refund_order",
    description: "Give money back for an order, once a person has approved it.",
    parameters: {
      type: "object",
      properties: { order_id: text, amount: { type: "integer" } },
      required: ["order_id", "amount"],
    },
  },
];

/** The question about a call, in the form that makes it an approval card. */
const RESPONSE = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: text, editedArgs: TOOLS[1].parameters },
  required: ["approved"],
};

/** The interrupts that these calls need. */
export function approvals(calls) {
  return calls
    .filter((call) => call.function.name === "refund_order")
    .map(({ id }) => ({ id, toolCallId: id, reason: "tool_call", message: "Shall I refund it?", responseSchema: RESPONSE }));
}

/** Runs a call: its content, and the error for the model. */
export function execute({ function: { name, arguments: text } }) {
  const { order_id, amount } = JSON.parse(text);
  if (name === "lookup_order" && order_id === "X-0") {
    return { content: JSON.stringify({ error: "no order X-0" }), error: "no order X-0" };
  }
  const value = name === "lookup_order" ? { order: order_id, state: "packed" } : { order: order_id, refunded: amount };
  return { content: JSON.stringify(value) };
}
