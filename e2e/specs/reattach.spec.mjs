// A run behind a relay that stores its events (examples/relay) survives a reload and a lost connection: the conversation
// is the undisturbed one, handlers run once, and nothing is asked twice (rule "reattaching to a run").

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { eventually } from "../support/chat.mjs";
import { fakeAgent } from "../support/fake-agent.mjs";
import { Harbor } from "../support/harbor.mjs";
import { InterruptedTurn } from "../support/interrupted.mjs";
import { relay } from "../support/relay.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const turn = new InterruptedTurn(30);

/** Plays the turn, and waits for the test in the middle of each message of its first response. */
const scene = (answer, input, hold) =>
  turn.play(answer, input, async ({ message, word }) => {
    if (message !== "after" && word === turn.words / 2) await hold();
  });

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
    await turn.check(chat, agent.requests("long").map(({ body }) => body));
    await turn.checkDeployment(harbor);
  });
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
