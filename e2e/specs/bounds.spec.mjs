// Oversized text: lines, nesting and marks of a size that users do not write. Whatever an agent sends, a key typed
// afterwards arrives, the next message is answered, and the text is in the page.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const KILO = 1024;
const [BEGIN, END] = ["It begins.", "It ends."];
const lines = (count, line) => Array.from({ length: count }, (_, at) => line(at)).join("\n");
const row = (columns) => `${"| a ".repeat(columns)}|`;
const rule = (columns) => `${"| - ".repeat(columns)}|`;

/** Texts; where markdown moves letters out of the text, with the number of those that stay in it. */
const TEXTS = {
  "a line of a megabyte": "word ".repeat((1024 * KILO) / 5),
  "a word of a megabyte": "w".repeat(1024 * KILO),
  "10,000 quotes in each other": `${"> ".repeat(10_000)}deep`,
  "quotes in each other, a line each": lines(300, (depth) => `${">".repeat(depth + 1)} line`),
  "10,000 lists in each other": `${"- ".repeat(10_000)}deep`,
  "lists in each other by indentation": lines(400, (depth) => `${"  ".repeat(depth)}- item`),
  "quotes and lists in each other": `${"> - 1. ".repeat(4_000)}deep`,
  "everything left open": ["**bold *both `code [link](https://a.b \"title ![image][ref ~~gone | a\n\n> - 1. # ```rust\nfn main() {", 20],
  brackets: "[".repeat(100 * KILO),
  "brackets, closed": `${"[".repeat(50 * KILO)}${"]".repeat(50 * KILO)}`,
  "brackets and addresses": "[a](".repeat(25 * KILO),
  images: "![".repeat(50 * KILO),
  stars: "*".repeat(100 * KILO),
  "stars and letters": "*a ".repeat(34 * KILO),
  "stars and letters, both ends": "**a*".repeat(25 * KILO),
  backticks: "`".repeat(100 * KILO),
  "backticks of many lengths": Array.from({ length: 440 }, (_, length) => "`".repeat(length + 1)).join(" "),
  "smaller-thans": "<".repeat(100 * KILO),
  "comments never closed": "<!--".repeat(25 * KILO),
  "entities never closed": "&amp".repeat(25 * KILO),
  backslashes: "\\".repeat(100 * KILO),
  bars: "|".repeat(100 * KILO),
  definitions: [lines(5_000, (at) => `[r${at}]: https://example.com/${at}`), 0],
  "references to one long definition": [`${"[a] ".repeat(5_000)}\n\n[a]: https://example.com/${"x".repeat(10_000)}`, 5_000],
  "a table of 500 columns": [row(500), rule(500), row(500)].join("\n"),
  "a table of 2,000 rows": [row(8), rule(8), lines(2_000, () => row(8))].join("\n"),
  "rows shorter than their table": [row(150), rule(150), lines(150, () => "| a |")].join("\n"),
  "5,000 paragraphs": "Short.\n\n".repeat(5_000),
  "100,000 empty lines": "\n".repeat(100_000),
  "marks of direction": "\u202ea\u2066b\u2069".repeat(10_000),
  "null bytes": "a\u0000".repeat(5_000),
  "marks on one letter": `e${"\u0301".repeat(20_000)}`,
  "a block of code of 20,000 lines, never closed": `\`\`\`\n${"let a = 1;\n".repeat(20_000)}`,
  "500 blocks of code": "```\na\n```\n".repeat(500),
};

/** All cases by name: the text, and the number of its letters in the page at the end. */
const cases = Object.entries(TEXTS).map(([name, entry]) => {
  const [text, kept = letters(text)] = [entry].flat();
  return { name, text, kept };
});

/** Marks may become structure; letters may not be lost. */
function letters(text) {
  return text.match(/\p{L}/gu)?.length ?? 0;
}

/** The length of a delta: the text is streamed, but not for minutes. */
const PIECE = 4 * KILO;

/** Splits a text in pieces, no character across two of them. */
const deltas = (text) => text.match(new RegExp(`[^]{1,${PIECE}}`, "gu"));

function say(answer, messageId, text) {
  send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  for (const delta of deltas(text)) send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  send(answer, { type: "TEXT_MESSAGE_END", messageId });
}

function call(answer, text) {
  const toolCallId = "call";
  send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "look" });
  for (const delta of deltas(text)) send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta });
  send(answer, { type: "TOOL_CALL_END", toolCallId });
  send(answer, { type: "TOOL_CALL_RESULT", messageId: "result", toolCallId, content: text });
}

const slug = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
const scene = (text) => (answer, input) => {
  begin(answer, input);
  say(answer, "begin", BEGIN);
  say(answer, "text", text);
  call(answer, text);
  say(answer, "end", END);
  finish(answer, input);
};

/** Presses the buttons that draw the rest of long texts until there is none. */
function showAll(parts) {
  for (const part of parts) {
    for (let button; (button = part.querySelector(".la-markdown-more")); ) button.click();
  }
}

const pageTest = suite(async (open) => {
  const page = await demo();
  const scenes = Object.fromEntries(cases.map(({ name, text }) => [slug(name), scene(text)]));
  const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes });
  open.push(page, agent);
  return { page, agent };
});

for (const { name, text, kept } of cases) {
  const address = ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url + slug(name) })}`;
  pageTest(name, { address }, async (chat, { agent }) => {
    agent.forget();
    chat.page.setDefaultTimeout(60_000);
    await chat.ask("Go");
    assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0, "the stream was read to its end");
    const texts = chat.messages("assistant").locator(".message-content");
    // Long texts are drawn over several frames.
    await eventually(async () => {
      await texts.evaluateAll(showAll);
      const shown = await texts.evaluateAll((parts) => parts.map((part) => part.textContent).join("\n"));
      assert.ok(shown.includes(BEGIN) && shown.includes(END), "the texts before and after it are shown");
      assert.ok(letters(shown) >= kept, `the text is complete: ${letters(shown)} of ${kept} letters`);
    }, 60);
    await chat.card("look").locator("summary").first().click();
    await eventually(async () => {
      const args = await chat.card("look").locator("[data-kind=arguments]").textContent();
      assert.equal(letters(args.replace(/U\+[0-9A-F]{4,6}/g, "")), letters(text), "the card has the complete text, too");
    }, 60);
    await chat.composer.pressSequentially("ab");
    assert.equal(await chat.composer.inputValue(), "ab");
    await chat.ask("Are you back?");
    await eventually(async () => {
      const answer = await chat.messages("assistant").last().textContent();
      assert.ok(answer.includes("You said: Are you back?"), answer.slice(0, 200));
    }, 60);
  });
}
