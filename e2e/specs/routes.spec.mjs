// examples/routes: routes with actions of their own, and two windows of one assistant.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { Chat, eventually } from "../support/chat.mjs";
import { application } from "../support/examples.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await application("routes");
  open.push(page);
  return page;
});
const address = ({ url }) => url;

/** The two windows on the page of the cart. */
function windows(page) {
  const named = (name) => {
    const chat = new Chat(page);
    chat.root = page.getByRole("region", { name, exact: true }).and(page.locator("[data-assistant-chat]"));
    chat.log = chat.root.getByRole("log", { name: "Conversation" });
    chat.composer = chat.root.getByRole("textbox", { name: "Message", exact: true });
    return chat;
  };
  return [named("Shop assistant"), named("Help with your order")];
}

chatTest("after a handler navigates, the next run offers the actions of the new route", { address }, async (chat) => {
  const [shop] = windows(chat.page);
  await shop.ask("What can you do?");
  await shop.says("The page: /. The cart: []. I may use: open_cart, add_to_cart.");
  await shop.ask("Cart");
  await eventually(async () => assert.equal(new URL(chat.page.url()).pathname, "/cart"));
  await shop.says("The page: /cart. The cart: []. I may use: open_cart, empty_cart, check_out.");
});

chatTest("cards stay rendered after their route is unmounted", { address }, async (chat) => {
  const [shop] = windows(chat.page);
  await shop.ask("Add lantern");
  const card = shop.card("add_to_cart");
  await card.getByText("For the cart: lantern (complete)").waitFor();
  await chat.page.getByRole("link", { name: "Cart" }).click();
  await chat.page.getByRole("heading", { name: "Cart" }).waitFor();
  await card.getByText("For the cart: lantern (complete)").waitFor();
  // The newly mounted window draws them as well.
  const [, help] = windows(chat.page);
  await help.card("add_to_cart").getByText("For the cart: lantern (complete)").waitFor();
  await chat.page.getByRole("link", { name: "Products" }).click();
  await chat.page.getByRole("heading", { name: "Products" }).waitFor();
  await card.getByText("For the cart: lantern (complete)").waitFor();
  await shop.ask("Add rope");
  await shop.says('The cart: ["lantern","rope"].');
});

chatTest("an approval in one window applies to both", { address }, async (chat) => {
  const { page } = chat;
  const [shop, help] = windows(page);
  await shop.ask("Add compass");
  await page.getByRole("link", { name: "Cart" }).click();
  await help.composer.waitFor();
  await shop.ask("What can you do?");
  await shop.says("I may use: open_cart, empty_cart, check_out.");
  await help.send("Buy");
  await page.getByRole("button", { name: /^Approve(:|$)/ }).waitFor();
  await chat.picture("routes two windows");
  assert.equal(await page.getByRole("button", { name: /^Approve(:|$)/ }).count(), 1, "one window asks");
  // The other window links to the question, and can take it over.
  await help.root.getByRole("button", { name: "Ask here" }).click();
  await help.approve(help.card("check_out"));
  await eventually(async () => assert.equal(await shop.root.getByRole("button", { name: /^Approve(:|$)/ }).count(), 0));
  for (const window of [shop, help]) {
    await window.idle();
    await window.status(window.card("check_out"), "complete");
    await window.says(/check_out said .*Bought: compass/s);
    await window.says("The page: /cart. The cart: [].");
    await eventually(async () => assert.equal(await window.root.getByRole("button", { name: /^Approve(:|$)/ }).count(), 0));
  }
  await eventually(async () => assert.match(await page.getByRole("main").innerText(), /There is nothing in it/));
});

for (const colorScheme of ["light", "dark"]) {
  chatTest(`the shop in the ${colorScheme} scheme`, { address, colorScheme }, async (chat) => {
    const [shop] = windows(chat.page);
    await shop.ask("Add lantern");
    await shop.ask("Cart");
    await accessible(chat.page);
    await chat.picture(`routes ${colorScheme}`);
  });
}
