// The first load: what it weighs, and how long until someone can type, on a machine four times slower.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

import { DESKTOP } from "../e2e/support/browser.mjs";

const SLOWER = 4;
const LOADED = [".html", ".js", ".css", ".wasm"];

/** The gzip bytes of what a page loads. */
export function weight({ folders }) {
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));
  const loaded = files.filter((file) => LOADED.includes(path.extname(file)));
  return loaded.reduce((sum, file) => sum + zlib.gzipSync(readFileSync(file), { level: 9 }).length, 0);
}

/** Milliseconds from the navigation to the frame in which the composer stands, nothing cached, the main thread slowed down. */
export async function firstLoad(browser, kind, agent) {
  const context = await browser.newContext({ viewport: DESKTOP });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.addInitScript(noteComposer, kind.composer);
    await page.goto(kind.address(agent));
    await page.waitForFunction(() => globalThis.usableAt, undefined, { timeout: 60_000 });
    return await page.evaluate(() => globalThis.usableAt);
  } finally {
    await context.close();
  }
}

/** Runs in the page: looks on every frame whether someone could type by now. */
function noteComposer(selector) {
  const look = () => {
    const composer = document.querySelector(selector);
    const usable = composer && !composer.disabled && !composer.readOnly && document.readyState !== "loading";
    if (usable) globalThis.usableAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
