// Identity of calls, however a server rewrites the history: a decision, a run and an answer count for the call that
// they were about, and for no other.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { embedSuite, mountIn } from "../support/embed.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { more } from "../support/questions.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

/** Sends a call of the message `m`, or without a message. */
function call(answer, toolCallId, toolCallName, args, parentMessageId) {
  send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId });
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) });
  send(answer, { type: "TOOL_CALL_END", toolCallId });
}

/** Sends a list of messages: the input of the run, and these. */
function list(answer, input, ...more) {
  const known = input.messages.filter(({ role }) => role === "user");
  send(answer, { type: "MESSAGES_SNAPSHOT", messages: [...known, ...more] });
}

/** A message with calls in a server's format, by id, name and arguments. */
const listed = (id, ...calls) => ({
  id,
  role: "assistant",
  toolCalls: calls.map(([id, name, args]) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } })),
});

/** Ends a run with a question about a call. */
function ask(answer, { threadId, runId }, toolCallId) {
  const properties = { approved: { type: "boolean" }, reason: { type: "string" } };
  const responseSchema = { type: "object", properties, required: ["approved"] };
  const interrupts = [{ id: "question", reason: "tool_call", toolCallId, message: "May I?", responseSchema }];
  send(answer, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } });
  answer.end();
}

/** A run that plays some events between its start and its successful end. */
const run = (play) => async (answer, input, hold) => {
  begin(answer, input);
  await play(answer, input, hold);
  finish(answer, input);
};

/** A run that asks about one call, which names no message. */
const asking = (name, args) => (answer, input) => {
  begin(answer, input);
  call(answer, "c", name, args);
  ask(answer, input, "c");
};

const PRODUCTION = { environment: "production", version: "6.6.6" };
const STAGING = { environment: "staging", version: "6.6.6" };
const CRABS = { query: "crabs" };
const HOURS = { topic: "opening hours" };
const MALLORY = { to: "mallory", amount: 100_000 };

/** A run whose list has the call in a message of the server's. */
const relisted = (name, args) => run((answer, input) => list(answer, input, listed("server-1", ["c", name, args])));

const scenes = {
  dropped: run(async (answer, input, hold) => {
    send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    send(answer, { type: "TEXT_MESSAGE_END", messageId: "m" });
    call(answer, "a", "get_weather", { location: "Rotterdam" }, "m");
    call(answer, "b", "deployApplication", PRODUCTION, "m");
    await hold();
    list(answer, input, listed("m", ["b", "deployApplication", PRODUCTION]));
    await hold();
  }),
  denied: [asking("deployApplication", STAGING), relisted("deployApplication", STAGING)],
  renamed: [asking("lookup_faq", HOURS), relisted("deployApplication", STAGING)],
  "renamed-embed": [asking("lookup_faq", HOURS), relisted("send_money", MALLORY)],
  // LlamaIndex and CrewAI list the message under an id of their own before the run ends.
  renumbered: run((answer, input) => {
    call(answer, "c", "get_weather", { location: "Rotterdam" }, "m");
    list(answer, input, listed("server-1", ["c", "get_weather", { location: "Rotterdam" }]));
  }),
  // ADK wraps the results of the page's calls, and moves them to other messages.
  rewritten: [
    run((answer) => {
      call(answer, "c", "web_search", CRABS);
      call(answer, "d", "get_weather", { location: "Rotterdam" });
    }),
    run((answer, input) => {
      const calls = [["c", "web_search", CRABS], ["d", "get_weather", { location: "Rotterdam" }]];
      const results = ["c", "d"].map((id) => ({ id: `r-${id}`, role: "tool", toolCallId: id, content: '{"result":"[]"}' }));
      list(answer, input, listed("server-1", ...calls), ...results);
    }),
  ],
  // The agent framework drops arguments that it has streamed.
  emptied: run((answer, input) => {
    call(answer, "c", "web_search", CRABS, "m");
    call(answer, "d", "web_search", { query: "herons" }, "m");
    const calls = ["c", "d"].map((id) => ({ id, type: "function", function: { name: "web_search", arguments: "" } }));
    list(answer, input, { id: "m", role: "assistant", toolCalls: calls });
  }),
};

