// Several questions at a time in the inbox, in an embedded chat with a scripted agent.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { Chat, decide, eventually } from "../support/chat.mjs";
import { shows } from "../support/harbor.mjs";
import { answer, giveUp, questions } from "../support/questions.mjs";
import { plainPage } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await plainPage();
  open.push(page);
  return { page };
});

const object = (properties, required = []) => ({ type: "object", properties, required });
const approved = object({ approved: { type: "boolean" } }, ["approved"]);

/** The questions of the agent: about a call, by a form, for approval, with a long text, for any JSON. */
const ASKED = [
  { id: "pay", reason: "tool_call", message: "May I pay the deposit?", toolCallId: "c", responseSchema: approved },
  {
    id: "form",
    reason: "input",
    message: "Who signs for the berth?",
    responseSchema: object(
      {
        name: { type: "string", title: "Name" },
        nights: { type: "integer", title: "Nights", minimum: 1 },
        side: { enum: ["port", "starboard"], title: "Side" },
        extras: { type: "array", title: "Extras", items: { enum: ["water", "waste", "crane"] } },
      },
      ["name", "nights"],
    ),
  },
  { id: "dog", reason: "confirm", message: "Is there a dog on board?", responseSchema: { type: "boolean" } },
  { id: "long", reason: "confirm", message: "The quay is being repaired. ".repeat(12), responseSchema: approved },
  {
    id: "adk",
    reason: "adk:tool_confirmation",
    metadata: { originalFunctionCall: { name: "refund_order", args: { order: "A-17", amount: 40 } } },
  },
  { id: "any", reason: "anything_else" },
];

const WIDE = `\`\`\`\n${"All right, ".repeat(120)}\n\`\`\`\n`;

/** Asks first, then sends an answer with a line of code that is wider than the chat. */
function play({ threadId, runId, resume }) {
  const text = (delta) => [
    { type: "TEXT_MESSAGE_START", messageId: runId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: runId, delta },
    { type: "TEXT_MESSAGE_END", messageId: runId },
  ];
  const call = [
    { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "pay", parentMessageId: runId },
    { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
    { type: "TOOL_CALL_END", toolCallId: "c" },
  ];
  const result = { type: "TOOL_CALL_RESULT", messageId: `${runId}-c`, toolCallId: "c", content: "paid", role: "tool" };
  const answered = resume?.length > 0;
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    ...(answered ? [result, ...text(WIDE)] : [...text("I must know a few things."), ...call]),
    { type: "RUN_FINISHED", threadId, runId, outcome: answered ? undefined : { type: "interrupt", interrupts: ASKED } },
  ];
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

for (const [width, height, fonts] of [
  [320, 256, "normal"],
  [320, 256, "wide"],
  [280, 520, "normal"],
  [280, 520, "wide"],
]) {
  pageTest(
    `six interrupts in a window of ${width} × ${height}, ${fonts} fonts: the transcript stays visible, and each can be answered`,
    { address: ({ page }) => `${page.url}host.html`, bare: true, fonts, viewport: { width, height } },
    async ({ page }, { page: server }) => {
      await page.route("**/agent", (route) =>
        route.fulfill({ contentType: "text/event-stream", body: play(route.request().postDataJSON()) }),
      );
      await page.evaluate(async (url) => {
        document.body.replaceChildren(document.getElementById("one"));
        Object.assign(document.getElementById("one").style, { position: "fixed", inset: "0", blockSize: "auto", inlineSize: "auto" });
        const { mount } = await import("./embed/index.js");
        await mount(document.getElementById("one"), { url });
      }, `${server.url}agent`);
      const chat = new Chat(page, page.locator("#one"));
      await chat.composer.waitFor();
      await chat.send("Book a berth");
      const asked = questions(chat);
      await asked.nth(3).waitFor();
      // The inbox moves into the transcript after it was measured.
      await eventually(async () => {
        const room = await chat.log.evaluate((log) => log.clientHeight);
        assert.ok(room >= 100, `${room} pixels for the transcript`);
      });
      await accessible(page, "#one");
      await chat.picture(`six questions ${width} ${height} ${fonts}`);
      const third = chat.root.getByRole("group", { name: "Is there a dog on board? 3 of 6" });
      await decide(third, "Yes");
      const progress = chat.root.locator(".la-inbox-progress").filter({ hasText: "of 6 answered" });
      await shows(progress, /^1 of 6 answered/);
      await answer(asked.first(), { Name: "Ada", Nights: 2 });
      await shows(progress, /^2 of 6 answered/);
    },
  );
}

for (const [width, height] of [
  [1280, 800],
  [390, 844],
]) {
  pageTest(
    `six interrupts on a page ${width} wide: each is shown in full, and all answers are sent together`,
    { address: ({ page }) => `${page.url}host.html`, bare: true, viewport: { width, height } },
    async ({ page }, { page: server }) => {
      const runs = [];
      await page.route("**/agent", (route) => {
        runs.push(route.request().postDataJSON());
        return route.fulfill({ contentType: "text/event-stream", body: play(runs.at(-1)) });
      });
      await page.evaluate(async (url) => {
        const { mount } = await import("./embed/index.js");
        await mount(document.getElementById("one"), { url });
      }, `${server.url}agent`);
      const chat = new Chat(page, page.locator("#one"));
      await chat.composer.waitFor();
      const wide = (await chat.root.boundingBox()).width;
      await chat.send("Book a berth");
      const asked = questions(chat);
      await asked.nth(3).waitFor();
      await eventually(async () => {
        for (const card of await asked.all()) {
          const cut = await card.evaluate((card) => card.scrollHeight - card.clientHeight);
          assert.ok(cut <= 0, `${cut} pixels of a card are cut off`);
        }
      });
      await asked.nth(3).scrollIntoViewIfNeeded();
      const progress = chat.root.locator(".la-inbox-progress").filter({ hasText: "of 6 answered" });
      await shows(progress, /^0 of 6 answered/);
      await accessible(page, "#one");
      await chat.picture(`six questions ${width}`);
      const third = chat.root.getByRole("group", { name: "Is there a dog on board? 3 of 6" });
      await decide(third, "Yes");
      await shows(progress, /^1 of 6 answered/);
      await answer(asked.first(), { Name: "Ada", Nights: 2 });
      await shows(progress, /^2 of 6 answered/);
      await asked.first().getByRole("button", { name: "Deny" }).click();
      await shows(progress, /^3 of 6 answered/);
      await shows(asked.first(), /refund_order[^]*"amount": 40/);
      assert.equal(await asked.first().getByRole("textbox").count(), 0, "an approval has no text field");
      await asked.first().getByRole("button", { name: "Deny" }).click();
      await shows(progress, /^4 of 6 answered/);
      await giveUp(asked.first());
      await shows(progress, /^5 of 6 answered/);
      assert.equal(runs.length, 1, "one answer is still missing");
      await chat.approve(chat.card("pay"));
      await chat.idle();
      await chat.says("All right");
      assert.equal(await progress.count(), 0);
      assert.deepEqual(
        runs[1].resume.map(({ interruptId, status, payload }) => [interruptId, status, payload]),
        [
          ["pay", "resolved", { approved: true }],
          ["form", "resolved", { name: "Ada", nights: 2 }],
          ["dog", "resolved", true],
          ["long", "resolved", { approved: false }],
          ["adk", "resolved", { approved: false }],
          ["any", "cancelled", undefined],
        ],
      );
      assert.equal((await chat.root.boundingBox()).width, wide, "an answer does not widen the chat");
    },
  );
}
