// Conversations with real servers behind the relay, with tools of the page and an approval, for tests that interrupt them.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { FOLDER, agents, start } from "../agents/agents.mjs";
import { Chat } from "./chat.mjs";
import { Harbor } from "./harbor.mjs";
import { LOST, drawn, storedStart } from "./interruptions.mjs";
import { modelServer } from "./model.mjs";
import { pausing } from "./pausing.mjs";
import { relay } from "./relay.mjs";
import { demo, frameworkAgent, langgraphAgent, pydanticAgent } from "./servers.mjs";
import { suite } from "./suite.mjs";

/** Calls of the page that run at once. */
const SEARCH = { words: "Search, please", answer: "web_search returned" };
const DEPLOY = { words: "Deploy it", answer: "deployApplication returned" };
/** A call of the page that waits for an approval. */
const WEATHER = { words: "The weather in Oslo", answer: "get_weather returned", approves: "get_weather" };
/** A call of the server that waits for an approval. */
const REFUND = { words: "Refund order A-17", answer: "refund_order returned", approves: "refund_order" };
/** A search whose arguments and result are many events. */
const LONG_SEARCH = { ...SEARCH, words: `Search for ${"boats and harbours ".repeat(90).trim()}` };
/** The servers, with their conversations and the number of events that are interrupted; each sends as many, or more. */
const SERVERS = {
  "pydantic-ai": { start: pydanticAgent, turns: [LONG_SEARCH, DEPLOY, REFUND], events: 300 },
  langgraph: { start: langgraphAgent, turns: [SEARCH, DEPLOY, REFUND], events: 280 },
  // Its example has one tool of the page.
  "agent framework": { start: frameworkAgent, turns: [SEARCH, REFUND], events: 60 },
  // It asks for approvals by plain calls, for which the page has no card.
  Agno: { start: agnoAgent, turns: [SEARCH, WEATHER], events: 70, missing: !hasAgno() },
};
const CHOSEN = process.env.SERVERS?.split(",") ?? Object.keys(SERVERS);

function hasAgno() {
  return existsSync(path.join(FOLDER, "agno/.venv"));
}

async function agnoAgent() {
  const model = await modelServer();
  const server = await start(agents(["agno"])[0], model.url);
  return { url: server.url, close: () => Promise.all([server.close(), model.close()]) };
}

/**
 * Declares a test of each server without an interruption, and one for each of `points(events)`: a list of events `at`
 * which an `interruption` happens.
 */
export function interruptServers(points) {
  const chatTest = suite(open);
  let chats = 0;
  for (const name of CHOSEN) {
    const { turns, events, missing } = SERVERS[name];
    if (missing) {
      test(`a conversation with ${name} behind the relay`, { skip: "`cargo xtask test --only agents` installs it" });
      continue;
    }
    const address = ({ page, behind }) => {
      const { between } = behind[name];
      const given = { agent: between.url, runs: `${between.url}runs`, protocol: "ag-ui", chat: `server${(chats += 1)}` };
      return `${page.url}?${new URLSearchParams(given)}`;
    };
    let undisturbed;
    chatTest(`a conversation with ${name} behind the relay is the measure`, { address }, async ({ page }, { behind }) => {
      const { paused } = behind[name];
      undisturbed = await play(page, turns, behind[name]);
      assert.ok(paused.sent() >= events, `${paused.sent()} events`);
      for (const [handler, count] of Object.entries(undisturbed.handlers)) {
        assert.equal(count, Number(turns.some(({ answer }) => answer.startsWith(handler))), `${handler} runs once`);
      }
    });
    for (const { at, interruption } of points(events)) {
      const title = `${interruption.name} after event ${at} of ${name} leaves the undisturbed conversation`;
      chatTest(title, { address, allow: LOST, only: "chromium" }, async ({ page }, { behind }) => {
        assert.deepEqual(await play(page, turns, behind[name], at, interruption), undisturbed);
      });
    }
  }
}

