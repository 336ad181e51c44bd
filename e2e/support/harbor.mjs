// The demo's panels beside the chat, in which tests check the effect of actions.

import assert from "node:assert/strict";

import { eventually } from "./chat.mjs";

export class Harbor {
  constructor(page) {
    this.page = page;
    this.projects = this.panel("Projects");
    this.search = this.panel("Search");
    this.conditions = this.panel("Conditions");
    this.sources = this.panel("Data source");
    this.activity = this.panel("Activity");
    this.mayDeploy = page.getByRole("switch", { name: "The assistant may deploy" });
  }

  panel(title) {
    return this.page.getByRole("region", { name: title, exact: true });
  }

  /** The lane of an environment: dev, staging or production. */
  lane(environment) {
    return this.page.locator(`[data-environment="${environment}"]`);
  }

  /** The newest entry of the activity feed. */
  get newest() {
    return this.activity.getByRole("listitem").first();
  }
}

/** Waits until an element has this text. */
export async function shows(element, expected) {
  await eventually(async () => {
    const text = await element.innerText();
    const found = expected instanceof RegExp ? expected.test(text) : text.includes(expected);
    assert.ok(found, `it shows ${expected}:\n${text}`);
  });
}
