// The built demo against a real server of OpenAI-compatible completions (e2e/support/model.mjs): the loop of calls and
// results runs in the page.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { conversationOf, pageOf, sketch } from "../support/stored-conversation.mjs";
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

modelTest("text is streamed, the request is exact, and token usage is shown", {}, async (chat, model) => {
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
});

modelTest("the tools and the context of the page are sent", {}, async (chat, model) => {
  await chat.ask("Hello there");
  const [{ tools, messages }] = sent(model);
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

modelTest("a denied call does not run and is reported to the model", {}, async (chat, model) => {
  await chat.send("What's the weather in Oslo?");
  await chat.deny(chat.card("get_weather"));
  await chat.status(chat.card("get_weather"), "failed");
  await chat.idle();
  await chat.says("get_weather was denied, so I leave it.");
  assert.equal(messagesOf(sent(model)[1]).at(-1).content, '"denied"');
});

modelTest("results of two parallel calls are sent in call order in one request", {}, async (chat, model) => {
  await chat.send("What's the weather in Oslo and Bergen?");
  const cards = chat.card("get_weather");
  await cards.nth(1).getByRole("button", { name: "Approve" }).waitFor();
  await chat.approve(cards.nth(1));
  await chat.status(cards.nth(1), "complete");
  assert.equal(sent(model).length, 1, "one answer is still missing");
  await chat.deny(cards.nth(0));
  await chat.idle();
  await chat.says(/get_weather was denied[^]*get_weather returned/);
  const requests = sent(model);
  assert.equal(requests.length, 2);
  const messages = messagesOf(requests[1]);
  assert.deepEqual(
    messages.map(({ role, tool_call_id }) => tool_call_id ?? role),
    ["user", "assistant", "call-1", "call-2"],
  );
  assert.equal(messages[2].content, '"denied"');
});

modelTest("a call without approval does not wait for a pending approval", {}, async (chat, model) => {
  await chat.send("Search for crabs and tell me the weather in Oslo");
  await chat.status(chat.card("web_search"), "complete");
  await chat.status(chat.card("get_weather"), "pending");
  await chat.approve(chat.card("get_weather"));
  await chat.idle();
  await chat.says(/web_search returned[^]*get_weather returned/);
  assert.equal(sent(model).length, 2);
});

modelTest("a failed handler is reported to the model, and the run continues", {}, async (chat, model) => {
  await chat.ask("Search for pier failure reports");
  await chat.status(chat.card("web_search"), "failed");
  await chat.says("web_search failed: the search index is being rebuilt. I will go on without it.");
  const { content } = messagesOf(sent(model)[1]).at(-1);
  assert.equal(JSON.parse(content).error, "the search index is being rebuilt");
});

modelTest("arguments that break the schema never reach the handler", {}, async (chat, model) => {
  await chat.ask("Use wrong arguments");
  await chat.status(chat.card("web_search"), "failed");
  await chat.says(/web_search failed: .*query/);
  assert.equal(sent(model).length, 2);
});

modelTest("an unknown tool is answered by the page with an error", {}, async (chat, model) => {
  await chat.ask("Call an unknown tool");
  await chat.status(chat.card("teleport"), "failed");
  await chat.says(/teleport failed: /);
  assert.equal(sent(model).length, 2);
});

modelTest("the run limit ends a loop of endless calls", {}, async (chat, model) => {
  await chat.ask("Keep searching");
  await chat.notice(/paused after/i).or(chat.page.getByRole("button", { name: "Continue" })).first().waitFor();
  assert.equal(sent(model).length, 10);
});

modelTest(
  "a JSON error is shown in a notice, and Retry continues",
  { url: ({ model }) => model.odd("aimock-error.json"), allow: [/429/] },
  async (chat, model) => {
    await chat.ask("Hello there");
    await chat.notice(/Rate limited/).waitFor();
    await chat.picture("completions 429");
    await chat.page.getByRole("button", { name: "Retry" }).click();
    await chat.says("It is clear in Oslo.");
    assert.equal(sent(model).length, 2);
  },
);

modelTest("an error of the model server is shown in a notice", { allow: [/500/] }, async (chat) => {
  await chat.ask("Crash");
  await chat.notice(/the model exploded/).waitFor();
  await chat.ask("Are you back?");
  await chat.says("You said: Are you back?");
});

modelTest(
  "an HTML error page shows its status in a notice",
  { url: ({ model }) => model.odd("odd-page.html"), allow: [/502/] },
  async (chat) => {
    await chat.ask("Hello there");
    await chat.notice(/HTTP 502/).waitFor();
    await chat.picture("completions page instead of an answer");
    await chat.page.getByRole("button", { name: "Retry" }).click();
    await chat.says("It is clear in Oslo.");
  },
);

modelTest("a refusal of the model is shown as the answer", { url: ({ model }) => model.odd("openai-refusal.sse") }, async (chat) => {
  await chat.ask("Hello there");
  await chat.says("I'm sorry, I can't help.");
  const { messages } = await conversationOf(chat.page, "test");
  assert.equal(messages[1].message.metadata.refusal, true);
});

modelTest("reasoning of the model is shown and not sent back", { url: ({ model }) => model.odd("ollama-text.sse") }, async (chat, model) => {
  await chat.ask("Where is it?");
  await chat.says("Oslo.");
  await chat.opensDetails();
  await chat.says("29 tokens");
  await chat.ask("And now?");
  assert.deepEqual(messagesOf(sent(model)[1])[1], { role: "assistant", content: "Oslo." });
});

for (const [how, options, begins, ends] of [
  [
    "the connection breaks",
    { allow: [/ERR_INCOMPLETE_CHUNKED_ENCODING|Failed to load resource/] },
    "This answer breaks off",
    /before its end,\s*$/m,
  ],
  ["the response ends within a frame", { url: ({ model }) => model.odd("odd-cut.sse") }, "Hal", /It is clear in Oslo\./],
]) {
  modelTest(`a truncated stream (${how}) shows a notice, and Retry repeats it`, options, async (chat, model) => {
    await chat.ask("Cut the line");
    await chat.says(begins);
    await chat.page.getByRole("button", { name: "Retry" }).click();
    await eventually(async () => assert.equal(sent(model).length, 2));
    await chat.idle();
    await chat.says(ends);
    assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0, "the notice is gone");
    await chat.ask("Still there?");
    assert.equal(sketch(await conversationOf(chat.page, "test")).length, 4, "nothing of the try stays");
  });
}

modelTest("Stop keeps the partial text, and the next message works", {}, async (chat) => {
  await chat.send("Tell me a long story");
  await chat.says("word20 ");
  await chat.stopButton.click();
  await chat.idle();
  await chat.says("word20 ");
  await chat.ask("Never mind");
  await chat.says("You said: Never mind");
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

modelTest("a reload keeps a pending approval, and the result is sent once", {}, async (chat, model) => {
  await chat.send("What's the weather in Oslo?");
  await chat.card("get_weather").getByRole("button", { name: "Approve" }).waitFor();
  await chat.page.reload();
  await chat.composer.waitFor();
  await chat.approve(chat.card("get_weather"));
  await chat.idle();
  await chat.says("get_weather returned");
  assert.equal(sent(model).length, 2);
});

chatTest("requests go through the demo's proxy, without another origin", { address: ({ proxied }) => proxied.url }, async (chat) => {
  assert.match(chat.page.url(), /\?agent=%2Fagent&protocol=completions&model=small$/);
  await chat.send("What's the weather in Oslo?");
  await chat.approve(chat.card("get_weather"));
  await chat.idle();
  await chat.says("get_weather returned");
});
