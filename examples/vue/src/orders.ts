/** An order of the shop. */
export interface Order {
  id: string;
  euros: number;
  refunded: number;
}

/** The arguments of the action. */
export interface Refund {
  order: string;
  euros: number;
}

export const ORDERS: Order[] = [
  { id: "A-17", euros: 40, refunded: 0 },
  { id: "B-4", euros: 120, refunded: 0 },
];

/** The schema of the arguments. */
export const REFUND = {
  type: "object",
  properties: { order: { type: "string" }, euros: { type: "number", exclusiveMinimum: 0 } },
  required: ["order", "euros"],
};

/** Returns the orders after a refund; throws if it is not possible. */
export function afterRefund(orders: Order[], { order, euros }: Refund): Order[] {
  const found = orders.find(({ id }) => id === order);
  if (!found) throw new Error(`There is no order ${order}`);
  if (found.refunded + euros > found.euros) throw new Error(`Only ${found.euros - found.refunded} € are left of ${order}`);
  return orders.map((one) => (one === found ? { ...one, refunded: one.refunded + euros } : one));
}

/** Returns the sum of all refunds. */
export const total = (orders: Order[]) => orders.reduce((sum, { refunded }) => sum + refunded, 0);
