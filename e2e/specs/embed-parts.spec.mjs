// The two parts of the npm package's module: the one with the engine, the conversation and the methods of a chat is
// fetched as soon as the first one is compiled. Until it is there the chat takes messages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat, eventually } from "../support/chat.mjs";
import { accessible } from "../support/browser.mjs";
import { beginIn, embedSuite, heldBack, mountIn } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";
import { ROOT } from "../support/servers.mjs";
import { listen } from "../support/speech.mjs";

const PART = /assistant_embed_conversation\.wasm/;
/** The browser's messages about failed requests for them. */
const REFUSED = [/Failed to load resource/, /integrity/i];
const NOT_LOADED = /could not be loaded/;

function hello(answer, input) {
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Good day." });
  send(answer, { type: "TEXT_MESSAGE_END", messageId: "m" });
  finish(answer, input);
  answer.end();
}

/** Sends a history, and answers. */
function remembers(answer, input) {
  begin(answer, input);
  const old = [1, 2, 3].flatMap((n) => [
    { id: `u${n}`, role: "user", content: `Old question ${n}` },
    { id: `a${n}`, role: "assistant", content: `Old answer ${n}` },
  ]);
  send(answer, { type: "MESSAGES_SNAPSHOT", messages: [...old, ...input.messages, { id: "m", role: "assistant", content: "Good day." }] });
  finish(answer, input);
  answer.end();
}

/** Starts a run, and answers at the test's `proceed`. */
async function pauses(answer, input, hold) {
  begin(answer, input);
  await hold();
  send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Good day." });
  send(answer, { type: "TEXT_MESSAGE_END", messageId: "m" });
  finish(answer, input);
  answer.end();
}

/** Asks the user a question. */
function asksBack(answer, { threadId, runId }) {
  begin(answer, { threadId, runId });
  const interrupts = [{ id: "i", reason: "approval", message: "Which one?" }];
  send(answer, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } });
  answer.end();
}

const partTest = embedSuite({ scenes: { hello, again: hello, remembers, pauses, asksBack } });

/** The number of requests for the part so far. */
function countPartRequests(page) {
  let count = 0;
  page.on("request", (request) => (count += Number(PART.test(request.url()))));
  return () => count;
}

/** Enters a message, which is not in the conversation yet. */
async function enterText(chat, text) {
  await chat.composer.fill(text);
  await chat.composer.press("Enter");
}

/** The text of the user's message, whether it is drawn before or by the part. */
const ownText = (chat) => chat.root.locator('[data-role="user"] .la-text-block');

/** The line below the messages that shows activity. */
const thinking = (chat) => chat.root.locator(".la-working", { hasText: "Thinking" });

/** Long enough for a request to start. */
const moment = (page) => page.waitForTimeout(400);

partTest("the second part is fetched once, before a chat is used", {}, async (page, agent) => {
  const fetched = countPartRequests(page);
  const one = await mountIn(page, "one", `${agent.url}hello`);
  const two = await mountIn(page, "two", `${agent.url}again`);
  await eventually(() => assert.equal(fetched(), 1));
  await accessible(page, "#one");
  await one.picture("embed before it is used");
  await one.send("Hello");
  await one.says("Good day.");
  await two.composer.hover();
  await two.send("Hello");
  await two.says("Good day.");
  await moment(page);
  assert.equal(fetched(), 1);
});

