// The built demo against agents that stop and wait for a user: pydantic-ai (approvals), langgraph (approvals and
// questions, as outcomes of the run and in the older dialect). The page as the user sees it, and the exact answers.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { answer, approveWith, change, denyBecause, giveUp, questions } from "../support/questions.mjs";
import { demo, langgraphAgent, pydanticAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { checkEnvelopes } from "../support/wire.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const { origin } = new URL(page.url);
  const [pydantic, langgraph] = await Promise.all([pydanticAgent(origin), langgraphAgent(origin)]);
  open.push(page, pydantic, langgraph);
  return { page, pydantic, langgraph };
});

/** Tests against one agent, reached at `path` under its address, each with an empty record. */
const testsOf = (name, path = "") =>
  (title, body) => {
    const address = ({ page, [name]: agent }) =>
      `${page.url}?${new URLSearchParams({ agent: `${agent.url}${path}`, protocol: "ag-ui" })}`;
    chatTest(`${name}/${path}: ${title}`, { address }, async (chat, { [name]: agent }) => {
      await agent.forget();
      await body(chat, agent);
    });
  };

const pydanticTest = testsOf("pydantic");
const outcomeTest = testsOf("langgraph", "outcome");
const legacyTest = testsOf("langgraph");

/** The bodies of the requests since the start of the test. */
async function sent(agent, options) {
  const requests = await agent.requests();
  checkEnvelopes(requests, options);
  return requests.map(({ body }) => body);
}

/** The answers that were sent, run by run; runs without answers are omitted. */
const answersOf = (bodies) => bodies.map(({ resume }) => resume).filter(Boolean);

/** An answer as it is sent. */
const resolved = (interruptId, payload) => ({ interruptId, status: "resolved", payload });

/** The ids of the calls in a request, in order. */
const callsOf = ({ messages }) => messages.flatMap(({ toolCalls }) => toolCalls ?? []).map(({ id }) => id);

/** The id that pydantic-ai gives to the interrupt about a call. */
const interruptOf = (call) => `int-${call}`;

async function refund(chat, text = "Refund order A-17") {
  await chat.send(text);
  const card = chat.card("refund_order");
  await card.first().getByRole("button", { name: /^Approve(:|$)/ }).waitFor();
  await chat.waiting();
  await chat.status(card.first(), "pending");
  return card;
}

pydanticTest("a pending approval holds the run until the server runs its tool", async (chat, agent) => {
  const card = await refund(chat);
  await chat.running();
  assert.ok(await chat.composer.isEditable(), "the next message can be written");
  await chat.composer.fill("And the others?");
  await chat.composer.press("Enter");
  await chat.notice("Approve or deny the request above to continue.").waitFor();
  assert.equal(await chat.composer.inputValue(), "And the others?");
  await chat.composer.fill("");
  assert.equal((await agent.requests()).length, 1, "nothing is sent before the decision");
  assert.equal(await questions(chat).count(), 0, "the card shows the question");
  await chat.picture("interrupt approval");
  await chat.approve(card);
  await chat.idle();
  await chat.status(card, "complete");
  await chat.says('refund_order returned {"order": "A-17", "refunded": 40}.');
  const bodies = await sent(agent);
  assert.equal(bodies.length, 2);
  const [call] = callsOf(bodies[1]);
  assert.deepEqual(answersOf(bodies), [[resolved(interruptOf(call), { approved: true })]]);
  const roles = bodies[1].messages.map(({ role }) => role);
  assert.deepEqual(roles, ["user", "assistant"], "an answer is not sent as a message");
});

pydanticTest("an approval with edited arguments runs with them", async (chat, agent) => {
  const card = await refund(chat);
  await approveWith(card, { order_id: "A-17", amount: 15 });
  await chat.idle();
  await chat.status(card, "complete");
  await chat.says('refund_order returned {"order": "A-17", "refunded": 15}.');
  const bodies = await sent(agent);
  const [[{ payload }]] = answersOf(bodies);
  assert.deepEqual(payload, { approved: true, editedArgs: { order_id: "A-17", amount: 15 } });
  const [{ function: asked }] = bodies[1].messages.at(-1).toolCalls;
  assert.equal(asked.arguments, '{"order_id": "A-17", "amount": 40}', "the call keeps the agent's arguments");
});

pydanticTest("editing can be cancelled", async (chat, agent) => {
  const card = await refund(chat);
  await change(card);
  await card.getByRole("button", { name: "Cancel", exact: true }).click();
  await chat.approve(card);
  await chat.idle();
  await chat.says('"refunded": 40');
  assert.deepEqual(answersOf(await sent(agent))[0][0].payload, { approved: true });
});

pydanticTest("a denial is sent with its reason", async (chat, agent) => {
  const card = await refund(chat);
  await denyBecause(card, "too expensive");
  await chat.idle();
  await chat.status(card, "failed");
  await chat.says("refund_order was denied (too expensive), so I leave it.");
  assert.deepEqual(answersOf(await sent(agent))[0][0].payload, { approved: false, reason: "too expensive" });
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
});

