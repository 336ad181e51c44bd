// Measures the first load of pages with a chat, on a slow machine and connection: the time until the user can type and send,
// and until the answer to a message is shown that is sent at that moment. For the answer the page runs one tool.

import { DESKTOP } from "../e2e/support/browser.mjs";
import { compressed } from "./compressed.mjs";
import { ANSWER, toolAgent } from "./tool-agent.mjs";

/** The factor by which the main thread is slowed down. */
const SLOWER = 4;
/** A connection with 10 Mbit/s. */
const NETWORK = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
/** The longest time until the answer, in milliseconds. */
const LATEST_MS = 60_000;

/** The pages, with the functions of each that are called in it. */
const PAGES = {
  bare: () => ({
    composer: () => document.getElementById("composer"),
    send(composer, text) {
      composer.value = text;
      composer.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    },
    answer: () => document.getElementById("out"),
  }),
  embed: () => ({
    composer: () => document.querySelector("leptos-assistant textarea"),
    send(composer, text) {
      composer.value = text;
      composer.dispatchEvent(new InputEvent("input", { bubbles: true }));
      composer.form.requestSubmit();
    },
    answer: () => document.querySelector(".la-transcript-content"),
  }),
  "deep-chat": () => {
    const chat = () => document.querySelector("deep-chat");
    return {
      composer: () => chat()?.shadowRoot?.getElementById("text-input"),
      send: (_, text) => chat().submitUserMessage({ text }),
      answer: () => chat().shadowRoot.getElementById("messages"),
    };
  },
};

/** The names of the compared pages. */
export const NAMES = Object.keys(PAGES);

/** Serves the pages, with their agent. */
export async function loadPages() {
  const [site, agent] = [await compressed(), await toolAgent()];
  const close = () => (site.close(), agent.close());
  return { site, agent, close };
}

/** Loads a page with an empty cache, and returns the two times in milliseconds, and the transferred bytes until each. */
export async function firstLoad(browser, name, { site, agent }) {
  const context = await browser.newContext({ viewport: DESKTOP });
  try {
    const page = await context.newPage();
    const failed = [];
    page.on("pageerror", (error) => failed.push(error));
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await session.send("Network.emulateNetworkConditions", NETWORK);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.addInitScript(`(${measure})((${PAGES[name]})(), ${JSON.stringify(ANSWER)})`);
    const query = new URLSearchParams({ agent: agent.url });
    await page.goto(`${site.url}${name}.html?${query}`);
    await page.waitForFunction(() => globalThis.times.answered, undefined, { timeout: LATEST_MS });
    if (failed.length) throw failed[0];
    return await page.evaluate(() => globalThis.times);
  } finally {
    await context.close();
  }
}

/** Runs in the page: checks on every frame whether the composer can be used, and whether the answer is shown. */
function measure({ composer, send, answer }, text) {
  const times = (globalThis.times = {});
  const bytes = () => performance.getEntriesByType("resource").reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  const look = () => {
    const box = composer();
    const isUsable = box?.checkVisibility() && !box.disabled && !box.readOnly && document.readyState !== "loading";
    if (!times.usable && isUsable) {
      times.usable = performance.now();
      times.gzip = bytes();
      send(box, "Where is A-17?");
    }
    if (times.usable && answer()?.textContent.includes(text)) {
      times.all = bytes();
      times.answered = performance.now();
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
