// The chat window from the user's side: the structure that every page with the component offers to automation.

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

  /** Types and sends with Enter, and waits until the message is in the transcript. */
  async send(text) {
    const before = await this.messages("user").count();
    await this.composer.fill(text);
    await this.composer.press("Enter");
    await this.messages("user").nth(before).waitFor();
  }

  /** Sends, and waits until nothing is running or waiting any more. */
  async ask(text) {
    await this.send(text);
    await this.idle();
  }

  /** Waits until no run, handler or approval is open. */
  async idle() {
    // The effect of an input is on the screen after the next frame.
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await this.root.and(this.page.locator(":not([data-running])")).waitFor();
  }

  /** Waits until the run is over and the chat waits for the user, which the composer shows. */
  waiting() {
    return this.root.locator(".la-composer[data-state=blocked]").waitFor();
  }

  /** Waits until something is running. */
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
   * Records, from now on, each status that a card of this tool shows, with its text. Returns a function that returns
   * the list so far.
   */
  async watch(name) {
    await this.root.evaluate((root, name) => {
      const states = [];
      const look = () => {
        const card = root.querySelector(`[data-tool-name="${name}"]`);
        if (!card) return;
        const [status, text] = [card.dataset.status, card.innerText.trim()];
        const last = states.at(-1);
        if (text && (last?.status !== status || last?.text !== text)) states.push({ status, text });
      };
      new MutationObserver(look).observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
      (globalThis.watched ??= {})[name] = states;
    }, name);
    return () => this.page.evaluate((name) => globalThis.watched[name], name);
  }

  /** Scrolls to the end of a request, without which an approval does not count, and approves it. */
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

  /** Notices with this text. */
  notice(pattern) {
    const live = ":is([role=alert], [role=status], [aria-live=polite]):not(.la-announcer *, .la-dialog-live *)";
    return this.page.locator(`.la-notice, ${live}`).filter({ hasText: pattern });
  }

  /** Waits until an element has the focus. */
  async hasFocus(element, message) {
    await eventually(async () => {
      assert.ok(await element.evaluate((node) => node === node.getRootNode().activeElement), message ?? "it has the focus");
    });
  }

  /** Presses a key until an element has the focus, like a user without a mouse. */
  async reach(element, key = "Tab", most = 60) {
    const focused = () => element.evaluate((node) => node === node.getRootNode().activeElement);
    for (let steps = 0; steps < most && !(await focused()); steps++) await this.page.keyboard.press(key);
    assert.ok(await focused(), `${key} reaches it`);
  }

  /** Waits until the transcript contains this. */
  async says(expected) {
    await eventually(async () => {
      const text = await this.log.innerText();
      const found = expected instanceof RegExp ? expected.test(text) : text.includes(expected);
      assert.ok(found, `the transcript says ${expected}:\n${text}`);
    });
  }

  /** Shows tokens and times of the newest answer. */
  async opensDetails() {
    const bar = this.log.getByRole("group", { name: "Message actions" }).last();
    await bar.getByRole("button", { name: "Details" }).click();
  }

  picture(name) {
    return picture(this.page, name);
  }
}

/**
 * Scrolls to the end of a request, without which an answer does not count, and presses this button. A card that is
 * replaced before the click, as when its tab takes over the conversation, is read again.
 */
export async function decide(card, name) {
  for (let replaced = 0; ; replaced++) {
    try {
      return await readAndPress(card, name);
    } catch (error) {
      if (replaced === 2 || !error.message.includes("not attached to the DOM")) throw error;
    }
  }
}

/** A click counts once the card is stationary; a click that was refused, or that missed a button that moved, is repeated. */
async function readAndPress(card, name) {
  const button = await read(card, name);
  // The outcome is stored on the page, because a refused button may be enabled again before a busy machine asks for it.
  await button.evaluate((button) => {
    let isEarly = false;
    button.addEventListener("pointerdown", () => (isEarly = button.hasAttribute("aria-disabled")));
    button.addEventListener("click", () =>
      requestAnimationFrame(() => {
        const isRefused = isEarly || (button.isConnected && button.hasAttribute("aria-disabled"));
        button.dataset.clicked = isRefused ? "refused" : "accepted";
      }),
    );
  });
  const outcome = (button) =>
    new Promise((done) =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          done(button.dataset.clicked ?? (button.isConnected ? "missed" : "replaced"));
          delete button.dataset.clicked;
        }),
      ),
    );
  for (let presses = 0; presses < 20; presses++) {
    await press(card.page(), button);
    const result = await button.evaluate(outcome);
    if (result === "accepted") return;
    if (result === "replaced") throw new Error(`${name}: the button is not attached to the DOM any more`);
  }
  throw new Error(`${name}: 20 presses were refused, or missed the button`);
}

/** Scrolls to the end of a request. Returns the button of this name. */
export async function read(card, name) {
  const ends = card.locator(".la-approval-end");
  await ends.first().waitFor({ state: "attached" });
  for (const end of await ends.all()) await end.scrollIntoViewIfNeeded();
  const button = await card.getByRole("button", { name, exact: typeof name === "string" }).elementHandle();
  await button.scrollIntoViewIfNeeded();
  await showAllParts(card, button);
  return button;
}

/**
 * Clicks on a button once it is enabled and does not move, by the mouse: Playwright's own click scrolls each time where
 * space is small.
 */
export async function press(page, button) {
  await button.waitForElementState("stable");
  await button.waitForElementState("enabled");
  const box = await button.boundingBox();
  if (!box) throw new Error("the button is not attached to the DOM");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/** The parts that must have been visible for half a second each before an answer counts. */
const PARTS = "p, dt, dd, li, pre, blockquote, legend, .la-approval-end, input, select, textarea, button";

/** Shows each part of a card that does not fit into the view as a whole for long enough, and ends at the button. */
async function showAllParts(card, button) {
  const counts = () => button.waitForElementState("enabled", { timeout: 1500 * SLOWDOWN }).then(() => true, () => false);
  if (await counts()) return;
  for (const part of await card.locator(PARTS).all()) {
    if (!(await part.isVisible())) continue;
    await part.scrollIntoViewIfNeeded();
    await card.page().waitForTimeout(700 * SLOWDOWN);
  }
  await button.scrollIntoViewIfNeeded();
}

/** Denies a request: the first press opens the field for a reason if there is one, the second one denies. */
export async function deny(card, reason) {
  const button = card.getByRole("button", { name: "Deny", exact: true });
  const takesReason = (await button.getAttribute("aria-expanded")) !== null;
  await button.click();
  if (!takesReason) return;
  if (reason) await card.getByLabel("Reason (optional)", { exact: true }).fill(reason);
  await button.click();
}

/** Repeats a check until it passes; throws its last failure after a time limit. */
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
