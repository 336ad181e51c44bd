// The scenes that each agent plays with the demo page. The model answers from examples/ai-sdk/scenes.mjs, by the user's
// words; `lookup_order` (which fails for X-0) and `refund_order` (which needs approval) are tools of the agent.

import assert from "node:assert/strict";

import { decide, eventually } from "../support/chat.mjs";
import { approveWith, questions } from "../support/questions.mjs";

/** The button that approves a request; a question that also takes a text has the button Yes. */
const YES = /^(Approve(:|$)|Yes$)/;
const BROKEN = [/Failed to load resource/, /ERR_INCOMPLETE_CHUNKED_ENCODING/];

/** The scenes by name, in the order of the table: `title`, expected console errors, and the script. */
export const SCENES = {
  text: {
    title: "text",
    async play(chat, { assertReceived }) {
      await turn(chat, "Hello there");
      await turn(chat, "And again");
      assertReceived("Hello there", "And again");
    },
  },
  reasoning: {
    title: "reasoning",
    async play(chat) {
      await chat.ask("Think aloud");
      await chat.log.getByText(/Thought|Thinking|Reasoning/).first().waitFor();
      await chat.says("I have thought about it.");
    },
  },
  page: {
    title: "page action",
    async play(chat) {
      await chat.ask("Search for crabs");
      await chat.status(chat.card("web_search"), "complete");
      await chat.says("web_search returned");
    },
  },
  parallel: {
    title: "two page actions at once",
    async play(chat) {
      await chat.send("Search for crabs and tell me the weather in Oslo");
      await chat.approve(chat.card("get_weather"));
      await chat.idle();
      await chat.says(/web_search returned[^]*get_weather returned/);
    },
  },
  chain: {
    title: "page actions one after the other",
    async play(chat) {
      await chat.send("Search for crabs, then tell me the weather in Oslo");
      await chat.approve(chat.card("get_weather"));
      await chat.idle();
      await chat.status(chat.card("web_search"), "complete");
      await chat.says("get_weather returned");
    },
  },
  approve: {
    title: "approval",
    async play(chat) {
      await chat.send("Refund order A-17");
      await yes(await request(chat));
      await chat.idle();
      await chat.says(/refund_order returned[^]*refunded.*40/);
      assert.equal(await waiting(chat).count(), 0, "nothing is asked twice");
    },
  },
  deny: {
    title: "denial",
    async play(chat) {
      await chat.send("Refund order A-17");
      await no(chat, await request(chat));
      await chat.idle();
      assert.ok(!/refunded/.test(await chat.log.innerText()), "nothing was refunded");
    },
  },
  change: {
    title: "approval with other arguments",
    async play(chat) {
      await chat.send("Refund order A-17");
      await approveEdited(await request(chat), { order_id: "A-17", amount: 15 });
      await chat.idle();
      await chat.says(/refund_order returned[^]*refunded.*15/);
    },
  },
  "stop-approval": {
    title: "stop during an approval",
    async play(chat) {
      await chat.send("Refund order A-17");
      await waiting(chat).waitFor();
      await chat.stopButton.click();
      await chat.idle();
      assert.equal(await waiting(chat).count(), 0, "nothing waits");
    },
  },
  two: {
    title: "two approvals, one approved and one denied",
    async play(chat) {
      await chat.send("Refund orders A-17 and B-2");
      if (!(await decided(await request(chat), "Approve", "Deny"))) {
        await yes(await request(chat));
        await no(chat, await request(chat));
      }
      await chat.idle();
      await chat.says(/A-17[^]*refunded.*40/);
      const log = await chat.log.innerText();
      assert.ok(!/B-2\W+refunded/.test(log), `B-2 is not refunded:\n${log}`);
    },
  },
  mixed: {
    title: "page action beside a tool of the agent",
    async play(chat) {
      await chat.ask("Search for crabs, and where is order A-17");
      await chat.status(chat.card("web_search"), "complete");
      await chat.says(/web_search returned/);
      await chat.says(/lookup_order returned|packed/);
    },
  },
  reload: {
    title: "reload during an approval",
    async play(chat) {
      await chat.send("Refund order A-17");
      await waiting(chat).waitFor();
      await chat.page.reload();
      await chat.composer.waitFor();
      await yes(await request(chat));
      await chat.idle();
      await chat.says(/refund_order returned[^]*refunded.*40/);
    },
  },
  backend: {
    title: "tool of the agent",
    async play(chat, { assertReceived }) {
      await chat.ask("Where is order A-17?");
      await chat.status(chat.card("lookup_order"), "complete");
      await chat.says(/lookup_order returned[^]*packed/);
      assertReceived("Where is order A-17?");
    },
  },
  "backend-error": {
    title: "failed tool of the agent",
    async play(chat) {
      await chat.ask("Where is order X-0?");
      await eventually(async () => {
        const log = await chat.log.innerText();
        const failed = chat.card("lookup_order").and(chat.page.locator("[data-status=failed]"));
        const signs = (await chat.notice(/error|failed|wrong/i).count()) + (await failed.count());
        assert.ok(/no order X-0|Stopped by an error|^Failed$/m.test(log) || signs > 0, `the failure is reported:\n${log}`);
      });
    },
  },
  "model-error": {
    title: "failed model",
    allow: BROKEN,
    async play(chat) {
      await chat.ask("Crash");
      await chat.notice(/./).first().waitFor();
    },
  },
  stop: {
    title: "stop",
    async play(chat) {
      await chat.send("Tell me a long story");
      await eventually(async () => assert.ok((await chat.messages("assistant").first().innerText()).length > 40));
      await chat.stopButton.click();
      await chat.idle();
    },
  },
  cut: {
    title: "broken stream, and Retry",
    allow: BROKEN,
    async play(chat, { recorder }) {
      recorder.cutAt(/word3\d/);
      await chat.ask("Tell me a long story");
      await chat.page.getByRole("button", { name: "Retry" }).click();
      await eventually(async () => assert.match(await chat.log.innerText(), /word400/), 120);
      await chat.idle();
      assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0, "the notice is gone");
    },
  },
  restart: {
    title: "server restarted",
    allow: BROKEN,
    async play(chat, { restart, assertReceived }) {
      await turn(chat, "Hello there");
      await restart();
      await turn(chat, "And again");
      assertReceived("Hello there", "And again");
    },
  },
  "restart-approval": {
    title: "server restarted during an approval",
    allow: BROKEN,
    async play(chat, { restart }) {
      await chat.send("Refund order A-17");
      await waiting(chat).waitFor();
      await restart();
      await yes(await request(chat));
      await chat.idle().catch(() => {});
      await chat.says(/refund_order returned[^]*refunded.*40/);
    },
  },
  edit: {
    title: "edit",
    async play(chat, { assertReceived }) {
      await turn(chat, "Hello there");
      await chat.messages("user").first().hover();
      await inTurn(chat, "user", "Edit message").click();
      const box = chat.root.getByRole("textbox", { name: "Your message" });
      await box.fill("Good evening");
      await box.press("Enter");
      await chat.says("You said: Good evening");
      await chat.idle();
      assertReceived("Good evening");
    },
  },
  regenerate: {
    title: "regenerate",
    async play(chat, { assertReceived }) {
      await turn(chat, "Hello there");
      await chat.messages("assistant").last().hover();
      await inTurn(chat, "assistant", "Regenerate").click();
      await chat.says("2 / 2");
      await chat.idle();
      await chat.says("You said: Hello there");
      assertReceived("Hello there");
    },
  },
};

