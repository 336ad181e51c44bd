// The demo as the chat under test: its requests have a title, rows, a preview and a warning.

import { Chat } from "../support/chat.mjs";
import { demo } from "../support/servers.mjs";

const STARTED = /Deployment of (\S+) to (\S+) started/;

export const driver = {
  serve: demo,
  address: (page, agent) => `${page.url}?${new URLSearchParams({ agent, protocol: "ag-ui", store: "none" })}`,
  open: (page) => new Chat(page).composer.waitFor(),
  fresh: (page) => page.reload().then(() => new Chat(page).composer.waitFor()),
  ask: (page) => new Chat(page).send("Go"),
  async ran(page) {
    const lines = await page.getByRole("region", { name: "Activity", exact: true }).getByRole("listitem").allInnerTexts();
    const started = lines.map((line) => STARTED.exec(line)).filter((found) => found?.[1].startsWith("9.9.9"));
    return started.map(([, version, environment]) => ({ name: "deployApplication", args: { environment, version } }));
  },
  request: (page, name) => page.locator(`[data-tool-name="${name}"] .la-approval`),
  place: "[data-assistant-chat]",
  card: ".la-approval",
  parts: {
    title: ".la-approval-head",
    row: ".la-approval-row:last-child > dd",
    buttons: ".la-approval-actions",
    preview: ".la-approval-preview",
    risk: ".la-approval-risk",
  },
  approve: (request) => request.getByRole("button", { name: /^Approve(:|$)/ }),
  deny: (request) => request.getByRole("button", { name: "Deny", exact: true }),
  ready: (request) => request.locator("button:not([aria-disabled])", { hasText: "Approve" }),
};