/** Starts the demo, and each server behind a relay. */
async function open(started) {
  const page = await demo();
  const { origin } = new URL(page.url);
  started.push(page);
  const behind = {};
  for (const name of CHOSEN) {
    const { start, missing } = SERVERS[name];
    if (missing) continue;
    const agent = await start(origin);
    const paused = await pausing(agent.url);
    const folder = await mkdtemp(path.join(tmpdir(), "relay-"));
    const between = await relay({ agent: paused.url, folder, origin });
    started.push({ close: () => rm(folder, { recursive: true }) }, agent, paused, between);
    behind[name] = { paused, between };
  }
  return { page, behind };
}

/**
 * Plays the conversation, with an interruption after an event. Returns the text of the window, the requests without ids,
 * and how often each handler has run in the pages.
 */
async function play(page, turns, { paused, between }, at, interruption) {
  const pause = paused.pauseAfter(at);
  const address = page.url();
  let isInterrupted = false;
  let ranBefore = {};
  for (const { words, answer, approves } of turns) {
    await new Chat(page).send(words);
    let isApproved = false;
    const until = Date.now() + 120_000;
    for (;;) {
      assert.ok(Date.now() < until, `the answer to "${words}" is missing:\n${await new Chat(page).log.innerText()}`);
      const chat = new Chat(page);
      if (pause.isPaused()) {
        await storedStart(page, new URL(address).searchParams.get("chat"), paused.bodies().at(-1).runId);
        await drawn(page);
        const ran = await handlersOf(page);
        const next = await interruption({ page, address, between });
        if (next !== page) ranBefore = ran;
        page = next;
        isInterrupted = true;
        pause.proceed();
        continue;
      }
      const approve = chat.root.getByRole("button", { name: /^Approve(:|$)/ });
      const asked = isApproved ? 0 : await approve.count();
      if (asked) {
        assert.equal(asked, 1, "the approval is asked once");
        await chat.approve(chat.card(approves));
        isApproved = true;
      }
      if (await hasAnswered(chat, answer)) break;
      await page.waitForTimeout(50);
    }
    assert.equal(isApproved, Boolean(approves), "approvals are asked");
  }
  assert.equal(isInterrupted, Boolean(interruption), "the run was interrupted");
  const chat = new Chat(page);
  assert.equal(await page.locator(".la-notice").count(), 0, "no notice is shown");
  const text = (await chat.log.innerText()).replaceAll(/\d+:\d\d [AP]M/g, "").replaceAll(/\s+/g, " ");
  const requests = paused.bodies().map(({ messages, resume }) => [
    messages.map(({ role, content, toolCalls }) => [role, content, toolCalls?.map((call) => call.function)]),
    resume?.map(({ payload }) => payload),
  ]);
  const handlers = await handlersOf(page);
  for (const name of Object.keys(handlers)) handlers[name] += ranBefore[name] ?? 0;
  // An approval of the agent framework has the id of the call that it is for in its arguments. A page counts deployments.
  const compared = JSON.stringify({ text, requests }).replaceAll(/call_[0-9a-f]{32}/g, "call").replaceAll(/dep-\d+/g, "dep");
  return { ...JSON.parse(compared), handlers };
}

/** Returns true if an answer is complete. A page restores its conversation and its run in one step, so both are read in one call. */
function hasAnswered(chat, answer) {
  return chat.root.evaluate((root, answer) => {
    const isRunning = root.hasAttribute("data-running");
    return !isRunning && root.querySelector("[role=log]").innerText.includes(answer);
  }, answer);
}

/** Returns how often the handlers of tools without an approval have run in a page. */
async function handlersOf(page) {
  const entries = await new Harbor(page).activity.getByRole("listitem").allInnerTexts();
  const count = (words) => entries.filter((entry) => entry.includes(words)).length;
  return { web_search: count("Searched for"), deployApplication: count("Deployment of 1.4.2 to staging started") };
}
