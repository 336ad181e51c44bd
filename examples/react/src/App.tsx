import { Assistant, useAssistant, useAssistantAction, useAssistantContext, useAssistantState } from "leptos-assistant/react";
import { useRef, useState } from "react";
import { ORDERS, REFUND, afterRefund, total, type Refund } from "./orders";
import { Currency, RefundCard } from "./RefundCard";

/** The address of the agent. */
const AGENT = new URLSearchParams(location.search).get("agent") ?? "/agent";

export function App() {
  const [isShown, setShown] = useState(true);
  return (
    <Currency value="EUR">
      <div className="page">
        <main>
          <h1>Orders</h1>
          <Orders />
          <Budget />
          <button type="button" onClick={() => setShown(!isShown)}>
            {isShown ? "Remove the chat" : "Show the chat"}
          </button>
        </main>
        {isShown && <Assistant className="chat" url={AGENT} label="Shop" store="indexeddb" greeting="Which order is it about?" />}
      </div>
    </Currency>
  );
}

function Orders() {
  const [orders, setOrders] = useState(ORDERS);
  // Two refunds may come before the next rendering: the second one needs the orders after the first.
  const newest = useRef(orders);
  const [selected, setSelected] = useState(ORDERS[0].id);
  useAssistantContext("The selected order", selected);
  useAssistantAction<Refund>({
    name: "refund_order",
    description: "Refunds an order, or a part of it",
    title: "Refund an order",
    parameters: REFUND,
    approval: ({ euros }) => euros > 10,
    describe: ({ order, euros }) => ({ sentence: `Pay back ${euros} €?`, rows: [["Order", order], ["Euros", euros]] }),
    handler: (refund) => {
      newest.current = afterRefund(newest.current, refund);
      setOrders(newest.current);
      return { refunded: refund.euros, total: total(newest.current) };
    },
    render: (call) => <RefundCard call={call} />,
  });
  return (
    <ul>
      {orders.map(({ id, euros, refunded }) => (
        <li key={id}>
          <button type="button" aria-pressed={id === selected} onClick={() => setSelected(id)}>
            {id}
          </button>{" "}
          {euros} €, refunded: {refunded} €
        </li>
      ))}
    </ul>
  );
}

/** The state that page and agent share. */
function Budget() {
  const chat = useAssistant();
  const state = useAssistantState("state") as { budget?: number } | undefined;
  return (
    <p>
      Budget: <output>{state?.budget ?? "none"}</output>{" "}
      <button type="button" disabled={!chat} onClick={() => chat?.setState({ budget: 500 })}>
        Set to 500
      </button>
    </p>
  );
}
