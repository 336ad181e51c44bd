// The built demo against a real AG-UI server (examples/pydantic-ai): the page as the user sees it, and the exact
// requests. conformance.spec.mjs compares more scenes over all protocols; `cargo xtask test --only agents` plays others.

import assert from "node:assert/strict";

import { readmePicture } from "../support/browser.mjs";
import { demo, pydanticAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { call, checkEnvelopes, exactly, messagesOf, tool, user } from "../support/wire.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const agent = await pydanticAgent(new URL(page.url).origin);
  open.push(page, agent);
  return { page, agent };
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

agentTest("text is streamed, and the request is exact, with the tools and the context of the page", {}, async (chat, agent) => {
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  await chat.ask("And again");
  const requests = await sent(agent);
  const answer = { id: "assistant-1", role: "assistant", content: "You said: Hello there" };
  exactly(messagesOf(requests), [
    [user(1, "Hello there")],
    [user(1, "Hello there"), answer, user(2, "And again")],
  ]);
  const [{ body }] = requests;
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
  // The composer is blocked once the run is over and waits for the user.
  await chat.waiting();
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

agentTest("a failed handler is reported in the result and in AG-UI's error member", {}, async (chat, agent) => {
  await chat.ask("Search for pier failure reports");
  await chat.status(chat.card("web_search"), "failed");
  await chat.says("web_search failed: the search index is being rebuilt. I will continue without it.");
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

agentTest("an unknown tool is answered by the server without another request", {}, async (chat, agent) => {
  await chat.ask("Call an unknown tool");
  await chat.says("Unknown tool name: 'teleport'");
  assert.equal((await sent(agent)).length, 1);
});