pydanticTest("Stop cancels an approval, which is sent with the next message", async (chat, agent) => {
  const card = await refund(chat);
  await chat.stopButton.click();
  await chat.idle();
  await eventually(async () => assert.equal(await card.getByRole("button", { name: "Approve" }).count(), 0));
  await chat.ask("Hello again");
  await chat.says("You said: Hello again");
  await chat.status(card, "failed");
  const bodies = await sent(agent);
  const [call] = callsOf(bodies.at(-1));
  assert.deepEqual(answersOf(bodies), [[{ interruptId: interruptOf(call), status: "cancelled" }]]);
});

pydanticTest("two approvals are sent together in the agent's order", async (chat, agent) => {
  const cards = await refund(chat, "Refund orders A-17 and B-2");
  await denyBecause(cards.nth(1), "not this one");
  await eventually(async () => assert.equal(await cards.nth(1).getByRole("button", { name: "Deny" }).count(), 0));
  await chat.running();
  assert.equal((await agent.requests()).length, 1, "one decision is still missing");
  await chat.approve(cards.nth(0));
  await chat.idle();
  await chat.says(/"A-17", "refunded": 40[^]*refund_order was denied \(not this one\)/);
  const bodies = await sent(agent);
  assert.equal(bodies.length, 2, "one continuation");
  const [first, second] = callsOf(bodies[1]).map(interruptOf);
  const denial = { approved: false, reason: "not this one" };
  assert.deepEqual(answersOf(bodies), [[resolved(first, { approved: true }), resolved(second, denial)]]);
});

pydanticTest("a server call beside a pending approval keeps its result", async (chat) => {
  const card = await refund(chat, "Look up and refund order A-17");
  await chat.status(chat.card("lookup_order"), "complete");
  await chat.approve(card);
  await chat.idle();
  await chat.says(/lookup_order returned[^]*refund_order returned/);
});

pydanticTest("the result of a page call is sent with the answer to an approval", async (chat, agent) => {
  const card = await refund(chat, "Refund order A-17 and search the policy");
  await chat.approve(card);
  await chat.idle();
  await chat.status(chat.card("web_search"), "complete");
  await chat.says(/refund_order returned[^]*web_search returned/);
  const bodies = await sent(agent);
  assert.equal(bodies.length, 2);
  const [refunding, search] = callsOf(bodies[1]);
  const results = bodies[1].messages.filter(({ role }) => role === "tool").map(({ toolCallId }) => toolCallId);
  assert.deepEqual(results, [search], "the call with the interrupt has no result from here");
  assert.equal(answersOf(bodies)[0][0].interruptId, interruptOf(refunding));
});

outcomeTest("an approval is answered with the id of the graph's interrupt", async (chat, agent) => {
  const card = await refund(chat);
  assert.equal(await questions(chat).count(), 0, "the custom event of the same question adds no question");
  await chat.approve(card);
  await chat.idle();
  await chat.status(card, "complete");
  assert.equal(await card.count(), 1, "the call that the graph announces again is the same");
  await chat.says('refund_order returned {"order": "A-17", "refunded": 40}.');
  const bodies = await sent(agent, { state: true });
  assert.deepEqual(answersOf(bodies)[0][0].payload, { approved: true });
});

outcomeTest("an approval with edited arguments runs with them", async (chat, agent) => {
  const card = await refund(chat);
  await approveWith(card, { order_id: "A-17", amount: 15 });
  await chat.idle();
  await chat.says('refund_order returned {"order": "A-17", "refunded": 15}.');
  const [[{ payload }]] = answersOf(await sent(agent, { state: true }));
  assert.deepEqual(payload, { approved: true, editedArgs: { order_id: "A-17", amount: 15 } });
});

outcomeTest("a denial is sent with its reason", async (chat) => {
  const card = await refund(chat);
  await denyBecause(card, "too expensive");
  await chat.idle();
  await chat.says('refund_order returned {"denied": "too expensive"}.');
  await chat.status(card, "failed");
});

outcomeTest("an interrupt is a form that validates its answer", async (chat, agent) => {
  await chat.send("Book a table");
  const question = questions(chat);
  await question.getByText("When shall I book the table?").waitFor();
  await chat.waiting();
  assert.equal(await question.count(), 1, "the custom event of the same question adds no question");
  await answer(question, { Day: "Saturday", Guests: 0, "At the window": true });
  await question.getByRole("alert").filter({ hasText: "Guests: " }).waitFor();
  assert.equal((await agent.requests()).length, 1, "an invalid answer is not sent");
  await chat.picture("interrupt question");
  await answer(question, { Guests: 2 });
  await chat.idle();
  await chat.says('You answered {"day": "Saturday", "guests": 2, "window": true}.');
  assert.equal(await question.count(), 0);
  const [[{ payload }]] = answersOf(await sent(agent, { state: true }));
  assert.deepEqual(payload, { day: "Saturday", guests: 2, window: true });
});

