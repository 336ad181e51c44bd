// The chat window as a person sees it: what every page with the component promises to whoever automates it.

import assert from "node:assert/strict";

import { SLOWDOWN, picture } from "./browser.mjs";

export class Chat {
  /** The chat of a page, or the one inside of `place`. */
  constructor(page, place = page) {
    this.page = page;
    this.root = place.locator("[data-assistant-chat]");
    this.log = this.root.getByRole("log", { name: "Conversation" });
    this.composer = this.root.getByRole("textbox", { name: "Message", exact: true });
    this.stopButton = this.root.getByRole("button", { name: "Stop", exact: true });
  }

  /** Types and sends with Enter, and waits until the message stands in the transcript. */
  async send(text) {
    const before = await this.messages("user").count();
    await this.composer.fill(text);
    await this.composer.press("Enter");
    await this.messages("user").nth(before).waitFor();
  }

  /** Sends, and waits until nothing runs or waits any more. */
  async ask(text) {
    await this.send(text);
    await this.idle();
  }

  /** Waits until no run, handler or approval is open. */
  async idle() {
    // What an input changes is on the screen after the next frame.
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await this.root.and(this.page.locator(":not([data-running])")).waitFor();
  }

  /** Waits until something runs. */
  running() {
    return this.root.and(this.page.locator("[data-running]")).waitFor();
  }

  /** The messages of one role, in order. */
  messages(role) {
    return this.root.locator(`[data-message-id][data-role="${role}"]`);
  }

  /** The cards of a tool, in order. */
  card(name) {
    return this.root.locator(`[data-tool-name="${name}"]`);
  }

  /** Waits for a card to reach a status. */
  async status(card, status) {
    await eventually(async () => assert.equal(await card.getAttribute("data-status"), status));
  }

  /**
   * Writes down, from now on, each status that a card of this tool shows, with its words. Returns a function that gives
   * what was seen so far.
   */
  async watch(name) {
    await this.root.evaluate((root, name) => {
      const seen = [];
      const look = () => {
        const card = root.querySelector(`[data-tool-name="${name}"]`);
        if (!card) return;
        const [status, text] = [card.dataset.status, card.innerText.trim()];
        const last = seen.at(-1);
        if (text && (last?.status !== status || last?.text !== text)) seen.push({ status, text });
      };
      new MutationObserver(look).observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
      (globalThis.watched ??= {})[name] = seen;
    }, name);
    return () => this.page.evaluate((name) => globalThis.watched[name], name);
  }

  /** Reads what a card asks about to its end, without which no approval counts, and approves it. */
  approve(card) {
    return decide(card, /^Approve(:|$)/);
  }

  deny(card) {
    return deny(card);
  }

  /** The open dialog, with its two buttons. */
  dialog() {
    return this.page.getByRole("dialog").or(this.page.getByRole("alertdialog"));
  }

  /** Notices that say this. */
  notice(pattern) {
    const live = "[role=alert], [role=status]:not(.la-announcer *)";
    return this.page.locator(`.la-notice, ${live}`).filter({ hasText: pattern });
  }

  /** Waits until an element has the focus. */
  async hasFocus(element, message) {
    await eventually(async () => {
      assert.ok(await element.evaluate((node) => node === document.activeElement), message ?? "it has the focus");
    });
  }

  /** Presses a key until an element has the focus, as someone without a mouse does. */
  async reach(element, key = "Tab", most = 60) {
    const focused = () => element.evaluate((node) => node === document.activeElement);
    for (let steps = 0; steps < most && !(await focused()); steps++) await this.page.keyboard.press(key);
    assert.ok(await focused(), `${key} reaches it`);
  }

  /** Waits until the transcript says this. */
  async says(expected) {
    await eventually(async () => {
      const text = await this.log.innerText();
      const found = expected instanceof RegExp ? expected.test(text) : text.includes(expected);
      assert.ok(found, `the transcript says ${expected}:\n${text}`);
    });
  }

  picture(name) {
    return picture(this.page, name);
  }
}

/**
 * Reads what a card asks about to its end, without which no answer counts, and gives it by this button. A click counts
 * once the card stands still: who scrolls and clicks at once clicks again.
 */
export async function decide(card, name) {
  const button = await read(card, name);
  const refused = (button) =>
    new Promise((done) => requestAnimationFrame(() => done(button.isConnected && button.hasAttribute("aria-disabled"))));
  do {
    await press(card.page(), button);
  } while (await button.evaluate(refused));
}

/** Reads what a card asks about to its end. Returns the button of this name. */
export async function read(card, name) {
  const ends = card.locator(".la-approval-end");
  await ends.first().waitFor({ state: "attached" });
  for (const end of await ends.all()) await end.scrollIntoViewIfNeeded();
  const button = await card.getByRole("button", { name, exact: typeof name === "string" }).elementHandle();
  await button.scrollIntoViewIfNeeded();
  await dwells(card, button);
  return button;
}

/** Clicks on a button once it is enabled. By the mouse: a click of Playwright's own scrolls each time where there is little room. */
export async function press(page, button) {
  await button.waitForElementState("enabled");
  const { x, y, width, height } = await button.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
}

/** What must have been visible for half a second each before an answer counts. */
const PARTS = "p, dt, dd, li, pre, blockquote, legend, .la-approval-end, input, select, textarea, button";

/** Dwells on each part of a card that does not fit into the view whole, and ends at the button. */
async function dwells(card, button) {
  const counts = () => button.waitForElementState("enabled", { timeout: 1500 * SLOWDOWN }).then(() => true, () => false);
  if (await counts()) return;
  for (const part of await card.locator(PARTS).all()) {
    if (!(await part.isVisible())) continue;
    await part.scrollIntoViewIfNeeded();
    await card.page().waitForTimeout(700 * SLOWDOWN);
  }
  await button.scrollIntoViewIfNeeded();
}

/** Denies what a card asks about: a press asks for a reason where one is taken, a second one denies. */
export async function deny(card, reason) {
  const button = card.getByRole("button", { name: "Deny", exact: true });
  const asksWhy = (await button.getAttribute("aria-expanded")) !== null;
  await button.click();
  if (!asksWhy) return;
  if (reason) await card.getByLabel("Reason (optional)", { exact: true }).fill(reason);
  await button.click();
}

/** Repeats a check until it holds; its last failure is thrown when it does not in time. */
export async function eventually(check, seconds = 20 * SLOWDOWN) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
