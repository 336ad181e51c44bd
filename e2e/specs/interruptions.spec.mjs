// Early ends of the demo's scenes: Stop, a component that is removed, another conversation, the run limit, a broken
// connection. Each time every call comes to an end, the page shows it, and the next message works.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const chatTest = (name, body) =>
  pageTest(name, { address: ({ page }) => page.url }, (chat) => body(chat, new Harbor(chat.page)));

/** Checks that the agent answers again. */
async function answersAgain(chat) {
  const before = await chat.messages("assistant").count();
  await chat.ask("Where is order A-17?");
  await chat.says("Order A-17 is shipped.");
  assert.ok((await chat.messages("assistant").count()) > before);
}

chatTest("Stop by keyboard ends a running handler", async (chat, harbor) => {
  await chat.send("slow task");
  const card = chat.card("deployment_process");
  await shows(harbor.lane("staging"), "step 1 of 5");
  await chat.status(card, "executing");
  await chat.reach(chat.stopButton);
  await chat.page.keyboard.press("Enter");
  await chat.idle();
  await chat.hasFocus(chat.composer, "the focus goes on to the composer");
  await chat.status(card, "failed");
  await shows(card, "Deployment stopped");
  await shows(harbor.lane("staging"), /2\.3\.1[^]*Healthy/);
  await shows(harbor.newest, "Version slow stopped on its way to staging");
  assert.equal(await chat.notice("Stopped.").count(), 0, "the card says it");
  assert.equal(await chat.page.getByRole("alert").filter({ hasText: /\S/ }).count(), 0, "it is no error");
  await answersAgain(chat);
});

chatTest("a pending handler can be stopped", async (chat) => {
  await chat.send("Pick a data source for the berth report");
  const card = chat.card("selectDataSource");
  await card.getByRole("button", { name: "Berth telemetry" }).waitFor();
  await chat.stopButton.click();
  await chat.idle();
  await chat.status(card, "failed");
  assert.equal(await card.getByRole("button").count(), 0, "there is nothing left to choose");
  await answersAgain(chat);
});

chatTest("Stop closes a pending approval, and nothing runs", async (chat, harbor) => {
  await chat.send("What's the weather?");
  const card = chat.card("get_weather");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await chat.stopButton.click();
  await chat.idle();
  await chat.status(card, "failed");
  assert.equal(await card.getByRole("button", { name: "Approve" }).count(), 0);
  await shows(harbor.conditions, "No place shared yet");
  await answersAgain(chat);
});

chatTest("unmounting a component cancels its running call, and the agent answers", async (chat, harbor) => {
  await chat.send("Search for slow boats");
  const card = chat.card("web_search");
  await chat.status(card, "executing");
  await harbor.search.getByRole("button", { name: "Close search" }).click();
  await chat.status(card, "failed");
  await chat.idle();
  await chat.says("web_search failed: cancelled. I will go on without it.");
  await shows(card, /web search\s+slow boats\s+Cancelled/);
  await chat.ask("Search for crabs");
  await chat.says("I cannot search while the search panel is closed.");
  await harbor.search.getByRole("button", { name: "Open search" }).click();
  await chat.ask("Search for crabs");
  await chat.says("I found one page: Crabs on the quay wall.");
});

chatTest("unmounting a component replaces its card with the default card", async (chat, harbor) => {
  await chat.ask("Search for crabs");
  const card = chat.card("web_search");
  await shows(card, 'Found 1 result for "crabs"');
  await harbor.search.getByRole("button", { name: "Close search" }).press("Enter");
  await shows(card, /web search\s+crabs\s+Done/);
  await chat.status(card, "complete");
  await chat.hasFocus(harbor.search.getByRole("button", { name: "Open search" }), "the focus is not lost");
  await chat.page.keyboard.press("Enter");
  await shows(card, 'Found 1 result for "crabs"');
});