outcomeTest("an answered and a skipped interrupt are sent together", async (chat, agent) => {
  await chat.send("Book a table under my name");
  const book = questions(chat).filter({ hasText: "When shall I book the table?" });
  const name = questions(chat).filter({ hasText: "What name shall I use?" });
  await giveUp(name);
  await eventually(async () => assert.equal(await questions(chat).count(), 1));
  assert.equal((await agent.requests()).length, 1, "one answer is still missing");
  await answer(book, { Day: "Friday", Guests: 2 });
  await chat.idle();
  await chat.says(/You answered \{"day": "Friday"[^]*You gave no answer/);
  const [given] = answersOf(await sent(agent, { state: true }));
  assert.deepEqual(
    given.map(({ status }) => status),
    ["resolved", "cancelled"],
  );
});

outcomeTest("an interrupt without a schema accepts any JSON", async (chat, agent) => {
  await chat.send("Use my name");
  await answer(questions(chat), "Ada");
  await chat.idle();
  await chat.says('You answered "Ada".');
  assert.equal(answersOf(await sent(agent, { state: true }))[0][0].payload, "Ada");
});

outcomeTest("Stop cancels an interrupt, and the next message is answered", async (chat, agent) => {
  await chat.send("Use my name");
  await questions(chat).waitFor();
  await chat.stopButton.click();
  await chat.idle();
  assert.equal(await questions(chat).count(), 0);
  await chat.ask("Hello again");
  await chat.says("You said: Hello again");
  assert.equal(await chat.messages("user").filter({ hasText: "Hello again" }).count(), 1);
  const [[{ status }]] = answersOf(await sent(agent, { state: true }));
  assert.equal(status, "cancelled");
});

/** The props that a request forwards to the graph. */
const commandOf = ({ forwardedProps, resume }) => {
  assert.equal(resume, undefined, "the older dialect has no resume");
  return forwardedProps.command;
};

legacyTest("an interrupt of the older dialect is answered in the same dialect", async (chat, agent) => {
  await chat.send("Use my name");
  const question = questions(chat);
  await question.getByText("What name shall I use?").waitFor();
  await chat.waiting();
  assert.equal(await question.count(), 1);
  await answer(question, "Ada");
  await chat.idle();
  await chat.says('You answered "Ada".');
  const bodies = await sent(agent, { state: true, props: true });
  assert.deepEqual(bodies[0].forwardedProps, {});
  assert.deepEqual(commandOf(bodies[1]), { resume: "Ada" });
  await chat.ask("Thank you");
  const last = (await sent(agent, { state: true, props: true })).at(-1);
  assert.deepEqual(last.forwardedProps, {}, "an answer is sent once");
});

legacyTest("an interrupt of the older dialect can be skipped", async (chat, agent) => {
  await chat.send("Use my name");
  await giveUp(questions(chat));
  await chat.idle();
  await chat.says("You gave no answer, so I leave it.");
  const [, second] = await sent(agent, { state: true, props: true });
  assert.equal(commandOf(second).resume.__agui_cancelled__, true);
});

legacyTest("an object interrupt of the older dialect shows its message", async (chat, agent) => {
  await chat.send("Book a table");
  const question = questions(chat);
  await question.getByText("When shall I book the table?").waitFor();
  const whole = await question.getByLabel("Your answer", { exact: true }).count();
  await answer(question, whole ? { day: "Friday", guests: 2 } : { Day: "Friday", Guests: 2 });
  await chat.idle();
  await chat.says('"guests": 2');
  const [, second] = await sent(agent, { state: true, props: true });
  assert.equal(commandOf(second).resume.guests, 2);
});

legacyTest("an approval of the older dialect is a card and is answered in the same dialect", async (chat, agent) => {
  const card = await refund(chat);
  assert.equal(await questions(chat).count(), 0);
  await chat.approve(card);
  await chat.idle();
  await chat.status(card, "complete");
  assert.equal(await card.count(), 1, "the call that the graph announces again is the same");
  await chat.says('refund_order returned {"order": "A-17", "refunded": 40}.');
  const bodies = await sent(agent, { state: true, props: true });
  assert.deepEqual(commandOf(bodies[1]), { resume: { approved: true } });
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
  const last = (await sent(agent, { state: true, props: true })).at(-1);
  assert.deepEqual(last.forwardedProps, {}, "a decision is sent once");
});

legacyTest("a denial of the older dialect is sent with its reason, and the next message works", async (chat, agent) => {
  const card = await refund(chat);
  await denyBecause(card, "too expensive");
  await chat.idle();
  await chat.status(card, "failed");
  await chat.says('refund_order returned {"denied": "too expensive"}.');
  const bodies = await sent(agent, { state: true, props: true });
  assert.deepEqual(commandOf(bodies[1]), { resume: { approved: false, reason: "too expensive" } });
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
});
