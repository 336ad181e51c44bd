// A long thread: the turns that are in the page, navigation in it, and the controls of a turn.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { transcriptAtRest } from "../support/rest.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { WORD_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const longTest = (name, body, options = {}) =>
  pageTest(name, { address: ({ page }) => `${page.url}?history=1000`, ...options }, body);

const all = (chat) => chat.log.locator("[data-message-id]");
const rest = (chat) => chat.log.evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
const atEnd = (chat) => eventually(async () => assert.ok((await rest(chat)) < 2, "the end is in view"));

/** Begins a long answer, which grows only while the test waits for it. `length()` is that of its text. */
async function growingAnswer(chat) {
  const words = await holdTimers(chat.page, WORD_MS);
  await transcriptAtRest(chat);
  await chat.send("Tell me a long story");
  const story = chat.log.locator('[data-role="assistant"]:not([data-message-id^="past-"])').last();
  const length = async () => ((await story.count()) ? (await story.textContent()).length : 0);
  await words.until(async () => (await length()) > 400);
  return { words, length };
}

const topOf = (chat, id) =>
  chat.log.evaluate((log, id) => {
    const found = log.querySelector(`[data-message-id="${id}"]`);
    return found.getBoundingClientRect().top - log.getBoundingClientRect().top;
  }, id);

longTest("a thread of 1,000 messages opens at its end with few of them mounted", async (chat) => {
  await chat.log.locator('[data-message-id="past-999"]').waitFor();
  await atEnd(chat);
  assert.ok((await all(chat).count()) <= 60);
  const last = chat.page.locator('[data-message-id="past-999"]');
  const turn = chat.log.getByRole("article").filter({ has: last });
  assert.equal(await turn.getAttribute("aria-posinset"), "1000");
  assert.equal(await turn.getAttribute("aria-setsize"), "1000");
});

longTest("scrolling up mounts earlier messages without moving the view", async (chat) => {
  await atEnd(chat);
  for (let step = 0; step < 25; step++) {
    const before = await transcriptAtRest(chat);
    await chat.log.evaluate((log) => log.scrollBy(0, -300));
    await eventually(async () => {
      const moved = (await topOf(chat, before.id)) - before.top;
      assert.ok(Math.abs(moved - 300) <= 1, `${before.id} moved by ${moved}`);
    });
    await transcriptAtRest(chat);
    const moved = (await topOf(chat, before.id)) - before.top;
    assert.ok(Math.abs(moved - 300) <= 1, `${before.id} stays there: ${moved}`);
    assert.ok((await all(chat).count()) <= 70);
  }
  await chat.root.getByRole("button", { name: "Jump to latest" }).click();
  await atEnd(chat);
  await chat.log.locator('[data-message-id="past-997"]').waitFor();
});

longTest("the scroll position is kept while an answer streams below", async (chat) => {
  const { words, length } = await growingAnswer(chat);
  await transcriptAtRest(chat);
  await chat.log.evaluate((log) => log.scrollBy(0, -4000));
  const jump = chat.root.getByRole("button", { name: /Jump to latest|new message/ });
  await jump.waitFor();
  const before = await transcriptAtRest(chat);
  const text = await length();
  await words.until(async () => (await length()) > text + 300);
  assert.deepEqual(await transcriptAtRest(chat), before);
  await jump.click();
  await eventually(async () => assert.ok((await rest(chat)) < 60));
  const end = await length();
  await words.until(async () => (await length()) > end + 100);
  await eventually(async () => assert.ok((await rest(chat)) < 60, "the end is followed"));
  await chat.stopButton.click();
  await chat.idle();
});

