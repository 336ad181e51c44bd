// Interruptions of a chat whose run the relay stores. Each returns the page of the chat after it.

import assert from "node:assert/strict";

import { Chat, eventually } from "./chat.mjs";

/** The console errors and faults that belong to interruptions. */
export const LOST = [/ERR_/, /Failed to load resource/, /the page crashed/];

/** The interruptions: of the renderer, of the network at the server and in the browser, and of the tab. */
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
  async function offline({ page, between }) {
    await page.context().setOffline(true);
    between.hangUp();
    await page.waitForFunction(() => !navigator.onLine);
    await page.context().setOffline(false);
    return page;
  },
  async function closedTab({ page, address }) {
    return reopened(page, address);
  },
];

/**
 * The interruptions to test in a run with a number of events, each with its event. Without variables it is one after
 * each event, in turn; SHIFT=2 moves the order by two, so that both runs together test a reload and a lost
 * connection after each event. KINDS=all tests all of them, and EVENTS some events, as 100-120 or 1-300/5.
 */
export function points(events) {
  const [range, step = "1"] = (process.env.EVENTS ?? `1-${events}`).split("/");
  const [first, last] = range.split("-").map(Number);
  const numbers = Array.from({ length: events }, (_, index) => index + 1);
  const chosen = numbers.filter((at) => at >= first && at <= last && (at - first) % Number(step) === 0);
  const shift = Number(process.env.SHIFT ?? 0);
  const inTurn = (at) => [INTERRUPTIONS[(at + shift) % INTERRUPTIONS.length]];
  const kinds = (at) => (process.env.KINDS === "all" ? INTERRUPTIONS : inTurn(at));
  return chosen.flatMap((at) => kinds(at).map((interruption) => ({ at, interruption })));
}

/** Waits until a page has drawn the event that it received last. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));

/** The records that the demo's page has stored of a conversation, by name, without unsaved changes. */
export const storedRecords = (page, chat) =>
  page.evaluate(async (chat) => {
    const answer = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await answer(indexedDB.open("harbor"));
    const records = database.transaction("records").objectStore("records");
    const stored = await answer(records.getAll(IDBKeyRange.bound([chat, ""], [chat, "\uffff"])));
    database.close();
    return Object.fromEntries(stored);
  }, chat);

/** Waits until a page has stored the start of a run, without which a page that is opened after a crash cannot resume it. */
export async function storedStart(page, chat, runId) {
  await eventually(async () => {
    const { outline } = await storedRecords(page, chat);
    assert.ok(outline && JSON.parse(outline).runs.some(({ id }) => id === runId), "the start of the run is stored");
  });
}

/** Closes a tab, and opens the same address in another one. */
async function reopened(page, address) {
  const context = page.context();
  await page.close();
  const next = await context.newPage();
  await next.goto(address);
  await new Chat(next).composer.waitFor();
  return next;
}
