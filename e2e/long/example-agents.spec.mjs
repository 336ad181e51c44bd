// More scenes with the agents of examples/ and with e2e/support/model.mjs, beside those of e2e/specs: about a minute.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { modelServer } from "../support/model.mjs";
import { aiSdkAgent, demo, frameworkAgent, langgraphAgent } from "../support/servers.mjs";
import { conversationOf, pageOf, sketch } from "../support/stored-conversation.mjs";
import { suite } from "../support/suite.mjs";
import { checkEnvelopes } from "../support/wire.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const { origin } = new URL(page.url);
  const started = async (server) => {
    open.push(await server);
    return open.at(-1);
  };
  open.push(page);
  return {
    page,
    langgraph: await started(langgraphAgent(origin)),
    framework: await started(frameworkAgent(origin)),
    sdk: await started(aiSdkAgent(origin)),
    model: await started(modelServer()),
  };
});

/** Tests with one agent, each with an empty record. `url` returns the address of the agent. */
const testsOf = (name, protocol, url = (agent) => agent.url) =>
  (title, body, { url: at = url, ...options } = {}) => {
    // The servers of AG-UI remember a thread by its name, so each test has another one.
    const stored = { "ag-ui": {}, "ui-stream": { chat: "test" }, completions: { chat: "test", model: "small" } };
    const address = ({ page, [name]: agent }) => pageOf(page, { agent: at(agent), protocol, ...stored[protocol] });
    chatTest(`${name}: ${title}`, { address, ...options }, async (chat, { [name]: agent }) => {
      await agent.forget();
      await body(chat, agent);
    });
  };

const frameworkTest = testsOf("framework", "ag-ui");
const sdkTest = testsOf("sdk", "ui-stream");
const modelTest = testsOf("model", "completions");

async function posted(agent) {
  return (await agent.requests()).filter(({ method = "POST" }) => method === "POST").map(({ body }) => body);
}

// The graph sends raw events at its address, and outcomes of the run below it.
for (const path of ["", "outcome"]) {
  const graphTest = testsOf("langgraph", "ag-ui", ({ url }) => `${url}${path}`);

  graphTest(`/${path}: a server call and a page call complete in one run`, async (chat, agent) => {
    await chat.ask("Where is order A-17, and search");
    await chat.status(chat.card("lookup_order"), "complete");
    await chat.status(chat.card("web_search"), "complete");
    await chat.says(/lookup_order returned[^]*web_search returned/);
    checkEnvelopes(await agent.requests(), { state: true });
    const bodies = await posted(agent);
    assert.equal(bodies.length, 2, "one continuation");
    const [, asked, ...results] = bodies[1].messages;
    assert.deepEqual(
      results.map(({ role, toolCallId }) => [role, toolCallId]),
      asked.toolCalls.map(({ id }) => ["tool", id]),
      "results in call order",
    );
  });

  graphTest(`/${path}: an error during a run keeps the partial text, and the next message works`, async (chat) => {
    await chat.ask("Crash");
    await chat.notice(/the model exploded/).waitFor();
    await chat.says("About to fail.");
    await chat.ask("Are you back?");
    await chat.says("You said: Are you back?");
  });
}

frameworkTest("two server calls complete in one run", async (chat, agent) => {
  await chat.ask("Where are orders A-17 and B-2?");
  const cards = chat.card("lookup_order");
  await chat.status(cards.nth(0), "complete");
  await chat.status(cards.nth(1), "complete");
  await chat.says(/"A-17", "state": "packed"[^]*"B-2", "state": "packed"/);
  await chat.ask("Thank you");
  await chat.says("You said: Thank you");
  assert.equal((await posted(agent)).length, 2);
});

frameworkTest("two approvals of one run are sent together", async (chat, agent) => {
  await chat.send("Refund orders A-17 and B-2");
  const cards = chat.card("refund_order");
  await chat.approve(cards.nth(0));
  await chat.approve(cards.nth(1));
  await chat.idle();
  await chat.says(/"A-17", "refunded": 40[^]*"B-2", "refunded": 40/);
  assert.equal((await posted(agent)).length, 2);
});

frameworkTest("an internal error shows a notice and keeps the text, and the next message works", async (chat) => {
  await chat.ask("Crash");
  await chat.notice(/internal error/).waitFor();
  await chat.says("About to fail.");
  await chat.ask("Are you back?");
  await chat.says("You said: Are you back?");
});

