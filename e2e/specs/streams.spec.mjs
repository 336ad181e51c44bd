// The official streams through the page, twice: with a frame between any two events, and all events at once. The page
// looks the same in the end.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { eventually } from "../support/chat.mjs";
import { embedSuite, mountIn } from "../support/embed.mjs";
import { send } from "../support/fake-agent.mjs";
import { ROOT } from "../support/servers.mjs";

const FOLDER = path.join(ROOT, "fixtures/agui-streams");
const streams = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .map((file) => [path.basename(file, ".json"), JSON.parse(readFileSync(path.join(FOLDER, file), "utf8"))])
  .filter(([, fixture]) => Array.isArray(fixture.stream));

/** The scenes whose last event was sent. */
const ended = new Set();

/** Answers with the events of a stream; after each it waits, if `slowly`. */
const plays = (scene, fixture, slowly) => async (answer, _, hold) => {
  answer.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of fixture.stream) {
    send(answer, event);
    if (slowly) await hold();
  }
  answer.end();
  ended.add(scene);
};

const scenes = Object.fromEntries(
  streams.flatMap(([name, fixture]) => [
    [`${name}-slow`, plays(`${name}-slow`, fixture, true)],
    [`${name}-fast`, plays(`${name}-fast`, fixture, false)],
  ]),
);

const pageTest = embedSuite({ scenes });

/** The visible text of a place, line by line, except for times. */
const words = (page, place) =>
  page.locator(`#${place}`).evaluate((element) => {
    // Announcements depend on the moment: a text that continues after an announcement is announced again.
    for (const spoken of element.querySelectorAll(".la-announcer")) spoken.remove();
    // Playing event by event takes time, which is shown for reasoning.
    const text = element.innerText.replace(/Thought for (a moment|(\d+ min ?)?(\d+ s)?)/g, "Thought");
    const lines = text.replace(/\d+([.:,]\d+)*( ?(ms|s|AM|PM|seconds?))?/g, "#").split("\n");
    // The duration is shown from a tenth of a second on.
    return lines.filter((line) => /[^#\s]/.test(line) && !line.startsWith("Took ")).join("\n");
  });

const frames = (page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** Counts the requests of the page that have not ended. */
function countOpen(page) {
  const open = new Set();
  const opens = (request) => open.add(request);
  const ends = (request) => open.delete(request);
  page.on("request", opens).on("requestfinished", ends).on("requestfailed", ends);
  const stop = () => page.off("request", opens).off("requestfinished", ends).off("requestfailed", ends);
  return { count: () => open.size, stop };
}

/**
 * Waits until no request is open, and the page has drawn the end of the last one: its text does not change any more. A
 * continuation is another request. Returns the text.
 */
async function settled(page, place, requests) {
  let shown = "";
  for (;;) {
    await eventually(() => assert.equal(requests.count(), 0, "the answer is complete"));
    // The end is drawn and a continuation begins in these frames, however long they take.
    for (let times = 0; times < 4; times++) await frames(page);
    const last = shown;
    shown = await words(page, place);
    if (requests.count() === 0 && shown === last) return shown;
  }
}

async function play(page, agent, place, scene) {
  ended.delete(scene);
  const requests = countOpen(page);
  const chat = await mountIn(page, place, agent.url + scene);
  // The message may be removed from the page as soon as the answer comes.
  await chat.composer.fill("Go");
  await chat.composer.press("Enter");
  while (!ended.has(scene)) {
    await frames(page);
    agent.proceed();
  }
  // The end of the stream reaches the page, and a continuation its answer.
  const shown = await settled(page, place, requests);
  requests.stop();
  await page.evaluate((place) => globalThis.chats[place].unmount(), place);
  return shown;
}

const GROUPS = 4;
for (let group = 0; group < GROUPS; group++) {
  const some = streams.filter((_, index) => index % GROUPS === group);
  pageTest(`streams look the same event by event and at once, part ${group + 1}: ${some.length}`, {}, async (page, agent) => {
    for (const [name] of some) {
      const slow = await play(page, agent, "one", `${name}-slow`);
      const fast = await play(page, agent, "two", `${name}-fast`);
      assert.equal(slow.replaceAll("Chat one", "Chat two"), fast, name);
    }
  });
}
