// The gallery at every size, in the light and the dark scheme, with wide fonts, and from right to left. Its pictures in
// e2e/out are made here.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { gallery, overflows } from "../support/gallery.mjs";

const galleryTest = gallery();

for (const [look, colorScheme, fonts, dir] of [
  ["light", "light", "normal", "ltr"],
  ["dark", "dark", "normal", "ltr"],
  ["with wide fonts", "light", "wide", "ltr"],
  ["from right to left", "light", "normal", "rtl"],
]) {
  for (const [width, height] of [
    [320, 256],
    [360, 740],
    [1280, 800],
  ]) {
    galleryTest(`the gallery at ${width} × ${height}, ${look}`, { viewport: { width, height }, colorScheme, fonts }, async (page, states) => {
      await page.evaluate((dir) => document.documentElement.setAttribute("dir", dir), dir);
      await accessible(page);
      assert.deepEqual(await overflows(page), []);
      if (width === 1280 && fonts === "normal") {
        for (const state of await states.all()) {
          const name = `gallery-${look}-${await state.getAttribute("data-state")}`.replace(/[^a-z0-9]+/g, "-");
          await state.screenshot({ path: `e2e/out/${name}.png`, animations: "disabled" });
        }
      }
    });
  }
}
