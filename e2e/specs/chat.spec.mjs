// Writing and reading in the chat window: keys, scrolling, suggestions, and the narrow page. With the agent of the
// page.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { WORD_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const chatTest = (name, body, options = {}) =>
  pageTest(name, { address: ({ page }) => page.url, ...options }, (chat) => body(chat, new Harbor(chat.page)));

const position = (chat) =>
  chat.log.evaluate((log) => ({ top: log.scrollTop, rest: log.scrollHeight - log.scrollTop - log.clientHeight }));

const length = async (chat) => (await chat.log.innerText()).length;

/** Lets the agent write words, whose timers the test holds back, until a condition is met. */
async function writeUntil(chat, words, isMet) {
  while (!(await isMet())) {
    const before = await length(chat);
    for (let word = 0; word < 16; word++) await words.next();
    await eventually(async () => assert.ok((await length(chat)) > before, "the words are shown"));
  }
}

/** Lets the agent write so many more letters. */
async function grow(chat, words, letters) {
  const before = await length(chat);
  await writeUntil(chat, words, async () => (await length(chat)) > before + letters);
}

/** True if the answer is longer than the window. */
const overflows = (chat) => chat.log.evaluate((log) => log.scrollHeight > log.clientHeight * 1.6);

/**
 * Asks for a story that ends by itself, and lets the agent write it until it is longer than the window. Returns the
 * timers of its words: it is written only as far as the test lets it.
 */
async function longStory(chat) {
  const words = await holdTimers(chat.page, WORD_MS);
  await chat.send("Tell me a long story");
  await writeUntil(chat, words, () => overflows(chat));
  await eventually(async () => assert.ok((await position(chat)).rest < 60, "the end is in view"));
  // The last words are on the screen.
  await restingPlace(chat);
  return words;
}

/** The beginning of the agent's answer to a message that names no scene. */
const HELP = "I can look up the weather";

