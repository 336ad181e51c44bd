// The scenes that are measured: each is something that happens in a chat, the same in every page.

import { meter } from "./measure.mjs";
import { ask, open, rest } from "./pages.mjs";

/** The number of keys that are typed, and the milliseconds between them. */
const KEYS = 30;
const BETWEEN_MS = 60;

/** Scenes in which a new page requests one stream. */
const stream = (name, options) => (where) => measured(where, name, options);

/** All scenes. Each plays once, in a page of its own, and returns the figures. */
export const SCENES = {
  "markdown answer": stream("markdown answer"),
  "code block": stream("code block"),
  "tool arguments": stream("tool arguments"),
  "tool arguments, card open": stream("tool arguments", { prepare: openCards }),
  "tool calls": stream("tool calls"),
  "thread of 1,000 opened": stream("thread"),
  "answer and keys": (where) => withKeys(where),
  "answer and keys after 1,000": (where) => withKeys(where, "thread"),
};

async function measured({ browser, kind, agent, traced }, name, { prepare } = {}) {
  const { page, close } = await open(browser, kind, agent);
  try {
    await prepare?.(page);
    const { during } = await meter(browser, page, traced);
    return await during(() => ask(page, kind, agent, name));
  } finally {
    await close();
  }
}

/** Opens the first card of a tool as soon as it exists, like a user who watches the arguments arrive. */
async function openCards(page) {
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      const card = document.querySelector("details.la-tool-card");
      if (!card) return;
      card.open = true;
      observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
}

/** An answer while the user types, then the same keys without an answer; optionally, a long thread is opened before. */
async function withKeys({ browser, kind, agent, traced }, before) {
  const { page, close } = await open(browser, kind, agent);
  try {
    if (before) await ask(page, kind, agent, before);
    const { during } = await meter(browser, page, traced);
    const slowest = await watchKeys(page);
    const both = await during(() => Promise.all([ask(page, kind, agent, "short answer"), typed(page)]));
    const slowestKey = await slowest();
    if (traced) return both;
    const alone = await during(() => typed(page));
    return { ...both, keyCpu: alone.cpu / KEYS, slowestKey };
  } finally {
    await close();
  }
}

async function typed(page) {
  // The previous message has to be sent first.
  await rest();
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press("abcdefghij"[key % 10]);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  }
  await rest();
}

/**
 * Returns, later, the longest time from a key to the frame that shows it, in milliseconds. The browser omits short
 * ones.
 */
async function watchKeys(page) {
  await page.evaluate(() => {
    globalThis.keyTimes = [];
    const note = (list) => globalThis.keyTimes.push(...list.getEntries().filter(({ name }) => name === "keydown"));
    new PerformanceObserver(note).observe({ type: "event", durationThreshold: 16 });
  });
  return () => page.evaluate(() => Math.max(16, ...globalThis.keyTimes.map(({ duration }) => duration)));
}