partTest("a message sent before the part is loaded waits for it and for the actions of the page", {}, async (page, agent) => {
  const release = await heldBack(page, PART);
  const chat = await beginIn(page, "one", `${agent.url}hello`, [{ name: "look", description: "Looks" }]);
  const announced = await listen(chat);
  await enterText(chat, "Hello");
  await thinking(chat).waitFor();
  assert.equal(await page.evaluate(() => globalThis.chats?.one), undefined, "`mount` resolves once the chat has its methods");
  assert.equal(agent.requests("hello").length, 0);
  await accessible(page, "#one");
  await chat.picture("embed while its conversation is fetched");
  release();
  await chat.says("Good day.");
  await eventually(async () => assert.match(JSON.stringify(await announced()), /"log","text":"Assistant: Good day\./));
  const [{ body }] = agent.requests("hello");
  assert.deepEqual(body.tools.map(({ name }) => name), ["look"]);
  assert.equal(body.messages.length, 1, "it was sent once");
});

/**
 * Notes the boxes of the message and of the line below it on each frame, the greatest number of such messages, and whether
 * the element with the focus changes. Returns a function that returns the notes.
 */
async function watchMessage(page) {
  await page.evaluate(() => {
    const notes = { boxes: new Set(), most: 0, frames: 0, lost: 0 };
    const focused = document.activeElement;
    const box = (selector) => {
      const { x, y, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
      return [x, y, width, height].map(Math.round).join(" ");
    };
    const look = () => {
      const texts = document.querySelectorAll('[data-role="user"] .la-text-block');
      notes.frames++;
      notes.most = Math.max(notes.most, texts.length);
      if (document.activeElement !== focused) notes.lost++;
      // The answer replaces the line.
      if (!document.querySelector('[data-role="assistant"]')) notes.boxes.add(`${box('[data-role="user"] .la-text')}, ${box(".la-working")}`);
      globalThis.looking = requestAnimationFrame(look);
    };
    globalThis.notes = notes;
    look();
  });
  return () => page.evaluate(() => (cancelAnimationFrame(globalThis.looking), { ...globalThis.notes, boxes: [...globalThis.notes.boxes] }));
}

/** Sends a message before the part is there, types on, and compares each frame until the answer. */
async function replacesWaiting(page, agent) {
  const release = await heldBack(page, PART);
  const chat = await beginIn(page, "one", `${agent.url}pauses`);
  await enterText(chat, "Hello\nthere");
  assert.equal(await ownText(chat).innerText(), "Hello\nthere");
  await thinking(chat).waitFor();
  const noted = await watchMessage(page);
  await page.keyboard.type("More ");
  release();
  await chat.messages("user").waitFor();
  await page.keyboard.type("words");
  await eventually(() => assert.equal(agent.requests("pauses").length, 1));
  await thinking(chat).waitFor();
  // The conversation is drawn for a while before the answer replaces the line.
  await page.evaluate(() => (globalThis.drawnFrames = globalThis.notes.frames));
  await page.waitForFunction(() => globalThis.notes.frames > globalThis.drawnFrames + 12);
  agent.proceed();
  await chat.says("Good day.");
  const { boxes, most, frames, lost } = await noted();
  assert.equal(boxes.length, 1, `the message moves: ${boxes.join(" / ")}`);
  assert.equal(most, 1, "it is shown once");
  assert.equal(lost, 0, "the composer keeps the focus");
  assert.ok(frames > 1);
  assert.equal(await chat.composer.inputValue(), "More words");
  assert.equal(agent.requests("pauses").length, 1);
}

partTest("the conversation replaces a waiting message in its place, with a mouse", { hasTouch: false }, replacesWaiting);
partTest("the conversation replaces a waiting message in its place, with a touch screen", { hasTouch: true }, replacesWaiting);

partTest("a message that the engine refuses once it is loaded is back in the composer", {}, async (page, agent) => {
  const asking = await mountIn(page, "one", `${agent.url}asksBack`);
  await asking.send("Hello");
  await asking.root.locator("[data-interrupt-id]").waitFor();
  const initial = await page.evaluate(() => globalThis.chats.one.export());
  await page.reload();
  const release = await heldBack(page, PART);
  const chat = await beginIn(page, "one", `${agent.url}hello`, [], { initial });
  await enterText(chat, "Next");
  await thinking(chat).waitFor();
  await chat.composer.fill("More");
  release();
  await eventually(async () => assert.equal(await chat.composer.inputValue(), "Next\n\nMore"));
  // The conversation is drawn after the message is returned.
  await chat.messages("user").first().waitFor();
  assert.equal(await chat.messages("user").count(), 1, "the conversation contains only its own message");
  assert.equal(agent.requests("hello").length, 0);
});

partTest("a second message before the part is loaded stays in the composer", {}, async (page, agent) => {
  const release = await heldBack(page, PART);
  const chat = await beginIn(page, "one", `${agent.url}hello`);
  await enterText(chat, "First");
  await enterText(chat, "Second");
  release();
  await chat.says("Good day.");
  assert.equal(await chat.composer.inputValue(), "Second");
  // During the run, the composer sends nothing.
  await chat.idle();
  await chat.composer.press("Enter");
  await chat.messages("user").nth(1).waitFor();
  assert.match(await chat.messages("user").nth(0).innerText(), /First/);
  assert.match(await chat.messages("user").nth(1).innerText(), /Second/);
  await chat.idle();
});

partTest("a chat removed before the part is loaded sends nothing", {}, async (page, agent) => {
  const release = await heldBack(page, PART);
  await page.evaluate(async (url) => {
    await import("./embed/element.js");
    const element = document.createElement("leptos-assistant");
    element.setAttribute("url", url);
    element.setAttribute("loading", "eager");
    document.getElementById("one").append(element);
  }, `${agent.url}hello`);
  const chat = new Chat(page, page.locator("leptos-assistant"));
  // The composer of the program: a message that waits in the composer before the program is passed to the next chat.
  await enterText(chat, "Hello");
  await thinking(chat).waitFor();
  // Other options begin another chat.
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("heading-offset", "1"));
  await eventually(async () => assert.equal(await page.getByText("Thinking").count(), 0));
  release();
  await eventually(async () => assert.ok(await page.evaluate(() => Boolean(document.querySelector("leptos-assistant").chat))));
  await moment(page);
  assert.equal(agent.requests("hello").length, 0);
  // The next chat sends its own messages only.
  await chat.ask("Again");
  await chat.says("Good day.");
  assert.deepEqual(agent.requests("hello").map(({ body }) => body.messages.map(({ content }) => content)), [["Again"]]);
});

partTest("a message sent by the page is shown and announced", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}hello`);
  const announced = await listen(chat);
  await page.evaluate(() => globalThis.chats.one.send("Hello"));
  await chat.says("Good day.");
  await eventually(async () => assert.match(JSON.stringify(await announced()), /"log","text":"Assistant: Good day\./));
});

/** Refuses the part at first; then the user tries again. */
async function loadsOnRetry(page, agent, refuse) {
  await page.route(PART, refuse);
  const chat = await beginIn(page, "one", `${agent.url}hello`);
  await chat.composer.hover();
  // The notice is shown before a message is sent: the user may reload the page.
  await chat.notice(NOT_LOADED).waitFor();
  await enterText(chat, "Hello");
  // The message and the second attempt to load appear together, and the notice appears again when that attempt fails.
  assert.equal(await ownText(chat).innerText(), "Hello", "the message stays");
  await chat.notice(NOT_LOADED).waitFor();
  assert.equal(await ownText(chat).innerText(), "Hello", "the message stays after the second failure");
  await accessible(page, "#one");
  await chat.picture("embed whose conversation could not be fetched");
  await page.unroute(PART);
  await chat.notice(NOT_LOADED).getByRole("button", { name: "Retry" }).press("Enter");
  await chat.says("Good day.");
  assert.equal(await chat.messages("user").count(), 1, "the message is in the conversation once");
  await page.waitForFunction(() => globalThis.chats?.one);
  assert.equal(await page.evaluate(() => globalThis.chats.one.messages().length), 2, "`mount` has resolved");
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement !== document.body), true, "an element has the focus"),
  );
}

partTest("a part that cannot be fetched shows a notice with Retry", { allow: REFUSED }, async (page, agent) => {
  await loadsOnRetry(page, agent, (route) => route.abort());
});

partTest("a server error for the part shows a notice with Retry", { allow: REFUSED }, async (page, agent) => {
  await loadsOnRetry(page, agent, (route) => route.fulfill({ status: 500, body: "no" }));
});

partTest("a part of another build is refused", { allow: REFUSED }, async (page, agent) => {
  const other = readFileSync(path.join(ROOT, "dist/embed/assistant_embed_full_conversation.wasm"));
  await loadsOnRetry(page, agent, (route) => route.fulfill({ contentType: "application/wasm", body: other }));
});

partTest("a part of another build is refused on a page without encryption", { allow: REFUSED }, async (page, agent) => {
  const other = readFileSync(path.join(ROOT, "dist/embed/assistant_embed_full_conversation.wasm"));
  // Such a page has no digests of its own.
  await page.addInitScript(() => Object.defineProperty(Crypto.prototype, "subtle", { value: undefined }));
  await page.reload();
  await loadsOnRetry(page, agent, (route) => route.fulfill({ contentType: "application/wasm", body: other }));
});

partTest("a part of an earlier build in the cache is fetched again past the cache", { allow: REFUSED }, async (page, agent) => {
  const other = readFileSync(path.join(ROOT, "dist/embed/assistant_embed_full_conversation.wasm"));
  const fetched = countPartRequests(page);
  await page.route(PART, (route) => route.fulfill({ contentType: "application/wasm", body: other }), { times: 1 });
  const chat = await mountIn(page, "one", `${agent.url}hello`);
  await chat.send("Hello");
  await chat.says("Good day.");
  assert.equal(fetched(), 2);
  assert.equal(await chat.notice(NOT_LOADED).count(), 0);
});

partTest("an answer in a new conversation is announced", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}hello`);
  const announced = await listen(chat);
  await page.evaluate(() => {
    globalThis.chats.one.newConversation();
    globalThis.chats.one.send("Hello");
  });
  await chat.says("Good day.");
  await eventually(async () => assert.match(JSON.stringify(await announced()), /"log","text":"Assistant: Good day\./));
});

partTest("a slowly loading part is announced", {}, async (page, agent) => {
  const release = await heldBack(page, PART);
  const chat = await beginIn(page, "one", `${agent.url}hello`);
  const announced = await listen(chat);
  await enterText(chat, "Hello");
  await eventually(async () => assert.deepEqual((await announced())[0], { region: "status", text: "Loading" }));
  release();
  await chat.says("Good day.");
});

partTest("repeated hovering and focus fetch the part once", { allow: REFUSED }, async (page, agent) => {
  const fetched = countPartRequests(page);
  let refuse;
  const refused = new Promise((resolve) => (refuse = resolve));
  await page.route(PART, async (route) => {
    await refused;
    await route.abort();
  });
  const chat = await beginIn(page, "one", `${agent.url}hello`);
  for (let time = 0; time < 6; time++) {
    await chat.composer.hover();
    await page.mouse.move(1200, 10);
  }
  await chat.composer.focus();
  refuse();
  await chat.notice(NOT_LOADED).waitFor();
  await moment(page);
  // Requested once more, bypassing the cache.
  assert.equal(fetched(), 2);
});

partTest("of a history in a snapshot only the newest messages are announced", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}remembers`);
  await chat.composer.hover();
  const announced = await listen(chat);
  await chat.send("Hello");
  await chat.says("Good day.");
  await eventually(async () => assert.match(JSON.stringify(await announced()), /Good day/));
  assert.doesNotMatch(JSON.stringify(await announced()), /Old answer [12]/);
});
