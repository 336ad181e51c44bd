// The demo's gallery in tests: a page that shows every state of every card and notice.

import assert from "node:assert/strict";

import { eventually } from "./chat.mjs";
import { demo } from "./servers.mjs";
import { suite } from "./suite.mjs";

/** States by name, with an element that each must contain before a test begins. */
const SHOWN = [
  ["running", "[data-phase=running]"],
  ["done", "[data-phase=output-available]"],
  ["denied", "[data-phase=output-denied]"],
  ["approval, danger", ".la-approval[data-risk=danger]"],
  ["two approvals", ".la-batch"],
  ["the agent asks for a form", ".la-question form"],
  ["a handler asks", ".la-ask form"],
  ["an error of the agent", ".la-notice[data-tone=error]"],
  ["stopped while it writes", "[data-cut=stopped]"],
  ["stopped after its words", ".la-notice"],
  ["wider than its window", ".la-code-block"],
  ["the limit of runs", ".la-notice[data-tone=warning]"],
  ["words as if they were yours", "[data-attributed] [data-note=attributed]"],
];

/** Prepares a spec file on the gallery. Returns `galleryTest(name, options, body)`; `body` gets the page and the states. */
export function gallery() {
  const pageTest = suite(async (open) => {
    const page = await demo();
    open.push(page);
    return { page };
  });
  return (name, options, body) =>
    pageTest(name, { address: ({ page }) => `${page.url}?gallery=1`, bare: true, ...options }, async ({ page }) => {
      const states = page.locator(".gallery-state");
      await states.first().waitFor();
      await eventually(async () => {
        for (const [state, shown] of SHOWN) {
          const found = page.locator(`[data-state="${state}"] ${shown}`);
          assert.ok((await found.count()) > 0, `${state} shows ${shown}`);
        }
      });
      await body(page, states);
    });
}

/** Returns the names of windows that overflow or scroll sideways. */
export const overflows = (page) =>
  page.evaluate(() => {
    const wide = [...document.querySelectorAll(".gallery-window .la-chat")].filter((chat) => {
      const scroller = chat.querySelector("[role=log]");
      return chat.scrollWidth > chat.clientWidth + 1 || scroller.scrollWidth > scroller.clientWidth + 1;
    });
    return wide.map((chat) => chat.getAttribute("aria-label"));
  });
