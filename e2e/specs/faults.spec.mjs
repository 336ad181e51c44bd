// Faults between the page and the agent that a user did not cause: redirections, a lost network, and a tab that the browser
// freezes or puts in its back-forward cache. The text stays, one notice names the fault, and nothing is duplicated on the
// screen or at the server. Responses that end at any byte are tested natively
// (crates/assistant-core/tests/protocols/faults.rs), silence in tests/web/lifecycle.rs, statuses with a wait in http.rs.

import assert from "node:assert/strict";

import { chromium } from "playwright-core";

import { eventually } from "../support/chat.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const OFFLINE = [/ERR_INTERNET_DISCONNECTED/, /ERR_INCOMPLETE_CHUNKED_ENCODING/, /ERR_EMPTY_RESPONSE/, /Failed to load resource/];

const opens = (answer, input, delta = "One, ") => {
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
};

const closes = (answer, input, delta = "two.") => {
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
  send(answer, { type: "TEXT_MESSAGE_END", messageId: "m" });
  finish(answer, input);
};

/** The number of answers in two pieces that were sent to their end. */
let sentAnswers = 0;

/** Answers in two pieces; the second one follows the test's `proceed`. */
async function inTwoPieces(answer, input, hold) {
  opens(answer, input);
  await hold();
  answer.once("finish", () => sentAnswers++);
  closes(answer, input);
}

const redirects = (status, location) => (answer) => answer.writeHead(status, { location }).end();

const pageTest = suite(async (open) => {
  const page = await demo();
  const scenes = {
    moved: redirects(307, "target"),
    login: redirects(302, "login-page"),
    loop: Array.from({ length: 40 }, () => redirects(307, "loop")),
    frozen: [inTwoPieces, inTwoPieces],
    cached: inTwoPieces,
    lost: (answer, input) => opens(answer, input, "The text so far"),
  };
  const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes });
  open.push(page, agent);
  return { page, agent };
});

const at = (scene) => ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url + scene, protocol: "ag-ui" })}`;

pageTest("a redirected request is answered by the address it leads to", { address: at("moved") }, async (chat, { agent }) => {
  await chat.ask("Hello");
  await chat.says("You said: Hello");
  assert.equal(agent.requests("target").length, 1);
});

pageTest("a redirection to a page that is no agent shows one notice", { address: at("login"), allow: [/Failed to load resource/] }, async (chat) => {
  await chat.ask("Hello");
  const notice = chat.notice(/agent|assistant|server/i);
  await notice.first().waitFor();
  assert.equal(await chat.root.locator(".la-notice").count(), 1);
  assert.equal(await chat.messages("user").count(), 1);
  await chat.root.getByRole("button", { name: "Retry" }).waitFor();
});

pageTest("endless redirections end with a notice and Retry", { address: at("loop"), allow: OFFLINE.concat(/ERR_TOO_MANY_REDIRECTS/) }, async (chat) => {
  await chat.ask("Hello");
  await chat.root.getByRole("button", { name: "Retry" }).waitFor();
  assert.equal(await chat.root.locator(".la-notice").count(), 1);
});

pageTest("an answer continues once after the tab was frozen", { address: at("frozen") }, async (chat, { agent }) => {
  await chat.send("Count");
  await chat.says("One,");
  const session = await chat.page.context().newCDPSession(chat.page);
  await session.send("Page.setWebLifecycleState", { state: "frozen" });
  const before = sentAnswers;
  agent.proceed();
  // The rest has arrived while the tab is frozen.
  await eventually(() => assert.equal(sentAnswers, before + 1));
  await session.send("Page.setWebLifecycleState", { state: "active" });
  await chat.says("One, two.");
  await chat.idle();
  assert.equal(await chat.messages("assistant").count(), 1);
  assert.equal(agent.requests("frozen").length, 1);
});

pageTest("an answer lost with the network stays, and Retry repeats its message once", { address: at("lost"), allow: OFFLINE }, async (chat, { agent }) => {
  await chat.send("Hello");
  await chat.says("The text so far");
  await chat.page.context().setOffline(true);
  agent.hangUp();
  const retry = chat.root.getByRole("button", { name: "Retry" });
  await retry.waitFor();
  await chat.says("The text so far");
  assert.equal(await chat.root.locator(".la-notice").count(), 1);
  await retry.click();
  await chat.notice(/offline/i).first().waitFor();
  assert.equal(await chat.root.locator(".la-notice").count(), 1, "the older notice is gone");
  // Now nothing of an answer can be lost: the browser's event is enough.
  await chat.page.context().setOffline(false);
  await chat.says("You said: Hello");
  await chat.idle();
  assert.equal(await chat.messages("user").count(), 1, "the message is shown once");
  const [first, second, ...more] = agent.requests("lost").map(({ body }) => body.messages);
  assert.equal(more.length, 0, "the server receives one more request");
  assert.deepEqual(second.filter(({ role }) => role === "user"), first);
});

pageTest("a chat works after the back-forward cache, with or without its page in it", { address: at("cached") }, async (chat, { agent, page }) => {
  // Playwright disables the cache in its browsers.
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
  try {
    const other = new chat.constructor(await browser.newPage());
    await other.page.goto(at("cached")({ agent, page }));
    await other.send("Count");
    await other.says("One,");
    await other.page.goto(`${page.url}icon.svg`);
    agent.proceed();
    await other.page.goBack();
    await other.composer.waitFor();
    await eventually(async () => {
      const isRunning = await other.root.evaluate((root) => root.hasAttribute("data-running"));
      assert.ok(!isRunning);
    });
    assert.ok((await other.messages("user").count()) <= 1, "nothing is duplicated");
    await other.ask("Are you back?");
    await other.says("You said: Are you back?");
    assert.ok(agent.requests("cached").length <= 3);
  } finally {
    await browser.close();
  }
});
