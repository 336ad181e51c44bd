// Colours for code by highlight.js through the npm package's adapter: loaded on demand, never as HTML.

import assert from "node:assert/strict";

import { Chat, eventually } from "../support/chat.mjs";
import { plainPage } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const CODE = 'fn main() {\n    let name = "<b>&amp;</b>"; // a \'note\'\n}\n';
const ANSWER = ["Before.\n\n```rust\n", CODE, "```\n\n```unheard-of\nlet x;\n```\n\nAfter."];

const pageTest = suite(async (open) => {
  const page = await plainPage();
  open.push(page);
  return { page };
});

/** The answer of an agent, as a stream of events. */
function answer({ threadId, runId }) {
  const messageId = "m";
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    ...ANSWER.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
    { type: "TEXT_MESSAGE_END", messageId },
    { type: "RUN_FINISHED", threadId, runId },
  ];
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

pageTest(
  "complete code is highlighted without changing its text",
  { address: ({ page }) => `${page.url}host.html`, bare: true },
  async ({ page }, { page: server }) => {
    const loaded = [];
    page.on("request", (request) => request.url().includes("/highlight/") && loaded.push(request.url()));
    await page.route("**/agent", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: answer(route.request().postDataJSON()) }),
    );
    await page.evaluate(async (url) => {
      const { mount } = await import("./embed/index.js");
      const { highlightJs } = await import("./embed/highlight-js.js");
      const load = async () => {
        const [{ default: hljs }, { default: rust }] = await Promise.all([
          import("./highlight/core.min.js"),
          import("./highlight/languages/rust.min.js"),
        ]);
        hljs.registerLanguage("rust", rust);
        return hljs;
      };
      await mount(document.getElementById("one"), { url, highlight: highlightJs(load), headingOffset: 1 });
    }, `${server.url}agent`);
    const chat = new Chat(page, page.locator("#one"));
    await chat.composer.waitFor();
    assert.deepEqual(loaded, [], "nothing is loaded before there is code");
    await chat.ask("Show me");
    const block = chat.log.locator(".la-code-block").first();
    await eventually(async () => assert.equal(await block.locator(".hljs-keyword").first().textContent(), "fn"));
    assert.equal(await block.locator("code").textContent(), CODE);
    assert.equal(await block.locator(".hljs-string").textContent(), '"<b>&amp;</b>"');
    assert.equal(await block.locator("b").count(), 0);
    assert.equal(await chat.log.locator(".la-code-block").last().locator("code").textContent(), "let x;\n");
  },
);
