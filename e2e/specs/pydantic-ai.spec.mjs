// The built demo against a real AG-UI server (examples/pydantic-ai): the page as the user sees it, and the exact
// requests.

import assert from "node:assert/strict";

import { readmePicture } from "../support/browser.mjs";
import { brokenStreams } from "../support/broken-streams.mjs";
import { demo, pydanticAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { call, checkEnvelopes, exactly, messagesOf, tool, user } from "../support/wire.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const agent = await pydanticAgent(new URL(page.url).origin);
  const proxied = await demo({ agent: agent.url });
  open.push(page, agent, proxied);
  return { page, agent, proxied };
});

const direct = {
  address: ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url, protocol: "ag-ui" })}`,
};

/** The requests since the last call of this, with their envelopes checked. */
async function sent(agent) {
  const requests = await agent.requests();
  checkEnvelopes(requests);
  return requests;
}

/** A test that starts with an empty record at the agent. */
function agentTest(name, options, body) {
  chatTest(name, { ...direct, ...options }, async (chat, servers) => {
    await servers.agent.forget();
    await body(chat, servers.agent);
  });
}

agentTest("plain text is streamed, and the request is exact", {}, async (chat, agent) => {
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  await chat.ask("And again");
  const requests = await sent(agent);
  const answer = { id: "assistant-1", role: "assistant", content: "You said: Hello there" };
  exactly(messagesOf(requests), [
    [user(1, "Hello there")],
    [user(1, "Hello there"), answer, user(2, "And again")],
  ]);
});

agentTest("the tools of the page are offered with exact schemas, and its context is sent", {}, async (chat, agent) => {
  await chat.ask("Hello there");
  const [{ body }] = await sent(agent);
  exactly(
    body.tools.map(({ name }) => name),
    [
      "deployApplication",
      "deployment_process",
      "confirmDeletion",
      "get_weather",
      "selectDataSource",
      "confirmAction",
      "draw_chart",
      "web_search",
    ],
  );
  exactly(body.context, [
    { description: "The colours of the page", value: "light" },
    { description: "What runs in each environment", value: "dev: 2.5.0-rc.2, staging: 2.3.1, production: 2.3.1" },
    { description: "The projects on the page", value: "atlas, atlas-sandbox, tidewatch, quay-scheduler" },
    { description: "The selected data source", value: "Orders warehouse" },
  ]);
  assert.deepEqual(
    body.tools.find(({ name }) => name === "confirmAction"),
    {
      name: "confirmAction",
      description: "Ask the user to confirm an action before proceeding",
      parameters: {
        type: "object",
        properties: {
          action: { type: "string", description: "The action that needs confirmation" },
          importance: {
            type: "string",
            enum: ["low", "medium", "high", "critical"],
            description: "The importance level of the action",
          },
        },
        required: ["action"],
      },
    },
  );
});

agentTest("an approved call runs once, and the run continues with its result", {}, async (chat, agent) => {
  await chat.send("What's the weather in Oslo?");
  const card = chat.card("get_weather");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await chat.status(card, "pending");
  await chat.running();
  assert.equal((await agent.requests()).length, 1, "nothing is sent before the decision");
  await readmePicture(chat.page);
  await chat.approve(card);
  await chat.status(card, "complete");
  await chat.idle();
  await chat.says("get_weather returned");
  const requests = await sent(agent);
  const result = requests[1].body.messages.at(-1).content;
  assert.doesNotThrow(() => JSON.parse(result), "the result is JSON text");
  exactly(messagesOf(requests), [
    [user(1, "What's the weather in Oslo?")],
    [
      user(1, "What's the weather in Oslo?"),
      {
        id: "assistant-1",
        role: "assistant",
        content: "Let me check the weather.",
        toolCalls: [call(1, "get_weather", '{"location": "Oslo"}')],
      },
      tool(1, result),
    ],
  ]);
});

agentTest("a denied call does not run and is reported to the agent", {}, async (chat, agent) => {
  await chat.send("What's the weather in Oslo?");
  const card = chat.card("get_weather");
  await chat.deny(card);
  await chat.status(card, "failed");
  await chat.idle();
  await chat.says("get_weather was denied, so I leave it.");
  const requests = await sent(agent);
  assert.deepEqual(messagesOf(requests)[1].at(-1), tool(1, '"denied"'), "the denial, without an error");
});

agentTest("a call can be denied with the keyboard alone", {}, async (chat, agent) => {
  await chat.composer.focus();
  await chat.page.keyboard.type("What's the weather in Oslo?");
  await chat.page.keyboard.press("Enter");
  const deny = chat.card("get_weather").getByRole("button", { name: "Deny" });
  await deny.waitFor();
  assert.ok(await chat.composer.evaluate((box) => box === document.activeElement), "the card takes no focus");
  const focused = () => deny.evaluate((button) => button === document.activeElement);
  for (let steps = 0; steps < 40 && !(await focused()); steps++) await chat.page.keyboard.press("Shift+Tab");
  assert.ok(await focused(), "Shift+Tab reaches Deny");
  await chat.page.keyboard.press("Enter");
  await chat.hasFocus(chat.card("get_weather").getByLabel("Reason (optional)"), "Deny asks for a reason");
  await chat.page.keyboard.press("Enter");
  await chat.idle();
  await chat.says("get_weather was denied");
  assert.equal((await agent.requests()).length, 2);
});

agentTest("results of two parallel calls are sent in call order in one continuation", {}, async (chat, agent) => {
  await chat.send("What's the weather in Oslo and Bergen?");
  const cards = chat.card("get_weather");
  await cards.nth(1).getByRole("button", { name: "Approve" }).waitFor();
  await chat.approve(cards.nth(1));
  await chat.status(cards.nth(1), "complete");
  await chat.running();
  assert.equal((await agent.requests()).length, 1, "one answer is still missing");
  await chat.deny(cards.nth(0));
  await chat.idle();
  await chat.says(/get_weather was denied[^]*get_weather returned/);
  const requests = await sent(agent);
  assert.equal(requests.length, 2, "one continuation");
  const messages = messagesOf(requests)[1];
  exactly(messages.slice(2), [tool(1, '"denied"'), tool(2, requests[1].body.messages[3].content)]);
  exactly(messages[1].toolCalls, [
    call(1, "get_weather", '{"location": "Oslo"}'),
    call(2, "get_weather", '{"location": "Bergen"}'),
  ]);
});

agentTest("a call without approval does not wait for a pending approval", {}, async (chat, agent) => {
  await chat.send("Search for crabs and tell me the weather in Oslo");
  await chat.status(chat.card("web_search"), "complete");
  await chat.status(chat.card("get_weather"), "pending");
  await chat.approve(chat.card("get_weather"));
  await chat.idle();
  await chat.says(/web_search returned[^]*get_weather returned/);
  assert.equal((await sent(agent)).length, 2);
});

agentTest("a tool of the server is shown and completed by the server", {}, async (chat, agent) => {
  await chat.ask("Where is order A-17?");
  await chat.status(chat.card("lookup_order"), "complete");
  await chat.says("lookup_order returned");
  assert.equal((await sent(agent)).length, 1, "nothing to send back");
});

agentTest("a deletion is confirmed in its dialog", {}, async (chat, agent) => {
  await chat.send("Delete report.pdf");
  const dialog = chat.dialog();
  await dialog.getByRole("button", { name: "Confirm" }).waitFor();
  await chat.status(chat.card("confirmDeletion"), "executing");
  await chat.picture("pydantic deletion dialog");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await chat.idle();
  await chat.says("confirmDeletion returned true.");
  assert.equal(messagesOf(await sent(agent))[1].at(-1).content, "true");
});

agentTest("a deletion is cancelled with Escape", {}, async (chat, agent) => {
  await chat.send("Delete report.pdf");
  await chat.dialog().locator("button:not([aria-disabled])").first().waitFor();
  await chat.page.keyboard.press("Escape");
  await chat.idle();
  await chat.says("confirmDeletion returned false.");
  assert.equal(messagesOf(await sent(agent))[1].at(-1).content, "false");
});

agentTest("a failed handler is reported in the result and in AG-UI's error member", {}, async (chat, agent) => {
  await chat.ask("Search for pier failure reports");
  await chat.status(chat.card("web_search"), "failed");
  await chat.says("web_search failed: the search index is being rebuilt. I will go on without it.");
  const requests = await sent(agent);
  exactly(messagesOf(requests)[1], [
    user(1, "Search for pier failure reports"),
    {
      id: "assistant-1",
      role: "assistant",
      content: "",
      toolCalls: [call(1, "web_search", '{"query": "pier failure reports"}')],
    },
    {
      ...tool(1, '{"error":"the search index is being rebuilt","errorType":"unavailable","suggestion":"Try again later"}'),
      error: "the search index is being rebuilt",
    },
  ]);
});

agentTest("a stopped handler is reported with the next message", {}, async (chat, agent) => {
  await chat.send("Pick a data source");
  const card = chat.card("selectDataSource");
  await card.getByRole("button", { name: "Berth telemetry" }).waitFor();
  await chat.status(card, "executing");
  await chat.stopButton.click();
  await chat.idle();
  await chat.status(card, "failed");
  assert.equal((await agent.requests()).length, 1, "nothing is sent by itself");
  await chat.ask("Never mind");
  await chat.says("You said: Never mind");
  const requests = await sent(agent);
  exactly(messagesOf(requests)[1], [
    user(1, "Pick a data source"),
    {
      id: "assistant-1",
      role: "assistant",
      content: "",
      toolCalls: [call(1, "selectDataSource", '{"dataTypes": ["logs", "metrics"]}')],
    },
    tool(1, '{"error":"cancelled"}'),
    user(2, "Never mind"),
  ]);
});

agentTest("unmounting a component cancels its call, and the tool is no longer offered", {}, async (chat, agent) => {
  await chat.send("Search for slow boats");
  const card = chat.card("web_search");
  await chat.status(card, "executing");
  await chat.page.getByRole("button", { name: "Close search" }).click();
  await chat.idle();
  await chat.status(card, "failed");
  await chat.says("web_search failed: cancelled.");
  const requests = await sent(agent);
  exactly(messagesOf(requests)[1].at(-1), tool(1, '{"error":"cancelled","reason":"unmounted"}'));
  assert.ok(!requests[1].body.tools.some(({ name }) => name === "web_search"));
});

agentTest("unmounting a component replaces its card with the default card", {}, async (chat) => {
  await chat.ask("Search for crabs");
  const card = chat.card("web_search");
  await chat.says('Found 1 result for "crabs"');
  await chat.page.getByRole("button", { name: "Close search" }).click();
  await chat.says(/web search[^]*Done/);
  await chat.status(card, "complete");
});

agentTest("a server call and a page call complete in one answer", {}, async (chat, agent) => {
  await chat.send("Confirm order A-17");
  await chat.dialog().getByRole("button", { name: "Confirm" }).click();
  await chat.idle();
  await chat.status(chat.card("lookup_order"), "complete");
  await chat.status(chat.card("confirmAction"), "complete");
  const requests = await sent(agent);
  assert.equal(requests.length, 2);
  const [question, calls, ...results] = messagesOf(requests)[1];
  exactly(question, user(1, "Confirm order A-17"));
  exactly(calls.toolCalls, [
    call(1, "lookup_order", '{"order_id": "A-17"}'),
    call(2, "confirmAction", '{"action": "ship order A-17", "importance": "high"}'),
  ]);
  exactly(results, [tool(1, '{"order":"A-17","state":"packed"}'), tool(2, '"approved"')]);
});

agentTest("disabled actions are not offered", {}, async (chat, agent) => {
  await chat.page.getByRole("switch", { name: "The assistant may deploy" }).click();
  await chat.ask("Deploy it");
  await chat.says("The page does not offer deployApplication.");
  const [{ body }] = await sent(agent);
  const names = body.tools.map(({ name }) => name);
  assert.ok(!names.includes("deployApplication") && !names.includes("deployment_process"));
});

agentTest("a new conversation is a new thread without earlier messages", {}, async (chat, agent) => {
  await chat.send("What's the weather in Oslo?");
  await chat.card("get_weather").getByRole("button", { name: "Approve" }).waitFor();
  await chat.root.getByRole("button", { name: "New conversation" }).click();
  await chat.idle();
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  const [first, second, ...more] = await agent.requests();
  assert.deepEqual(more, []);
  assert.notEqual(second.body.threadId, first.body.threadId);
  assert.deepEqual(second.body.messages.map(({ role, content }) => [role, content]), [["user", "Hello there"]]);
});

agentTest("arguments that break the schema are reported and never reach the handler", {}, async (chat, agent) => {
  await chat.ask("Use wrong arguments");
  await chat.status(chat.card("web_search"), "failed");
  await chat.says(/web_search failed: .*query/);
  const { error } = JSON.parse((await sent(agent))[1].body.messages.at(-1).content);
  assert.match(error, /\/query/, "the message names the place");
});

agentTest("an unknown tool is answered by the server without another request", {}, async (chat, agent) => {
  await chat.ask("Call an unknown tool");
  await chat.says("Unknown tool name: 'teleport'");
  assert.equal((await sent(agent)).length, 1);
});

brokenStreams(agentTest, "pydantic run error");

agentTest("Stop ends a long answer and keeps its text without an error", {}, async (chat) => {
  await chat.send("Tell me a long story");
  await chat.says("word5 ");
  await chat.composer.fill("typed meanwhile");
  await chat.composer.press("Enter");
  assert.equal(await chat.composer.inputValue(), "", "Enter during a run queues the text");
  await chat.stopButton.click();
  await chat.idle();
  await chat.messages("user").filter({ hasText: "typed meanwhile" }).waitFor();
  await chat.says("word5 ");
  assert.ok(!(await chat.log.innerText()).includes("word400"), "the rest never came");
  assert.equal(await chat.page.getByRole("alert").filter({ hasText: /\S/ }).count(), 0, "no error is shown");
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
});

agentTest("a loop ends at the run limit with a notice", {}, async (chat, agent) => {
  await chat.ask("Keep searching");
  const requests = await sent(agent);
  assert.equal(requests.length, 10, "the default limit");
  await chat.page.getByRole("button", { name: "Continue" }).waitFor();
});

chatTest(
  "cargo xtask demo --agent: the page reaches the agent through its own server",
  {
    address: ({ proxied }) => proxied.url,
  },
  async (chat, { agent }) => {
    await agent.forget();
    assert.match(chat.page.url(), /\?agent=%2Fagent&protocol=ag-ui$/);
    await chat.send("What's the weather in Oslo?");
    await chat.approve(chat.card("get_weather"));
    await chat.idle();
    await chat.says("get_weather returned");
    checkEnvelopes(await agent.requests());
  },
);
