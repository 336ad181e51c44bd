// Every state of every card and notice: how it looks at every size, in both schemes, in forced colours, in a narrow
// container and in a page whose style sheet takes everything back. The pictures in e2e/out are made here.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const galleryTest = (name, options, body) =>
  pageTest(name, { address: ({ page }) => `${page.url}?gallery=1`, bare: true, ...options }, async ({ page }) => {
    const states = page.locator(".gallery-state");
    await states.first().waitFor();
    // Each shows what it is there for.
    await eventually(async () => {
      for (const [state, shown] of [
        ["running", "[data-phase=running]"],
        ["denied", "[data-phase=output-denied]"],
        ["approval, danger", ".la-approval[data-risk=danger]"],
        ["two approvals", ".la-batch"],
        ["the agent asks for a form", ".la-question form"],
        ["a handler asks", ".la-ask form"],
        ["an error of the agent", ".la-notice[data-tone=error]"],
        ["stopped while it writes", ".la-notice"],
        ["the limit of runs", ".la-notice[data-tone=warning]"],
        ["words as if they were yours", "[data-attributed] [data-note=attributed]"],
      ]) {
        const found = page.locator(`[data-state="${state}"] ${shown}`);
        assert.ok((await found.count()) > 0, `${state} shows ${shown}`);
      }
    });
    await body(page, states);
  });

/** What is wider than its window, or scrolls sideways. */
const overflows = (page) =>
  page.evaluate(() => {
    const wide = [...document.querySelectorAll(".gallery-window .la-chat")].filter((chat) => {
      const scroller = chat.querySelector("[role=log]");
      return chat.scrollWidth > chat.clientWidth + 1 || scroller.scrollWidth > scroller.clientWidth + 1;
    });
    return wide.map((chat) => chat.getAttribute("aria-label"));
  });

for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of [
    [320, 256],
    [360, 740],
    [1280, 800],
  ]) {
    galleryTest(`the gallery at ${width} × ${height}, ${colorScheme}`, { viewport: { width, height }, colorScheme }, async (page, states) => {
      await accessible(page);
      assert.deepEqual(await overflows(page), []);
      if (width === 1280) {
        for (const state of await states.all()) {
          const name = await state.getAttribute("data-state");
          await state.screenshot({ path: `e2e/out/gallery-${colorScheme}-${name.replace(/[^a-z0-9]+/g, "-")}.png`, animations: "disabled" });
        }
      }
    });
  }
}

galleryTest("the gallery in forced colours", { forcedColors: "active", only: "chromium" }, async (page) => {
  await accessible(page);
  // Edges that are not seen otherwise are drawn there: none crosses the edge of its card.
  const crossing = await page.evaluate(() =>
    [...document.querySelectorAll(".la-approval button, .la-notice button")]
      .filter((button) => {
        const [inner, outer] = [button, button.closest(".la-approval, .la-notice")].map((node) => node.getBoundingClientRect());
        return inner.width > 0 && (inner.left < outer.left + 4 || inner.right > outer.right - 4);
      })
      .map((button) => button.textContent),
  );
  assert.deepEqual(crossing, []);
});

galleryTest("what is approved is named whole on its button, on a phone too", { viewport: { width: 360, height: 740 } }, async (page) => {
  const named = page.locator(".la-approval-yes .la-button-text");
  assert.ok((await named.count()) > 5);
  for (const text of ["Approve: Look the weather up at the berth", "Approve: Deploy"]) {
    const clipped = await named.evaluateAll((all, text) => {
      for (const node of all) node.textContent = text;
      return all.filter((node) => node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight + 1).length;
    }, text);
    assert.equal(clipped, 0, text);
  }
});

galleryTest("cards keep their distance, and a notice without a way on is one line", {}, async (page) => {
  const gap = await page.locator('[data-state="a handler asks"]').evaluate((state) => {
    const [card, asked] = [".la-card", ".la-ask"].map((name) => state.querySelector(name).getBoundingClientRect());
    return asked.top - card.bottom;
  });
  assert.ok(gap >= 8, `${gap} px between a call and what it asks`);
  const height = await page.locator('[data-state="stopped"] .la-notice').evaluate((notice) => notice.getBoundingClientRect().height);
  assert.ok(height <= 50, `“Stopped.” takes ${height} px`);
});

galleryTest("arrows point where lines go on, from right to left too", {}, async (page) => {
  await page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  const card = page.locator('[data-state="done"] .la-card');
  const arrow = () => card.locator(".la-chevron").first().evaluate((arrow) => getComputedStyle(arrow).rotate);
  assert.equal(await arrow(), "180deg", "closed");
  await card.locator(".la-tool-summary").click();
  await eventually(async () => assert.equal(await arrow(), "90deg", "open"));
  assert.deepEqual(await overflows(page), []);
  await accessible(page);
});

galleryTest("the gallery in containers of 200 px", {}, async (page) => {
  await page.evaluate(() => {
    for (const window of document.querySelectorAll(".gallery-window")) window.style.inlineSize = "200px";
  });
  await accessible(page);
  assert.deepEqual(await overflows(page), []);
  // Buttons are still big enough to be pressed.
  const small = await page.evaluate(() =>
    [...document.querySelectorAll(".la-chat button:not([hidden])")]
      .map((button) => [button.textContent, button.getBoundingClientRect()])
      .filter(([, { width, height }]) => height > 0 && (width < 24 || height < 24))
      .map(([text]) => text),
  );
  assert.deepEqual(small, []);
});

galleryTest("the gallery in a page that takes every style back", {}, async (page) => {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { all: revert; font-size: 30px }");
    document.adoptedStyleSheets = [sheet];
  });
  await accessible(page);
});
