// The shop that several examples show as a page, its agent, and a journey on such a page.

import assert from "node:assert/strict";

import { begin, finish, send } from "./fake-agent.mjs";
import { shows } from "./harbor.mjs";
import { approveWith } from "./questions.mjs";

/** Refunds what the user's message names, `ORDER EUROS`, and ends with a smaller budget. */
export const shop = (answer, input) => {
  const last = input.messages.at(-1);
  begin(answer, input);
  if (last.role === "user") {
    const [order, euros] = last.content.split(" ");
    const toolCallId = `call_${input.runId}`;
    send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "refund_order" });
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify({ order, euros: Number(euros) }) });
    send(answer, { type: "TOOL_CALL_END", toolCallId });
  } else {
    const budget = (input.state?.budget ?? 100) - JSON.parse(last.content).refunded;
    send(answer, { type: "STATE_SNAPSHOT", snapshot: { budget } });
  }
  finish(answer, input);
};

/** Returns the row of an order. */
export const row = (chat, order) => chat.page.locator("main li").filter({ hasText: order });

const budget = (chat) => chat.page.locator("main p output");

/** Returns the names of the tools that a request offers. */
export const toolsOf = (request) => request.body.tools.map(({ name }) => name);

/** A conversation with the agent of the shop, and its effects on the page. */
export const journey = (name) => async (chat, agent) => {
  const { page } = chat;
  // The rule: a small refund needs no approval. The second handler knows the effect of the first.
  await chat.ask("A-17 5");
  await chat.ask("A-17 5");
  await shows(row(chat, "A-17"), "refunded: 10 €");
  await shows(chat.card("refund_order").first(), "Refunded €5.00 of A-17, 5 in total");
  await shows(chat.card("refund_order").last(), "Refunded €5.00 of A-17, 10 in total");
  const [first, second, third] = agent.requests("shop").map(({ body }) => body);
  assert.deepEqual(toolsOf({ body: first }), ["refund_order"]);
  assert.deepEqual(first.context, [{ description: "The selected order", value: "A-17" }]);
  assert.equal(second.messages.at(-1).content, '{"refunded":5,"total":5}');
  assert.deepEqual(third.state, { budget: 95 });
  // State that both share, and context, are those of the moment.
  await shows(budget(chat), "90");
  await page.getByRole("button", { name: "Set to 500" }).click();
  await shows(budget(chat), "500");
  await page.getByRole("button", { name: "B-4" }).click();
  await chat.send("B-4 30");
  const card = chat.card("refund_order").last();
  await shows(card, "Pay back 30 €?");
  await shows(card, /Order\s*B-4/);
  await chat.waiting();
  const large = agent.requests("shop").at(-1).body;
  assert.deepEqual(large.state, { budget: 500 });
  assert.deepEqual(large.context, [{ description: "The selected order", value: "B-4" }]);
  // The colours survive the build, which lowers those that depend on the scheme.
  const surface = () => chat.root.evaluate((node) => getComputedStyle(node).backgroundColor);
  assert.equal(await surface(), "rgb(255, 255, 255)");
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await surface(), "rgb(19, 32, 35)");
  await page.emulateMedia({ colorScheme: "light" });
  // The question survives a reload.
  await page.reload();
  await shows(chat.card("refund_order").last(), "Pay back 30 €?");
  await shows(budget(chat), "500");
  await approveWith(chat.card("refund_order").last(), { euros: 20 });
  await chat.idle();
  await shows(chat.card("refund_order").last(), "Refunded €20.00 of B-4, 20 in total");
  await shows(row(chat, "B-4"), "refunded: 20 €");
  await shows(budget(chat), "480");
  assert.equal(agent.requests("shop").at(-1).body.messages.at(-1).content, '{"refunded":20,"total":20}');
  await chat.picture(`frameworks ${name}`);
};