/** The reader's scroll position once the browser's smooth scrolling has ended: it was the same in twelve frames. */
const restingPlace = (chat) =>
  chat.log.evaluate(
    (log) =>
      new Promise((done) => {
        let [top, frames] = [log.scrollTop, 0];
        const look = () => {
          frames = log.scrollTop === top ? frames + 1 : 0;
          top = log.scrollTop;
          if (frames === 12) done(top);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );

chatTest("the view follows a long answer to its end", async (chat) => {
  await chat.send("Tell me a long story");
  await eventually(async () => assert.ok(await overflows(chat), "the answer is long"));
  await eventually(async () => assert.ok((await position(chat)).rest < 60, "the end is in view"));
  await chat.idle();
  await chat.says("Watch 14.");
  await eventually(async () => assert.ok((await position(chat)).rest < 2, "the end is in view"));
  await eventually(async () => assert.equal(await chat.root.getByRole("button", { name: "Jump to latest" }).count(), 0, "nothing to jump to"));
});

chatTest("the scroll position is kept after scrolling up until Jump to latest", async (chat) => {
  const words = await longStory(chat);
  await chat.log.hover();
  await chat.page.mouse.wheel(0, -200);
  const jump = chat.root.getByRole("button", { name: "Jump to latest" });
  await jump.waitFor();
  const top = await restingPlace(chat);
  await grow(chat, words, 400);
  assert.equal((await position(chat)).top, top, "the position stays while the answer grows");
  await jump.click();
  await eventually(async () => assert.ok((await position(chat)).rest < 60, "the end is in view"));
  await grow(chat, words, 200);
  await eventually(async () => assert.ok((await position(chat)).rest < 60, "the end is followed again"));
  await chat.stopButton.click();
  await chat.idle();
});

chatTest("the scroll position is kept after scrolling up by keyboard", async (chat) => {
  const words = await longStory(chat);
  await chat.reach(chat.log, "Shift+Tab");
  await chat.page.keyboard.press("PageUp");
  await chat.root.getByRole("button", { name: "Jump to latest" }).waitFor();
  await eventually(async () => assert.ok((await position(chat)).rest > 60));
  const top = await restingPlace(chat);
  await words.release();
  await chat.idle();
  await chat.says("Watch 14.");
  assert.equal((await position(chat)).top, top, "the position stays until the end of the answer");
  await chat.send("Where is order A-17?");
  await eventually(async () => assert.ok((await position(chat)).rest < 60, "the view follows the answer to a new message"));
  await chat.idle();
});

chatTest("the description of the composer does not change during a run", async (chat) => {
  const described = () => chat.composer.evaluate((box) => [box.ariaDescription, box.getAttribute("aria-describedby")]);
  const before = await described();
  await chat.send("What's the weather?");
  await chat.running();
  assert.deepEqual(await described(), before);
  await chat.card("get_weather").getByRole("button", { name: "Approve" }).waitFor();
  assert.deepEqual(await described(), before);
  await chat.approve(chat.card("get_weather"));
  await chat.idle();
  assert.deepEqual(await described(), before);
});

chatTest("Enter while an approval is pending does not decide it", async (chat) => {
  await chat.send("What's the weather?");
  const card = chat.card("get_weather");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await chat.composer.press("Enter");
  await chat.status(card, "pending");
  await chat.running();
  await chat.approve(card);
  await chat.idle();
});

chatTest("Shift+Enter inserts a line break, and the composer grows", async (chat) => {
  const height = async () => (await chat.composer.boundingBox()).height;
  const small = await height();
  await chat.composer.pressSequentially("One");
  for (const word of ["two", "three"]) {
    await chat.composer.press("Shift+Enter");
    await chat.composer.pressSequentially(word);
  }
  assert.equal(await chat.composer.inputValue(), "One\ntwo\nthree");
  await eventually(async () => assert.ok((await height()) > small + 20, "it has grown"));
  await chat.composer.press("Enter");
  await chat.idle();
  assert.equal(await chat.messages("user").first().locator(".la-text-block").innerText(), "One\ntwo\nthree");
  await eventually(async () => assert.equal(await height(), small, "it is small again"));
});

chatTest("Enter that ends an input method's composition does not send", async (chat) => {
  await chat.composer.fill("にほ");
  await chat.composer.evaluate((box) => box.addEventListener("keydown", (event) => (box.dataset.composing = event.isComposing)));
  const session = await chat.page.context().newCDPSession(chat.page);
  await session.send("Input.imeSetComposition", { text: "ん", selectionStart: 1, selectionEnd: 1 });
  await chat.composer.press("Enter");
  assert.equal(await chat.composer.getAttribute("data-composing"), "true", "the key belonged to the composition");
  // A message would be on the screen now, and the composer empty.
  await chat.idle();
  assert.notEqual(await chat.composer.inputValue(), "");
  assert.equal(await chat.messages("user").count(), 0);
}, { only: "chromium" });

chatTest("every suggestion sends exactly its label", async (chat) => {
  const list = chat.root.getByRole("list", { name: "Suggestions" });
  const more = list.getByRole("button", { name: "More", exact: true });
  await eventually(async () => assert.equal(await list.getByRole("button").count(), 5, "four, and More"));
  await more.click();
  await eventually(async () => assert.equal(await list.getByRole("button").count(), 12));
  await chat.hasFocus(list.getByRole("button").nth(4));
  const prompts = await list.getByRole("button").allInnerTexts();
  assert.equal(prompts.length, 12);
  for (const prompt of prompts) {
    if (await more.isVisible()) await more.click();
    await list.getByRole("button", { name: prompt, exact: true }).click();
    await chat.messages("user").first().waitFor();
    await eventually(async () => assert.equal((await chat.messages("user").first().innerText()).trim(), prompt));
    await eventually(async () => assert.equal(await list.count(), 0, "the suggestions are hidden"));
    // Another scene begins with a few of the same letters, too.
    await eventually(async () => {
      const text = (await chat.messages("assistant").first().innerText()).trim();
      assert.ok(!text.includes(HELP) && !HELP.startsWith(text.slice(0, HELP.length)), `the agent knows the scene: ${text}`);
    });
    const cancel = chat.dialog().getByRole("button", { name: "Cancel" });
    if (/delete|ask me/i.test(prompt)) await cancel.click();
    await chat.root.getByRole("button", { name: "New conversation" }).click();
    await list.waitFor();
  }
});

chatTest(
  "a narrow window shows page or assistant, and a mark while it waits",
  async (chat, harbor) => {
    const view = chat.page.getByRole("group", { name: "View" });
    const page = view.getByRole("button", { name: "Page" });
    const assistant = view.getByRole("button", { name: /^Assistant/ });
    assert.ok(!(await harbor.conditions.isVisible()), "the chat fills the window");
    await chat.send("What's the weather?");
    await chat.card("get_weather").getByRole("button", { name: "Approve" }).waitFor();
    await page.click();
    await harbor.conditions.waitFor();
    await chat.composer.waitFor({ state: "hidden" });
    await view.getByRole("button", { name: /Assistant.*waiting for you/ }).click();
    await chat.approve(chat.card("get_weather"));
    await chat.idle();
    await page.click();
    await shows(harbor.conditions, /14°/);
    await shows(assistant, /^Assistant$/);
  },
  { viewport: { width: 360, height: 740 }, hasTouch: true },
);
