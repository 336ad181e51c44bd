// Hundreds of texts that try to become markup, code or a request, in every place for text of an agent, a server or a
// user: nothing runs, nothing is requested, the page contains nothing but text, and the chat continues. The page's
// policy only reports here, so that it does not hide a failure, and must have nothing to report.

import assert from "node:assert/strict";

import { payloads } from "../../fixtures/hostile/payloads.mjs";
import { eventually } from "../support/chat.mjs";
import { fakeAgent } from "../support/fake-agent.mjs";
import { guard, harmless } from "../support/harmless.mjs";
import { UNMARKED, hostileScenes, mark, places, portions, slug } from "../support/hostile.mjs";
import { giveUp, questions } from "../support/questions.mjs";
import { demo, reporting } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const REFUSED = /Failed to load resource/;

const pageTest = suite(async (open) => {
  const page = await reporting(await demo());
  const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes: hostileScenes(payloads) });
  open.push(page, agent);
  return { page, agent };
});

/** Runs a case: `body` sends the texts; `check` gets the chat and the marks that were found in it. */
function hostileTest(name, scene, body, { check = () => {}, ...options } = {}) {
  const address = ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url + scene })}`;
  pageTest(name, { address, ...options }, async (chat, { page, agent }) => {
    agent.forget();
    const nothingLeft = guard(chat.page, [page.url, agent.url]);
    await body(chat, () => eventually(() => assert.ok(agent.requests(scene).length > 0, "the message is sent")));
    await check(chat, await harmless(chat.page));
    await say(chat, "Are you back?");
    await chat.idle();
    await chat.says("You said: Are you back?");
    nothingLeft();
  });
}

/** Sends a message, which may be out of view, and so removed from the page, as soon as the answer comes. */
async function say(chat, text) {
  await chat.composer.fill(text);
  await chat.composer.press("Enter");
}

/** Waits until the chat has not grown for twenty frames: of a long list, each frame draws only a few rows. */
const drawn = (chat) =>
  chat.root.evaluate(async (root) => {
    for (let size, frames = 0; frames < 20; frames++) {
      await new Promise(requestAnimationFrame);
      const now = root.querySelectorAll("*").length;
      if (now !== size) frames = 0;
      size = now;
    }
  });

const marks = payloads.map((_, at) => mark(at));

for (const place of places) {
  const body = async (chat, sent) => {
    await say(chat, "Go");
    await sent();
    await chat.idle();
    await drawn(chat);
    // Of many messages that arrive at once, only the newest are in the page.
    const all = chat.root.locator(".la-show-all");
    if (await all.count()) await all.press("Enter");
    await drawn(chat);
    assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0, "the stream was read to its end");
  };
  const expected = place === "tool names" ? payloads : UNMARKED.includes(place) ? [] : marks;
  const check = (_, shown) => assert.deepEqual(expected.filter((word) => !shown.includes(word)), [], "every text arrived");
  hostileTest(place, slug(place), body, { check });
}

hostileTest("the error of a run", "run-error", async (chat) => {
  await say(chat, "Go");
  await chat.idle();
  await chat.notice(/script/).first().waitFor();
});

for (const scene of ["http-error", "not-a-stream"]) {
  const body = async (chat) => {
    await say(chat, "Go");
    await chat.idle();
    await chat.notice(/\S/).first().waitFor();
  };
  hostileTest(`the answer of a server: ${scene}`, scene, body, { allow: [REFUSED] });
}

hostileTest("questions", "questions", async (chat) => {
  await say(chat, "Go");
  await each(chat, questions(chat), giveUp);
});

hostileTest("arguments of pending approvals", "approvals", async (chat) => {
  await say(chat, "Go");
  await each(chat, chat.root.getByRole("button", { name: "Deny", exact: true }), async (deny) => {
    await deny.click();
    await deny.click();
  });
});

/** Answers all open requests, one after the other. */
async function each(chat, waiting, answer) {
  await waiting.first().waitFor();
  // The composer is blocked once the run is over and waits for the user: no further request follows.
  await chat.waiting();
  await drawn(chat);
  await harmless(chat.page);
  for (let left = await waiting.count(); left > 0; left--) {
    await answer(waiting.first());
    await eventually(async () => assert.ok((await waiting.count()) < left));
  }
  await chat.idle();
}

hostileTest("texts typed by the user and repeated by the agent", "", async (chat) => {
  for (const text of portions(payloads)) {
    await say(chat, text);
    await chat.idle();
  }
});
