// A run behind a relay that stores its events (examples/relay) survives a reload and a lost connection: the conversation
// is the undisturbed one, handlers run once, and nothing is asked twice (rule "reattaching to a run").

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { eventually } from "../support/chat.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { relay } from "../support/relay.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const WORDS = 30;

/** Sends numbered words of a message, and waits for the test in the middle. */
async function words(answer, messageId, hold) {
  send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  for (let word = 0; word < WORDS; word++) {
    send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta: `${messageId}-${word} ` });
    if (word === WORDS / 2) await hold();
  }
  send(answer, { type: "TEXT_MESSAGE_END", messageId });
}

function call(answer, toolCallId, toolCallName, args) {
  send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName });
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) });
  send(answer, { type: "TOOL_CALL_END", toolCallId });
}

/** Text, a search, text, a deployment that needs an approval, and text; then an answer to the results. */
async function scene(answer, input, hold) {
  begin(answer, input);
  if (input.messages.some(({ role }) => role === "tool")) {
    await words(answer, "after", async () => {});
    return finish(answer, input);
  }
  await words(answer, "first", hold);
  call(answer, "call_search", "web_search", { query: "boats" });
  await words(answer, "second", hold);
  call(answer, "call_deploy", "deployApplication", { environment: "production", version: "9.9.9" });
  await words(answer, "third", hold);
  finish(answer, input);
}

const relayTest = suite(async (open) => {
  const page = await demo();
  const origin = new URL(page.url).origin;
  const agent = await fakeAgent({ scenes: { long: Array(40).fill(scene) } });
  const folder = await mkdtemp(path.join(tmpdir(), "relay-"));
  const between = await relay({ agent: `${agent.url}long`, folder, origin });
  open.push({ close: () => rm(folder, { recursive: true }) }, page, agent, between);
  return { page, agent, between };
});

let chats = 0;
const address = ({ page, between }) => {
  const given = { agent: between.url, runs: `${between.url}runs`, chat: `run${(chats += 1)}` };
  return `${page.url}?${new URLSearchParams(given)}`;
};
const LOST = [/ERR_/, /Failed to load resource/];

/** A test in which `disturb` is called with the name of each of the three places at which the agent waits. */
function disturbed(name, disturb) {
  relayTest(name, { address, allow: LOST }, async (chat, { agent, between }) => {
    agent.forget();
    const harbor = new Harbor(chat.page);
    await chat.send("Search and deploy");
    for (const [place, word] of [["first", "first-15"], ["second", "second-15"], ["third", "third-15"]]) {
      await chat.says(word);
      await disturb({ chat, between, place });
      // The agent continues meanwhile.
      agent.proceed();
    }
    await chat.says("third-29");
    await chat.approve(chat.card("deployApplication"));
    await chat.says("after-29");
    await chat.idle();
    await check(chat, agent, harbor);
  });
}

/** Checks what an undisturbed turn leaves: the text, the requests, and the effects of the handlers. */
async function check(chat, agent, harbor) {
  const text = (await chat.log.innerText()).replaceAll(/\s+/g, " ");
  for (const message of ["first", "second", "third", "after"]) {
    const whole = Array.from({ length: WORDS }, (_, word) => `${message}-${word}`).join(" ");
    assert.equal(text.split(whole).length, 2, `${message} is there once, whole:\n${text}`);
    assert.equal(text.split(`${message}-0 `).length, 2, `${message} begins once:\n${text}`);
  }
  const requests = agent.requests("long").map(({ body }) => body);
  assert.equal(requests.length, 2, "each run is started once");
  const [, { messages }] = requests;
  assert.deepEqual(
    messages.map(({ role, toolCallId, toolCalls }) => [role, toolCallId ?? toolCalls?.[0].id].filter(Boolean).join(" ")),
    [
      "user",
      "assistant",
      "assistant call_search",
      "tool call_search",
      "assistant",
      "assistant call_deploy",
      "tool call_deploy",
      "assistant",
    ],
  );
  await shows(harbor.lane("production"), "9.9.9");
  const entries = await harbor.activity.getByRole("listitem").allInnerTexts();
  assert.equal(entries.filter((entry) => entry.includes("9.9.9")).length, 1, entries.join("\n"));
  assert.equal(await chat.page.locator(".la-notice").count(), 0, "no notice is shown");
}

async function reload({ chat }) {
  await chat.page.reload();
  await chat.composer.waitFor();
  await chat.running();
}

disturbed("an undisturbed run through the relay is the measure", async () => {});

disturbed("a reload in the middle of an answer resumes it", async (scene) => {
  if (scene.place === "first") await reload(scene);
});

disturbed("a connection that is cut in the middle of an answer is continued", async ({ between, place }) => {
  if (place !== "third") between.hangUp();
});

disturbed("a reload with an open approval resumes the run and asks once", async (scene) => {
  if (scene.place !== "third") return;
  await scene.chat.card("deployApplication").getByRole("button", { name: "Approve" }).waitFor();
  await reload(scene);
  await scene.chat.card("deployApplication").getByRole("button", { name: "Approve" }).waitFor();
  assert.equal(await scene.chat.card("deployApplication").count(), 1);
  await scene.chat.picture("reattached with an open approval");
});

disturbed("reloads and cuts at every place leave the same conversation", async (scene) => {
  scene.between.hangUp();
  await reload(scene);
});

relayTest("Stop ends a resumed run at the relay, and no handler starts", { address, allow: LOST }, async (chat, { agent, between }) => {
  agent.forget();
  await chat.send("Search and deploy");
  await chat.says("first-15");
  agent.proceed();
  await chat.says("second-15");
  await reload({ chat });
  await chat.stopButton.click();
  await chat.idle();
  agent.proceed();
  const [{ body }] = agent.requests("long");
  await eventually(async () => {
    const stored = await fetch(`${between.url}runs/${body.threadId}/${body.runId}`);
    assert.match(await stored.text(), /The run was stopped\./);
  });
  await chat.status(chat.card("web_search"), "failed");
  assert.equal(agent.requests("long").length, 1);
});
