// The page of a shop, and an action for the chat in it. `?agent=URL` names the AG-UI agent, unless a server that
// forwards requests has rendered the page: it has written a token into the page, without which it refuses them.

const assistant = document.querySelector("leptos-assistant");
const orders = document.getElementById("orders");
const budget = document.getElementById("budget");
const raise = document.getElementById("raise");
const toggle = document.getElementById("toggle");

const agent = new URLSearchParams(location.search).get("agent");
const token = () => document.querySelector("meta[name=csrf-token]");
// The token, or the element with it, may change while the page is open, so both are read for each request.
if (token()) assistant.options = { headers: () => ({ [token().dataset.header ?? "X-CSRF-Token"]: token().content }) };
else if (agent) assistant.setAttribute("url", agent);

/** Returns the row of an order. */
const rowOf = (id) => [...orders.children].find(({ dataset }) => dataset.order === id);
const refundedOf = (row) => Number(row.querySelector("output").value);

await customElements.whenDefined("leptos-assistant");

assistant.registerAction({
  name: "refund_order",
  description: "Refunds an order, or a part of it",
  title: "Refund an order",
  parameters: {
    type: "object",
    properties: { order: { type: "string" }, euros: { type: "number", exclusiveMinimum: 0 } },
    required: ["order", "euros"],
  },
  approval: ({ euros }) => euros > 10,
  describe: ({ order, euros }) => ({ sentence: `Pay back ${euros} €?`, rows: [["Order", order], ["Euros", euros]] }),
  handler({ order, euros }) {
    const row = rowOf(order);
    if (!row) throw new Error(`There is no order ${order}`);
    const left = Number(row.dataset.euros) - refundedOf(row);
    if (euros > left) throw new Error(`Only ${left} € are left of ${order}`);
    row.querySelector("output").value = String(refundedOf(row) + euros);
    return { refunded: euros, total: [...orders.children].reduce((sum, row) => sum + refundedOf(row), 0) };
  },
  render(call, element) {
    const line = element.appendChild(document.createElement("p"));
    call.subscribe(({ args, error, phase, result }) => {
      const amount = args && new Intl.NumberFormat("en", { style: "currency", currency: "EUR" }).format(args.euros);
      if (!args) line.textContent = "";
      else if (error) line.textContent = `No refund: ${error}`;
      else if (phase !== "output-available") line.textContent = `Refund of ${amount}`;
      else line.textContent = `Refunded ${amount} of ${args.order}, ${result.total} in total`;
    });
  },
});

orders.addEventListener("click", ({ target }) => {
  if (!target.matches("button")) return;
  for (const button of orders.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button === target));
});

// Each chat that the element mounts.
const follow = (chat) => {
  chat.registerContext("The selected order", () => orders.querySelector("[aria-pressed=true]").textContent);
  chat.subscribe("state", (state) => (budget.value = state?.budget ?? "none"));
  raise.disabled = false;
};
assistant.addEventListener("leptos-assistant-ready", ({ detail }) => follow(detail.chat));
if (assistant.chat) follow(assistant.chat);
raise.addEventListener("click", () => assistant.chat?.setState({ budget: 500 }));

const place = assistant.parentElement;
toggle.addEventListener("click", () => {
  if (assistant.isConnected) assistant.remove();
  else place.append(assistant);
  toggle.textContent = assistant.isConnected ? "Remove the chat" : "Show the chat";
});
