// Protection of input: no change of the page takes a key, a click or the scroll position of a user who types and reads.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { change } from "../support/questions.mjs";
import { topAtRest, transcriptAtRest } from "../support/rest.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { DIALOG_MS, FILES_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const chatTest = (name, body, { query = "", ...options } = {}) =>
  pageTest(name, { address: ({ page }) => page.url + query, ...options }, (chat) => body(chat, new Harbor(chat.page)));

chatTest("a dialog that opens while the user types ignores the keys", async (chat, harbor) => {
  const accepts = await holdTimers(chat.page, DIALOG_MS);
  await chat.send("Delete the project atlas-sandbox");
  const dialog = chat.dialog();
  await dialog.waitFor();
  // A user who continues typing: letters, a space, Enter and Escape.
  for (const key of ["a", " ", "Enter", "Escape"]) await chat.page.keyboard.press(key);
  await chat.hasFocus(dialog, "the dialog as a whole has the focus");
  assert.equal(await dialog.count(), 1, "it is still open");
  await shows(harbor.projects, "atlas-sandbox");
  await accepts.release();
  await dialog.getByRole("button", { name: "Cancel", disabled: false }).click();
  await chat.idle();
  await shows(harbor.projects, "4 projects");
});

chatTest("a double click on Send does not stop its run", async (chat) => {
  await chat.composer.fill("Run the full deployment process");
  // Both clicks are within the time of a double click, however long the page takes between them.
  await chat.page.evaluate(() => {
    const { now } = Date;
    const stopped = now();
    Date.now = () => stopped;
    globalThis.resumeClock = () => (Date.now = now);
  });
  await chat.root.getByRole("button", { name: "Send", exact: true }).dblclick();
  await chat.messages("user").first().waitFor();
  await chat.page.evaluate(() => void globalThis.resumeClock());
  await chat.status(chat.card("deployment_process"), "executing");
  await chat.idle();
  await chat.status(chat.card("deployment_process"), "complete");
});

chatTest("an answer and an approval do not interrupt typing", async (chat) => {
  await chat.send("What's the weather?");
  await chat.page.keyboard.type("my next thought", { delay: 20 });
  await chat.card("get_weather").getByRole("button", { name: /^Approve/ }).waitFor();
  await chat.page.keyboard.type(", continued");
  assert.equal(await chat.composer.inputValue(), "my next thought, continued");
  assert.equal(await chat.composer.getAttribute("readonly"), null);
  await chat.hasFocus(chat.composer);
});

chatTest("opening a card does not move it in the view", async (chat) => {
  for (const _ of [1, 2, 3]) await chat.ask("Where is order A-17?");
  const summary = chat.card("lookup_order").last().locator("summary");
  await summary.scrollIntoViewIfNeeded();
  const before = await topAtRest(summary);
  await summary.click();
  await eventually(async () => assert.ok(await summary.evaluate((node) => node.parentElement.open), "the card is open"));
  await chat.page.waitForTimeout(300);
  const after = await topAtRest(summary);
  assert.ok(Math.abs(after - before) < 2, `the card does not move: ${before} → ${after}`);
});

chatTest(
  "Jump to latest moves the focus to the composer",
  async (chat) => {
    await chat.log.locator('[data-message-id="past-199"]').waitFor();
    await transcriptAtRest(chat);
    await chat.log.evaluate((log) => log.scrollBy(0, -3000));
    const jump = chat.root.getByRole("button", { name: "Jump to latest" });
    await jump.focus();
    await chat.page.keyboard.press("Enter");
    await jump.waitFor({ state: "hidden" });
    await chat.hasFocus(chat.composer);
  },
  { query: "?history=200" },
);

chatTest("New conversation moves the focus to the composer", async (chat) => {
  await chat.ask("Where is order A-17?");
  const button = chat.root.getByRole("button", { name: "New conversation" });
  await button.focus();
  await chat.page.keyboard.press("Enter");
  await chat.hasFocus(chat.composer);
});

chatTest("Undo of New conversation moves the focus to the composer", async (chat) => {
  await chat.ask("Where is order A-17?");
  await chat.root.getByRole("button", { name: "New conversation" }).focus();
  await chat.page.keyboard.press("Enter");
  const undo = chat.root.getByRole("button", { name: "Undo" });
  await undo.waitFor();
  await chat.picture("new conversation, undo");
  await undo.focus();
  await chat.page.keyboard.press("Enter");
  await chat.says("A-17");
  await chat.hasFocus(chat.composer);
});

