// Reattaching with the npm package: a run behind the relay survives a reload and a lost connection (rule "reattaching
// to a run").

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { mountIn, stored } from "../support/embed.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { relay } from "../support/relay.mjs";
import { plainPage } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

/** Answers in two halves, and waits for the test between them. */
async function halves(answer, input, hold) {
  const messageId = `answer_${input.runId}`;
  const write = (delta) => send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  write("The first half, ");
  await hold();
  write("and the second.");
  send(answer, { type: "TEXT_MESSAGE_END", messageId });
  finish(answer, input);
}

const pageTest = suite(async (open) => {
  const page = await plainPage();
  const origin = new URL(page.url).origin;
  const agent = await fakeAgent({ scenes: { halves: Array(4).fill(halves) } });
  const folder = await mkdtemp(path.join(tmpdir(), "relay-"));
  const between = await relay({ agent: `${agent.url}halves`, folder, origin });
  open.push({ close: () => rm(folder, { recursive: true }) }, page, agent, between);
  return { page, agent, between };
});

const address = ({ page, between }) => `${page.url}host.html?${new URLSearchParams({ agent: between.url })}`;

for (const [name, disturb] of [
  ["a reload", async (page, mount) => (await page.reload(), mount())],
  ["a lost connection", async (page, mount, chat, between) => (between.hangUp(), chat)],
]) {
  const options = { address, bare: true, allow: [/ERR_/, /Failed to load resource/] };
  pageTest(`a chat of the package resumes its answer after ${name}`, options, async ({ page }, { agent, between }) => {
    agent.forget();
    const given = { reattach: `${between.url}runs`, store: "indexeddb", storeName: name };
    const mount = () => mountIn(page, "one", between.url, given, "full");
    const before = await mount();
    await before.send("Hello");
    await before.says("The first half,");
    await stored(page);
    const chat = await disturb(page, mount, before, between);
    await chat.says("The first half,");
    agent.proceed();
    await chat.says("The first half, and the second.");
    await chat.idle();
    assert.equal(await chat.messages("assistant").count(), 1);
    assert.equal(agent.requests("halves").length, 1, "the run is not started again");
  });
}
