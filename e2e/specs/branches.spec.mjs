// Branches of a conversation, as a user switches, edits and reloads them: with the agent of the page.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { conversationOf } from "../support/stored-conversation.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { BERTHS_MS, STAGE_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const CHAT = "branches";

const chatTest = (name, body, options = {}) =>
  pageTest(name, { address: ({ page }) => `${page.url}?chat=${CHAT}`, ...options }, (chat) => body(chat));

const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } };

/** The turn with a message. */
const turn = (message) => message.locator("xpath=ancestor::*[@data-block]");

/** The picker of the turn with a message. */
const versions = (message) => {
  const picker = turn(message).getByRole("group", { name: "Versions" });
  return {
    picker,
    before: picker.getByRole("button", { name: "Previous version" }),
    next: picker.getByRole("button", { name: "Next version" }),
    says: (text) => eventually(async () => assert.equal(await picker.locator(".la-branch-place").innerText(), text)),
  };
};

const question = (chat, nth = 0) => chat.messages("user").nth(nth);
const answer = (chat, nth = 0) => chat.messages("assistant").nth(nth);
const inTurn = (message, name) => turn(message).getByRole("button", { name, exact: true });

/** Opens the editor of a message, and waits until it has the focus. Returns its text box. */
async function openEditor(chat, message) {
  await message.hover();
  await inTurn(message, "Edit message").click();
  const box = chat.root.getByRole("textbox", { name: "Your message" });
  await chat.hasFocus(box);
  return box;
}

async function edit(chat, message, text) {
  const box = await openEditor(chat, message);
  await box.fill(text);
  await box.press("Enter");
}

const texts = async (chat, role) => (await chat.messages(role).allInnerTexts()).map((text) => text.trim());

/** Opens the chat where the window is too narrow for page and chat side by side. */
async function toChat(chat) {
  const button = chat.page.getByRole("group", { name: "View" }).getByRole("button", { name: "Assistant" });
  if (await button.isVisible()) await button.click();
}

chatTest("edited and regenerated branches are kept after a reload", async (chat) => {
  await chat.ask("Where is order A-17?");
  await chat.says("Order A-17 is shipped.");
  const first = await answer(chat).innerText();
  await chat.ask("Search for tide tables");
  const log = await chat.log.innerText();

  await edit(chat, question(chat), "Where is order B-4?");
  await eventually(async () => assert.deepEqual(await texts(chat, "user"), ["Where is order B-4?"]));
  await chat.idle();
  await chat.hasFocus(chat.composer, "the composer has the focus after a message was sent");
  await versions(question(chat)).says("2 / 2");

  for (const count of [2, 3]) {
    await inTurn(answer(chat), "Regenerate").click();
    await versions(answer(chat)).says(`${count} / ${count}`);
    await chat.idle();
  }
  const own = versions(answer(chat));
  await eventually(async () => assert.equal(await own.next.getAttribute("aria-disabled"), "true"));
  await own.before.click();
  await versions(answer(chat)).says("2 / 3");
  await chat.hasFocus(versions(answer(chat)).before, "the focus stays on the button");
  await chat.page.keyboard.press("ArrowLeft");
  await versions(answer(chat)).says("1 / 3");

  await chat.page.reload();
  await toChat(chat);
  await versions(answer(chat)).says("1 / 3");
  await versions(question(chat)).says("2 / 2");
  await versions(question(chat)).before.click();
  await eventually(async () => assert.equal((await answer(chat).innerText()).trim(), first.trim()));
  await eventually(async () => assert.deepEqual(await texts(chat, "user"), ["Where is order A-17?", "Search for tide tables"]));
  assert.ok(log.includes("A-17"));

  const stored = await conversationOf(chat.page, CHAT);
  assert.equal(stored.messages.filter(({ parent }) => parent === null).length, 2, "two first messages");
  assert.equal(new Set(stored.messages.map(({ message }) => message.id)).size, stored.messages.length);
});

chatTest("Escape cancels an edit, and editing is disabled during a run", async (chat) => {
  await chat.ask("Where is order A-17?");
  const button = inTurn(question(chat), "Edit message");
  const box = await openEditor(chat, question(chat));
  await box.fill("Something else");
  await accessible(chat.page);
  await box.press("Escape");
  await chat.hasFocus(button);
  assert.deepEqual(await texts(chat, "user"), ["Where is order A-17?"]);
  const call = await holdTimers(chat.page, BERTHS_MS);
  await chat.send("Check berth availability");
  await chat.running();
  await eventually(async () => assert.equal(await button.getAttribute("aria-disabled"), "true"));
  await call.release();
  await chat.idle();
});

for (const [name, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"]) {
    chatTest(
      `branches pass accessibility checks: ${name} ${colorScheme}`,
      async (chat) => {
        await toChat(chat);
        await chat.ask("Where is order A-17?");
        await edit(chat, question(chat), "Where is order B-4, and when will it be here?");
        await chat.idle();
        await inTurn(answer(chat), "Regenerate").click();
        await chat.idle();
        await accessible(chat.page);
        await chat.picture(`branches versions ${name} ${colorScheme}`);
        const box = await openEditor(chat, question(chat));
        await accessible(chat.page);
        await chat.picture(`branches edit ${name} ${colorScheme}`);
        await box.press("Escape");
        await box.waitFor({ state: "detached" });
        const stages = await holdTimers(chat.page, STAGE_MS);
        await chat.send("Run the full deployment process");
        await chat.card("deployment_process").waitFor();
        await chat.composer.fill("Where is order A-17?");
        await chat.picture(`branches interject ${name} ${colorScheme}`);
        await chat.root.getByRole("button", { name: "Send next" }).click();
        await chat.root.locator("[data-pending]").waitFor();
        await versions(answer(chat)).before.click();
        await chat.root.locator(".la-elsewhere").waitFor();
        await accessible(chat.page);
        await chat.picture(`branches elsewhere ${name} ${colorScheme}`);
        await chat.root.locator(".la-elsewhere").getByRole("button").click();
        await stages.release();
        await chat.idle();
        await chat.picture(`branches interjected ${name} ${colorScheme}`);
      },
      { viewport, colorScheme, hasTouch: name === "narrow" },
    );
  }
}
