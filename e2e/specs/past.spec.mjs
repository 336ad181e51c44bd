// The list of past conversations: opened, renamed, deleted, and restored; and the effect of other tabs on it.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { Chat, eventually } from "../support/chat.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const address = ({ page }) => page.url;
const summary = (chat) => chat.page.locator(".demo-past > summary");
const list = (chat) => chat.page.getByRole("region", { name: "Past conversations" });
const item = (chat, text) => list(chat).getByRole("listitem").filter({ hasText: text });

/** Two conversations, the second one open. */
async function two(chat) {
  await chat.ask("Where is order A-17?");
  await chat.page.getByRole("button", { name: "New conversation" }).click();
  await eventually(async () => assert.equal(await chat.messages("user").count(), 0));
  await chat.ask("Check berth availability");
  await summary(chat).click();
  await item(chat, "Where is order A-17?").waitFor();
}

chatTest("a past conversation is opened, continued and restored after a reload", { address }, async (chat) => {
  await two(chat);
  await accessible(chat.page, ".demo-past");
  const marks = (selector, names) => list(chat).locator(selector).evaluate((node, names) => names.map((name) => getComputedStyle(node).getPropertyValue(name)), names);
  const weights = [await marks("[aria-current] > .la-past-title", ["font-weight"]), await marks("button:not([aria-current]) > .la-past-title", ["font-weight"])];
  assert.deepEqual(weights, [["600"], ["400"]], "the open one is marked by more than a colour");
  await chat.picture("past conversations");
  await chat.page.emulateMedia({ forcedColors: "active" });
  assert.deepEqual(await marks(".la-past-open[aria-current]", ["outline-style", "outline-width"]), ["solid", "2px"]);
  assert.deepEqual(await marks(".la-past-open:not([aria-current])", ["outline-style"]), ["none"]);
  await chat.picture("past conversations in forced colours");
  await chat.page.emulateMedia({ forcedColors: "none" });
  await item(chat, "Where is order A-17?").getByRole("button").first().click();
  await chat.says("Order A-17 is shipped.");
  await eventually(async () => assert.equal(await list(chat).isVisible(), false, "the list closes"));
  await chat.ask("Search for tide tables");
  await chat.page.reload();
  await chat.says("Order A-17 is shipped.");
  await eventually(async () => assert.equal(await chat.messages("user").count(), 2));
});

chatTest("a conversation is renamed by keyboard, deleted and restored", { address }, async (chat) => {
  await two(chat);
  await item(chat, "order A-17").getByRole("button", { name: "Rename" }).click();
  await chat.page.keyboard.type("The lost order");
  await chat.page.keyboard.press("Enter");
  await item(chat, "The lost order").waitFor();
  await item(chat, "The lost order").getByRole("button", { name: "Delete" }).click();
  const deleted = item(chat, "Deleted: The lost order");
  await deleted.getByRole("button", { name: "Undo" }).click();
  await deleted.waitFor({ state: "detached" });
  await item(chat, "The lost order").getByRole("button").first().click();
  await chat.says("Order A-17 is shipped.");
  await chat.page.reload();
  await chat.composer.waitFor();
  await summary(chat).click();
  await item(chat, "The lost order").waitFor();
});

chatTest("a conversation of another tab opens read-only and follows it", { address }, async (chat) => {
  await two(chat);
  const page = await chat.page.context().newPage();
  await page.goto(chat.page.url());
  const other = new Chat(page);
  await other.composer.waitFor();
  assert.equal(await other.messages("user").count(), 0, "a new tab begins a conversation of its own");
  await summary(other).click();
  await item(other, "Check berth availability").getByRole("button").first().click();
  await other.notice("open in another tab").waitFor();
  await other.messages("user").filter({ hasText: "Check berth availability" }).waitFor();
  await chat.page.bringToFront();
  await chat.ask("Search for tide tables");
  await eventually(async () => assert.equal(await other.messages("user").count(), 2, "it follows"));
});
