// The demo's page: in both schemes, on a narrow and a wide screen, axe finds nothing in any state that a user meets,
// and nothing overflows sideways.

import assert from "node:assert/strict";

import { DESKTOP, accessible } from "../support/browser.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { STAGE_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const SIZES = { wide: DESKTOP, narrow: { width: 360, height: 740 } };

/** The states, each with the steps that lead to it. */
const STATES = {
  "the empty page": async () => {},
  async "a conversation with cards"(chat) {
    await chat.ask("Search for tide tables");
    await chat.ask("Search for pier failure reports");
    await chat.ask("Check berth availability");
    await chat.ask("Show a broken card");
    await chat.ask("Where is order A-17?");
    await chat.card("lookup_order").locator("summary").click();
    // The deployment stays at its first stage.
    await holdTimers(chat.page, STAGE_MS);
    await chat.send("Run the full deployment process");
    await chat.card("deployment_process").locator("[aria-current=step]").waitFor();
  },
  async "an open approval, and one that was denied"(chat) {
    await chat.send("What's the weather in Oslo and Bergen?");
    await chat.card("get_weather").nth(1).getByRole("button", { name: "Approve" }).waitFor();
    await chat.deny(chat.card("get_weather").first());
    await chat.status(chat.card("get_weather").first(), "failed");
  },
  async "an open choice"(chat) {
    await chat.send("Pick a data source for the berth report");
    await chat.card("selectDataSource").getByRole("button", { name: "Cancel" }).waitFor();
  },
  async "an open dialog"(chat) {
    await chat.send("Delete the project atlas-sandbox");
    await chat.dialog().getByRole("button", { name: "Confirm" }).waitFor();
  },
  async "a notice"(chat) {
    await chat.ask("Crash");
    await chat.notice(/the model exploded/).waitFor();
  },
};

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const [state, lead] of Object.entries(STATES)) {
      const options = { address: ({ page }) => page.url, colorScheme, viewport };
      pageTest(`axe finds nothing: ${state}, ${colorScheme}, ${size}`, options, async (chat) => {
        await lead(chat);
        await chat.picture(`page ${state} ${colorScheme} ${size}`);
        await accessible(chat.page);
        await fits(chat);
        if (size === "wide" || (await chat.dialog().count())) return;
        await showPanels(chat);
        await chat.picture(`page ${state} ${colorScheme} ${size} panels`);
        await accessible(chat.page);
        await fits(chat);
      });
    }
  }
}

for (const [state, lead] of Object.entries(STATES)) {
  const options = { address: ({ page }) => page.url, fonts: "wide", viewport: SIZES.narrow };
  pageTest(`nothing overflows sideways on a narrow screen with wide fonts: ${state}`, options, async (chat) => {
    await lead(chat);
    await chat.picture(`page ${state} narrow wide fonts`);
    await fits(chat);
    if (await chat.dialog().count()) return;
    await showPanels(chat);
    await chat.picture(`page ${state} narrow wide fonts panels`);
    await fits(chat);
  });
}

/** Shows the page's own panels, which a narrow screen shows instead of the chat. */
function showPanels({ page }) {
  return page.getByRole("group", { name: "View" }).getByRole("button", { name: "Page" }).click();
}

async function fits({ page }) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.ok(!wide, "nothing overflows sideways");
}
