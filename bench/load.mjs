// Measures the first load: its size, and the time until the composer can be used on a machine four times slower.

import zlib from "node:zlib";

import { DESKTOP } from "../e2e/support/browser.mjs";

const SLOWER = 4;
/** The wait for files that are fetched on first use, in milliseconds. */
const LATER_MS = 1500;
/** The gzip bytes of the fetched files, including policy and page. */
const weight = (bodies) => bodies.reduce((sum, body) => sum + zlib.gzipSync(body, { level: 9 }).length, 0);

/**
 * Milliseconds from the navigation to the first frame with the composer, with an empty cache and a throttled main
 * thread; the bytes that were fetched until then, and those that are fetched once the chat is used.
 */
export async function firstLoad(browser, kind, agent) {
  const context = await browser.newContext({ viewport: DESKTOP });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.addInitScript(noteComposer, kind.composer);
    const fetched = [];
    page.on("response", (response) => fetched.push(response.body()));
    await page.goto(kind.address(agent));
    await page.waitForFunction(() => globalThis.usableAt, undefined, { timeout: 60_000 });
    const usable = await page.evaluate(() => globalThis.usableAt);
    const first = await Promise.all(fetched.splice(0));
    await page.locator(kind.composer).focus();
    await page.waitForTimeout(LATER_MS);
    const later = await Promise.all(fetched);
    return { usable, gzip: weight(first), later: weight(later) };
  } finally {
    await context.close();
  }
}

/** Runs in the page: checks on every frame whether the composer can be used. */
function noteComposer(selector) {
  const look = () => {
    const composer = document.querySelector(selector);
    const usable = composer && !composer.disabled && !composer.readOnly && document.readyState !== "loading";
    if (usable) globalThis.usableAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
