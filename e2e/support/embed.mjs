// Pages with the npm package in them, and an agent that answers.

import assert from "node:assert/strict";

import { Chat, eventually } from "./chat.mjs";
import { fakeAgent } from "./fake-agent.mjs";
import { plainPage } from "./servers.mjs";
import { suite } from "./suite.mjs";

/** Prepares a spec file for the pages that use the package, with the fake agent and these scenes, as `suite` does. */
export function packageSuite({ scenes, serve = plainPage } = {}) {
  return suite(async (open) => {
    const page = await serve();
    open.push(page);
    const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes });
    open.push(agent);
    return { page, agent };
  });
}

/**
 * Prepares a spec file for the page with two empty elements, with the fake agent and these scenes. Returns
 * `pageTest(name, options, body)`; `body` gets the page and the agent.
 */
export function embedSuite(options) {
  const pageTest = packageSuite(options);
  const address = ({ page, agent }) => `${page.url}host.html?${new URLSearchParams({ agent: agent.url })}`;
  return (name, options, body) =>
    pageTest(name, { address, bare: true, ...options }, async ({ page }, { agent }) => {
      agent.forget();
      await body(page, agent);
    });
}

/** Mounts a chat of the package's module `face` in one of the elements. It is `globalThis.chats[place]` then. */
export async function mountIn(page, place, url, options = {}, face = "index") {
  await page.evaluate(
    async ([place, options, face]) => {
      const { mount } = await import(`./embed/${face}.js`);
      (globalThis.chats ??= {})[place] = await mount(document.getElementById(place), options);
    },
    [place, { url, label: `Chat ${place}`, ...options }, face],
  );
  const chat = new Chat(page, page.locator(`#${place}`));
  await chat.composer.waitFor();
  return chat;
}

/**
 * Begins to mount a chat of the package's module `face`: it is shown, and the second part of the module may be on its way.
 * It is `globalThis.chats[place]` once that is there; `actions` are registered then.
 */
export async function beginIn(page, place, url, actions = [], options = {}, face = "index") {
  await page.evaluate(
    async ([place, options, actions, face]) => {
      const { mount } = await import(`./embed/${face}.js`);
      const whole = async () => {
        const chat = await mount(document.getElementById(place), options);
        for (const action of actions) chat.registerAction({ ...action, handler: () => "done" });
        (globalThis.chats ??= {})[place] = chat;
      };
      void whole();
    },
    [place, { url, label: `Chat ${place}`, ...options }, actions, face],
  );
  const chat = new Chat(page, page.locator(`#${place}`));
  await chat.composer.waitFor();
  return chat;
}

/**
 * Waits until the store contains the conversation of a chat that `mountIn` has mounted. From then on, the page writes the
 * remaining changes when it is unloaded; before, a reload loses the conversation.
 */
export async function stored(page, place = "one") {
  await eventually(async () => {
    const isListed = await page.evaluate((place) => {
      const chat = globalThis.chats[place];
      chat.listConversations();
      return chat.conversations().some(({ id }) => id === chat.threadId());
    }, place);
    assert.ok(isListed, "the store contains the conversation");
  });
}

/** Holds requests for the second part of a module back until the returned function is called. */
export async function heldBack(page, part) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(part, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
