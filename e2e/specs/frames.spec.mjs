// The sidebar and the popup, by keyboard, on a wide and a narrow screen, in both schemes.

import assert from "node:assert/strict";

import { DESKTOP, accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { WORD_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const SIZES = { wide: DESKTOP, narrow: { width: 360, height: 740 } };
const at = (layout) => ({ address: ({ page }) => `${page.url}?layout=${layout}` });

const focused = (page) => page.evaluate(() => document.activeElement?.className ?? "");
const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

pageTest("the popup is opened, used and closed by keyboard", { ...at("popup"), bare: true }, async (chat) => {
  const { page } = chat;
  const button = page.getByRole("button", { name: "Assistant", exact: true });
  await button.waitFor();
  assert.equal(await button.getAttribute("aria-expanded"), "false");
  assert.equal(await chat.composer.isVisible(), false);
  await button.focus();
  await page.keyboard.press("Enter");
  await chat.composer.waitFor();
  await page.waitForFunction(() => document.activeElement?.matches(".la-composer-input"));
  await page.keyboard.type("Search for tide tables");
  await page.keyboard.press("Enter");
  await chat.messages("assistant").first().waitFor();
  await chat.idle();

  // A dialog in it takes the first Escape, and stays open although the popup is closed.
  await chat.send("Delete the project atlas-sandbox");
  await chat.dialog().waitFor();
  // A key that was meant for something else is ignored.
  await chat.dialog().locator("button:not([aria-disabled])").first().waitFor();
  await page.keyboard.press("Escape");
  await chat.dialog().waitFor({ state: "hidden" });
  await chat.idle();
  assert.equal(await button.getAttribute("aria-expanded"), "true");

  await chat.composer.focus();
  await page.keyboard.press("Escape");
  await chat.composer.waitFor({ state: "hidden" });
  await eventually(async () => assert.match(await focused(page), /la-popup-button/));
  await eventually(async () => assert.equal(await button.getAttribute("aria-expanded"), "false"));
});

pageTest("a handler's dialog opens over a closed popup, and an answer marks it unread", { ...at("popup"), bare: true }, async (chat) => {
  const { page } = chat;
  const button = page.locator(".la-popup-button");
  await button.click();
  // The handler asks after the agent's words.
  const words = await holdTimers(page, WORD_MS);
  await chat.send("Delete the project atlas-sandbox");
  // Escape would stop the run.
  await button.click();
  await chat.composer.waitFor({ state: "hidden" });
  await words.release();
  await chat.dialog().waitFor();
  const cancel = chat.dialog().getByRole("button", { name: "Cancel" });
  await page.waitForFunction(() => document.activeElement?.closest("dialog"));
  await cancel.click();
  await page.locator(".la-popup[data-unread]").waitFor();
  await page.locator("[aria-live=polite]").filter({ hasText: "New message" }).waitFor();
  await chat.picture("popup unread");
  await accessible(page);
  await button.click();
  await page.locator(".la-popup:not([data-unread])").waitFor();
});

pageTest("the sidebar collapses and expands by keyboard and keeps its content", at("sidebar"), async (chat) => {
  const { page } = chat;
  const button = page.getByRole("button", { name: "Assistant", exact: true });
  assert.equal(await button.getAttribute("aria-expanded"), "true");
  await chat.ask("Search for tide tables");
  await chat.composer.fill("half a sentence");
  const room = () => page.locator(".demo-app").evaluate((app) => getComputedStyle(app).marginInlineEnd);
  assert.notEqual(await room(), "0px", "the page makes room");
  await button.focus();
  await page.keyboard.press("Enter");
  await chat.composer.waitFor({ state: "hidden" });
  await eventually(async () => assert.match(await focused(page), /la-sidebar-button/));
  await eventually(async () => assert.equal(await room(), "0px"));
  // A collapsed sidebar takes no focus.
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => Boolean(document.activeElement?.closest(".la-sidebar-body"))), false);
  await button.focus();
  await page.keyboard.press("Space");
  await chat.composer.waitFor();
  assert.equal(await chat.composer.inputValue(), "half a sentence");
  assert.equal(await chat.messages("user").count(), 1);
});

for (const layout of ["sidebar", "popup"]) {
  for (const [colorScheme, fonts] of [
    ["light", "normal"],
    ["dark", "normal"],
    ["light", "wide"],
  ]) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      const options = { ...at(layout), bare: true, colorScheme, fonts, viewport };
      pageTest(`axe finds nothing: ${layout}, ${colorScheme}, ${size}, ${fonts} fonts`, options, async (chat) => {
        const { page } = chat;
        const button = page.getByRole("button", { name: "Assistant", exact: true });
        await button.waitFor();
        if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
        await chat.send("What's the weather in Oslo and Bergen?");
        await chat.card("get_weather").first().getByRole("button", { name: "Approve" }).waitFor();
        await chat.picture(`${layout} open ${colorScheme} ${size} ${fonts}`);
        await accessible(page);
        assert.ok(await fits(page), "nothing overflows sideways");
        await button.click();
        await chat.composer.waitFor({ state: "hidden" });
        await chat.picture(`${layout} closed ${colorScheme} ${size} ${fonts}`);
        await accessible(page);
        assert.ok(await fits(page), "nothing overflows sideways");
      });
    }
  }
}
