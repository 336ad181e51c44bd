// The checklist for tools in a chat, by its own names: a tool executes, several steps work, the page may be reloaded in
// between, and an error does not end the chat.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { conversationOf, sketch } from "../support/stored-conversation.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const chatTest = (name, body) => pageTest(name, { address: ({ page }) => `${page.url}?chat=checklist` }, body);

chatTest("Tool executes: a triggered tool is shown running, then with its results", async (chat) => {
  const states = await chat.watch("web_search");
  await chat.send("Search for tide tables");
  const card = chat.card("web_search");
  await chat.status(card, "complete");
  await chat.idle();
  const statuses = (await states()).map(({ status }) => status);
  assert.ok(statuses.includes("executing"), `it was shown running: ${statuses}`);
  assert.equal(statuses.at(-1), "complete");
  await chat.says("2 pages");
});

chatTest("Multi-step works: after the tool has finished, the model answers about it", async (chat) => {
  await chat.ask("Search for tide tables");
  const path = sketch(await conversationOf(chat.page, "checklist"));
  const answers = path.filter(([role]) => role === "assistant");
  assert.ok(answers.length >= 2, "there were two steps");
  assert.match(answers.at(-1)[1], /^text: I found 2 pages/);
});

chatTest("UI persists: a pending tool survives a reload and completes", async (chat) => {
  await chat.send("What's the weather?");
  const card = chat.card("get_weather");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await chat.page.reload();
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await chat.status(card, "pending");
  assert.equal(await chat.card("get_weather").count(), 1, "nothing is duplicated");
  await chat.approve(card);
  await chat.status(card, "complete");
  await chat.idle();
  await chat.says("14 °C in Rotterdam");
});

chatTest("Fallback: a failed tool shows its error, and the chat continues", async (chat) => {
  await chat.ask("Search for pier failure reports");
  await chat.status(chat.card("web_search"), "failed");
  assert.equal((await chat.messages("assistant").allInnerTexts()).at(-1).trim() !== "", true);
  await chat.ask("Where is order A-17?");
  await eventually(async () => assert.match(await chat.messages("assistant").last().innerText(), /A-17/));
});
