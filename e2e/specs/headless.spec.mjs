// A window that an application built from the handle alone: examples/headless.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { application } from "../support/examples.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await application("headless");
  open.push(page);
  return { page };
});

const options = { address: ({ page }) => page.url, bare: true };

pageTest("an approved call runs, and its result is shown", options, async ({ page }) => {
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("Milk");
  await field.press("Enter");
  assert.equal(await field.inputValue(), "", "sending clears the field");
  const question = page.getByRole("group", { name: "add_item" });
  await question.getByText('"name":"Milk"').waitFor();
  assert.equal(await page.getByRole("listitem").count(), 0, "nothing is added before the approval");
  await accessible(page);
  await question.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Done: Milk is on the list.").waitFor();
  assert.deepEqual(await page.getByRole("listitem").allTextContents(), ["Milk"]);
  await page.getByText("2 runs, 1 calls ended").waitFor();
  assert.equal(await question.count(), 0);
  await accessible(page);
});

pageTest("a denied call does not run", options, async ({ page }) => {
  await page.getByRole("textbox", { name: "Message" }).fill("Rum");
  await page.getByRole("button", { name: "Send" }).click();
  const question = page.getByRole("group", { name: "add_item" });
  await question.getByRole("button", { name: "Deny" }).click();
  await page.getByText(/^Done: .*Not now/).waitFor();
  assert.equal(await page.getByRole("listitem").count(), 0);
});