const chatTest = suite(async (open) => {
  const page = await demo();
  const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes });
  open.push(page, agent);
  return { page, agent };
});

/** A test against one scene. `body` gets the chat, the panels beside it, and the bodies of what was posted. */
function sceneTest(name, scene, body) {
  const address = ({ page, agent }) => {
    agent.forget();
    return `${page.url}?${new URLSearchParams({ agent: `${agent.url}${scene}`, protocol: "ag-ui" })}`;
  };
  chatTest(name, { address }, async (chat, { agent }) => {
    const posted = () => agent.requests(scene).map(({ body }) => body);
    await body(chat, new Harbor(chat.page), posted, () => agent.proceed());
    await chat.picture(name);
  });
}

/** The effects of the assistant on the page, newest first: each handler adds a line. */
const done = (harbor) => harbor.activity.getByRole("listitem").filter({ hasText: /Assistant/ }).allInnerTexts();

const approve = (card) => card.getByRole("button", { name: /^Approve(:|$)/ });

/** The calls of a request: their messages and results, without ids of the page's. */
const callsAndResults = ({ messages }) =>
  messages.flatMap(({ role, toolCalls = [], toolCallId, content }) => {
    if (role === "tool") return [`${toolCallId} = ${content}`];
    return toolCalls.map(({ id, function: { name, arguments: args } }) => `${id}: ${name} ${args}`);
  });

sceneTest("a snapshot that drops one of two pending calls leaves the other unapproved", "dropped", async (chat, harbor, posted, proceed) => {
  const before = await done(harbor);
  await chat.send("Go");
  const [first, second] = [chat.card("get_weather"), chat.card("deployApplication")];
  await first.locator("button:not([aria-disabled])", { hasText: "Approve" }).waitFor();
  await shows(second, /Version\s+6\.6\.6/);
  const [button, untouched] = [await approve(first).elementHandle(), await approve(second).elementHandle()];
  await second.getByRole("button", { name: "Deny", exact: true }).click();
  const reason = second.getByLabel("Reason (optional)", { exact: true });
  await reason.fill("not now");
  proceed();
  await first.waitFor({ state: "detached" });
  // A click that was already queued.
  await button.evaluate((node) => node.click());
  await chat.hasFocus(reason, "the field keeps the focus");
  await shows(await more(second), "Runs on this page: deployApplication");
  await shows(second, /Environment\s+production/);
  assert.equal(await second.getByText("details changed").count(), 0, "the call is the same");
  assert.ok(await untouched.evaluate((node) => node.isConnected), "the card is the same");
  assert.equal(await reason.inputValue(), "not now");
  proceed();
  await chat.waiting();
  await chat.status(second, "pending");
  assert.deepEqual(await done(harbor), before, "nothing ran");
  assert.equal(posted().length, 1);
  await second.getByRole("button", { name: "Deny", exact: true }).click();
  await chat.idle();
  await eventually(() => assert.equal(posted().length, 2));
  assert.deepEqual(await done(harbor), before);
  assert.deepEqual(callsAndResults(posted()[1]), [`b: deployApplication ${JSON.stringify(PRODUCTION)}`, 'b = {"status":"denied","reason":"not now"}']);
});

sceneTest("a denied call stays denied when a snapshot moves it to another message", "denied", async (chat, harbor, posted) => {
  const before = await done(harbor);
  await chat.send("Go");
  const card = chat.card("deployApplication");
  await chat.deny(card);
  await chat.idle();
  await eventually(() => assert.ok(posted().length > 1));
  assert.deepEqual(posted()[1].resume, [{ interruptId: "question", status: "resolved", payload: { approved: false } }]);
  await chat.status(card, "failed");
  assert.equal(await card.count(), 1);
  assert.deepEqual(await done(harbor), before, "nothing ran");
  await chat.ask("And now?");
  assert.equal(posted().length, 3);
  assert.deepEqual(callsAndResults(posted()[2]), [`c: deployApplication ${JSON.stringify(STAGING)}`, 'c = "denied"']);
  assert.deepEqual(await done(harbor), before, "nothing ran later either");
});

