// A chat without defences, which shows that the attacks work: `CONSENT_DRIVER=e2e/consent/naive/driver.mjs node --test
// e2e/consent/covers.spec.mjs`.

import { fileURLToPath } from "node:url";

import { serve } from "../../../xtask/serve.mjs";

export const driver = {
  serve: () => serve({ root: fileURLToPath(new URL(".", import.meta.url)) }),
  address: (page, agent) => `${page.url}index.html?${new URLSearchParams({ agent })}`,
  async open(page, agent, actions) {
    await page.waitForFunction(() => globalThis.register);
    await page.evaluate((actions) => {
      globalThis.ran = [];
      const [add, handler] = [globalThis.register, (name) => (args) => void globalThis.ran.push({ name, args, at: performance.now() })];
      globalThis.register = (action) => add({ handler: handler(action.name), ...action });
      globalThis.unregister = Object.fromEntries(actions.map((action) => [action.name, globalThis.register(action)]));
    }, actions);
  },
  fresh: (page) => page.evaluate(() => globalThis.fresh()),
  ask: (page) => page.evaluate(() => void globalThis.ask()),
  ran: (page) => page.evaluate(() => globalThis.ran),
  request: (page, name) => page.locator(`.card[data-tool-name="${name}"]`),
  place: "#chat",
  card: ".card",
  parts: { title: "h3", row: "pre", buttons: "p", words: "h3" },
  approve: (request) => request.getByRole("button", { name: "Approve", exact: true }),
  deny: (request) => request.getByRole("button", { name: "Deny", exact: true }),
  ready: (request) => request.locator("button", { hasText: "Approve" }),
};
