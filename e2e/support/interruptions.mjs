// Interruptions of a chat whose run the relay stores. Each returns the page of the chat after it.

import { Chat } from "./chat.mjs";

/** The console errors and faults that belong to interruptions. */
export const LOST = [/ERR_/, /Failed to load resource/, /the page crashed/];

/** The interruptions: of the renderer, of the network, and of the tab. */
export const INTERRUPTIONS = [
  async function crash({ page, address }) {
    const crashed = page.waitForEvent("crash");
    await page.goto("chrome://crash").catch(() => {});
    await crashed;
    return reopened(page, address);
  },
  async function lostNetwork({ page, between }) {
    between.hangUp();
    return page;
  },
  async function closedTab({ page, address }) {
    return reopened(page, address);
  },
];

/** Closes a tab, and opens the same address in another one. */
async function reopened(page, address) {
  const context = page.context();
  await page.close();
  const next = await context.newPage();
  await next.goto(address);
  await new Chat(next).composer.waitFor();
  return next;
}
