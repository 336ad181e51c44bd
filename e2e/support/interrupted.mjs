// A turn whose connection tests interrupt: text, a search, text, a deployment that needs an approval, and text; then an
// answer to the results of both calls.

import assert from "node:assert/strict";

import { begin, finish, send } from "./fake-agent.mjs";
import { shows } from "./harbor.mjs";

/** The turn whose messages have this number of words each. */
export class InterruptedTurn {
  constructor(words) {
    this.words = words;
    /** The number of events of the turn, including the start and the end of both responses. */
    this.events = 4 * (words + 2) + 2 * 3 + 2 * 2;
  }

  /**
   * Plays one of the two responses. After each event it waits for `after`, which is called with the event's number in
   * the turn, from 1, and for a word with its message and its number.
   */
  async play(answer, input, after) {
    const isSecond = input.messages.some(({ role }) => role === "tool");
    let number = isSecond ? this.events - this.words - 4 : 0;
    const say = async (event, place = {}) => {
      send(answer, event);
      await after({ number: (number += 1), ...place });
    };
    begin(answer, input);
    await after({ number: (number += 1) });
    if (isSecond) {
      await this.#message(say, "after");
    } else {
      await this.#message(say, "first");
      await call(say, "call_search", "web_search", { query: "boats" });
      await this.#message(say, "second");
      await call(say, "call_deploy", "deployApplication", { environment: "production", version: "9.9.9" });
      await this.#message(say, "third");
    }
    finish(answer, input);
    await after({ number: (number += 1) });
  }

  async #message(say, messageId) {
    await say({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    for (let word = 0; word < this.words; word++) {
      await say({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: `${messageId}-${word} ` }, { message: messageId, word });
    }
    await say({ type: "TEXT_MESSAGE_END", messageId });
  }

  /** Checks the result of an undisturbed turn: the text, the bodies of the requests, and that no notice is shown. */
  async check(chat, bodies) {
    const text = (await chat.log.innerText()).replaceAll(/\s+/g, " ");
    for (const message of ["first", "second", "third", "after"]) {
      const whole = Array.from({ length: this.words }, (_, word) => `${message}-${word}`).join(" ");
      assert.equal(text.split(whole).length, 2, `${message} is there once, whole:\n${text}`);
      assert.equal(text.split(`${message}-0 `).length, 2, `${message} begins once:\n${text}`);
    }
    assert.equal(bodies.length, 2, "each run is started once");
    const [, { messages }] = bodies;
    assert.deepEqual(
      messages.map(({ role, toolCallId, toolCalls }) => [role, toolCallId ?? toolCalls?.[0].id].filter(Boolean).join(" ")),
      [
        "user",
        "assistant",
        "assistant call_search",
        "tool call_search",
        "assistant",
        "assistant call_deploy",
        "tool call_deploy",
        "assistant",
      ],
    );
    assert.equal(await chat.page.locator(".la-notice").count(), 0, "no notice is shown");
  }

  /** Checks that the deployment has run once in this page. */
  async checkDeployment(harbor) {
    await shows(harbor.lane("production"), "9.9.9");
    assert.equal(await deployments(harbor), 1);
  }

  /** Checks that the deployment has not run in this page, because it did in an earlier one. */
  async checkNoDeployment(harbor) {
    assert.equal(await deployments(harbor), 0);
  }
}

async function call(say, toolCallId, toolCallName, args) {
  await say({ type: "TOOL_CALL_START", toolCallId, toolCallName });
  await say({ type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) });
  await say({ type: "TOOL_CALL_END", toolCallId });
}

/** Returns the number of deployments of the turn that a page has carried out. */
async function deployments(harbor) {
  const entries = await harbor.activity.getByRole("listitem").allInnerTexts();
  return entries.filter((entry) => entry.includes("9.9.9")).length;
}