chatTest("a disabled action hides Approve, and its approval can be dismissed", async (chat, harbor) => {
  await chat.send("Deploy 2.4.0 to production");
  const card = chat.card("deployApplication");
  const approve = card.getByRole("button", { name: "Approve" });
  await approve.waitFor();
  await harbor.mayDeploy.click();
  await shows(card, "This action is no longer on the page.");
  assert.equal(await approve.count(), 0);
  await harbor.mayDeploy.click();
  await approve.waitFor();
  await harbor.mayDeploy.click();
  await shows(card, "This action is no longer on the page.");
  await card.getByRole("button", { name: "Dismiss", exact: true }).click();
  await chat.idle();
  await chat.says("deployApplication failed: Action deployApplication is not available any more.");
  await shows(harbor.lane("production"), "2.3.1");
});

chatTest("a new conversation drops a pending approval, and nothing runs", async (chat, harbor) => {
  await chat.send("What's the weather?");
  await chat.card("get_weather").getByRole("button", { name: "Approve" }).waitFor();
  await chat.root.getByRole("button", { name: "New conversation" }).click();
  await chat.idle();
  assert.equal(await chat.card("get_weather").count(), 0);
  assert.equal(await chat.messages("user").count(), 0);
  await chat.root.getByRole("button", { name: "Search for tide tables" }).waitFor();
  await shows(harbor.conditions, "No place shared yet");
  await chat.ask("Search for tide tables");
  await chat.says("I found 2 pages");
});

chatTest("a new conversation cancels a running handler", async (chat, harbor) => {
  await chat.send("slow task");
  await shows(harbor.lane("staging"), "step 1 of 5");
  await chat.root.getByRole("button", { name: "New conversation" }).click();
  await chat.idle();
  await shows(harbor.lane("staging"), /2\.3\.1[^]*Healthy/);
  await answersAgain(chat);
});

chatTest("a loop ends at the run limit, and Continue resumes it", async (chat) => {
  await chat.send("Keep searching");
  const more = chat.page.getByRole("button", { name: "Continue" });
  await more.waitFor({ timeout: 30_000 });
  await chat.idle();
  const calls = await chat.card("web_search").count();
  assert.equal(calls, 10, "the default limit");
  for (const status of await chat.card("web_search").evaluateAll((cards) => cards.map((card) => card.dataset.status))) {
    assert.equal(status, "complete", "the calls of the last run were carried out");
  }
  await more.click();
  await chat.running();
  await chat.card("web_search").nth(calls).waitFor();
  await chat.stopButton.click();
  await chat.idle();
  await answersAgain(chat);
});

chatTest("a truncated stream keeps its text and shows a notice with Retry", async (chat) => {
  await chat.ask("Cut the line");
  await chat.says("This answer breaks off before");
  const retry = chat.page.getByRole("button", { name: "Retry" });
  await retry.waitFor();
  await retry.press("Enter");
  await chat.idle();
  await retry.waitFor();
  assert.equal(await chat.messages("user").count(), 1, "the question stands once");
  await answersAgain(chat);
  assert.equal(await retry.count(), 0, "the notice is gone");
});

chatTest("an error of the agent is shown in a notice", async (chat) => {
  await chat.ask("Crash");
  await chat.notice(/the model exploded/).waitFor();
  await chat.says("About to fail.");
  await answersAgain(chat);
});

const ends = { address: ({ page }) => page.url, allow: [/ends the program/, /unreachable/] };

pageTest("a stopped program shows a notice with a reload link", ends, async (chat) => {
  await chat.composer.fill("Break the page");
  await chat.composer.press("Enter");
  await chat.notice(/The chat has stopped/).waitFor();
  await accessible(chat.page);
  await Promise.all([chat.page.waitForEvent("load"), chat.page.getByRole("link", { name: "Reload the page" }).click()]);
  await chat.ask("Where is order A-17?");
  await chat.says("Order A-17 is shipped.");
});
