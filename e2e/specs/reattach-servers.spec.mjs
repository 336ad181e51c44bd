// Runs of real servers behind the relay are interrupted, by a crash of the renderer, a broken network and a closed tab:
// the conversation and the requests are the undisturbed ones (rule "reattaching to a run"). Each server is interrupted at
// a few events; with EVENTS=all, after each of them.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { FOLDER, agents, start } from "../agents/agents.mjs";
import { Chat } from "../support/chat.mjs";
import { INTERRUPTIONS, LOST } from "../support/interruptions.mjs";
import { modelServer } from "../support/model.mjs";
import { pausing } from "../support/pausing.mjs";
import { relay } from "../support/relay.mjs";
import { demo, frameworkAgent, langgraphAgent, pydanticAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

/** A call of the page that runs at once. */
const SEARCH = { words: "Search, please", answer: "web_search returned" };
/** A call of the server that waits for an approval. */
const REFUND = { words: "Refund order A-17", answer: "refund_order returned" };
/** The servers, with their conversations and the number of events that are interrupted; each sends as many, or more. */
const SERVERS = {
  "pydantic-ai": { start: pydanticAgent, turns: [SEARCH, REFUND], events: 40 },
  langgraph: { start: langgraphAgent, turns: [SEARCH, REFUND], events: 40 },
  "agent framework": { start: frameworkAgent, turns: [SEARCH, REFUND], events: 40 },
  // It asks for approvals by plain calls.
  Agno: { start: agnoAgent, turns: [SEARCH], events: 20, missing: !hasAgno() },
};
const SAMPLE = 3;

function hasAgno() {
  return existsSync(path.join(FOLDER, "agno/.venv"));
}

async function agnoAgent() {
  const model = await modelServer();
  const server = await start(agents(["agno"])[0], model.url);
  return { url: server.url, close: () => Promise.all([server.close(), model.close()]) };
}

const chatTest = suite(async (open) => {
  const page = await demo();
  const { origin } = new URL(page.url);
  open.push(page);
  const behind = {};
  for (const [name, { start, missing }] of Object.entries(SERVERS)) {
    if (missing) continue;
    const agent = await start(origin);
    const paused = await pausing(agent.url);
    const folder = await mkdtemp(path.join(tmpdir(), "relay-"));
    const between = await relay({ agent: paused.url, folder, origin });
    open.push({ close: () => rm(folder, { recursive: true }) }, agent, paused, between);
    behind[name] = { paused, between };
  }
  return { page, behind };
});

let chats = 0;

/**
 * Plays the conversation, with an interruption after an event. Returns the text of the window and the requests, without
 * ids.
 */
async function play(page, turns, { paused, between }, at, interruption) {
  const pause = paused.pauseAfter(at);
  const address = page.url();
  let isInterrupted = false;
  for (const { words, answer } of turns) {
    let chat = new Chat(page);
    await chat.send(words);
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
      const isRunning = await chat.root.getAttribute("data-running");
      if (isRunning === null && (await chat.log.innerText()).includes(answer)) break;
      await page.waitForTimeout(50);
    }
  }
  assert.equal(isInterrupted, Boolean(interruption), "the run was interrupted");
  const chat = new Chat(page);
  assert.equal(await page.locator(".la-notice").count(), 0, "no notice is shown");
  const text = (await chat.log.innerText()).replaceAll(/\d+:\d\d [AP]M/g, "").replaceAll(/\s+/g, " ");
  const requests = paused.bodies().map(({ messages, resume }) => [
    messages.map(({ role, content, toolCalls }) => [role, content, toolCalls?.map((call) => call.function)]),
    resume?.map(({ payload }) => payload),
  ]);
  // An approval of the agent framework has the id of the call that it is for in its arguments.
  return { text, requests: JSON.parse(JSON.stringify(requests).replaceAll(/call_[0-9a-f]{32}/g, "call")) };
}

const undisturbed = {};

for (const [name, { turns, events, missing }] of Object.entries(SERVERS)) {
  if (missing) {
    test(`a conversation with ${name} behind the relay`, { skip: "`cargo xtask test --only agents` installs it" });
    continue;
  }
  const address = ({ page, behind }) => {
    const { between } = behind[name];
    const given = { agent: between.url, runs: `${between.url}runs`, protocol: "ag-ui", chat: `server${(chats += 1)}` };
    return `${page.url}?${new URLSearchParams(given)}`;
  };
  chatTest(`a conversation with ${name} behind the relay is the measure`, { address }, async ({ page }, { behind }) => {
    const { paused } = behind[name];
    undisturbed[name] = await play(page, turns, behind[name]);
    assert.ok(paused.sent() >= events, `${paused.sent()} events`);
  });

  const step = process.env.EVENTS === "all" ? 1 : Math.floor(events / SAMPLE);
  for (let at = step; at <= events; at += step) {
    const interruption = INTERRUPTIONS[(at / step) % INTERRUPTIONS.length];
    const title = `${interruption.name} after event ${at} of ${name} leaves the undisturbed conversation`;
    chatTest(title, { address, allow: LOST, only: "chromium" }, async ({ page }, { behind }) => {
      const after = await play(page, turns, behind[name], at, interruption);
      assert.deepEqual(after, undisturbed[name]);
    });
  }
}
