// The built demo against a real AG-UI server (examples/pydantic-ai): what a person sees, and exactly what is sent.

import assert from "node:assert/strict";

import { readmePicture } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
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

agentTest("the tools of the page are offered in the seed's form", {}, async (chat, agent) => {
  await chat.ask("Hello there");
  const [{ body }] = await sent(agent);
  const names = body.tools.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, "each name once");
  for (const name of ["api_request", "analyzing_data"]) assert.ok(!names.includes(name), `${name} is only drawn`);
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

agentTest("weather, approved: the tool runs once and the agent goes on with its result", {}, async (chat, agent) => {
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

agentTest("weather, denied: nothing runs and the agent hears of it", {}, async (chat, agent) => {
  await chat.send("What's the weather in Oslo?");
  const card = chat.card("get_weather");
  await chat.deny(card);
  await chat.status(card, "failed");
  await chat.idle();
  await chat.says("get_weather was denied, so I leave it.");
  const requests = await sent(agent);
  assert.deepEqual(messagesOf(requests)[1].at(-1), tool(1, '"denied"'), "the denial, without an error");
});

agentTest("Deny by keyboard only", {}, async (chat, agent) => {
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
  await chat.idle();
  await chat.says("get_weather was denied");
  assert.equal((await agent.requests()).length, 2);
});

agentTest("two parallel calls are answered in call order in one continuation", {}, async (chat, agent) => {
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

agentTest("two different tools at once: the one without approval does not wait for the other", {}, async (chat, agent) => {
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
  await chat.dialog().getByRole("button", { name: "Cancel" }).waitFor();
  await chat.page.keyboard.press("Escape");
  await chat.idle();
  await chat.says("confirmDeletion returned false.");
  assert.equal(messagesOf(await sent(agent))[1].at(-1).content, "false");
});

agentTest("arguments that break the schema never reach the handler; the agent hears why", {}, async (chat, agent) => {
  await chat.ask("Use wrong arguments");
  await chat.status(chat.card("web_search"), "failed");
  await chat.says(/web_search failed: .*query/);
  const { error } = JSON.parse((await sent(agent))[1].body.messages.at(-1).content);
  assert.match(error, /\/query/, "the message names the place");
});

agentTest("a tool that nobody has is answered by the server; nothing runs here", {}, async (chat, agent) => {
  await chat.ask("Call an unknown tool");
  await chat.says("Unknown tool name: 'teleport'");
  assert.equal((await sent(agent)).length, 1);
});

agentTest("an error of the agent is a notice, the text before it stays, and the next message works", {}, async (chat) => {
  await chat.ask("Crash");
  await chat.notice(/the model exploded/).waitFor();
  await chat.says("About to fail.");
  await chat.picture("pydantic run error");
  await chat.ask("Are you back?");
  await chat.says("You said: Are you back?");
});

for (const [words, allow] of [
  ["Cut the line", [/ERR_INCOMPLETE_CHUNKED_ENCODING|Failed to load resource/]],
  ["Stop short", []],
]) {
  agentTest(`a stream that ends too early (${words}) is no success, and Retry goes on`, { allow }, async (chat, agent) => {
    await chat.ask(words);
    await chat.says("This answer breaks off");
    await chat.page.getByRole("button", { name: "Retry" }).click();
    await eventually(async () => assert.equal((await agent.requests()).length, 2));
    await chat.idle();
    await chat.says(/before its end,\s*$/m);
    assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0, "the notice is gone");
    await chat.ask("Still there?");
    await chat.says("You said: Still there?");
  });
}

agentTest("Stop ends a long answer; what came stays, and it is no error", {}, async (chat) => {
  await chat.send("Tell me a long story");
  await chat.says("word5 ");
  await chat.composer.fill("typed meanwhile");
  await chat.composer.press("Enter");
  assert.equal(await chat.composer.inputValue(), "typed meanwhile", "Enter during a run keeps the text");
  await chat.stopButton.click();
  await chat.idle();
  await chat.says("word5 ");
  assert.ok(!(await chat.log.innerText()).includes("word400"), "the rest never came");
  assert.equal(await chat.page.getByRole("alert").filter({ hasText: /\S/ }).count(), 0, "no error is shown");
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
});

agentTest("a loop ends at the step limit and says so", {}, async (chat, agent) => {
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
