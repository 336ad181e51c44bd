// Early ends of the demo's scenes: Stop, an action that is disabled, another conversation, a stopped program. Each time
// every call comes to an end, the page shows it, and the next message works. Unmounted components are tested in
// tests/web/lifecycle.rs, the run limit and broken streams in notices.rs.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { SLOW_STAGE_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const chatTest = (name, body) =>
  pageTest(name, { address: ({ page }) => page.url }, (chat) => body(chat, new Harbor(chat.page)));

/** Starts a deployment, whose first stage does not end. */
async function startDeployment(chat, harbor) {
  await holdTimers(chat.page, SLOW_STAGE_MS);
  await chat.send("slow task");
  await shows(harbor.lane("staging"), "step 1 of 5");
}

/** Checks that the agent answers again. */
async function answersAgain(chat) {
  const before = await chat.messages("assistant").count();
  await chat.ask("Where is order A-17?");
  await chat.says("Order A-17 is shipped.");
  assert.ok((await chat.messages("assistant").count()) > before);
}

chatTest("Stop by keyboard ends a running handler", async (chat, harbor) => {
  await startDeployment(chat, harbor);
  const card = chat.card("deployment_process");
  await chat.status(card, "executing");
  await chat.reach(chat.stopButton);
  await chat.page.keyboard.press("Enter");
  await chat.idle();
  await chat.hasFocus(chat.composer, "the focus moves to the composer");
  await chat.status(card, "failed");
  await shows(card, "Deployment stopped");
  await shows(harbor.lane("staging"), /2\.3\.1[^]*Healthy/);
  await shows(harbor.newest, "Version slow stopped on its way to staging");
  assert.equal(await chat.notice("Stopped.").count(), 0, "only the card shows it");
  assert.equal(await chat.page.getByRole("alert").filter({ hasText: /\S/ }).count(), 0, "no error is shown");
  await answersAgain(chat);
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

chatTest("a new conversation cancels a running handler", async (chat, harbor) => {
  await startDeployment(chat, harbor);
  await chat.root.getByRole("button", { name: "New conversation" }).click();
  await chat.idle();
  await eventually(async () => assert.equal(await chat.messages("user").count(), 0));
  await shows(harbor.lane("staging"), /2\.3\.1[^]*Healthy/);
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
