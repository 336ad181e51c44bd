// The built demo against the agent framework (examples/agent-framework), which speaks AG-UI from before 1.0.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { questions } from "../support/questions.mjs";
import { demo, frameworkAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { checkEnvelopes } from "../support/wire.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const agent = await frameworkAgent(new URL(page.url).origin);
  open.push(page, agent);
  return { page, agent };
});

const address = ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url, protocol: "ag-ui" })}`;

/** A test that starts with an empty record at the agent. */
const agentTest = (name, body) =>
  chatTest(name, { address }, async (chat, { agent }) => {
    await agent.forget();
    await body(chat, agent);
  });

async function sent(agent) {
  const requests = await agent.requests();
  checkEnvelopes(requests);
  return requests.map(({ body }) => body);
}

/** The calls of a request, and whether each has a result directly after its message. */
function answeredCalls({ messages }) {
  const results = new Set(messages.filter(({ role }) => role === "tool").map(({ toolCallId }) => toolCallId));
  const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  return calls.map(({ id, function: { name } }) => [name, results.has(id)]);
}

async function refund(chat, text = "Refund order A-17") {
  await chat.send(text);
  const card = chat.card("refund_order");
  await card.first().getByRole("button", { name: /^Approve(:|$)/ }).waitFor();
  return card;
}

agentTest("a page tool runs although its parent message was never started", async (chat, agent) => {
  await chat.ask("Search, please");
  await chat.status(chat.card("web_search"), "complete");
  await chat.says("web_search returned");
  const bodies = await sent(agent);
  assert.equal(bodies.length, 2);
  assert.deepEqual(answeredCalls(bodies[1]), [["web_search", true]]);
});

agentTest("with a server call and a page call, the server runs its own after the page's", async (chat, agent) => {
  await chat.ask("Where is order A-17, and search");
  await chat.says(/lookup_order returned {"order": "A-17", "state": "packed"}[^]*web_search returned/);
  await chat.status(chat.card("web_search"), "complete");
  await chat.status(chat.card("lookup_order"), "complete");
  assert.equal(await chat.card("lookup_order").count(), 1);
  assert.equal(await chat.messages("assistant").filter({ hasText: "not found" }).count(), 0);
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
  const bodies = await sent(agent);
  assert.equal(bodies.length, 3, "one continuation");
  assert.deepEqual(answeredCalls(bodies[1]), [
    ["lookup_order", false],
    ["web_search", true],
  ]);
  assert.deepEqual(answeredCalls(bodies[2]), [
    ["lookup_order", true],
    ["web_search", true],
  ]);
});

agentTest("an approval sent in three forms is shown once", async (chat, agent) => {
  const card = await refund(chat);
  assert.equal(await chat.root.getByRole("button", { name: /^Approve(:|$)/ }).count(), 1);
  assert.equal(await questions(chat).count(), 0);
  assert.equal(await card.getByLabel("Reason (optional)", { exact: true }).count(), 0, "it takes no reason");
  await chat.picture("agent framework approval");
  await chat.approve(card);
  await chat.idle();
  await chat.status(card, "complete");
  await chat.says('refund_order returned {"order": "A-17", "refunded": 40}.');
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
  // The call only carried the question: it is not sent back, and the server's history omits it.
  await eventually(async () => assert.equal(await chat.card("confirm_changes").count(), 0));
  assert.equal(await chat.root.locator("[data-phase=output-error]").count(), 0, "nothing has failed");
  const bodies = await sent(agent);
  assert.equal(bodies.length, 3);
  assert.deepEqual(bodies[1].resume[0].payload, { approved: true });
  const calls = bodies[2].messages.flatMap((message) => message.toolCalls ?? []);
  assert.deepEqual(
    calls.map((call) => call.function.name),
    ["refund_order"],
    "the call that only carried the question is not sent",
  );
});

agentTest("a denial is reported by the agent, and the next message works", async (chat, agent) => {
  const card = await refund(chat);
  await chat.deny(card);
  await chat.idle();
  await chat.status(card, "failed");
  await chat.says("rejected by user");
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
  assert.deepEqual((await sent(agent))[1].resume[0].payload, { approved: false });
});
