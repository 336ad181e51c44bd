// One journey through two pages that declare the same shop: examples/orders in Rust, and its twin in JavaScript with the
// element of the npm package. Requests, cards, audit and journal are the same.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { serve } from "../../xtask/serve.mjs";

import { application } from "../support/examples.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { shows } from "../support/harbor.mjs";
import { allowFor, change, denyBecause, fill } from "../support/questions.mjs";
import { Placeholders, cardText, storedTexts } from "../support/recording.mjs";
import { ROOT } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

/** Refunds what the user's message names, `ORDER EUROS…`, a call for each amount; then ends with a smaller budget and a text. */
const shop = (answer, input) => {
  const last = input.messages.at(-1);
  begin(answer, input);
  if (last.role === "user") {
    const [order, ...amounts] = last.content.split(" ");
    for (const [index, euros] of amounts.entries()) {
      const toolCallId = `call_${index}_${input.runId}`;
      const args = { order, euros: Number(euros), account: "DE02 1203 0000", reason: "It arrived broken" };
      send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "refund_order" });
      // In two pieces, of which the first ends within a value.
      const text = JSON.stringify(args);
      for (const delta of [text.slice(0, 40), text.slice(40)]) send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta });
      send(answer, { type: "TOOL_CALL_END", toolCallId });
    }
  } else {
    const messageId = `text_${input.runId}`;
    const results = input.messages.slice(input.messages.findLastIndex(({ role }) => role !== "tool") + 1);
    const refunded = results.reduce((sum, { content }) => sum + (JSON.parse(content).refunded ?? 0), 0);
    send(answer, { type: "STATE_SNAPSHOT", snapshot: { budget: (input.state?.budget ?? 1000) - refunded } });
    send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta: `Refunded: **${refunded} €**` });
    send(answer, { type: "TEXT_MESSAGE_END", messageId });
  }
  finish(answer, input);
};

/** Serves the page in JavaScript, with the npm package and the style sheet of the page in Rust. */
async function javascriptPage() {
  const root = await mkdtemp(path.join(tmpdir(), "orders-"));
  for (const [from, to] of [
    ["examples/orders/javascript", ""],
    ["examples/orders/static/page.css", "page.css"],
    ["dist/embed", "assistant"],
  ]) {
    await cp(path.join(ROOT, from), path.join(root, to), { recursive: true });
  }
  const { url, close } = await serve({ root });
  return { url, close: () => close().finally(() => rm(root, { recursive: true })) };
}

