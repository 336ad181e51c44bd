// The gallery at every size, in the light and the dark scheme, and with wide fonts. Its pictures in e2e/out are made here.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { gallery, overflows } from "../support/gallery.mjs";

const galleryTest = gallery();

for (const [colorScheme, fonts] of [
  ["light", "normal"],
  ["dark", "normal"],
  ["light", "wide"],
]) {
  for (const [width, height] of [
    [320, 256],
    [360, 740],
    [1280, 800],
  ]) {
    galleryTest(`the gallery at ${width} × ${height}, ${colorScheme}, ${fonts} fonts`, { viewport: { width, height }, colorScheme, fonts }, async (page, states) => {
      await accessible(page);
      assert.deepEqual(await overflows(page), []);
      if (width === 1280 && fonts === "normal") {
        for (const state of await states.all()) {
          const name = await state.getAttribute("data-state");
          await state.screenshot({ path: `e2e/out/gallery-${colorScheme}-${name.replace(/[^a-z0-9]+/g, "-")}.png`, animations: "disabled" });
        }
      }
    });
  }
}
