// The tool of the compared pages.
export const tool = {
  name: "lookUp",
  description: "Looks up an order",
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  handler: async ({ order }) => ({ order, state: "sent" }),
};
