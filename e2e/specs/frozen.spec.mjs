// Stability of finished blocks: while an answer streams, the browser gets no changes of blocks that are complete, and a
// block of code only grows. Observed through the mutations of the page.

import assert from "node:assert/strict";

import { pacedAgent } from "../../bench/agent.mjs";
import { code } from "../../bench/streams.mjs";
import { eventually } from "../support/chat.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const [page, agent] = [await demo(), await pacedAgent()];
  open.push(page, agent);
  return { page, agent };
});

const address = ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url })}`;

/**
 * Records unexpected changes of the page from now on: `finished`, changes of a block that had another after it;
 * `taken`, nodes removed from a block of code; `changed`, text of it that was replaced.
 */
async function watch(page) {
  await page.evaluate(() => {
    const found = { finished: [], taken: [], changed: [], mutations: 0, blocks: 0 };
    const finished = new WeakSet();
    const elementOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);
    const describe = (node) => (node.outerHTML ?? node.data ?? "").slice(0, 200);
    const observer = new MutationObserver((records) => {
      for (const { target, type, attributeName, removedNodes, oldValue } of records) {
        // An attribute that is set to its present value changes nothing.
        if (type === "attributes" && target.getAttribute(attributeName) === oldValue) continue;
        found.mutations++;
        const block = elementOf(target)?.closest(".la-markdown > *");
        if (block && finished.has(block)) found.finished.push(`${type} ${attributeName ?? ""} of ${target.nodeName} in ${describe(block)}`);
        for (const node of removedNodes) if (finished.has(node)) found.finished.push(`gone: ${describe(node)}`);
        if (!elementOf(target)?.closest(".la-markdown pre")) continue;
        found.taken.push(...Array.from(removedNodes, describe));
        if (type === "characterData" && !target.data.startsWith(oldValue)) found.changed.push(describe(target));
      }
      for (const list of document.querySelectorAll(".la-markdown")) {
        for (const block of list.children) if (block !== list.lastElementChild) finished.add(block);
        found.blocks = Math.max(found.blocks, list.children.length);
      }
    });
    const log = document.querySelector("[data-assistant-chat] [role=log]");
    observer.observe(log, { subtree: true, childList: true, attributeOldValue: true, characterDataOldValue: true });
    globalThis.found = found;
  });
  return () => page.evaluate(() => globalThis.found);
}

pageTest("finished blocks are not mutated while 5,000 words of markdown stream", { address }, async (chat) => {
  const found = await watch(chat.page);
  await chat.ask("markdown answer");
  // A long text is drawn over several frames.
  const { finished } = await eventually(async () => {
    const { mutations, blocks, ...others } = await found();
    assert.ok(mutations > 100 && blocks > 50, `it streamed: ${mutations} mutations, ${blocks} blocks`);
    return others;
  });
  assert.deepEqual(finished.slice(0, 5), [], `${finished.length} mutations of finished blocks`);
});

pageTest("a code block is only appended to while 3,000 lines stream", { address }, async (chat) => {
  const found = await watch(chat.page);
  await chat.ask("code block");
  const [, ...lines] = code(3_000).trimEnd().split("\n");
  const whole = lines.slice(0, -1).join("\n").trimEnd();
  // A long text is drawn over several frames.
  await eventually(async () => {
    const shown = await chat.messages("assistant").locator(".la-markdown pre").textContent();
    assert.equal(shown.trimEnd(), whole);
  });
  const { taken, changed, mutations } = await found();
  assert.ok(mutations > 30, `it streamed: ${mutations} mutations`);
  assert.deepEqual(taken.slice(0, 5), [], `${taken.length} nodes were removed`);
  assert.deepEqual(changed.slice(0, 5), [], `${changed.length} texts were replaced`);
});
