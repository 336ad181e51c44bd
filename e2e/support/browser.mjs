// Chromium, or Firefox if BROWSER says so, and pages that are watched: an error in the console, a thrown error or a breach of the page's policy fails
// the test that saw it, unless the test said beforehand that it belongs to what it does.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { chromium, firefox } from "playwright-core";

import { ROOT } from "./servers.mjs";

const OUT = path.join(ROOT, "e2e/out");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome-stable", "/usr/bin/google-chrome"];

/** How many times slower pages are made to run: SLOWDOWN=6 finds tests that lean on the machine's speed. */
export const SLOWDOWN = Number(process.env.SLOWDOWN ?? 1);

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** In which browser the tests run. */
export const BROWSER = process.env.BROWSER ?? "chromium";

/**
 * Features of Chromium that are switched off: the pages of its own address bar, which each window would load beside the
 * page under test, and what Playwright switches off, since its own switch is replaced by this one.
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

/** Starts the system's browser. */
export function launch() {
  if (BROWSER === "firefox") return launchFirefox("light");
  assert.equal(BROWSER, "chromium", "BROWSER knows chromium and firefox");
  const executablePath = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place));
  assert.ok(executablePath, "no Chromium: install it, or name it in CHROMIUM");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-component-update", `--disable-features=${UNUSED}`],
  });
}

/** What Firefox reports as an error wherever a server cannot be reached, which the tests mean. */
const OF_FIREFOX = [/CORS request did not succeed/];
/** Pages of which a picture is made: over BiDi that takes a style of Playwright's own, which their policy forbids. */
const pictured = new Set();
const FIREFOXES = ["/usr/bin/firefox", "/usr/bin/firefox-esr"];
/** One that shows pages in the dark scheme, by the browser of the suite. */
const dark = new WeakMap();

/** Starts the system's Firefox, over WebDriver BiDi. What that cannot say for each page is a preference of the whole browser. */
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
  // Playwright asks for a command that Firefox has only since later versions, and closes what does not know it.
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

/** A fresh page in a context of its own. `faults` fills up while it lives; `allow` lists what is expected of this test. */
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
  return { page, faults, close: () => context.close() };
}

/** Saves a picture of the page under e2e/out. */
export async function picture(page, name) {
  mkdirSync(OUT, { recursive: true });
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 80);
  if (BROWSER === "firefox") pictured.add(page);
  await page.screenshot({ path: path.join(OUT, `${file}.png`), animations: "disabled" });
  if (!pictured.has(page)) return;
  // Until what was forbidden is told.
  await page.waitForTimeout(300);
  pictured.delete(page);
}

/** The picture of the README: taken on each run, put into docs/ when the run is told to by BLESS=1. */
export async function readmePicture(page) {
  await picture(page, "screenshot");
  if (process.env.BLESS) await page.screenshot({ path: path.join(ROOT, "docs/screenshot.png"), animations: "disabled" });
}

/** Fails on whatever axe finds on the page, or in one place of it. It is evaluated, not added as a script, so that the policy stays in force. */
export async function accessible(page, place) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    (place) => globalThis.axe.run(place ?? document, { resultTypes: ["violations"] }),
    place,
  );
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join("\n  ")}`);
  assert.deepEqual(found, [], "axe finds nothing");
}
