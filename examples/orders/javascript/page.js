// The shop of src/main.rs in JavaScript: the same action, context, state, audit and store. `?agent=URL` names the AG-UI
// agent.

const assistant = document.querySelector("leptos-assistant");
const list = document.getElementById("orders");
const budget = document.getElementById("budget");
const refunds = document.getElementById("refunds");
const audit = document.getElementById("audit");

// For trying it out. A real page has a fixed address, or a link could choose the agent.
const agent = new URLSearchParams(location.search).get("agent");
if (agent) assistant.setAttribute("url", agent);

const orders = [
  { order: "A-17", euros: 40, refunded: 0 },
  { order: "B-4", euros: 120, refunded: 0 },
  { order: "C-1", euros: 5, refunded: 0 },
  { order: "D-9", euros: 400, refunded: 0 },
];
let selected = orders[0].order;

const find = (id) => orders.find(({ order }) => order === id);
const left = ({ euros, refunded }) => euros - refunded;

const append = (place, text) => {
  const item = document.createElement("li");
  item.textContent = text;
  place.append(item);
  return item;
};

const buttons = orders.map(({ order }) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = order;
  button.addEventListener("click", () => select(order));
  append(list, "").append(button);
  return button;
});

function select(order) {
  selected = order;
  for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === order));
}
select(selected);

await customElements.whenDefined("leptos-assistant");

assistant.registerAction({
  name: "refund_order",
  description: "Refunds an order, or a part of it",
  parameters: {
    type: "object",
    properties: {
      order: { type: "string" },
      euros: { type: "integer", minimum: 1 },
      account: { type: "string", description: "The account of the customer" },
      reason: { type: "string" },
    },
    required: ["order", "euros", "account"],
    additionalProperties: false,
  },
  title: "Refund an order",
  titleWhileRunning: "Refunding an order",
  version: "2",
  risk: "danger",
  handler({ order: id, euros }) {
    const order = find(id);
    if (euros > left(order)) throw new Error(`Only ${left(order)} € are left of ${id}`);
    order.refunded += euros;
    append(refunds, `${id}: ${euros}`);
    return { refunded: euros, total: order.refunded };
  },
  // Account numbers are compared without spaces.
  sanitize: (args) => (typeof args.account === "string" ? { ...args, account: args.account.replaceAll(" ", "") } : args),
  permission: async ({ order }) => Boolean(find(order)) || `There is no order ${order}`,
  limits: { calls: [20, 60_000], perRun: 3 },
  approval: ({ euros }) => euros > 10,
  onlyUserApproves: true,
  rememberFor: ["account"],
  rememberUses: 5,
  rememberUpTo: { "/euros": 100 },
  describe: ({ order, euros, account }) => ({
    sentence: `Pay back ${euros} € to ${account}?`,
    rows: [["Order", order], ["Euros", euros]],
  }),
  async preview({ order: id, euros }) {
    const order = find(id);
    if (!order) throw new Error(`There is no order ${id}`);
    return `${left(order) - euros} € of ${id} are left afterwards`;
  },
  denial: ({ order }, reason) => ({ kept: order, reason: reason ?? null }),
  render(call, element) {
    const line = element.appendChild(document.createElement("p"));
    call.subscribe(({ argsValue, denialReason, error, phase, result }) => {
      const { order, euros } = argsValue ?? {};
      if (phase === "output-available") line.textContent = `Refunded ${euros} € of ${order}, ${result.total} € in total`;
      else if (phase === "output-denied") line.textContent = `Kept ${euros} € of ${order}: ${denialReason ?? "no reason"}`;
      else if (error) line.textContent = `No refund: ${error}`;
      else line.textContent = order ? `Refund of ${euros} € of ${order}` : "";
    });
  },
});

/** Returns the arguments without the account number. The text of arguments that are not JSON may contain it as well. */
const withoutAccount = (args) => {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return "…";
  return args.account ? { ...args, account: "…" } : args;
};

/** Connects a mounted chat to the page. */
const connect = (chat) => {
  chat.registerContext("The selected order", () => selected);
  chat.registerContext("The orders", () => orders);
  chat.subscribe("state", (state) => (budget.value = state?.budget ?? "none"));
  const log = chat.startAudit({ redact: (entry) => ({ ...entry, args: withoutAccount(entry.args) }) });
  log.onEntry((entry) => append(audit, JSON.stringify(entry)));
};
assistant.addEventListener("leptos-assistant-ready", ({ detail }) => connect(detail.chat));
if (assistant.chat) connect(assistant.chat);
document.getElementById("raise").addEventListener("click", () => assistant.chat?.setState({ budget: 500 }));
