// The demo's remembered approvals: granted, marked, listed and revoked.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { allowFor } from "../support/questions.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const chatTest = (name, body) =>
  pageTest(name, { address: ({ page }) => `${page.url}?store=none` }, (chat) => body(chat, new Harbor(chat.page)));

const allowed = (harbor) => harbor.panel("What you allowed");

chatTest("a permanent approval applies after a reload until it is revoked", async (chat, harbor) => {
  await shows(allowed(harbor), "You are asked every time");
  await chat.send("What's the weather?");
  const first = chat.card("get_weather").first();
  await allowFor(first, "Always");
  await chat.picture("allowed-choice");
  await chat.approve(first);
  await chat.status(first, "complete");
  await chat.idle();
  await shows(allowed(harbor), /Look up the weather[^]*Always[^]*Only these exact values[^]*Rotterdam/);

  await chat.ask("What's the weather?");
  const second = chat.card("get_weather").nth(1);
  await chat.status(second, "complete");
  await shows(second, "Allowed earlier");
  assert.equal(await first.getByText("Allowed earlier").count(), 0, "the user was asked about the first call");
  await chat.picture("allowed-earlier");
  await second.getByRole("button", { name: "Allowed earlier" }).click();
  const dialog = chat.page.getByRole("dialog", { name: "What you allowed" });
  await dialog.getByRole("button", { name: "Revoke Look up the weather" }).waitFor();
  await accessible(chat.page, "dialog[open]");
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "hidden" });

  // Another environment needs an approval.
  await chat.send("What's the weather in Hamburg?");
  const other = chat.card("get_weather").nth(2);
  await other.getByRole("button", { name: "Approve" }).waitFor();
  await chat.deny(other);
  await chat.idle();

  await chat.page.reload();
  await chat.composer.waitFor();
  await shows(allowed(harbor), "Look up the weather");
  await chat.ask("What's the weather?");
  await chat.status(chat.card("get_weather").first(), "complete");
  await shows(chat.card("get_weather").first(), "Allowed earlier");

  await allowed(harbor).getByRole("button", { name: "Revoke Look up the weather" }).click();
  await shows(allowed(harbor), "You are asked every time");
  await chat.send("What's the weather?");
  await chat.card("get_weather").nth(1).getByRole("button", { name: "Approve" }).waitFor();
  await shows(harbor.conditions, /14°[^]*Rotterdam/);
});

chatTest("an approval for any version in one environment covers the next version", async (chat, harbor) => {
  await harbor.mayDeploy.check();
  await chat.send("Deploy 2.0.0 to production");
  const card = chat.card("deployApplication");
  await allowFor(card, "Until I close this page");
  await card.getByLabel("With any values, same environment").check();
  await chat.approve(card);
  await chat.idle();
  await chat.ask("Deploy 2.1.0 to production");
  await shows(chat.card("deployApplication").nth(1), "Allowed earlier");
  await shows(harbor.lane("production"), "2.1.0");
});
