// Answers to requests of agents from the user's side: approval cards and the questions of the inbox.

import assert from "node:assert/strict";

import { decide, deny, eventually } from "./chat.mjs";

/** The open questions that are not about a call with a card of its own, in order. */
export const questions = (chat) => chat.root.locator("[data-interrupt-id]");

/** Opens the details of an approval card: the name of the call, its exact arguments, "Change…". */
export async function more(card) {
  const fold = card.locator(".la-approval-more");
  if ((await fold.getAttribute("open")) === null) await fold.locator("summary", { hasText: /^\s*More\s*$/ }).click();
  return fold;
}

/** Opens the form that changes the arguments of an approval card. */
export async function change(card) {
  await more(card);
  await card.getByRole("button", { name: "Change…", exact: true }).click();
}

/** Changes the arguments in an approval card and approves them. */
export async function approveWith(card, args) {
  await change(card);
  await fill(card.locator("form"), args);
  await decide(card, "Approve");
}

/**
 * Chooses by keyboard how long an approval applies, as a user does: a grant that a script chooses does not count. The
 * choice applies once the card is approved.
 */
export async function allowFor(card, label) {
  const longer = card.getByRole("button", { name: "Allow for longer", exact: true });
  assert.equal(await card.getByRole("radio").count(), 0, "no scope is offered before");
  await longer.press("Enter");
  await eventually(async () => assert.equal(await longer.getAttribute("aria-expanded"), "true"));
  const onlyOnce = card.getByRole("radio", { name: "Just this once", exact: true });
  await eventually(async () => assert.ok(await onlyOnce.evaluate((node) => node === document.activeElement && node.checked)));
  const radio = card.getByRole("group", { name: "Allow", exact: true }).getByRole("radio", { name: label, exact: true });
  for (let step = 0; step < 4 && !(await radio.isChecked()); step++) await card.page().keyboard.press("ArrowDown");
  assert.ok(await radio.isChecked(), label);
}

/** Denies in an approval card that offers a reason. */
export async function denyBecause(card, reason) {
  await deny(card, reason);
}

/** Answers a question. */
export async function answer(question, value) {
  await fill(question, value);
  await decide(question, "Submit");
}

/** Cancels a question. */
export const giveUp = (question) => question.getByRole("button", { name: "Skip", exact: true }).click();

/** Fills a form: in its fields, by their labels, or as a whole where it accepts any JSON. */
export async function fill(form, value) {
  const whole = form.getByLabel(/^(Answer as JSON|Your answer)$/);
  await whole.or(form.getByRole("textbox")).first().waitFor();
  if (await whole.count()) return whole.fill(JSON.stringify(value));
  for (const [name, entry] of Object.entries(value)) {
    const named = (role) => form.getByRole(role, { name, exact: true });
    if (typeof entry === "boolean") await named("checkbox").setChecked(entry);
    else if (await named("combobox").count()) await named("combobox").selectOption({ label: entry });
    else await named("textbox").fill(String(entry));
  }
}
