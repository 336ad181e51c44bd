// The demo's scenes with the agent of the page: the cards, the user's decisions, and the changes of the page. Early
// ends of scenes are in interruptions.spec.mjs, the chat as such in chat.spec.mjs.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { more } from "../support/questions.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { ROLLOUT_MS, STAGE_MS, WORD_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const chatTest = (name, body) =>
  pageTest(name, { address: ({ page }) => page.url }, (chat) => body(chat, new Harbor(chat.page)));

/** Sends a text, and waits until the card of a tool is shown while the script writes its arguments. */
async function sendSlowly(chat, text, tool) {
  const words = await holdTimers(chat.page, WORD_MS);
  await chat.send(text);
  while ((await chat.card(tool).count()) === 0) {
    await words.next();
    // The card is drawn in one of the next frames.
    await chat.page.evaluate(async () => {
      for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame);
    });
  }
  await words.release();
}

chatTest("an approved weather call runs once and updates the panel", async (chat, harbor) => {
  await chat.send("What's the weather?");
  const card = chat.card("get_weather");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await shows(card, /Look up the weather\?[^]*Place\s+Rotterdam/);
  await shows(await more(card), /Runs on this page: get_weather[^]*"location": "Rotterdam"/);
  await shows(harbor.conditions, "No place shared yet");
  await chat.status(card, "pending");
  await chat.approve(card);
  await chat.status(card, "complete");
  await chat.idle();
  await chat.says("Here it is: 14 °C in Rotterdam, light rain");
  await shows(harbor.conditions, /14°[^]*Rotterdam/);
  await shows(harbor.newest, /Looked up the weather in Rotterdam\s+Assistant, approved by you/);
  assert.equal(await harbor.activity.getByText("Looked up the weather").count(), 1, "it ran once");
});

chatTest("a denied weather call shares nothing", async (chat, harbor) => {
  await chat.send("What's the weather?");
  const card = chat.card("get_weather");
  await chat.deny(card);
  await chat.status(card, "failed");
  await chat.idle();
  await chat.says("You denied get_weather, so I leave it.");
  await shows(harbor.conditions, "No place shared yet");
});

chatTest("a call can be denied with the keyboard alone", async (chat, harbor) => {
  const { keyboard } = chat.page;
  await chat.reach(chat.composer);
  await keyboard.type("What's the weather?");
  await keyboard.press("Enter");
  const deny = chat.card("get_weather").getByRole("button", { name: "Deny" });
  await deny.waitFor();
  await chat.hasFocus(chat.composer, "the card takes no focus");
  await chat.reach(deny, "Shift+Tab");
  await keyboard.press("Enter");
  await chat.hasFocus(chat.card("get_weather").getByLabel("Reason (optional)"), "Deny asks for a reason");
  await keyboard.press("Enter");
  await chat.idle();
  await chat.says("You denied get_weather");
  await chat.hasFocus(chat.composer, "the composer gets the focus");
  await shows(harbor.conditions, "No place shared yet");
});

chatTest("a confirmation question can be cancelled by keyboard", async (chat, harbor) => {
  await chat.send("Rotate the API keys, but ask me first");
  await chat.hasFocus(chat.dialog());
  await chat.dialog().getByRole("button", { name: "Cancel", disabled: false }).waitFor();
  await chat.reach(chat.dialog().getByRole("button", { name: "Cancel" }));
  await chat.page.keyboard.press("Enter");
  await chat.idle();
  await chat.says("You rejected it");
  await shows(harbor.newest, "You rejected: rotate the API keys");
});

chatTest("a deletion confirmed by keyboard removes the row", async (chat, harbor) => {
  await chat.send("Delete the project atlas-sandbox");
  const dialog = chat.dialog();
  await chat.hasFocus(dialog);
  await chat.status(chat.card("confirmDeletion"), "executing");
  await shows(harbor.projects, "atlas-sandbox");
  await chat.reach(dialog.getByRole("button", { name: "Confirm", disabled: false }));
  await chat.page.keyboard.press("Enter");
  await chat.idle();
  await chat.says("Done: atlas-sandbox is deleted.");
  await shows(harbor.projects, "3 projects");
  assert.equal(await harbor.projects.getByText("atlas-sandbox", { exact: true }).count(), 0);
  await eventually(async () => assert.equal(await dialog.count(), 0));
});

chatTest("a deletion cancelled with Escape keeps the row", async (chat, harbor) => {
  await chat.send("Delete the project atlas-sandbox");
  await chat.dialog().getByRole("button", { name: "Cancel", disabled: false }).waitFor();
  await chat.page.keyboard.press("Escape");
  await chat.idle();
  await chat.says("You cancelled, so atlas-sandbox stays.");
  await shows(chat.card("confirmDeletion"), "User cancelled deletion of atlas-sandbox");
  await shows(harbor.projects, "4 projects");
});

chatTest("search updates its card in every status and shows results in the panel", async (chat, harbor) => {
  const states = await chat.watch("web_search");
  await sendSlowly(chat, "Search for tide tables", "web_search");
  await chat.idle();
  assert.deepEqual(await states(), [
    { status: "pending", text: "Preparing to search…" },
    { status: "executing", text: 'Searching for "tide tables"…' },
    { status: "complete", text: 'Found 2 results for "tide tables"' },
  ]);
  await chat.says("I found 2 pages: Tide tables for Rotterdam, 2026; Reading a tide table.");
  await shows(harbor.search, /2 results for “tide tables”[^]*Tide tables for Rotterdam, 2026[^]*Reading a tide table/);
});

