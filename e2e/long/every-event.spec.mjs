// A run behind the relay is interrupted after each of its 310 events, in turn by a crash of the renderer, a broken
// network, a browser without a network and a closed tab, or with KINDS=all by all of them: the conversation is the
// undisturbed one, handlers run once, and the approval is asked once (rule "reattaching to a run"). It takes half an hour;
// EVENTS=100-120 or 1-300/5 selects some events, and e2e/specs/reattach.spec.mjs interrupts a few of them in each run of the tests.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { launch, watchedPage } from "../support/browser.mjs";
import { Chat } from "../support/chat.mjs";
import { fakeAgent } from "../support/fake-agent.mjs";
import { Harbor } from "../support/harbor.mjs";
import { InterruptedTurn } from "../support/interrupted.mjs";
import { LOST, drawn, points } from "../support/interruptions.mjs";
import { relay } from "../support/relay.mjs";
import { demo } from "../support/servers.mjs";

const turn = new InterruptedTurn(73);
const open = [];
let fixtures;
/** The event after which the agent waits, and the functions that are called then and afterwards. */
let stop = {};

/** Plays the turn, and waits after the event of `stop`. */
const scene = (answer, input) =>
  turn.play(answer, input, async ({ number }) => {
    if (number !== stop.at) return;
    stop.reached();
    await stop.until;
  });

before(async () => {
  const page = await demo();
  const agent = await fakeAgent({ scenes: { long: Array(8 * turn.events).fill(scene) } });
  const folder = await mkdtemp(path.join(tmpdir(), "relay-"));
  const between = await relay({ agent: `${agent.url}long`, folder, origin: new URL(page.url).origin });
  const browser = await launch();
  open.push({ close: () => rm(folder, { recursive: true }) }, page, agent, between, browser);
  fixtures = { page, agent, between, browser };
});

after(async () => {
  for (const server of open.reverse()) await server.close();
});

let chats = 0;

/** Plays a turn that is interrupted after an event. */
async function interrupt(at, interruption) {
  const { agent, between, browser } = fixtures;
  const already = agent.requests("long").length;
  const given = { agent: between.url, runs: `${between.url}runs`, chat: `run${(chats += 1)}` };
  const address = `${fixtures.page.url}?${new URLSearchParams(given)}`;
  let proceed;
  const until = new Promise((resolve) => (proceed = resolve));
  const reached = new Promise((resolve) => (stop = { at, until, reached: resolve }));
  const { page: first, faults, close } = await watchedPage(browser, { allow: LOST });
  try {
    await first.goto(address);
    await new Chat(first).send("Search and deploy");
    let page = first;
    let isApproved = false;
    const approve = async () => {
      await approveAndWait(page);
      isApproved = true;
    };
    // The second response begins after the approval, and after the deployment in this page.
    const isSecond = at > turn.events - turn.words - 4;
    if (isSecond) {
      await approve();
      await turn.checkDeployment(new Harbor(page));
    }
    await reached;
    await drawn(page);
    page = await interruption({ page, address, between });
    proceed();
    if (!isApproved) await approve();
    const chat = new Chat(page);
    await chat.says(`after-${turn.words - 1}`);
    await chat.idle();
    const requests = agent.requests("long").slice(already);
    await turn.check(chat, requests.map(({ body }) => body));
    if (isSecond && page !== first) await turn.checkNoDeployment(new Harbor(page));
    else await turn.checkDeployment(new Harbor(page));
    assert.deepEqual(faults, []);
  } finally {
    proceed();
    await close();
  }
}

/** Approves the deployment, for which one card asks. */
async function approveAndWait(page) {
  const chat = new Chat(page);
  await chat.approve(chat.card("deployApplication"));
  assert.equal(await chat.card("deployApplication").count(), 1);
}

for (const { at, interruption } of points(turn.events)) {
  test(`${interruption.name} after event ${at} leaves the undisturbed conversation`, () => interrupt(at, interruption));
}
