// Chromium, or Firefox if BROWSER says so, and monitored pages: an error in the console, a thrown error or a breach of
// the page's policy fails the test, unless the test declared it as expected.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { chromium, firefox } from "playwright-core";

import { fontsOf } from "./fonts.mjs";
import { ROOT } from "./servers.mjs";

const OUT = path.join(ROOT, "e2e/out");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome-stable", "/usr/bin/google-chrome"];

/** The factor by which pages are slowed down: SLOWDOWN=6 finds tests that depend on the machine's speed. */
export const SLOWDOWN = Number(process.env.SLOWDOWN ?? 1);

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** The browser in which the tests run. */
export const BROWSER = process.env.BROWSER ?? "chromium";

/**
 * Features of Chromium that are disabled: the pages of its own address bar, which each window would load in addition to
 * the page under test, and the features that Playwright disables, since this list replaces its own.
 */
const UNUSED = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

/** Starts the installed browser with a set of fonts; Firefox uses those of the system. */
export async function launch(fonts = "normal") {
  if (BROWSER === "firefox") return launchFirefox("light");
  assert.equal(BROWSER, "chromium", "BROWSER knows chromium and firefox");
  const executablePath = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place));
  assert.ok(executablePath, "no Chromium: install it, or name it in CHROMIUM");
  const { env, remove } = fontsOf(fonts);
  const browser = await chromium.launch({
    executablePath,
    env,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-component-update", `--disable-features=${UNUSED}`],
  });
  browser.on("disconnected", remove);
  return browser;
}

/** An error of Firefox for each unreachable server, which the tests cause on purpose. */
const OF_FIREFOX = [/CORS request did not succeed/];
/** Pages with a screenshot: over BiDi it needs a style of Playwright's own, which their policy forbids. */
const pictured = new Set();
const FIREFOXES = ["/usr/bin/firefox", "/usr/bin/firefox-esr"];
/** The browser that shows pages in the dark scheme, by the browser of the suite. */
const dark = new WeakMap();

/**
 * Starts the installed Firefox, over WebDriver BiDi. Settings that BiDi cannot change for a page are preferences of the
 * browser.
 */
async function launchFirefox(colorScheme) {
  const executablePath = process.env.FIREFOX ?? FIREFOXES.find((place) => existsSync(place));
  assert.ok(executablePath, "no Firefox: install it, or name it in FIREFOX");
  const browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath,
    firefoxUserPrefs: {
      "layout.css.prefers-color-scheme.content-override": colorScheme === "dark" ? 0 : 1,
      "ui.prefersReducedMotion": 1,
    },
  });
  // Playwright sends a command that only later versions of Firefox support, and closes a browser that rejects it.
  const session = browser._connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = async (command, given) => (command === "emulation.setMediaFeaturesOverride" ? {} : send(command, given));
  return browser;
}

async function contextOf(browser, options) {
  if (BROWSER !== "firefox") return browser.newContext(options);
  const { colorScheme = "light", reducedMotion, forcedColors, ...others } = options;
  if (colorScheme === "light") return browser.newContext(others);
  if (!dark.has(browser)) {
    dark.set(browser, launchFirefox(colorScheme));
    browser.on("disconnected", () => dark.get(browser).then((other) => other.close()));
  }
  return (await dark.get(browser)).newContext(others);
}

/** Opens a page in a context of its own. `faults` collects its errors; `allow` lists the expected ones of this test. */
export async function watchedPage(browser, { allow = [], ...options } = {}) {
  const context = await contextOf(browser, { viewport: DESKTOP, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000 * SLOWDOWN);
  if (SLOWDOWN > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  const faults = [];
  const own = BROWSER === "firefox" ? [...allow, ...OF_FIREFOX] : allow;
  const note = (text) => pictured.has(page) || own.some((pattern) => pattern.test(text)) || faults.push(text);
  page.on("console", (message) => {
    if (message.type() === "error") note(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => note(`thrown: ${error.stack ?? error}`));
  page.on("crash", () => note("the page crashed"));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy violated: ${event.effectiveDirective} by ${event.blockedURI || event.sample}`);
    });
  });
  // A route that still answers a request when its page closes would reject without a handler, which fails the file.
  const close = async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" }).catch(() => {});
    await context.close();
  };
  return { page, faults, close };
}

/** Saves a screenshot of the page under e2e/out. */
export async function picture(page, name) {
  mkdirSync(OUT, { recursive: true });
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 80);
  if (BROWSER === "firefox") pictured.add(page);
  await page.screenshot({ path: path.join(OUT, `${file}.png`), animations: "disabled" });
  if (!pictured.has(page)) return;
  // Waits until violations are reported.
  await page.waitForTimeout(300);
  pictured.delete(page);
}

/** The screenshot of the README: taken on each run, copied to docs/ with BLESS=1. */
export async function readmePicture(page) {
  await picture(page, "screenshot");
  if (process.env.BLESS) await page.screenshot({ path: path.join(ROOT, "docs/screenshot.png"), animations: "disabled" });
}

/**
 * Fails on any finding of axe on the page, or in one element. axe is evaluated, not added as a script, so that the
 * policy stays in force.
 */
export async function accessible(page, place) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    (place) => globalThis.axe.run(place ?? document, { resultTypes: ["violations"] }),
    place,
  );
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join("\n  ")}`);
  assert.deepEqual(found, [], "axe finds nothing");
}
