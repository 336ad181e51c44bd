// The demo's page as such: it starts, it is well formed for everyone, in both schemes and at both widths.

import assert from "node:assert/strict";

import { DESKTOP, PHONE, accessible } from "../support/browser.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    const options = { address: ({ page }) => page.url, colorScheme, viewport };
    chatTest(`axe finds nothing, ${colorScheme}, ${size}`, options, async (chat) => {
      await accessible(chat.page);
      const wide = await chat.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.ok(!wide, "nothing stands out to the side");
      await chat.picture(`page ${colorScheme} ${size}`);
    });
  }
}