/** Plays the journey on a page. Returns its recording. */
async function journey(chat, agent) {
  const { page } = chat;
  const budget = page.locator("main output");
  const refunds = page.getByRole("list", { name: "Refunds" }).getByRole("listitem");
  const audit = page.getByRole("list", { name: "Audit" }).getByRole("listitem");
  const requests = () => agent.requests("shop");
  const card = () => chat.card("refund_order").last();
  const cards = {};
  const note = async (moment) => (cards[moment] = await cardText(card()));

  // The rule: a small refund needs no approval.
  await chat.ask("A-17 5");
  await note("without approval");
  await shows(budget, "995");
  // The handler fails.
  await chat.ask("C-1 8");
  await note("failed");
  await chat.ask("Z-0 5");
  await note("not permitted");
  // One call more than a run may have.
  await chat.ask("A-17 1 2 3 4");
  await note("above the limit");

  // A large refund needs approval, and the user edits it.
  await chat.send("B-4 30");
  await chat.waiting();
  await note("asked");
  await change(card());
  await fill(card().locator("form"), { euros: 20 });
  await note("edited");
  await card().getByRole("button", { name: "Review", exact: true }).click();
  await shows(card(), "Pay back 20 €");
  await note("reviewed");
  await chat.approve(card());
  await chat.idle();
  await note("approved with edited arguments");

  // The user allows further refunds up to a maximum.
  await chat.send("B-4 50");
  await chat.waiting();
  await allowFor(card(), "For this conversation");
  await card().getByLabel("With any values, same account").check();
  await note("allowed for longer");
  await chat.approve(card());
  await chat.idle();
  await note("approved and remembered");
  await chat.ask("B-4 30");
  await note("allowed earlier");
  await chat.send("D-9 150");
  await chat.waiting();
  await note("above the maximum");
  await denyBecause(card(), "Too much");
  await chat.idle();
  await note("denied");

  // State that page and agent share, and context, are those of the moment.
  await page.getByRole("button", { name: "Set to 500" }).click();
  await shows(budget, "500");
  await chat.ask("A-17 6");
  await shows(budget, "494");
  await page.getByRole("button", { name: "D-9" }).click();

  // The question survives a reload.
  await chat.send("D-9 200");
  await chat.waiting();
  await note("before the reload");
  const before = { refunds: await refunds.allTextContents(), audit: await audit.allTextContents() };
  await page.reload();
  await chat.waiting();
  await note("after the reload");
  await shows(budget, "494");
  await chat.approve(card());
  await chat.idle();
  await note("approved after the reload");
  await shows(budget, "294");

  const transcript = (await chat.log.innerText()).replace(/\d+:\d\d.[AP]M/g, "<time>");
  const after = { refunds: await refunds.allTextContents(), audit: await audit.allTextContents() };
  const sent = requests().map(({ text, headers }) => `${headers["content-type"]}, ${headers.accept}\n${text}`);
  // The page is closed, which writes the last changes to the store; a file of its origin reads them.
  await page.goto(new URL("page.css", page.url()).href);
  const { journal, records } = await storedTexts(page, "orders");
  const placeholders = new Placeholders();
  return {
    requests: sent.map((text) => placeholders.of(text)),
    cards,
    transcript,
    refunds: [before.refunds, after.refunds],
    audit: [before.audit, after.audit].map((entries) => entries.map((entry) => placeholders.of(entry))),
    journal: placeholders.sorted(journal),
    records: placeholders.sorted(records),
    bodies: requests().map(({ body }) => body),
    entries: [...before.audit, ...after.audit].map((entry) => JSON.parse(entry)),
  };
}

