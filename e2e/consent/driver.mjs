// The interface of the attacks to the chat under test: the npm package in a page without a framework. Another product
// is tested by writing these functions for it (docs/consent-integrity.md). All of them but `serve` and `address` get
// Playwright's page; `agent` is the address of the AG-UI agent.

import { mountIn } from "../support/embed.mjs";
import { plainPage } from "../support/servers.mjs";

export const driver = {
  serve: plainPage,
  address: (page, agent) => `${page.url}host.html?${new URLSearchParams({ agent })}`,
  /**
   * Opens the chat with these actions, which all require approval. Each handler records its calls with their times in
   * `globalThis.ran`.
   */
  async open(page, agent, actions, { store, shadow } = {}) {
    await mountIn(page, "one", agent, { shadow, ...(store && { store: "indexeddb", storeName: "consent" }) }, store ? "full" : "index");
    await page.evaluate((actions) => {
      globalThis.ran = [];
      const handler = (name) => (args) => void globalThis.ran.push({ name, args, at: performance.now() });
      globalThis.register = (action) => globalThis.chats.one.registerAction({ approval: "always", handler: handler(action.name), ...action });
      globalThis.unregister = Object.fromEntries(actions.map((action) => [action.name, globalThis.register(action)]));
    }, actions);
  },
  /** Starts another conversation in it. */
  fresh: (page) => page.evaluate(() => globalThis.chats.one.newConversation()),
  /** Sends a message, for which the agent plays its next run. */
  ask: (page) => page.evaluate(() => globalThis.chats.one.send("Go")),
  ran: (page) => page.evaluate(() => globalThis.ran),
  /** The whole request for approval of a call, and its parts as selectors below it. */
  request: (page, name) => page.locator(`[data-tool-name="${name}"] .la-approval`),
  place: "#one",
  card: ".la-approval",
  parts: { title: ".la-approval-head", row: "pre", buttons: ".la-approval-actions", words: ".la-approval-text" },
  approve: (request) => request.getByRole("button", { name: /^Approve(:|$)/ }),
  deny: (request) => request.getByRole("button", { name: "Deny", exact: true }),
  ready: (request) => request.locator("button:not([aria-disabled])", { hasText: "Approve" }),
};

/** The same chat in a shadow root of its own. */
export const shadowDriver = {
  ...driver,
  open: (page, agent, actions, options) => driver.open(page, agent, actions, { ...options, shadow: true }),
};
