// One spec file: its servers and its browser, started once, and tests that each get a chat on a fresh page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { BROWSER, launch, watchedPage } from "./browser.mjs";
import { Chat } from "./chat.mjs";

/**
 * Prepares a spec file. `start` starts its servers, given a list for the objects to close, and returns the fixtures of
 * its tests. Returns `chatTest(name, options, body)`: `options.address` is a function of the fixtures, `options.allow`
 * lists console errors that belong to the test, `bare` marks a page without a chat, `todo` is the reason why the test
 * may fail for now, `only` the browser that supports it, `fonts` a set of fonts; the rest is passed to the browser
 * context. `timed` is the reason why the test depends on fixed times instead of waiting for a condition. `body` gets the
 * chat and the fixtures.
 */
export function suite(start) {
  const open = [];
  const browsers = new Map();
  const browserWith = (fonts) => {
    if (!browsers.has(fonts)) browsers.set(fonts, launch(fonts));
    return browsers.get(fonts);
  };
  let servers;
  before(async () => {
    servers = await start(open);
  });
  after(async () => {
    // A browser that could not be started has failed its tests.
    for (const browser of browsers.values()) await (await browser.catch(() => undefined))?.close();
    for (const server of open.reverse()) await server.close();
  });

  return (name, { address, bare, todo, only = BROWSER, fonts = "normal", timed, ...options }, body) => {
    const attempt = async () => {
      const { page, faults, close } = await watchedPage(await browserWith(fonts), options);
      const chat = new Chat(page);
      try {
        await page.goto(address(servers));
        if (!bare) await chat.composer.waitFor();
        await body(chat, servers);
        assert.deepEqual(faults, [], "the page is without faults");
      } catch (error) {
        await chat.picture(`failed ${name}`).catch(() => {});
        const details = [faults.length && `faults of the page:\n${faults.join("\n")}`, `the page shows:\n${await describePage(page)}`];
        throw withDetails(error, details.filter(Boolean).join("\n"));
      } finally {
        await close();
      }
    };
    const skip = only !== BROWSER && `only in ${only}`;
    test(name, { todo, skip }, (context) =>
      attempt().catch((error) => {
        if (!timed) throw error;
        return retry(context, { name, error }, attempt);
      }),
    );
  };
}

/** The longest description of a page in the message of a failed test, in characters. */
const DESCRIBED = 4000;

/** Returns an error with details after its message. A new error is needed, because reporters print the stack of a given one. */
const withDetails = (error, details) => new Error(`${error.message}\n${details}`, { cause: error });

/** Describes the end of what a page shows, for a reader who has no screenshot. */
async function describePage(page) {
  const text = await page.locator("body").ariaSnapshot({ timeout: 2000 }).catch((error) => `nothing: ${error.message}`);
  return text.slice(-DESCRIBED);
}

/** The number of times that a failed test with fixed times is retried. */
const RETRIES = 3;

/**
 * Retries a failed test with fixed times on new pages. The retry is reported: `cargo xtask test` lists it, and fails if
 * more than a few tests were retried, which a busy machine can cause.
 */
async function retry(context, { name, error }, attempt) {
  for (let tries = 1; ; tries++) {
    try {
      await attempt();
      break;
    } catch (again) {
      if (tries === RETRIES) throw withDetails(again, `and the first time: ${error.message}`);
    }
  }
  context.diagnostic(`retried: ${name}: ${error.message.split("\n", 2).join(" ")}`);
}