/** Asserts what the journey must have caused, since two recordings may be equal and wrong. */
function check({ cards, bodies, entries, refunds, journal, records, requests }) {
  const expected = {
    "without approval": /Refunded 5 € of A-17, 5 € in total/,
    "not permitted": /No refund: There is no order Z-0/,
    "above the limit": /No refund: refund_order may be called 3 times in one answer/,
    failed: /No refund: Only 5 € are left of C-1/,
    reviewed: /Pay back 20 € to DE0212030000\?[^]*100 € of B-4 are left afterwards/,
    asked: /Pay back 30 € to DE0212030000\?[^]*90 € of B-4 are left afterwards[^]*Order\s*B-4\s*Euros\s*30[^]*It arrived broken/,
    "approved with edited arguments": /Refunded 20 € of B-4, 20 € in total/,
    "allowed for longer": /With any values, same account[^]*Highest euros[^]*How many times/,
    "approved and remembered": /Refunded 50 € of B-4, 70 € in total/,
    "allowed earlier": /Refunded 30 € of B-4, 100 € in total[^]*Allowed earlier/,
    "above the maximum": /Pay back 150 €[^]*250 € of D-9 are left afterwards/,
    denied: /Kept 150 € of D-9: Too much/,
    "before the reload": /Pay back 200 € to DE0212030000\?[^]*200 € of D-9 are left afterwards[^]*Order\s*D-9\s*Euros\s*200/,
    "approved after the reload": /Refunded 200 € of D-9, 200 € in total/,
  };
  for (const [moment, text] of Object.entries(expected)) assert.match(cards[moment], text, moment);
  assert.equal(cards["after the reload"], cards["before the reload"], "the same question");
  assert.deepEqual(refunds, [["A-17: 5", "A-17: 1", "A-17: 2", "A-17: 3", "B-4: 20", "B-4: 50", "B-4: 30", "A-17: 6"], ["D-9: 200"]]);
  assert.equal(requests.length, 20);
  const results = bodies.at(-1).messages.filter(({ role }) => role === "tool");
  assert.deepEqual(
    results.map(({ content }) => JSON.parse(content)),
    [
      { refunded: 5, total: 5 },
      { error: "Only 5 € are left of C-1" },
      { error: "There is no order Z-0", errorType: "permission" },
      { refunded: 1, total: 6 },
      { refunded: 2, total: 8 },
      { refunded: 3, total: 11 },
      { error: "refund_order may be called 3 times in one answer", errorType: "rate_limit" },
      { refunded: 20, total: 20 },
      { refunded: 50, total: 70 },
      { refunded: 30, total: 100 },
      { kept: "D-9", reason: "Too much" },
      { refunded: 6, total: 17 },
      { refunded: 200, total: 200 },
    ],
  );
  assert.deepEqual(bodies.at(-4).state, { budget: 500 }, "the state of the page is sent");
  assert.deepEqual(bodies.at(-2).context[0], { description: "The selected order", value: "D-9" });
  // The agent gets the arguments that ran, in each request after that.
  const edited = bodies.at(-1).messages.find(({ toolCalls }) => toolCalls?.[0].function.arguments.includes("B-4")).toolCalls[0];
  assert.deepEqual(JSON.parse(edited.function.arguments), { order: "B-4", euros: 20, account: "DE0212030000", reason: "It arrived broken" });
  const events = (call) => entries.filter((entry) => entry.call === call).map(({ event, by }) => (by ? `${event} by ${by}` : event));
  const ends = ["started", "ended by page"];
  assert.deepEqual([1, 8, 10, 11].map(events), [
    ["allowed by rule", ...ends],
    ["asked by page", "allowed by person", ...ends],
    ["allowed by earlier", ...ends],
    ["asked by page", "denied by person", "ended by page"],
  ]);
  assert.deepEqual(events(13).slice(-3), ["allowed by person", ...ends]);
  assert.ok(records.length > 0, "the conversation is stored");
  assert.ok(entries.every(({ args }) => args.account === "…"), "accounts are not in the audit");
  assert.equal(journal.filter((entry) => entry.includes('"kind":"started"')).length, 10, "each handler started once");
}

const pageTest = suite(async (open) => {
  const faces = {};
  for (const [face, page] of Object.entries({ Rust: await application("orders"), JavaScript: await javascriptPage() })) {
    const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes: { shop: Array(100).fill(shop) } });
    open.push(page, agent);
    faces[face] = { page, agent };
  }
  return faces;
});

const recordings = {};

/** Plays the journey on the page of a language. */
const plays = (title, face) => {
  const address = (faces) => `${faces[face].page.url}?${new URLSearchParams({ agent: `${faces[face].agent.url}shop` })}`;
  pageTest(title, { address, viewport: { width: 1280, height: 1600 } }, async (chat, faces) => {
    recordings[face] = await journey(chat, faces[face].agent);
    check(recordings[face]);
  });
};

plays("the journey of the page in Rust has the expected effects", "Rust");
plays("the journey of the page in JavaScript has the expected effects", "JavaScript");

/** Compares parts of both recordings. */
const same = (...parts) => () => {
  assert.deepEqual(Object.keys(recordings), ["Rust", "JavaScript"], "both journeys were recorded");
  for (const part of parts) assert.deepEqual(recordings.JavaScript[part], recordings.Rust[part], part);
};

test("both languages send the same requests", same("requests"));
test("both languages show the same cards", same("cards", "transcript", "refunds"));
test("both languages record the same audit", same("audit"));
test("both languages store the same journal and conversation", same("journal", "records"));