longTest(
  "a short swipe up leaves the end of an answer that grows",
  async (chat) => {
    const { words, length } = await growingAnswer(chat);
    await atEnd(chat);
    const session = await chat.page.context().newCDPSession(chat.page);
    const { x, y, width, height } = await chat.log.boundingBox();
    const touch = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
    const at = (moved) => ({ x: x + width / 2, y: y + height / 2 + moved });
    await touch("touchStart", at(0));
    for (let moved = 8; moved <= 40; moved += 8) await touch("touchMove", at(moved));
    // A finger that rests before it is lifted does not fling the view on.
    await transcriptAtRest(chat);
    await touch("touchEnd");
    await eventually(async () => assert.ok((await rest(chat)) > 10, "the swipe scrolls"));
    // Less than the distance at which the view counts as at the end.
    assert.ok((await rest(chat)) < 48, `${await rest(chat)} pixels to the end`);
    const before = await transcriptAtRest(chat);
    const text = await length();
    await words.until(async () => (await length()) > text + 300);
    assert.deepEqual(await transcriptAtRest(chat), before);
    await chat.root.getByRole("button", { name: /Jump to latest|new message/ }).click();
    await atEnd(chat);
    await chat.stopButton.click();
    await chat.idle();
  },
  { hasTouch: true },
);

longTest("the beginning and Show all can be reached by keyboard", async (chat) => {
  // Focus moves past the controls of each turn in the page.
  await chat.reach(chat.log, "Shift+Tab", 240);
  await chat.page.keyboard.press("Home");
  await chat.log.locator('[data-message-id="past-0"]').waitFor();
  await eventually(async () => assert.ok((await chat.log.evaluate((log) => log.scrollTop)) === 0));
  const button = chat.root.getByRole("button", { name: "Show all 1,000 messages" });
  await chat.reach(button, "Shift+Tab", 240);
  await chat.page.keyboard.press("Enter");
  await eventually(async () => assert.equal(await all(chat).count(), 1000));
  await eventually(async () => assert.equal(await button.count(), 0));
  await chat.log.focus();
  await chat.page.keyboard.press("End");
  await atEnd(chat);
});

longTest("Find in page mounts all messages", async (chat) => {
  await transcriptAtRest(chat);
  await atEnd(chat);
  assert.equal(await chat.log.locator('[data-message-id="past-4"]').count(), 0);
  await chat.page.keyboard.press("Control+f");
  await chat.log.locator('[data-message-id="past-4"]').waitFor({ state: "attached" });
  await eventually(async () => assert.equal(await all(chat).count(), 1000));
  await atEnd(chat);
});

pageTest(
  "a finished chat opens without a notice",
  { address: ({ page }) => `${page.url}?history=40` },
  async (chat) => {
    await all(chat).first().waitFor();
    await atEnd(chat);
    assert.equal(await chat.root.locator(".la-notice").count(), 0);
  },
);

longTest("an answer is copied as markdown", async (chat) => {
  await chat.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await chat.log.locator('[data-message-id="past-999"]').waitFor();
  await transcriptAtRest(chat);
  const bar = chat.log.getByRole("group", { name: "Message actions" }).last();
  await bar.getByRole("button", { name: "Copy" }).click();
  await eventually(async () => {
    const status = await chat.root.locator("[aria-live=polite]").allTextContents();
    assert.ok(status.some((text) => text.trim() === "Copied"), status.join(" | "));
  });
  const text = await chat.page.evaluate(() => navigator.clipboard.readText());
  assert.ok(text.includes("| what | when |") && text.includes("*Halcyon*"), text);
  const box = await bar.getByRole("button", { name: "Copy" }).boundingBox();
  assert.ok(box.width >= 24 && box.height >= 24);
  assert.doesNotMatch(await bar.innerText(), /tokens/);
  await bar.getByRole("button", { name: "Details" }).click();
  await eventually(async () => assert.match(await bar.innerText(), /tokens · .* s/));
});

for (const colorScheme of ["light", "dark"]) {
  longTest(
    `axe finds nothing in a long thread (${colorScheme})`,
    async (chat) => {
      await transcriptAtRest(chat);
      await atEnd(chat);
      await accessible(chat.page);
      await chat.log.evaluate((log) => (log.scrollTop = 0));
      await chat.log.locator('[data-message-id="past-0"]').waitFor();
      await transcriptAtRest(chat);
      await chat.log.getByRole("separator").first().waitFor();
      await accessible(chat.page);
    },
    { colorScheme },
  );
}
