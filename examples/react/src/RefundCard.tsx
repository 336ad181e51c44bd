import type { CallOfCard } from "leptos-assistant/react";
import { createContext, useContext } from "react";

/** The currency of the page: cards read the contexts of `<Assistant>`. */
export const Currency = createContext("EUR");

/** The card of a refund. */
export function RefundCard({ call: { args, phase, result, error } }: { call: CallOfCard }) {
  const currency = useContext(Currency);
  if (!args) return null;
  if (error) return <p>No refund: {error}</p>;
  const amount = new Intl.NumberFormat("en", { style: "currency", currency }).format(args.euros);
  if (phase !== "output-available") return <p>Refund of {amount}</p>;
  return (
    <p>
      Refunded <strong>{amount}</strong> of {args.order}, {result.total} in total
    </p>
  );
}
