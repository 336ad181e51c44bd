// Runs of real servers behind the relay are interrupted, by a crash of the renderer, a broken network and a closed tab:
// the conversation and the requests are the undisturbed ones (rule "reattaching to a run"). Each server is interrupted at
// a few events; with EVENTS=all, after each of them.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { Chat } from "../support/chat.mjs";
import { INTERRUPTIONS, LOST } from "../support/interruptions.mjs";
import { pausing } from "../support/pausing.mjs";
import { relay } from "../support/relay.mjs";
import { demo, frameworkAgent, langgraphAgent, pydanticAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

/** The servers. */
const SERVERS = { "pydantic-ai": pydanticAgent, langgraph: langgraphAgent, "agent framework": frameworkAgent };
/** The number of events of a conversation that are interrupted; each server sends as many, or more. */
const EVENTS = 40;
/** A call of the page that runs at once, and a call of the server that waits for an approval. */
const MESSAGES = ["Search, please", "Refund order A-17"];
const SAMPLE = 3;

const chatTest = suite(async (open) => {
  const page = await demo();
  const { origin } = new URL(page.url);
  open.push(page);
  const behind = {};
  for (const [name, start] of Object.entries(SERVERS)) {
    const agent = await start(origin);
    const paused = await pausing(agent.url);
    const folder = await mkdtemp(path.join(tmpdir(), "relay-"));
    const between = await relay({ agent: paused.url, folder, origin });
    open.push({ close: () => rm(folder, { recursive: true }) }, agent, paused, between);
    behind[name] = { agent, paused, between };
  }
  return { page, behind };
});

let chats = 0;

/**
 * Plays the conversation, with an interruption after an event. Returns the text of the window and the requests, without
 * ids.
 */
async function play(page, { agent, paused, between }, at, interruption) {
  await agent.forget();
  const pause = paused.pauseAfter(at);
  const address = page.url();
  let isInterrupted = false;
  for (const message of MESSAGES) {
    let chat = new Chat(page);
    await chat.send(message);
    let isApproved = false;
    for (;;) {
      chat = new Chat(page);
      if (pause.isPaused()) {
        // The page has received the event, and drawn it.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
        page = await interruption({ page, address, between });
        isInterrupted = true;
        pause.proceed();
        continue;
      }
      const approve = chat.root.getByRole("button", { name: /^Approve(:|$)/ });
      if (!isApproved && (await approve.count())) {
        assert.equal(await approve.count(), 1, "the approval is asked once");
        await chat.approve(chat.card("refund_order"));
        isApproved = true;
      }
      const isAnswered = message === MESSAGES[0] ? "web_search returned" : "refund_order returned";
      const isRunning = await chat.root.getAttribute("data-running");
      if (isRunning === null && (await chat.log.innerText()).includes(isAnswered)) break;
      await page.waitForTimeout(50);
    }
  }
  assert.equal(isInterrupted, Boolean(interruption), "the run was interrupted");
  const chat = new Chat(page);
  assert.equal(await page.locator(".la-notice").count(), 0, "no notice is shown");
  const text = (await chat.log.innerText()).replaceAll(/\d+:\d\d [AP]M/g, "").replaceAll(/\s+/g, " ");
  const requests = (await agent.requests()).map(({ body }) => [
    body.messages.map(({ role, content, toolCalls }) => [role, content, toolCalls?.map((call) => call.function)]),
    body.resume?.map(({ payload }) => payload),
  ]);
  // An approval of the agent framework has the id of the call that it is for in its arguments.
  return { text, requests: JSON.parse(JSON.stringify(requests).replaceAll(/call_[0-9a-f]{32}/g, "call")) };
}

const undisturbed = {};

for (const name of Object.keys(SERVERS)) {
  const address = ({ page, behind }) => {
    const { between } = behind[name];
    const given = { agent: between.url, runs: `${between.url}runs`, protocol: "ag-ui", chat: `server${(chats += 1)}` };
    return `${page.url}?${new URLSearchParams(given)}`;
  };
  chatTest(`a conversation with ${name} behind the relay is the measure`, { address }, async ({ page }, { behind }) => {
    undisturbed[name] = await play(page, behind[name]);
    assert.ok(behind[name].paused.sent() >= EVENTS, `${behind[name].paused.sent()} events`);
  });

  const step = process.env.EVENTS === "all" ? 1 : Math.floor(EVENTS / SAMPLE);
  for (let at = step; at <= EVENTS; at += step) {
    const interruption = INTERRUPTIONS[at % INTERRUPTIONS.length];
    const title = `${interruption.name} after event ${at} of ${name} leaves the undisturbed conversation`;
    chatTest(title, { address, allow: LOST, only: "chromium" }, async ({ page }, { behind }) => {
      const after = await play(page, behind[name], at, interruption);
      assert.deepEqual(after, undisturbed[name]);
    });
  }
}
