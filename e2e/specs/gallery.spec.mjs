// The gallery in forced colours, in narrow containers, from right to left, and in a page whose style sheet removes all styles.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { gallery, overflows } from "../support/gallery.mjs";

const galleryTest = gallery();

galleryTest("the gallery in forced colours", { forcedColors: "active", only: "chromium" }, async (page) => {
  await accessible(page);
  // Forced colours draw edges that are otherwise invisible: none crosses the edge of its card.
  const crossing = await page.evaluate(() =>
    [...document.querySelectorAll(".la-approval button, .la-notice button")]
      .filter((button) => {
        const [inner, outer] = [button, button.closest(".la-approval, .la-notice")].map((node) => node.getBoundingClientRect());
        return inner.width > 0 && (inner.left < outer.left + 4 || inner.right > outer.right - 4);
      })
      .map((button) => button.textContent),
  );
  assert.deepEqual(crossing, []);
  // A row of icons without boxes, of which the focused one is outlined.
  const icons = page.locator(".la-message-bar .la-button");
  await eventually(async () => assert.ok((await icons.count()) > 5));
  const boxes = await icons.evaluateAll((icons) => icons.filter((icon) => getComputedStyle(icon).borderTopStyle !== "none").length);
  assert.equal(boxes, 0);
  await icons.first().focus();
  await page.keyboard.press("Tab");
  const ring = await page.locator(":focus-visible").evaluate((icon) => [icon.closest(".la-message-bar") !== null, getComputedStyle(icon).outlineStyle]);
  assert.deepEqual(ring, [true, "solid"]);
});

galleryTest("denying all is more prominent than denying all and stopping", {}, async (page) => {
  const edge = (button) => page.locator(`[data-state="two approvals"] .la-batch ${button}`).evaluate((button) => getComputedStyle(button).borderTopColor);
  assert.equal(await edge(".la-deny-all"), "rgba(0, 0, 0, 0)");
  assert.notEqual(await edge(".la-batch-deny"), "rgba(0, 0, 0, 0)");
});

galleryTest("the buttons of an approval are one row with whole labels, even in a narrow window", { viewport: { width: 360, height: 740 } }, async (page) => {
  const rows = page.locator(".la-approval-actions:has(.la-approval-approve)");
  await eventually(async () => assert.ok((await rows.count()) > 5));
  const words = [["Approve", "Deny"], ["Genehmigen", "Ablehnen"]];
  // A call with unknown outcome has longer labels, and no choice of how long an approval applies.
  const again = [["Run again", "Skip"], ["Erneut ausführen", "Überspringen"]];
  for (const [approve, deny] of [...words, ...again]) {
    const arrows = page.locator(".la-approval-longer");
    if (approve === again[0][0]) await arrows.evaluateAll((arrows) => arrows.forEach((arrow) => arrow.style.setProperty("display", "none", "important")));
    const wrong = await rows.evaluateAll((rows, [approve, deny]) => {
      const names = new Map([[".la-approval-approve", approve], [".la-approval-deny", deny]]);
      return rows.filter((row) => {
        const buttons = [...names].map(([place, word]) => {
          const button = row.querySelector(place);
          button.querySelector("span").textContent = word;
          return button;
        });
        const [first, second] = buttons.map((button) => button.getBoundingClientRect());
        const isCut = buttons.some((button) => button.scrollWidth > button.clientWidth || button.scrollHeight > button.clientHeight + 1);
        return first.height > 0 && (isCut || Math.abs(first.top - second.top) > 1);
      }).length;
    }, [approve, deny]);
    assert.equal(wrong, 0, approve);
  }
});

galleryTest("cards have a gap, and a notice without actions is one line", {}, async (page) => {
  const gap = await page.locator('[data-state="a handler asks"]').evaluate((state) => {
    const [card, asked] = [".la-card", ".la-ask"].map((name) => state.querySelector(name).getBoundingClientRect());
    return asked.top - card.bottom;
  });
  assert.ok(gap >= 8, `${gap} px between a call and its question`);
  const height = await page.locator('[data-state="stopped after its words"] .la-notice').evaluate((notice) => notice.getBoundingClientRect().height);
  assert.ok(height <= 50, `“Stopped.” takes ${height} px`);
});

galleryTest("in a page from right to left, chevrons, quotes and tables follow the text", {}, async (page) => {
  await page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  // The bar of a quote is beside the text, which is aligned like the page.
  const quote = page.locator('[data-state="the agent asks for a form"] .la-question-words');
  const [bar, side, align] = await quote.evaluate((quote) => {
    const { borderRightWidth, direction, textAlign } = getComputedStyle(quote);
    return [borderRightWidth, direction, textAlign];
  });
  assert.deepEqual([bar, side, align], ["2px", "rtl", "right"]);
  // A wide table of English text is scrolled to its first column.
  const port = await page.locator('[data-state="wider than its window"] .la-table').evaluate((table) => {
    const [cell, box] = [table.querySelector("th"), table].map((node) => node.getBoundingClientRect());
    return cell.left - box.left;
  });
  assert.ok(port >= 0 && port < 8, `its first column is ${port} px from the edge`);
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
  // Buttons are still large enough to be pressed.
  const small = await page.evaluate(() =>
    [...document.querySelectorAll(".la-chat button:not([hidden])")]
      .map((button) => [button.textContent, button.getBoundingClientRect()])
      .filter(([, { width, height }]) => height > 0 && (width < 24 || height < 24))
      .map(([text]) => text),
  );
  assert.deepEqual(small, []);
});

galleryTest("the gallery in a page that reverts every style", {}, async (page) => {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { all: revert; font-size: 30px }");
    document.adoptedStyleSheets = [sheet];
  });
  await accessible(page);
});
