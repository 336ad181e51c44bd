// Floods: whatever an agent sends, the page draws frames, answers keys and Stop while it arrives, memory stays bounded,
// and the next message is answered. Each flood is compared with a harmless run of the same page: the longest gap between
// two frames, the longest wait of a key and of Stop, the longest task of the page by its processor time, which does not
// depend on what else the machine does, and the memory at the end. FIGURES=1 prints them.

import assert from "node:assert/strict";

import { begin, behave, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { eventually } from "../support/chat.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const MEBI = 1024 * 1024;
const REFUSED = /Failed to load resource|ERR_/;
/** The longest frame, key or Stop in a flood, as a multiple of that in a harmless run, which counts as `SLOW_MS` at least. */
const [RATIO, SLOW_MS] = [16, 50];
/** The longest task of a flood, as a multiple of that of a harmless run, which counts as `LONG_MS` at least. */
const [TASK_RATIO, LONG_MS] = [8, 20];
/** The memory of a page after a flood, compared with the one after a harmless run. */
const MEMORY = 16;
/** The elements of a page after a flood, in addition to those after a harmless run. */
const ELEMENTS = 12_000;

const line = (event) => `data: ${JSON.stringify(event)}\n\n`;

/** A run that writes its events as one chunk, without a pause for the page; if it is `held`, it does not end by itself. */
function burst(events) {
  const write = (answer, input) => {
    begin(answer, input);
    answer.write(events.map(line).join(""));
  };
  const whole = (answer, input) => {
    write(answer, input);
    finish(answer, input);
  };
  return Object.assign(whole, { held: write });
}

/** A run that exceeds a limit, at which it ends. */
const ending = (events) => Object.assign(burst(events), { held: undefined });

/** A run whose last fold is opened once it has ended. */
const opened = (events) => Object.assign(burst(events), { opens: true });

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

/** A run of one frame that is no event, after which it does not end by itself. */
const frame = (text) => Object.assign((answer, input) => {
  begin(answer, input);
  answer.write(text);
}, { held: undefined });

function interrupts(count, schema) {
  return (answer, input) => {
    begin(answer, input);
    const one = (index) => ({ id: `i${index}`, reason: "approval", message: `Question ${index}`, responseSchema: schema });
    const list = many(count, one);
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
  "a question with 20,000 choices": interrupts(1, {
    type: "object",
    properties: { one: { enum: many(20_000, (index) => `Choice ${index}`) } },
    required: ["one"],
  }),
  "10,000 calls": ending(calls(10_000, "listBerths")),
  "900 calls": burst(calls(900, "lookUp", '{"name":"value"}')),
  "900 approvals": burst(calls(900, "get_weather", '{"location":"Lisbon"}')),
  "a table of 50,000 rows": burst(says(`| a | b |\n| - | - |\n${"| 1 | 2 |\n".repeat(50_000)}`)),
  "a table of 500 columns": burst(says(`${"| a ".repeat(500)}|\n${"| - ".repeat(500)}|\n${`${"| 1 ".repeat(500)}|\n`.repeat(100)}`)),
  "a list of 50,000 items": burst(says("- item\n".repeat(50_000))),
  "100,000 nested quotes": burst(says(`${">".repeat(100_000)} quote`)),
  "20,000 code blocks": burst(says("```\ncode\n```\n\n".repeat(20_000))),
  "a paragraph of 8 MB": burst(many(80, (index) => says("word ".repeat(20_000), "m")[index ? 1 : 0]).concat(says("", "m").slice(1))),
  "a line of a million characters": burst(says("x".repeat(1_000_000))),
  "a million invisible characters": burst(says("\u200b".repeat(1_000_000))),
  "a line of code of a million characters": burst(says(`\`\`\`\n${"x".repeat(1_000_000)}\n\`\`\`\n`)),
  "a result of a million invisible characters": opened([
    ...calls(1, "lookUp"),
    { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c0", content: "\u200b\u200c".repeat(500_000) },
  ]),
  "3 MB of arguments": opened(calls(1, "lookUp", JSON.stringify({ list: many(300_000, (index) => index) }))),
  "3 MB of reasoning": opened([
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
  "5,000 removals from the state": burst([
    { type: "STATE_SNAPSHOT", snapshot: { list: many(5_000, (index) => index) } },
    { type: "STATE_DELTA", delta: many(5_000, () => ({ op: "remove", path: "/list/0" })) },
  ]),
  "JSON of 2,000,000 levels": frame(`data: ${"[".repeat(2_000_000)}\n\n`),
  "a comment of 40 MB": frame(`:${"x".repeat(40 * MEBI)}\n\n`),
  "ten ids of 1 MB": ending(many(10, (index) => says("text", `${index}${"i".repeat(MEBI)}`)).flat()),
};

/** Plays the run that the user's message names once in a conversation, and an ordinary run for all other requests. */
function scene(flood) {
  const runs = { Harmless: harmless, Flood: flood, "Stop harmless": harmless.held, "Stop flood": flood.held };
  const played = new Set();
  const play = (answer, input) => {
    const text = input.messages.at(-1)?.content;
    const key = `${input.threadId} ${text}`;
    const run = played.has(key) ? undefined : runs[text];
    played.add(key);
    (run ?? behave)(answer, input);
  };
  return many(40, () => play);
}

const pageTest = suite(async (open) => {
  const page = await demo();
  const scenes = { endless: scene(endless("word ".repeat(200))) };
  for (const [name, flood] of Object.entries(FLOODS)) scenes[slug(name)] = scene(flood);
  const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes });
  open.push(page, agent);
  return { page, agent };
});

const timed = "frames, keys and Stop are measured by the clock";
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

/**
 * Records the tasks of the page from now on. Returns a function that returns the processor time of the longest one, in
 * milliseconds.
 */
async function watchTasks(page) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const traceConfig = { includedCategories: ["disabled-by-default-devtools.timeline"] };
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  return async () => {
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    await session.detach();
    const isMain = ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain";
    const mains = new Set(events.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
    const isTask = ({ name, pid, tid }) => name === "RunTask" && mains.has(`${pid} ${tid}`);
    const longest = events.filter(isTask).reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0);
    assert.ok(longest > 0, "the tasks of the page are recorded");
    return longest / 1000;
  };
}

const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);

/**
 * Presses keys in the composer until `end` is called. `longest` returns the longest time from a key to the frame with its
 * letter, and empties the composer.
 */
async function pressKeys(chat) {
  await chat.composer.evaluate((box) => {
    const state = (globalThis.keyWaits = { longest: 0 });
    box.addEventListener("keydown", ({ key, timeStamp }) => {
      if (key !== "k") return;
      requestAnimationFrame(() => (state.longest = Math.max(state.longest, performance.now() - timeStamp)));
    });
  });
  let [pressed, over] = [0, false];
  await chat.composer.focus();
  const typing = (async () => {
    while (!over) {
      await chat.page.keyboard.press("k");
      pressed++;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return {
    async end() {
      over = true;
      await typing;
    },
    async longest() {
      assert.equal(await chat.composer.inputValue(), "k".repeat(pressed), "each key is in the composer");
      await chat.composer.fill("");
      return chat.page.evaluate(() => globalThis.keyWaits.longest);
    },
  };
}

/** Plays a run during which keys are pressed. Returns its longest gap and wait, the memory and the number of elements. */
async function measure(chat, agent, text, ended) {
  const gap = await watchFrameGaps(chat.page);
  const tasks = await watchTasks(chat.page);
  const before = agent.requests(agent.scene).length;
  await chat.composer.fill(text);
  await chat.composer.press("Enter");
  const keys = await pressKeys(chat);
  await eventually(() => assert.ok(agent.requests(agent.scene).length > before));
  await ended().finally(keys.end);
  const key = await keys.longest();
  const longest = await gap();
  return { longest, key, task: await tasks(), memory: await memory(chat.page), nodes: await nodes(chat.page) };
}

/** Plays a run that does not end by itself and stops it. Returns the time from the click to the end of the run. */
async function measureStop(chat, agent, text) {
  const before = agent.requests(agent.scene).length;
  await chat.composer.fill(text);
  await chat.composer.press("Enter");
  await eventually(() => assert.ok(agent.requests(agent.scene).length > before));
  await chat.root.evaluate((root) => {
    const state = (globalThis.stopWait = { clicked: false });
    const clicked = ({ target, timeStamp }) => {
      if (!target.closest?.("button")) return;
      root.removeEventListener("click", clicked, true);
      state.clicked = true;
      const look = () => {
        if (root.hasAttribute("data-running")) return requestAnimationFrame(look);
        state.took = performance.now() - timeStamp;
      };
      requestAnimationFrame(look);
    };
    root.addEventListener("click", clicked, true);
  });
  // By the mouse where it is: a locator's click waits until nothing moves. A click that misses the button is repeated.
  await chat.stopButton.waitFor();
  await eventually(async () => {
    const { x, y, width, height } = await chat.stopButton.boundingBox();
    await chat.page.mouse.click(x + width / 2, y + height / 2);
    assert.ok(await chat.page.evaluate(() => globalThis.stopWait.clicked), "it was clicked");
  });
  await eventually(async () => assert.ok(await chat.page.evaluate(() => globalThis.stopWait.took), "it stopped"));
  return chat.page.evaluate(() => globalThis.stopWait.took);
}

/** Stops what is running, unless it ends by itself in the meantime. */
async function stopAll(chat) {
  const stop = chat.stopButton.or(chat.root.getByRole("button", { name: "Deny all and stop" })).first();
  await eventually(async () => {
    const isRunning = await chat.root.evaluate((root) => root.hasAttribute("data-running"));
    if (!isRunning) return;
    await stop.click({ timeout: 15_000 });
    await chat.idle();
  }, 60);
}

/** Checks a flood against a harmless run on the same page, and that the next message is answered. */
async function assertSurvives(chat, agent, name, ended) {
  const calm = await measure(chat, agent, "Harmless", () => chat.idle());
  const flood = await measure(chat, agent, "Flood", ended);
  await chat.picture(`flood ${name}`);
  await stopAll(chat);
  if (FLOODS[name]?.held) {
    calm.stop = await measureStop(chat, agent, "Stop harmless");
    flood.stop = await measureStop(chat, agent, "Stop flood");
  }
  if (process.env.FIGURES) console.log(name, JSON.stringify({ calm, flood }));
  await chat.ask("Are you back?");
  const answers = chat.messages("assistant");
  await eventually(async () => {
    const last = await answers.last().innerText();
    assert.ok(/You said: Are you back\?|Results:/.test(last), `the next answer: ${last.slice(-300)}`);
  });
  for (const [what, field] of Object.entries({ frame: "longest", key: "key", stop: "stop" })) {
    if (flood[field] === undefined) continue;
    const most = RATIO * Math.max(calm[field], SLOW_MS);
    assert.ok(flood[field] < most, `the longest ${what}: ${flood[field]} ms, else ${calm[field]} ms`);
  }
  const most = TASK_RATIO * Math.max(calm.task, LONG_MS);
  assert.ok(flood.task < most, `the longest task: ${flood.task} ms of the processor, else ${calm.task} ms`);
  assert.ok(flood.memory < MEMORY * calm.memory, `the memory: ${flood.memory}, else ${calm.memory}`);
  assert.ok(flood.nodes < ELEMENTS + calm.nodes, `${flood.nodes} elements`);
}

for (const name of Object.keys(FLOODS)) {
  const title = `${name}: frames, keys, Stop, memory, and the next message`;
  pageTest(title, { address: at(slug(name)), allow: [REFUSED], timed }, async (chat, { agent }) => {
    agent.forget();
    agent.scene = slug(name);
    // Questions and handlers may stay open.
    const ended = async () => {
      await eventually(async () => assert.ok(!(await chat.stopButton.isVisible()) || (await settled(chat))), 30);
      // Without moving the focus, which the typing needs.
      if (FLOODS[name].opens) await chat.log.locator("summary").last().evaluate((summary) => summary.click());
      await settled(chat);
    };
    await assertSurvives(chat, agent, name, ended);
  });
}

pageTest("an endless stream ends at the limit of a run", { address: at("endless"), allow: [REFUSED], timed }, async (chat, { agent }) => {
  agent.forget();
  agent.scene = "endless";
  await assertSurvives(chat, agent, "endless", () => chat.notice(/The answer was larger than 33 MB/).waitFor());
});

/** True once nothing changes in the transcript for half a second. */
async function settled(chat) {
  return chat.root.evaluate(
    (root) =>
      new Promise((done) => {
        let last = performance.now();
        const observer = new MutationObserver(() => (last = performance.now()));
        observer.observe(root.querySelector("[role=log]"), { subtree: true, childList: true, characterData: true });
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