chatTest("a failed handler shows its error in card and panel, and the agent continues", async (chat, harbor) => {
  const states = await chat.watch("web_search");
  await sendSlowly(chat, "Search for pier failure reports", "web_search");
  await chat.idle();
  const statuses = (await states()).map(({ status }) => status);
  assert.deepEqual(statuses, ["pending", "executing", "failed"]);
  await shows(chat.card("web_search"), "Search failed: the search index is being rebuilt");
  await chat.says("web_search failed: the search index is being rebuilt. I will continue without it.");
  await shows(harbor.search, "the search index is being rebuilt");
});

chatTest("a choice in a card can be made by keyboard", async (chat, harbor) => {
  await chat.send("Pick a data source for the berth report");
  const card = chat.card("selectDataSource");
  const group = card.getByRole("group", { name: "Choose a data source" });
  await group.waitFor();
  await chat.running();
  const option = group.getByRole("button", { name: "Berth telemetry" });
  await chat.reach(option, "Shift+Tab");
  await chat.page.keyboard.press("Enter");
  await chat.idle();
  await chat.says("I will use Berth telemetry (Time series).");
  await shows(card, "Selected: Berth telemetry (Time series)");
  await eventually(async () => assert.ok(await harbor.sources.getByRole("radio", { name: /Berth telemetry/ }).isChecked()));
  await chat.hasFocus(chat.composer, "the composer gets the focus");
});

chatTest("a cancelled and an empty choice are reported", async (chat, harbor) => {
  await chat.send("Pick a data source for the berth report");
  await chat.card("selectDataSource").getByRole("button", { name: "Cancel" }).click();
  await chat.idle();
  await chat.says("No data source was selected, so I cannot continue.");
  assert.ok(await harbor.sources.getByRole("radio", { name: /Orders warehouse/ }).isChecked());
  await chat.ask("Pick a data source with satellite images");
  await shows(chat.card("selectDataSource").nth(1), "No data source is available for satellite images");
});

chatTest("a deployment to production needs approval and updates its lane", async (chat, harbor) => {
  await chat.send("Deploy 2.4.0 to production");
  const card = chat.card("deployApplication");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await shows(harbor.lane("production"), "2.3.1");
  // The deployment ends only after its progress was seen.
  const rollout = await holdTimers(chat.page, ROLLOUT_MS);
  await chat.approve(card);
  await chat.idle();
  await chat.says(/Deployment dep-\d+ is initiated and takes about 5 minutes\./);
  await shows(harbor.lane("production"), /2\.4\.0[^]*Rolling out/);
  await rollout.release();
  await shows(harbor.lane("production"), /2\.4\.0[^]*Healthy/);
});

chatTest("the deploy switch controls whether deploy actions are offered", async (chat, harbor) => {
  await harbor.mayDeploy.click();
  await chat.ask("Deploy 2.4.0 to staging");
  await chat.says("I may not deploy.");
  await chat.ask("Run the full deployment process");
  assert.equal(await chat.card("deployApplication").count() + await chat.card("deployment_process").count(), 0);
  await shows(harbor.lane("staging"), "2.3.1");
  await harbor.mayDeploy.press("Space");
  await chat.ask("Deploy 2.4.0 to staging");
  await shows(harbor.lane("staging"), "2.4.0");
});

chatTest("card and lane show the progress of a handler", async (chat, harbor) => {
  const states = await chat.watch("deployment_process");
  const stages = await holdTimers(chat.page, STAGE_MS);
  await sendSlowly(chat, "Run the full deployment process", "deployment_process");
  const card = chat.card("deployment_process");
  const current = card.locator("[aria-current=step]");
  for (const stage of ["Building", "Testing", "Deploying", "Verifying"]) {
    await stages.next();
    await shows(current, stage);
  }
  await shows(harbor.lane("staging"), "step 5 of 5");
  await stages.release();
  await chat.idle();
  await shows(card, /Deployment dep-\d+ completed successfully/);
  await eventually(async () => assert.equal(await card.locator('[data-state="done"]').count(), 5));
  await shows(harbor.lane("staging"), /2\.4\.0[^]*Healthy/);
  assert.deepEqual([...new Set((await states()).map(({ status }) => status))], ["pending", "executing", "complete"]);
});

chatTest("a call without approval does not wait for one that needs it", async (chat, harbor) => {
  await chat.send("Search for crabs and tell me the weather in Oslo");
  await chat.status(chat.card("web_search"), "complete");
  await shows(harbor.search, "Crabs on the quay wall");
  await chat.status(chat.card("get_weather"), "pending");
  await chat.approve(chat.card("get_weather"));
  await chat.idle();
  await chat.says(/I found one page: Crabs on the quay wall\.\s+Here it is: /);
});

chatTest("a tool without a renderer has the default card with arguments and result", async (chat) => {
  await chat.ask("Where is order A-17?");
  const card = chat.card("lookup_order");
  await chat.status(card, "complete");
  await chat.reach(card.locator("summary"), "Shift+Tab");
  await chat.page.keyboard.press("Enter");
  await shows(card, /"order_id":\s*"A-17"[^]*"status": "shipped"/);
});
