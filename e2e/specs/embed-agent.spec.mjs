// An agent that the page has written: a function that returns AG-UI events.

import assert from "node:assert/strict";

import { Chat, eventually } from "../support/chat.mjs";
import { embedSuite } from "../support/embed.mjs";

const pageTest = embedSuite();

/** Mounts the first chat with an agent made by a function that is evaluated in the page. */
async function mountWith(page, agent) {
  await page.evaluate(`globalThis.makeAgent = ${agent}`);
  await page.evaluate(async () => {
    const { mount } = await import("./embed/index.js");
    globalThis.inputs = [];
    (globalThis.chats ??= {}).one = await mount(document.getElementById("one"), { agent: globalThis.makeAgent() });
  });
  const chat = new Chat(page, page.locator("#one"));
  await chat.composer.waitFor();
  return chat;
}

pageTest("an agent in the page streams text, calls an action and sets the state", {}, async (page, server) => {
  const chat = await mountWith(page, () =>
    async function* (input, { signal }) {
      globalThis.inputs.push(input);
      const { threadId, runId, messages } = input;
      yield { type: "RUN_STARTED", threadId, runId };
      const last = messages.at(-1);
      if (last.role === "user") {
        yield { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "double" };
        yield { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"n":21}' };
        yield { type: "TOOL_CALL_END", toolCallId: "c" };
      } else {
        yield { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" };
        for (const delta of ["It is ", last.content, "\n\n\u2028data: {}"]) yield { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta };
        yield { type: "TEXT_MESSAGE_END", messageId: "m" };
        yield { type: "STATE_SNAPSHOT", snapshot: { aborted: signal.aborted } };
      }
      yield { type: "RUN_FINISHED", threadId, runId };
    });
  await page.evaluate(() =>
    globalThis.chats.one.registerAction({ name: "double", parameters: { type: "object" }, handler: ({ n }) => 2 * n }));
  await chat.ask("Double it");
  await chat.says("It is 42");
  await chat.says("data: {}");
  const inputs = await page.evaluate(() => globalThis.inputs);
  assert.equal(inputs.length, 2);
  assert.equal(inputs[0].tools[0].name, "double");
  assert.deepEqual(await page.evaluate(() => globalThis.chats.one.state()), { aborted: false });
  assert.equal(server.requests("").length, 0, "nothing is sent");
});

pageTest("an emoji that is split over two events is joined", {}, async (page) => {
  const chat = await mountWith(page, () =>
    function* ({ threadId, runId }) {
      yield { type: "RUN_STARTED", threadId, runId };
      yield { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" };
      for (const delta of ["Fine \ud83d", "\ude00!"]) yield { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta };
      yield { type: "TEXT_MESSAGE_END", messageId: "m" };
      yield { type: "RUN_FINISHED", threadId, runId };
    });
  await chat.ask("How are you?");
  await chat.says("Fine \u{1f600}!");
});

pageTest("Stop aborts the signal and ends the generator", {}, async (page) => {
  const chat = await mountWith(page, () =>
    async function* ({ threadId, runId }, { signal }) {
      try {
        yield { type: "RUN_STARTED", threadId, runId };
        await new Promise((done) => {
          signal.addEventListener("abort", done);
          globalThis.waits = true;
        });
        globalThis.aborted = true;
        yield { type: "RUN_FINISHED", threadId, runId };
      } finally {
        globalThis.ended = true;
      }
    });
  await chat.send("Hello");
  // A generator that has not begun when Stop is pressed does not begin.
  await page.waitForFunction(() => globalThis.waits);
  await chat.stopButton.click();
  await chat.idle();
  await eventually(async () => assert.deepEqual(await page.evaluate(() => [globalThis.aborted, globalThis.ended]), [true, true]));
});

pageTest("a generator is ended after an invalid event and on an early Stop", { allow: [/`agent`/] }, async (page) => {
  const chat = await mountWith(page, () => (input) => {
    const wrong = input.messages.length === 1;
    const begun = wrong ? undefined : new Promise((done) => (globalThis.begin = done));
    async function* run() {
      try {
        yield 1;
      } finally {
        globalThis.ended = (globalThis.ended ?? 0) + 1;
      }
    }
    globalThis.runs = (globalThis.runs ?? 0) + 1;
    const events = run();
    // A generator that has not begun has nothing to end.
    events.return = ((end) => (...args) => (globalThis.returned = true, end(...args)))(events.return.bind(events));
    return wrong ? events : begun.then(() => events);
  });
  await chat.ask("Hello");
  await eventually(async () => assert.equal(await page.evaluate(() => globalThis.ended), 1));
  await chat.send("Hello again");
  await eventually(async () => assert.equal(await page.evaluate(() => globalThis.runs), 2));
  await chat.stopButton.click();
  await chat.idle();
  await page.evaluate(() => {
    globalThis.returned = false;
    globalThis.begin();
  });
  await eventually(async () => assert.equal(await page.evaluate(() => globalThis.returned), true));
  assert.equal(await page.evaluate(() => globalThis.ended), 1, "it did not begin");
});

/** Agents that fail, by name; made in the page. */
const FAILING = {
  throws: () => () => { throw new Error("no agent today"); },
  "rejects with a text": () => () => Promise.reject("no agent today"),
  "returns nothing": () => () => undefined,
  "returns a text": () => () => "RUN_STARTED",
  "gives no objects": () => () => [1, 2],
  "gives a cycle": () => () => { const circle = {}; circle.circle = circle; return [circle]; },
  "gives a proxy that throws": () => () => [new Proxy({}, { get() { throw new Error("a trap"); } })],
  "gives unknown events": () => () => [{ type: "FROM_THE_FUTURE" }],
  "gives nothing": () => () => [],
  "throws in the middle": () => async function* ({ threadId, runId }) { yield { type: "RUN_STARTED", threadId, runId }; throw new Error("no agent today"); },
};

pageTest("a notice is shown for each agent that fails, and the chat continues", { allow: [/`agent`/] }, async (page) => {
  for (const [name, agent] of Object.entries(FAILING)) {
    const chat = await mountWith(page, agent);
    await chat.ask("Hello");
    await chat.notice(/./).first().waitFor();
    assert.equal(await chat.root.getByText("has stopped").count(), 0, name);
    await chat.ask("Hello again");
    assert.equal(await chat.messages("user").count(), 2, name);
    await page.evaluate(() => globalThis.chats.one.unmount());
  }
});

pageTest("mount requires either an address or an agent", {}, async (page) => {
  const messages = await page.evaluate(async () => {
    const { mount } = await import("./embed/index.js");
    const attempt = (options) => mount(document.getElementById("one"), options).catch((error) => `${error}`);
    return [await attempt({}), await attempt({ agent: 5 }), await attempt({ agent: () => [], url: "/agent" })];
  });
  assert.match(messages[0], /^TypeError: mount: the option `url`/);
  assert.match(messages[1], /^TypeError: mount: the option `agent`/);
  assert.match(messages[2], /^TypeError: mount: .*`agent`/);
});
