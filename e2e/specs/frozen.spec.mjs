// What is drawn is not drawn again: while an answer streams, a block of code only grows. Watched from outside, through the
// mutations of the page.

import assert from "node:assert/strict";

import { pacedAgent } from "../../bench/agent.mjs";
import { code } from "../../bench/streams.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const [page, agent] = [await demo(), await pacedAgent()];
  open.push(page, agent);
  return { page, agent };
});

const address = ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url })}`;

/**
 * Writes down what is done to blocks of code from now on, as far as it should not be: `taken`, nodes taken out of one;
 * `changed`, text that became other text.
 */
async function watch(page) {
  await page.evaluate(() => {
    const found = { taken: [], changed: [], seen: 0 };
    const elementOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);
    const told = (node) => (node.outerHTML ?? node.data ?? "").slice(0, 200);
    const observer = new MutationObserver((records) => {
      for (const { target, type, removedNodes, oldValue } of records) {
        if (!elementOf(target)?.closest(".la-markdown pre")) continue;
        found.seen++;
        found.taken.push(...Array.from(removedNodes, told));
        if (type === "characterData" && !target.data.startsWith(oldValue)) found.changed.push(told(target));
      }
    });
    const log = document.querySelector("[data-assistant-chat] [role=log]");
    observer.observe(log, { subtree: true, childList: true, characterDataOldValue: true });
    globalThis.found = found;
  });
  return () => page.evaluate(() => globalThis.found);
}

pageTest("while 3,000 lines of code stream, the block only grows", { address }, async (chat) => {
  const found = await watch(chat.page);
  await chat.ask("code block");
  const { taken, changed, seen } = await found();
  assert.ok(seen > 30, `it streamed: ${seen} mutations`);
  assert.deepEqual(taken.slice(0, 5), [], `${taken.length} nodes were taken out`);
  assert.deepEqual(changed.slice(0, 5), [], `${changed.length} texts became others`);
  const said = await chat.messages("assistant").locator(".la-markdown pre").textContent();
  const [, ...lines] = code(3_000).trimEnd().split("\n");
  assert.equal(said.trimEnd(), lines.slice(0, -1).join("\n").trimEnd());
});