/** The requests to refund an order: the cards of calls, or questions that name the tool. */
const requests = (chat) => chat.card("refund_order").or(questions(chat).filter({ hasText: "refund_order" }));

/** The field of a question that is answered by a word. */
const word = (place) => place.getByRole("textbox", { name: "Your answer" });

/**
 * The approval of a request: a button, one of the choices of a question with a decision for each action, or the field
 * for a word.
 */
const approval = (place) =>
  place.getByRole("button", { name: YES }).or(place.getByRole("radio", { name: "Approve" })).or(word(place));

/** The requests that can be approved. */
const waiting = (chat) => requests(chat).filter({ has: approval(chat.page) });

/** Makes the decision for each action of a question that lists them, in order. Returns false for other requests. */
async function decided(request, ...choices) {
  if (!(await request.getByRole("radio").count())) return false;
  for (const [index, name] of choices.entries()) {
    await request.getByRole("radio", { name }).nth(index).check();
  }
  await decide(request, "Send decisions");
  return true;
}

async function yes(request) {
  if (await word(request).count()) return answerWith(request, "yes");
  if (!(await decided(request, "Approve"))) await decide(request, YES);
}

/** Answers a question by a word. */
async function answerWith(request, text) {
  await word(request).fill(text);
  await decide(request, "Submit");
}

/** Changes the arguments of a request, and approves them. */
async function approveEdited(request, args) {
  const edit = request.getByRole("radio", { name: "Change…" });
  if (!(await edit.count())) return approveWith(request, args);
  await edit.check();
  await request.getByRole("textbox", { name: "Values" }).fill(JSON.stringify(args));
  await decide(request, "Send decisions");
}

/** Denies a request. A question that also takes a text has the button No. */
async function no(chat, request) {
  if (await word(request).count()) return answerWith(request, "no");
  if (await decided(request, "Deny")) return;
  if (await request.getByRole("button", { name: "No", exact: true }).count()) await decide(request, "No");
  else await chat.deny(request);
}

/** The first request that can be approved, by its place: it stays the same while it is answered. */
async function request(chat) {
  await waiting(chat).first().waitFor();
  const can = await Promise.all((await requests(chat).all()).map((one) => approval(one).count()));
  return requests(chat).nth(can.findIndex((count) => count > 0));
}

/** Sends, and waits for the model's plain answer. */
async function turn(chat, text) {
  await chat.ask(text);
  await chat.says(`You said: ${text}`);
}

/** A button in the turn of the first message of a role. */
function inTurn(chat, role, name) {
  const turn = chat.messages(role).first().locator("xpath=ancestor::*[@data-block]");
  return turn.getByRole("button", { name, exact: true });
}

/** Plays a scene, and two more turns after it. */
export async function play(scene, chat, fixtures) {
  await scene.play(chat, fixtures);
  await turn(chat, "Are you there?");
  await turn(chat, "And still?");
}
