// Floods: whatever an agent sends, the page draws frames, memory stays bounded, and the next message is answered. Each
// flood is compared with a harmless run of the same page: the longest gap between two frames, and the memory at the end.

import assert from "node:assert/strict";

import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { eventually } from "../support/chat.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const MEBI = 1024 * 1024;
const REFUSED = /Failed to load resource|ERR_/;
/** A harmless run is a long answer. A frame of a flood may take this many times its longest one, or that of a slow page. */
const [GAPS, SLOW_MS] = [40, 50];
/** The memory of a page after a flood, compared with the one after a harmless run. */
const MEMORY = 16;
/** The elements of a page after a flood, in addition to those after a harmless run. */
const ELEMENTS = 12_000;

const line = (event) => `data: ${JSON.stringify(event)}\n\n`;

/** A run that writes its events as one chunk, without a pause for the page. */
const burst = (events) => (answer, input) => {
  begin(answer, input);
  answer.write(events.map(line).join(""));
  finish(answer, input);
};

const says = (delta, messageId = "m") => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
  { type: "TEXT_MESSAGE_END", messageId },
];

const calls = (count, toolCallName, args = "{}") =>
  Array.from({ length: count }, (_, index) => [
    { type: "TOOL_CALL_START", toolCallId: `c${index}`, toolCallName },
    { type: "TOOL_CALL_ARGS", toolCallId: `c${index}`, delta: args },
    { type: "TOOL_CALL_END", toolCallId: `c${index}` },
  ]).flat();

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));

function interrupts(count) {
  return (answer, input) => {
    begin(answer, input);
    const list = many(count, (index) => ({ id: `i${index}`, reason: "approval", message: `Question ${index}` }));
    const { threadId, runId } = input;
    send(answer, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts: list } });
    answer.end();
  };
}

/** Writes for as long as the page reads. */
function endless(text) {
  return (answer, input) => {
    begin(answer, input);
    send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    const piece = line({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: text });
    const more = () => {
      if (answer.destroyed) return;
      if (!answer.write(piece.repeat(50))) return answer.once("drain", more);
      setImmediate(more);
    };
    more();
  };
}

const harmless = burst(says(`\`\`\`js\n${"const value = compute(1, 2, 3);\n".repeat(3000)}\`\`\``, "harmless"));

const FLOODS = {
  "5,000 interrupts": interrupts(5_000),
  "10,000 calls": burst(calls(10_000, "listBerths")),
  "900 calls": burst(calls(900, "lookUp", '{"name":"value"}')),
  "900 approvals": burst(calls(900, "get_weather", '{"location":"Lisbon"}')),
  "a table of 50,000 rows": burst(says(`| a | b |\n| - | - |\n${"| 1 | 2 |\n".repeat(50_000)}`)),
  "a table of 500 columns": burst(says(`${"| a ".repeat(500)}|\n${"| - ".repeat(500)}|\n${`${"| 1 ".repeat(500)}|\n`.repeat(100)}`)),
  "a list of 50,000 items": burst(says("- item\n".repeat(50_000))),
  "20,000 code blocks": burst(says("```\ncode\n```\n\n".repeat(20_000))),
  "a paragraph of 8 MB": burst(many(80, (index) => says("word ".repeat(20_000), "m")[index ? 1 : 0]).concat(says("", "m").slice(1))),
  "a line of a million characters": burst(says("x".repeat(1_000_000))),
  "a million invisible characters": burst(says("\u200b".repeat(1_000_000))),
  "3 MB of arguments": burst(calls(1, "lookUp", JSON.stringify({ list: many(300_000, (index) => index) }))),
  "3 MB of reasoning": burst([
    { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "Thinking. ".repeat(300_000) },
    { type: "REASONING_MESSAGE_END", messageId: "r" },
  ]),
  "100,000 events at once": burst([
    says("")[0],
    ...many(100_000, () => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "word " })),
  ]),
  "a snapshot of 10,000 messages": burst([
    {
      type: "MESSAGES_SNAPSHOT",
      messages: many(10_000, (index) => ({ id: `s${index}`, role: "assistant", content: `Message ${index}` })),
    },
  ]),
  "20,000 copies of the state": burst([
    { type: "STATE_SNAPSHOT", snapshot: { seed: "s".repeat(400), list: [] } },
    ...many(20_000, () => ({ type: "STATE_DELTA", delta: [{ op: "copy", from: "/seed", path: "/list/-" }] })),
  ]),
  "ten ids of 1 MB": burst(many(10, (index) => says("text", `${index}${"i".repeat(MEBI)}`)).flat()),
};

