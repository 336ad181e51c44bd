// The built demo against a real backend on the AI SDK (examples/ai-sdk): the page as the user sees it, and the exact
// requests.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { pageOf } from "../support/stored-conversation.mjs";
import { aiSdkAgent, demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const agent = await aiSdkAgent(new URL(page.url).origin);
  const proxied = await demo({ agent: agent.url, protocol: "ui-stream" });
  open.push(page, agent, proxied);
  return { page, agent, proxied };
});

const address = ({ page, agent }) => pageOf(page, { agent: agent.url, protocol: "ui-stream", chat: "test" });

/** A test that starts with an empty record at the agent. */
function agentTest(name, options, body) {
  chatTest(name, { address, ...options }, async (chat, servers) => {
    await servers.agent.forget();
    await body(chat, servers.agent);
  });
}

/** The requests since the last `forget()`: each names the chat, its messages and why it was sent. */
async function sent(agent) {
  const requests = (await agent.requests()).filter(({ method }) => method === "POST");
  for (const { body, headers } of requests) {
    assert.equal(body.id, "test");
    assert.equal(body.trigger, "submit-message");
    assert.equal(headers["content-type"], "application/json");
    const ids = body.messages.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "no message is sent twice");
    const last = body.messages.at(-1);
    assert.equal(body.messageId, last.role === "assistant" ? last.id : undefined, "the answer that is continued");
  }
  return requests.map(({ body }) => body);
}

/** The parts of the newest message of a request, without the ids of calls. */
const newest = ({ messages }) => messages.at(-1).parts.map(({ toolCallId, ...part }) => part);

agentTest("text is streamed, the request is exact and offers the tools of the page, and token usage is shown", {}, async (chat, agent) => {
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  await chat.opensDetails();
  await chat.says("16 tokens");
  await chat.ask("And again");
  const [first, second] = await sent(agent);
  assert.deepEqual(Object.keys(first).sort(), ["context", "id", "messages", "tools", "trigger"]);
  assert.deepEqual(newest(first), [{ type: "text", text: "Hello there" }]);
  assert.deepEqual(
    second.messages.map(({ role, parts }) => [role, parts.map(({ type, text }) => text ?? type).join(" ")]),
    [
      ["user", "Hello there"],
      ["assistant", "step-start You said: Hello there"],
      ["user", "And again"],
    ],
  );
  const { tools, context } = first;
  assert.deepEqual(Object.keys(tools).sort(), [
    "confirmAction",
    "confirmDeletion",
    "deployApplication",
    "deployment_process",
    "draw_chart",
    "get_weather",
    "selectDataSource",
    "web_search",
  ]);
  assert.deepEqual(Object.keys(tools.get_weather), ["description", "parameters"]);
  assert.ok(context.some(({ description }) => description === "The projects on the page"));
});

agentTest("an approved call runs once, and its result is sent to the server", {}, async (chat, agent) => {
  const harbor = new Harbor(chat.page);
  await chat.send("What's the weather in Oslo?");
  const card = chat.card("get_weather");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await chat.status(card, "pending");
  assert.equal((await sent(agent)).length, 1, "nothing is sent before the decision");
  await chat.picture("ai-sdk approval of the page");
  await chat.approve(card);
  await chat.status(card, "complete");
  await chat.idle();
  await chat.says("get_weather returned");
  await shows(harbor.conditions, "Oslo");
  await chat.picture("ai-sdk weather");
  const [, second, ...more] = await sent(agent);
  assert.deepEqual(more, [], "one answer to the result");
  const [start, text, call] = newest(second);
  assert.deepEqual([start, text], [
    { type: "step-start" },
    { type: "text", text: "Let me check the weather.", state: "done" },
  ]);
  const { output, ...rest } = call;
  assert.deepEqual(rest, { type: "tool-get_weather", state: "output-available", input: { location: "Oslo" } });
  assert.match(JSON.stringify(output), /Oslo/);
});

agentTest("an approved server call is sent back with its signature and runs once", {}, async (chat, agent) => {
  await chat.send("Refund order A-17");
  const card = chat.card("refund_order");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await chat.picture("ai-sdk approval of the server");
  await chat.approve(card);
  await chat.idle();
  await chat.status(card, "complete");
  await chat.says('refund_order returned {"order":"A-17","refunded":40}.');
  const [, second, ...more] = await sent(agent);
  assert.deepEqual(more, []);
  const { approval, ...call } = newest(second).at(-1);
  assert.deepEqual(call, {
    type: "tool-refund_order",
    state: "approval-responded",
    input: { order_id: "A-17", amount: 40 },
  });
  assert.equal(approval.approved, true);
  assert.match(approval.signature, /./, "the server recognizes its approval by the signature");
});

agentTest("Stop aborts the request, keeps the text, and the next message works", {}, async (chat, agent) => {
  await chat.send("Tell me a long story");
  await chat.says("word20 ");
  await chat.stopButton.click();
  await chat.idle();
  await eventually(async () => assert.equal((await agent.requests())[0].closed, true, "the server receives the end of the connection"));
  await chat.says("word20 ");
  await chat.ask("Never mind");
  await chat.says("You said: Never mind");
});

/** The number of times that a text occurs in another. */
const times = (text, part) => text.split(part).length - 1;

agentTest("a reload during an answer resumes its stream without duplicates", {}, async (chat, agent) => {
  await chat.send("Tell me a long story");
  await chat.says("word20 ");
  await chat.page.reload();
  await chat.composer.waitFor();
  await chat.running();
  await chat.picture("ai-sdk answer read on");
  await chat.says("word400");
  await chat.idle();
  const text = await chat.log.innerText();
  assert.equal(times(text, "word20 "), 1);
  assert.equal(times(text, "Tell me a long story"), 1);
  const requests = await agent.requests();
  assert.deepEqual(
    requests.map(({ method, url }) => `${method} ${url}`),
    ["POST /", "GET /test/stream"],
  );
  await chat.ask("And now?");
  await chat.says("You said: And now?");
  const [, { messages }] = await sent(agent);
  assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "user"]);
});

agentTest("a reload without a resumable stream keeps the text", {}, async (chat, agent) => {
  await chat.send("Tell me a long story");
  await chat.says("word20 ");
  await agent.forget();
  await chat.page.reload();
  await chat.composer.waitFor();
  await eventually(async () => assert.equal((await agent.requests()).length, 1));
  await chat.idle();
  const [{ method, url }] = await agent.requests();
  assert.equal(`${method} ${url}`, "GET /test/stream");
  await chat.says("word20 ");
  assert.equal(times(await chat.log.innerText(), "word20 "), 1);
  await chat.ask("And now?");
  await chat.says("You said: And now?");
});

chatTest("streams are resumed through the demo's proxy, without another origin", { address: ({ proxied }) => proxied.url }, async (chat) => {
  assert.match(chat.page.url(), /\?agent=%2Fagent&protocol=ui-stream$/);
  await chat.page.goto(`${chat.page.url()}&chat=proxied`);
  await chat.composer.waitFor();
  await chat.send("Tell me a long story");
  await chat.says("word20 ");
  await chat.page.reload();
  await chat.says("word400");
  await chat.idle();
});
