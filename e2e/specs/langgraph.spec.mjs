// The built demo against a real langgraph server (examples/langgraph): a graph that stores the thread itself and sends
// its messages at the end of each run, with other ids. Its interrupts are in interrupts.spec.mjs.

import assert from "node:assert/strict";

import { demo, langgraphAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { checkEnvelopes } from "../support/wire.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const agent = await langgraphAgent(new URL(page.url).origin);
  open.push(page, agent);
  return { page, agent };
});

/** A test against both of the agent's addresses: with raw events and without. */
function agentTest(name, body) {
  for (const path of ["", "outcome"]) {
    const address = ({ page, agent }) =>
      `${page.url}?${new URLSearchParams({ agent: `${agent.url}${path}`, protocol: "ag-ui" })}`;
    chatTest(`/${path}: ${name}`, { address }, async (chat, { agent }) => {
      await agent.forget();
      await body(chat, agent);
    });
  }
}

async function sent(agent) {
  const requests = await agent.requests();
  checkEnvelopes(requests, { state: true });
  return requests.map(({ body }) => body);
}

const rolesOf = ({ messages }) => messages.map(({ role }) => role);

/** Checks that each message of the transcript is there once. */
async function assertNoDuplicates(chat, role, ...texts) {
  assert.equal(await chat.messages(role).count(), texts.length);
  for (const [index, text] of texts.entries()) {
    assert.ok((await chat.messages(role).nth(index).innerText()).includes(text), `${role} ${index} says ${text}`);
  }
}

agentTest("text is streamed, and the state of the graph is sent with the next message", async (chat, agent) => {
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  await chat.ask("And again");
  await chat.says("You said: And again");
  await assertNoDuplicates(chat, "user", "Hello there", "And again");
  await assertNoDuplicates(chat, "assistant", "You said: Hello there", "You said: And again");
  const [first, second] = await sent(agent);
  assert.deepEqual(first.state, {});
  assert.equal(second.state.steps, 1);
  assert.deepEqual(rolesOf(second), ["user", "assistant", "user"]);
});

agentTest("a page tool runs between two runs of the graph", async (chat, agent) => {
  await chat.ask("Search, please");
  await chat.status(chat.card("web_search"), "complete");
  await chat.says("web_search returned");
  assert.equal(await chat.card("web_search").count(), 1);
  const bodies = await sent(agent);
  assert.equal(bodies.length, 2);
  assert.deepEqual(rolesOf(bodies[1]), ["user", "assistant", "tool"]);
});

agentTest("a server result with another id in the snapshot is shown once", async (chat, agent) => {
  await chat.ask("Where is order A-17?");
  const card = chat.card("lookup_order");
  await chat.status(card, "complete");
  await chat.says('lookup_order returned {"order": "A-17", "state": "packed"}.');
  assert.equal(await card.count(), 1);
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
  const bodies = await sent(agent);
  assert.equal(bodies.length, 2);
  assert.deepEqual(rolesOf(bodies[1]), ["user", "assistant", "tool", "assistant", "user"], "a result follows its call");
});