sdkTest("a failed handler is reported to the server with its reason", async (chat, agent) => {
  await chat.ask("Search for pier failure reports");
  await chat.status(chat.card("web_search"), "failed");
  await chat.says("web_search failed: the search index is being rebuilt. I will continue without it.");
  const call = (await posted(agent))[1].messages.at(-1).parts.at(-1);
  assert.equal(call.state, "output-error");
  assert.match(call.errorText, /the search index is being rebuilt/);
});

sdkTest("a stopped handler is reported with the next message", async (chat, agent) => {
  await chat.send("Pick a data source");
  const card = chat.card("selectDataSource");
  await card.getByRole("button", { name: "Berth telemetry" }).waitFor();
  await chat.stopButton.click();
  await chat.idle();
  await chat.status(card, "failed");
  assert.equal((await posted(agent)).length, 1, "nothing is sent by itself");
  await chat.ask("Never mind");
  const { type, output } = (await posted(agent))[1].messages[1].parts.at(-1);
  assert.deepEqual([type, output], ["tool-selectDataSource", { error: "cancelled" }]);
});

sdkTest("a reload after a result keeps the earlier parts and sends nothing twice", async (chat, agent) => {
  await chat.send("Slowly: what's the weather in Oslo?");
  await chat.approve(chat.card("get_weather"));
  await chat.says("get_weather returned");
  await chat.page.reload();
  await chat.composer.waitFor();
  await chat.says(/get_weather returned ".*"\./);
  await chat.idle();
  await chat.says("Let me check the weather.");
  await chat.status(chat.card("get_weather"), "complete");
  assert.equal((await chat.log.innerText()).split("get_weather returned").length, 2, "it is shown once");
  const requests = await agent.requests();
  assert.deepEqual(requests.map(({ method }) => method), ["POST", "POST", "GET"]);
});

sdkTest("a reload after an approval of the server resumes its stream", async (chat, agent) => {
  await chat.send("Slowly: refund order A-17");
  await chat.approve(chat.card("refund_order"));
  await chat.says("refund_order returned");
  await chat.page.reload();
  await chat.composer.waitFor();
  await chat.says('refund_order returned {"order":"A-17","refunded":40}.');
  await chat.idle();
  await chat.status(chat.card("refund_order"), "complete");
  const requests = await agent.requests();
  assert.deepEqual(requests.map(({ method }) => method), ["POST", "POST", "GET"]);
});

modelTest(
  "a JSON error is shown in a notice, and Retry continues",
  async (chat, model) => {
    await chat.ask("Hello there");
    await chat.notice(/Rate limited/).waitFor();
    await chat.picture("completions 429");
    await chat.page.getByRole("button", { name: "Retry" }).click();
    await chat.says("It is clear in Oslo.");
    assert.equal((await posted(model)).length, 2);
  },
  { url: (model) => model.odd("aimock-error.json"), allow: [/429/] },
);

modelTest(
  "an HTML error page shows its status in a notice",
  async (chat) => {
    await chat.ask("Hello there");
    await chat.notice(/HTTP 502/).waitFor();
    await chat.picture("completions page instead of an answer");
    await chat.page.getByRole("button", { name: "Retry" }).click();
    await chat.says("It is clear in Oslo.");
  },
  { url: (model) => model.odd("odd-page.html"), allow: [/502/] },
);

modelTest(
  "a refusal of the model is shown as the answer",
  async (chat) => {
    await chat.ask("Hello there");
    await chat.says("I'm sorry, I can't help.");
    const { messages } = await conversationOf(chat.page, "test");
    assert.equal(messages[1].message.metadata.refusal, true);
  },
  { url: (model) => model.odd("openai-refusal.sse") },
);

modelTest(
  "a response that ends within a frame shows a notice, and Retry repeats it",
  async (chat, model) => {
    await chat.ask("Cut the line");
    await chat.says("Hal");
    await chat.page.getByRole("button", { name: "Retry" }).click();
    await eventually(async () => assert.equal((await posted(model)).length, 2));
    await chat.idle();
    await chat.says(/It is clear in Oslo\./);
    assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0, "the notice is gone");
    await chat.ask("Still there?");
    assert.equal(sketch(await conversationOf(chat.page, "test")).length, 4, "nothing of the try stays");
  },
  { url: (model) => model.odd("odd-cut.sse") },
);