const pageTest = suite(async (open) => {
  const page = await demo();
  const scenes = { endless: [harmless, endless("word ".repeat(200))] };
  for (const [name, flood] of Object.entries(FLOODS)) scenes[slug(name)] = [harmless, flood];
  const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes });
  open.push(page, agent);
  return { page, agent };
});

const slug = (name) => name.replace(/\W+/g, "-");
const at = (name) => ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url + name, protocol: "ag-ui" })}`;

/** Measures the longest gap between two frames from now on. Returns a function that returns it. */
async function watchFrameGaps(page) {
  await page.evaluate(() => {
    const state = (globalThis.frameGaps = { longest: 0, last: performance.now() });
    const tick = (now) => {
      if (globalThis.frameGaps !== state) return;
      state.longest = Math.max(state.longest, now - state.last);
      state.last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  return () => page.evaluate(() => globalThis.frameGaps.longest);
}

/** The memory of the page in bytes: objects, nodes, and the module's own. */
async function memory(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage").catch(() => {});
  const heap = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return heap.usedSize + (heap.embedderHeapUsedSize ?? 0) + (heap.backingStorageSize ?? 0);
}

const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);

/** Plays a run and returns its longest gap, the memory and the number of elements afterwards. */
async function measure(chat, play) {
  const gap = await watchFrameGaps(chat.page);
  await play();
  const longest = await gap();
  return { longest, memory: await memory(chat.page), nodes: await nodes(chat.page) };
}

/** Checks a flood against a harmless run on the same page, and that the next message is answered. */
async function assertSurvives(chat, name, play) {
  const calm = await measure(chat, () => chat.ask("Something harmless"));
  const flood = await measure(chat, play);
  if (process.env.FIGURES) console.log(name, JSON.stringify({ calm, flood }));
  await chat.picture(`flood ${name}`);
  if (await chat.root.evaluate((root) => root.hasAttribute("data-running"))) {
    await chat.stopButton.or(chat.root.getByRole("button", { name: "Deny all and stop" })).first().click();
  }
  await chat.idle();
  await chat.ask("Are you back?");
  const answers = chat.messages("assistant");
  await eventually(async () => {
    const last = await answers.last().innerText();
    assert.ok(/You said: Are you back\?|Results:/.test(last), `the next answer: ${last.slice(-300)}`);
  });
  assert.ok(flood.longest < GAPS * Math.max(calm.longest, SLOW_MS), `the longest frame: ${flood.longest} ms, else ${calm.longest} ms`);
  assert.ok(flood.memory < MEMORY * calm.memory, `the memory: ${flood.memory}, else ${calm.memory}`);
  assert.ok(flood.nodes < ELEMENTS + calm.nodes, `${flood.nodes} elements`);
}

for (const name of Object.keys(FLOODS)) {
  pageTest(`${name}: frames, memory, and the next message`, { address: at(slug(name)), allow: [REFUSED] }, async (chat, { agent }) => {
    agent.forget();
    await assertSurvives(chat, name, async () => {
      await chat.composer.fill("Flood");
      await chat.composer.press("Enter");
      await eventually(() => assert.equal(agent.requests(slug(name)).length, 2));
      // Questions and handlers may stay open.
      await eventually(async () => assert.ok(!(await chat.stopButton.isVisible()) || (await settled(chat))), 30);
    });
  });
}

pageTest("an endless stream ends at the limit of a run", { address: at("endless"), allow: [REFUSED] }, async (chat, { agent }) => {
  agent.forget();
  await assertSurvives(chat, "endless", async () => {
    await chat.ask("Flood");
    await chat.notice(/The answer was larger than 33 MB/).waitFor();
  });
});

/** True once nothing changes on the page for half a second. */
async function settled(chat) {
  return chat.root.evaluate(
    (root) =>
      new Promise((done) => {
        let last = performance.now();
        const observer = new MutationObserver(() => (last = performance.now()));
        observer.observe(root, { subtree: true, childList: true, characterData: true });
        const end = performance.now() + 10_000;
        const look = () => {
          const now = performance.now();
          if (now - last < 500 && now < end) return setTimeout(look, 50);
          observer.disconnect();
          done(now < end);
        };
        look();
      }),
  );
}
