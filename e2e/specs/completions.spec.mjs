// The built demo against a real server of OpenAI-compatible completions (e2e/support/model.mjs): the loop of calls and
// results runs in the page.

import assert from "node:assert/strict";

import { Harbor, shows } from "../support/harbor.mjs";
import { pageOf } from "../support/stored-conversation.mjs";
import { modelServer } from "../support/model.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const model = await modelServer();
  const proxied = await demo({ agent: model.url, protocol: "completions", model: "small" });
  open.push(page, model, proxied);
  return { page, model, proxied };
});

const at = (url) => (servers) =>
  pageOf(servers.page, { agent: url(servers), protocol: "completions", model: "small", chat: "test" });

/** A test that starts with an empty record at the server. */
function modelTest(name, { url = ({ model }) => model.url, ...options }, body) {
  chatTest(name, { address: at(url), ...options }, async (chat, { model }) => {
    model.forget();
    await body(chat, model);
  });
}

/** The requests since the last `forget()`. */
function sent(model) {
  return model.requests().map(({ body, headers }) => {
    assert.equal(body.model, "small");
    assert.equal(body.stream, true);
    assert.deepEqual(body.stream_options, { include_usage: true });
    assert.equal(headers["content-type"], "application/json");
    return body;
  });
}

/** The messages of a request after the first, which describes the page; ids of calls are numbered. */
function messagesOf({ messages }) {
  assert.equal(messages[0].role, "system");
  const ids = [];
  const number = (id) => `call-${ids.includes(id) ? ids.indexOf(id) + 1 : ids.push(id)}`;
  return messages.slice(1).map((message) => ({
    ...message,
    ...(message.tool_calls && { tool_calls: message.tool_calls.map((call) => ({ ...call, id: number(call.id) })) }),
    ...(message.tool_call_id && { tool_call_id: number(message.tool_call_id) }),
  }));
}

const user = (content) => ({ role: "user", content });
const called = (...calls) =>
  calls.map(([number, name, args]) => ({ id: `call-${number}`, type: "function", function: { name, arguments: args } }));

modelTest("text is streamed, the request is exact with tools and context, and token usage is shown", {}, async (chat, model) => {
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  await chat.opensDetails();
  await chat.says(/\d+ tokens/);
  await chat.ask("And again");
  const [first, second] = sent(model);
  assert.deepEqual(Object.keys(first).sort(), ["messages", "model", "stream", "stream_options", "tools"]);
  assert.deepEqual(messagesOf(first), [user("Hello there")]);
  assert.deepEqual(messagesOf(second), [
    user("Hello there"),
    { role: "assistant", content: "You said: Hello there" },
    user("And again"),
  ]);
  const { tools, messages } = first;
  assert.ok(tools.every(({ type }) => type === "function"));
  assert.deepEqual(tools.map((tool) => tool.function.name).sort(), [
    "confirmAction",
    "confirmDeletion",
    "deployApplication",
    "deployment_process",
    "draw_chart",
    "get_weather",
    "selectDataSource",
    "web_search",
  ]);
  assert.match(messages[0].content, /The projects on the page: atlas/);
});

modelTest("an approved call runs once, and its result is sent as a tool message", {}, async (chat, model) => {
  const harbor = new Harbor(chat.page);
  await chat.send("What's the weather in Oslo?");
  const card = chat.card("get_weather");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  assert.equal(sent(model).length, 1, "nothing is sent before the decision");
  await chat.approve(card);
  await chat.status(card, "complete");
  await chat.idle();
  await chat.says("get_weather returned");
  await shows(harbor.conditions, "Oslo");
  await chat.picture("completions weather");
  const [, second, ...more] = sent(model);
  assert.deepEqual(more, []);
  const messages = messagesOf(second);
  const { content } = messages[2];
  assert.doesNotThrow(() => JSON.parse(content), "the result is JSON text");
  assert.deepEqual(messages, [
    user("What's the weather in Oslo?"),
    {
      role: "assistant",
      content: "Let me check the weather.",
      tool_calls: called([1, "get_weather", '{"location":"Oslo"}']),
    },
    { role: "tool", tool_call_id: "call-1", content },
  ]);
});

modelTest("a reload during an answer keeps the partial text", {}, async (chat, model) => {
  await chat.send("Tell me a long story");
  await chat.says("word20 ");
  await chat.page.reload();
  await chat.composer.waitFor();
  await chat.says("word20 ");
  await chat.idle();
  await chat.ask("And now?");
  await chat.says("You said: And now?");
  assert.equal(sent(model).length, 2);
});

chatTest("requests go through the demo's proxy, without another origin", { address: ({ proxied }) => proxied.url }, async (chat) => {
  assert.match(chat.page.url(), /\?agent=%2Fagent&protocol=completions&model=small$/);
  await chat.send("What's the weather in Oslo?");
  await chat.approve(chat.card("get_weather"));
  await chat.idle();
  await chat.says("get_weather returned");
});
