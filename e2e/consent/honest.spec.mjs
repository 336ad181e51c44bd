// Honest requests in settings that could be mistaken for an attack: one press approves in each, once everything was in
// view. Prints the time until then.

import assert from "node:assert/strict";

import { eventually, press, read } from "../support/chat.mjs";
import { suite } from "../support/suite.mjs";
import { call } from "./agent.mjs";
import { driver, shadowDriver } from "./driver.mjs";
import { ADA, PAY, servers } from "./stage.mjs";

/** Opens the chat in another place of the page; `place` creates the element and mounts the chat. */
const opened = (place) => async (page, url) => {
  await page.evaluate(place, url);
  await page.evaluate((action) => {
    globalThis.ran = [];
    const handler = (args) => void globalThis.ran.push({ name: action.name, args, at: performance.now() });
    globalThis.chats.one.registerAction({ ...action, approval: "always", handler });
  }, PAY);
};

const inShadowRoot = opened(async (url) => {
  const { mount } = await import("./embed/index.js");
  const root = document.getElementById("one").attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(await (await fetch("./embed/style.css")).text());
  root.adoptedStyleSheets = [sheet];
  const place = document.createElement("div");
  place.style.blockSize = "100%";
  root.append(place);
  globalThis.chats = { one: await mount(place, { url }) };
});

const asElement = opened(async (url) => {
  await import("./embed/element.js");
  const element = document.createElement("leptos-assistant");
  element.setAttribute("url", url);
  element.style.cssText = "display: block; block-size: 100%";
  const ready = new Promise((done) => element.addEventListener("leptos-assistant-ready", done));
  document.getElementById("one").append(element);
  await ready;
  globalThis.chats = { one: { registerAction: (action) => element.registerAction(action), send: (text) => element.chat.send(text) } };
});

/** Adds content of the page above or beside the chat. */
const layer = (css) => (page) =>
  page.evaluate((css) => {
    const node = document.createElement("div");
    node.style.cssText = `position: fixed; inset: 0; z-index: 99; pointer-events: none; ${css}`;
    document.body.append(node);
  }, css);

/** Adds a bar at the end of the lines of the chat. */
const bar = async (page) => {
  const { x, y, width, height } = await page.locator("#one").boundingBox();
  await layer(`inset: ${y}px auto auto ${x + width}px; inline-size: 40px; block-size: ${height}px; box-shadow: 0 0 48px rgb(0 0 0 / 40%)`)(page);
};

/** The settings by name: changes of the browser, the page or the place of the chat. */
const SETTINGS = [
  { name: "light", options: { colorScheme: "light" } },
  { name: "dark", options: { colorScheme: "dark" } },
  { name: "forced colours", options: { forcedColors: "active" } },
  { name: "zoom 200 %", options: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } },
  { name: "360 × 400", options: { viewport: { width: 360, height: 400 } } },
  { name: "reduced motion", options: { reducedMotion: "reduce" } },
  { name: "motion", options: { reducedMotion: "no-preference" } },
  { name: "in a shadow root", open: inShadowRoot },
  { name: "as a custom element", open: asElement },
  { name: "in a shadow root of the package", open: (page, url) => shadowDriver.open(page, url, [PAY]) },
  { name: "under a transparent layer", before: layer("background: transparent") },
  { name: "under a hidden layer", before: layer("visibility: hidden; background: white") },
  { name: "beside a bar with a shadow", before: bar },
];

const test = suite(servers(driver));

for (const { name, options = {}, before, open = (page, url) => driver.open(page, url, [PAY]) } of SETTINGS) {
  const address = ({ page, agent }) => driver.address(page, agent.url);
  test(`one press approves: ${name}`, { address, bare: true, only: "chromium", ...options }, async ({ page }, { agent }) => {
    await open(page, agent.url);
    await before?.(page);
    agent.script([[call("pay", ADA)]]);
    await driver.ask(page);
    const request = driver.request(page, "pay");
    await request.waitFor();
    const began = await page.evaluate(() => performance.now());
    const button = await read(request, /^Approve/);
    // After a second a hint asks the user to continue reading. The button moves when the hint disappears, which the next
    // inspection notices: the button is disabled again until it has not moved for half a second.
    if ((await page.evaluate(() => performance.now())) - began > 900) await page.waitForTimeout(400);
    await press(page, button);
    await eventually(async () => assert.equal((await driver.ran(page)).length, 1));
    const took = (await page.evaluate(() => globalThis.ran[0].at)) - began;
    console.log(`approved after ${Math.round(took / 10) * 10} ms: ${name}`);
  });
}