chatTest("the composer is few Tab stops from a long transcript", async (chat) => {
  for (let turn = 0; turn < 4; turn++) await chat.ask(`Where is order A-${turn}?`);
  await chat.log.focus();
  await chat.reach(chat.composer, "Tab", 17);
  const stops = await chat.root.locator(".la-message-bar button:not([tabindex='-1'])").count();
  const all = await chat.root.locator(".la-message-bar button").count();
  assert.ok(stops < all / 2, `${stops} of ${all} buttons`);
});

chatTest("an answered approval moves the focus to the next or the composer", async (chat) => {
  await chat.send("What's the weather in Oslo and Bergen?");
  const cards = chat.card("get_weather");
  await cards.nth(1).getByRole("button", { name: "Deny", exact: true }).waitFor();
  for (const place of [0, 1]) {
    const card = cards.nth(place);
    await card.getByRole("button", { name: "Deny", exact: true }).focus();
    await chat.page.keyboard.press("Enter");
    await chat.hasFocus(card.getByLabel("Reason (optional)"));
    await chat.page.keyboard.press("Enter");
    if (place === 0) await chat.hasFocus(cards.nth(1).locator(".la-approval"));
  }
  await chat.hasFocus(chat.composer);
});

chatTest("Escape stops a run, but not while an approval is pending", async (chat) => {
  await chat.send("slow task");
  await chat.status(chat.card("deployment_process"), "executing");
  await chat.composer.focus();
  await chat.page.keyboard.press("Escape");
  await chat.idle();
  await chat.status(chat.card("deployment_process"), "failed");
  await chat.send("What's the weather?");
  const approve = chat.card("get_weather").getByRole("button", { name: /^Approve/ });
  await approve.waitFor();
  await chat.composer.focus();
  await chat.page.keyboard.press("Escape");
  await chat.page.waitForTimeout(200);
  assert.equal(await approve.count(), 1, "the question is still open");
});

chatTest("Escape cancels editing arguments and keeps the approval", async (chat) => {
  await chat.send("What's the weather?");
  const card = chat.card("get_weather");
  await change(card);
  const field = card.getByRole("textbox").first();
  await chat.hasFocus(field);
  await chat.page.keyboard.press("Escape");
  await chat.hasFocus(card.getByRole("button", { name: "Change…" }));
  await eventually(async () => assert.equal(await card.getAttribute("data-phase"), "approval-requested"));
});

for (const width of [320, 1280]) {
  pageTest(
    `an empty composer is one line high in a page of ${width} px`,
    { address: ({ page }) => page.url, viewport: { width, height: 620 }, bare: true },
    async (chat) => {
      const switcher = chat.page.getByRole("button", { name: "Assistant", exact: true });
      await eventually(async () => assert.ok((await chat.composer.isVisible()) || (await switcher.isVisible())));
      if (!(await chat.composer.isVisible())) await switcher.click();
      await chat.composer.waitFor();
      const height = () => chat.composer.evaluate((box) => box.getBoundingClientRect().height);
      await topAtRest(chat.composer);
      const before = await height();
      assert.ok(before < 50, `${before} px`);
      await chat.send("slow task");
      await chat.running();
      await chat.stopButton.waitFor();
      assert.equal(await height(), before, "the content above it does not move");
      await chat.composer.fill("x");
      await chat.root.getByRole("button", { name: "Send next", exact: true }).waitFor();
      assert.equal(await height(), before, "nor beside two buttons");
      // No button of the page's bar is cut off either.
      const cut = await chat.page.evaluate(() =>
        [...document.querySelectorAll(".demo-bar button")].filter((button) => button.getBoundingClientRect().right > innerWidth).map((button) => button.ariaLabel),
      );
      assert.deepEqual(cut, []);
    },
  );
}

chatTest("the running step is next to its message", async (chat) => {
  // The script waits before the files that the step ends with.
  await holdTimers(chat.page, FILES_MS);
  await chat.send("Show me everything");
  const steps = chat.root.locator(".la-transcript-content > .la-steps");
  await steps.getByText("Write the report").first().waitFor();
  await chat.says("camera at berth 14.");
  await eventually(async () => {
    const gap = await steps.evaluate((steps) => {
      const parts = [...steps.previousElementSibling.querySelectorAll(".la-message")];
      return steps.getBoundingClientRect().top - parts.at(-1).getBoundingClientRect().bottom;
    });
    assert.equal(Math.round(gap), 12);
  });
});
