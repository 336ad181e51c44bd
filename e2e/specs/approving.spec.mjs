// Visibility at approval: the request, its name and the buttons are in view together, whatever the size of the window.

import assert from "node:assert/strict";

import { SLOWDOWN } from "../support/browser.mjs";
import { decide, eventually, read } from "../support/chat.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

// 200 % zoom of a window of 1280 × 800 is a window of 640 × 400.
const SIZES = [
  [1280, 620, "normal"],
  [360, 400, "normal"],
  [360, 400, "wide"],
  [740, 320, "normal"],
  [640, 400, "normal"],
  [640, 400, "wide"],
];

/** Tells whether elements are in view as a whole, in the window and in the transcript. */
const inView = (chat, element) =>
  element.evaluate((node) => {
    const { top, bottom, height } = node.getBoundingClientRect();
    const log = node.closest("[role=log]").getBoundingClientRect();
    const found = document.elementFromPoint(node.getBoundingClientRect().left + 3, top + height / 2);
    return height > 0 && top >= log.top - 1 && bottom <= log.bottom + 1 && bottom <= innerHeight && node.contains(found);
  });

for (const [width, height, fonts] of SIZES) {
  for (const [prompt, tool] of [
    ["Deploy 2.4.0 to production", "deployApplication"],
    ["What's the weather in Oslo and Bergen?", "get_weather"],
  ]) {
    const viewport = { width, height };
    pageTest(`title and buttons of an approval are in view together at ${width} × ${height}, ${fonts} fonts: ${tool}`, { address: ({ page }) => page.url, fonts, viewport, bare: true }, async (chat) => {
      const switcher = chat.page.getByRole("button", { name: "Assistant", exact: true });
      await eventually(async () => assert.ok((await chat.composer.isVisible()) || (await switcher.isVisible())));
      if (!(await chat.composer.isVisible())) await switcher.click();
      await chat.composer.waitFor();
      await chat.send(prompt);
      const card = chat.card(tool).first();
      await card.getByRole("button", { name: /^Approve: / }).waitFor();
      // A second request moves the first one, and a press that meets a moving button does not count.
      if (tool === "get_weather") await chat.root.getByRole("group", { name: "2 questions to answer" }).waitFor();
      await eventually(async () => {
        for (const part of [".la-approval-title", ".la-approval-approve", ".la-approval-deny"]) {
          assert.ok(await inView(chat, card.locator(part)), `${part} is in view`);
        }
      });
      await chat.picture(`approving ${tool} at ${width} ${height} ${fonts}`);
      // The card stays in view, and can be answered without scrolling. A press that meets a button which has just moved
      // does not count, so it is repeated. The time covers an attempt on a card that was decided at the same moment.
      const decided = card.and(chat.page.locator(":not([data-phase=approval-requested])"));
      await eventually(async () => {
        if ((await decided.count()) === 0) await chat.approve(card);
        await decided.waitFor({ state: "attached", timeout: 5_000 * SLOWDOWN });
      }, 60 * SLOWDOWN);
    });
  }
}

const chatTest = (name, body) =>
  pageTest(name, { address: ({ page }) => page.url }, (chat) => body(chat, new Harbor(chat.page)));

chatTest("Deny opens the reason field, Escape closes it, and a double click does not approve", async (chat, harbor) => {
  await chat.send("Deploy 2.4.0 to production");
  const card = chat.card("deployApplication");
  const deny = card.getByRole("button", { name: "Deny", exact: true });
  await deny.click();
  const why = card.getByLabel("Reason (optional)");
  await chat.hasFocus(why);
  assert.equal(await card.getByRole("button", { name: /^Approve/ }).count(), 0);
  await chat.page.keyboard.press("Escape");
  await chat.hasFocus(deny);
  await card.getByRole("button", { name: "Approve: Deploy" }).waitFor();
  await deny.dblclick();
  await why.waitFor();
  await shows(harbor.lane("production"), "2.3.1");
  await why.fill("not today");
  await chat.page.keyboard.press("Enter");
  await eventually(async () => assert.notEqual(await card.getAttribute("data-phase"), "approval-requested"));
  await chat.idle();
  await shows(harbor.lane("production"), "2.3.1");
});

pageTest(
  "title and buttons of a dialog are in view together at 320 × 256",
  { address: ({ page }) => page.url, viewport: { width: 320, height: 256 }, bare: true },
  async (chat) => {
    await chat.page.getByRole("button", { name: "Assistant", exact: true }).click();
    await chat.composer.waitFor();
    await chat.send("Rotate the API keys, but ask me first");
    const dialog = chat.dialog();
    await dialog.waitFor();
    const outside = () =>
      dialog.evaluate((dialog) => {
        const { top, bottom } = dialog.getBoundingClientRect();
        const all = [...dialog.querySelectorAll("h2, button")].map((node) => [node.textContent, node.getBoundingClientRect()]);
        return all.filter(([, at]) => at.top < top || at.bottom > bottom).map(([text]) => text);
      });
    await eventually(async () => assert.deepEqual(await outside(), []));
  },
);

chatTest("all approvals of one response are approved together once all were read", async (chat, harbor) => {
  await chat.send("What's the weather in Oslo and Bergen?");
  const all = chat.root.getByRole("group", { name: "2 questions to answer" });
  await all.waitFor();
  await read(chat.root, "Approve all");
  await chat.picture("two questions approved together");
  await decide(chat.root, "Approve all");
  await chat.idle();
  await shows(chat.log, /in Oslo[^]*in Bergen/);
  await shows(harbor.conditions, /Oslo|Bergen/);
});