sceneTest("a call renamed after its approval needs a new approval", "renamed", async (chat, harbor, posted) => {
  const before = await done(harbor);
  await chat.send("Go");
  await shows(chat.card("lookup_faq"), "The assistant wants to continue with");
  await chat.approve(chat.card("lookup_faq"));
  const card = chat.card("deployApplication");
  await shows(await more(card), "Runs on this page: deployApplication");
  await shows(card, /Version\s+6\.6\.6/);
  await shows(card, "The details changed. Check them again");
  await chat.waiting();
  assert.equal(await chat.card("lookup_faq").count(), 0);
  assert.deepEqual(await done(harbor), before, "nothing ran");
  assert.equal(posted().length, 2);
  await chat.deny(card);
  await chat.idle();
  assert.deepEqual(await done(harbor), before);
  assert.deepEqual(posted()[1].resume, [{ interruptId: "question", status: "resolved", payload: { approved: true } }]);
  assert.deepEqual(callsAndResults(posted()[2]), [`c: deployApplication ${JSON.stringify(STAGING)}`, 'c = "denied"']);
});

sceneTest("a call whose message id changes waits for its approval and runs once", "renumbered", async (chat, harbor, posted) => {
  const before = await done(harbor);
  await chat.send("Go");
  const card = chat.card("get_weather");
  // The message has its other id once the run is over.
  await chat.waiting();
  await chat.approve(card);
  await chat.idle();
  await chat.status(card, "complete");
  assert.equal(await card.count(), 1);
  assert.equal((await done(harbor)).length, before.length + 1);
  assert.equal(posted().length, 2);
});

sceneTest("results and denials are kept when a snapshot rewrites them", "rewritten", async (chat, harbor, posted) => {
  await chat.send("Go");
  const [search, weather] = [chat.card("web_search"), chat.card("get_weather")];
  await chat.deny(weather);
  await chat.idle();
  await eventually(() => assert.equal(posted().length, 2));
  await shows(search, "Found 1 result for");
  await chat.status(weather, "failed");
  await shows(weather, "No weather for Rotterdam");
  await chat.ask("And now?");
  const [, , result, denied] = callsAndResults(posted()[2]);
  assert.match(result, /^c = .*Crabs on the quay wall/);
  assert.equal(denied, 'd = "denied"');
});

sceneTest("streamed arguments are kept when a snapshot omits them", "emptied", async (chat, harbor, posted) => {
  await chat.ask("Go");
  await eventually(() => assert.equal(posted().length, 2));
  await shows(harbor.activity, /Searched for “herons”[^]*Searched for “crabs”|Searched for “crabs”[^]*Searched for “herons”/);
  const asked = ['c: web_search {"query":"crabs"}', 'd: web_search {"query":"herons"}'];
  assert.deepEqual(callsAndResults(posted()[1]).slice(0, 2), asked);
});

const pageTest = embedSuite({ scenes });

pageTest("npm package: a renamed call does not run a handler that requires approval", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}renamed-embed`);
  await page.evaluate(() => {
    globalThis.ran = [];
    const act = (name, approval) =>
      globalThis.chats.one.registerAction({
        name,
        approval,
        parameters: { type: "object" },
        handler: (args) => void globalThis.ran.push([name, args]),
      });
    act("lookup_faq", "never");
    act("send_money", "always");
  });
  await chat.send("Go");
  await chat.approve(chat.card("lookup_faq"));
  const card = chat.card("send_money");
  await shows(card, "Runs on this page: send_money");
  await shows(card, '"to": "mallory"');
  await chat.waiting();
  assert.deepEqual(await page.evaluate(() => globalThis.ran), []);
  await chat.deny(card);
  await chat.idle();
  assert.deepEqual(await page.evaluate(() => globalThis.ran), []);
  const requests = agent.requests("renamed-embed").map(({ body }) => body);
  assert.deepEqual(callsAndResults(requests[2]), [`c: send_money ${JSON.stringify(MALLORY)}`, 'c = "denied"']);
});
