// Values nested a hundred thousand levels deep, wherever an agent or the page can send one: unbounded recursion would
// abort the program. Each is refused with a message, or shown as it came; the chat continues, and none of it runs.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { embedSuite, mountIn } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";
import { shows } from "../support/harbor.mjs";

const DEPTH = 100_000;
/** Written by hand: serializers of JSON recurse, too. */
const LISTS = `${"[".repeat(DEPTH)}1${"]".repeat(DEPTH)}`;
const OBJECTS = `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;
const SCHEMA = `${'{"type":"array","items":'.repeat(DEPTH)}{}${"}".repeat(DEPTH)}`;

/** A run with an event that contains such a value at `"DEEP"`. */
const event = (value, deep) => (answer, input) => {
  begin(answer, input);
  answer.write(`data: ${JSON.stringify(value).replace('"DEEP"', () => deep)}\n\n`);
  finish(answer, input);
};

/** A run that calls the page's action with these arguments. */
const calling = (args, cut = args.length) => (answer, input) => {
  begin(answer, input);
  send(answer, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "work" });
  for (let at = 0; at < args.length; at += cut) {
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: args.slice(at, at + cut) });
  }
  send(answer, { type: "TOOL_CALL_END", toolCallId: "c" });
  finish(answer, input);
};

/** A run that sends a message. */
const saying = (delta) => (answer, input) => {
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
  send(answer, { type: "TEXT_MESSAGE_END", messageId: "m" });
  finish(answer, input);
};

/** A run that asks with such a schema. */
const asking = (answer, input) => {
  const { threadId, runId } = input;
  const interrupts = [{ id: "q", reason: "input", message: "What?", responseSchema: { type: "object", properties: { a: "DEEP" } } }];
  event({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } }, SCHEMA)(answer, input);
};

/** A run whose call has such a result. */
const answering = (content) => (answer, input) => {
  begin(answer, input);
  send(answer, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "theirs" });
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" });
  send(answer, { type: "TOOL_CALL_END", toolCallId: "c" });
  send(answer, { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content });
  finish(answer, input);
};

/** A state that each change nests a hundred levels deeper. */
const growing = (answer, input) => {
  begin(answer, input);
  send(answer, { type: "STATE_SNAPSHOT", snapshot: {} });
  const value = { a: 1 };
  for (let step = 0; step < 200; step++) {
    const path = "/a".repeat(step * 100 + 1);
    const levels = Array.from({ length: 100 }).reduce((inner) => ({ a: inner }), value);
    send(answer, { type: "STATE_DELTA", delta: [{ op: "add", path, value: levels }] });
  }
  finish(answer, input);
};

/** Scenes whose frame cannot be parsed, so that the run ends with a message about it. */
const FRAMES = {
  state: event({ type: "STATE_SNAPSHOT", snapshot: "DEEP" }, LISTS),
  change: event({ type: "STATE_DELTA", delta: [{ op: "add", path: "/a", value: "DEEP" }] }, OBJECTS),
  messages: event({ type: "MESSAGES_SNAPSHOT", messages: [{ id: "u", role: "user", content: "DEEP" }] }, LISTS),
  activity: event({ type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "x", content: "DEEP" }, OBJECTS),
  custom: event({ type: "CUSTOM", name: "x", value: "DEEP" }, LISTS),
  question: asking,
};

/** Scenes with a call of the page's action, whose arguments are refused. */
const CALLS = {
  "arguments-lists": calling(`{"n":${LISTS}}`),
  "arguments-objects": calling(OBJECTS),
  "arguments-in-pieces": calling(OBJECTS, 5_000),
};

/** Scenes that remain text. */
const TEXTS = {
  quotes: saying(`${"> ".repeat(DEPTH)}the end`),
  lists: saying(`${"- ".repeat(DEPTH)}the end`),
  brackets: saying(`${LISTS} the end`),
  callout: saying(`> [!tool work c]\n> input: ${LISTS}\n\nthe end`),
  "callout-lines": saying(`> [!tool work c]\n> input:\n${Array.from({ length: 1_900 }, (_, at) => `> ${" ".repeat(at + 1)}a:`).join("\n")}\n\nthe end`),
};

/** A state that a few kilobytes of changes would grow to gigabytes. */
const doubling = (answer, input) => {
  begin(answer, input);
  send(answer, { type: "STATE_SNAPSHOT", snapshot: { list: ["x".repeat(100)] } });
  const delta = Array.from({ length: 60 }, (_, at) => ({ op: "copy", from: "", path: `/k${at}` }));
  send(answer, { type: "STATE_DELTA", delta });
  finish(answer, input);
};

const OTHERS = { result: answering(LISTS), growing };
const pageTest = embedSuite({ scenes: { ...FRAMES, ...CALLS, ...TEXTS, ...OTHERS, doubling } });

/** A chat with an action that records its calls. */
async function chatWith(page, agent, scene) {
  const chat = await mountIn(page, "one", agent.url + scene);
  await page.evaluate(() => {
    globalThis.ran = [];
    const handler = (args) => void globalThis.ran.push(args);
    globalThis.chats.one.registerAction({ name: "work", parameters: { type: "object" }, handler });
  });
  return chat;
}

/** Checks that nothing ran, and that the chat still answers. */
async function answersAgain(page, chat) {
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  assert.deepEqual(await page.evaluate(() => globalThis.ran), []);
  assert.equal(await chat.root.getByText("has stopped").count(), 0);
}

const unmount = (page) => page.evaluate(() => globalThis.chats.one.unmount());

pageTest("frames that are nested too deeply show an error", {}, async (page, agent) => {
  for (const scene of Object.keys(FRAMES)) {
    const chat = await chatWith(page, agent, scene);
    await chat.ask("Go");
    await shows(chat.root.getByRole("alert"), /couldn't be read/);
    await answersAgain(page, chat);
    await unmount(page);
  }
});

pageTest("arguments that are nested too deeply are answered as invalid", {}, async (page, agent) => {
  for (const scene of Object.keys(CALLS)) {
    const chat = await chatWith(page, agent, scene);
    await chat.ask("Go");
    await eventually(() => assert.equal(agent.requests(scene).length, 2, scene));
    const { error } = agent.requests(scene)[1].body.messages.at(-1);
    assert.match(error, /nested too deep/, scene);
    await chat.card("work").locator("summary").click();
    await answersAgain(page, chat);
    await unmount(page);
  }
});

pageTest("text that is nested too deeply is shown completely", {}, async (page, agent) => {
  for (const scene of Object.keys(TEXTS)) {
    const chat = await chatWith(page, agent, scene);
    await chat.ask("Go");
    // Deep nesting has many elements: the rest is drawn on request.
    await eventually(async () => {
      const text = await chat.log.evaluate((log) => {
        for (let more; (more = log.querySelector(".la-markdown-more")); ) more.click();
        return log.innerText;
      });
      assert.ok(text.includes("the end"), text.slice(-300));
    });
    await answersAgain(page, chat);
    await unmount(page);
  }
});

pageTest("a deep result and a growing state leave the chat working", {}, async (page, agent) => {
  for (const scene of Object.keys(OTHERS)) {
    const chat = await chatWith(page, agent, scene);
    await chat.ask("Go");
    if (scene === "result") await chat.card("theirs").locator("summary").click();
    await answersAgain(page, chat);
    const { state } = agent.requests(scene).at(-1).body;
    assert.ok(JSON.stringify(state).length < 2_000, "the refused state is not sent");
    await unmount(page);
  }
});

pageTest("a state change that would exhaust the memory shows an error", {}, async (page, agent) => {
  const chat = await chatWith(page, agent, "doubling");
  await chat.ask("Go");
  await chat.notice(/too large|too much/i).waitFor();
  await answersAgain(page, chat);
  const { state } = agent.requests("doubling").at(-1).body;
  assert.deepEqual(state, { list: ["x".repeat(100)] });
});

pageTest("a schema that is nested too deeply is refused with an error", {}, async (page, agent) => {
  const chat = await chatWith(page, agent, "");
  for (const depth of [1_000, DEPTH]) {
    const thrown = await page.evaluate((depth) => {
      let deep = {};
      for (let level = 0; level < depth; level++) deep = { type: "array", items: deep };
      try {
        return globalThis.chats.one.registerAction({ name: "deep", parameters: deep }) && "";
      } catch (error) {
        return error.message;
      }
    }, depth);
    assert.match(thrown, /recursion limit|`parameters` must be a JSON Schema/, `${depth}`);
  }
  await answersAgain(page, chat);
});
