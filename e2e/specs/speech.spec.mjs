// The announcements of a window to assistive technology: the texts in its live regions, in their order.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { demo } from "../support/servers.mjs";
import { listen } from "../support/speech.mjs";
import { suite } from "../support/suite.mjs";
import { BATCH_MS, holdTimers } from "../support/timers.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const speechTest = (name, body, query = "") =>
  pageTest(name, { address: ({ page }) => page.url + query }, async (chat) => body(chat, await listen(chat)));

speechTest("a complete answer is announced once, as plain text", async (chat, announced) => {
  await chat.ask("What can you do?");
  await eventually(async () => assert.ok((await announced()).length > 0));
  const all = await announced();
  assert.ok(all.every(({ region }) => region === "log"), JSON.stringify(all));
  const words = all.map(({ text }) => text).join(" ");
  assert.doesNotMatch(words, /[*`#]|\]\(/, "no marks of markdown");
  assert.doesNotMatch(words, /What can you do/, "no text of the user");
  assert.equal(new Set(all.map(({ text }) => text)).size, all.length, "nothing twice");
});

speechTest("a long answer is announced by block, up to a limit", async (chat, announced) => {
  await chat.ask("Tell me something long");
  await eventually(async () => assert.ok((await announced()).length > 1));
  const all = await announced();
  assert.ok(all.every(({ region }) => region === "log"));
  assert.ok(all.map(({ text }) => text).join("").length < 8_000);
});

speechTest("a call is announced while running, before the answer", async (chat, announced) => {
  await chat.ask("Where is order A-17?");
  await eventually(async () => assert.ok((await announced()).some(({ text }) => /shipped/.test(text))));
  const all = await announced();
  const tool = all.findIndex(({ region, text }) => region === "status" && /lookup_order/.test(text));
  const answer = all.findIndex(({ region, text }) => region === "log" && /shipped/.test(text));
  assert.ok(tool >= 0 && answer > tool, JSON.stringify(all));
  assert.ok(!all.some(({ region }) => region === "alert"), "nothing is urgent");
});

speechTest("a stepped call is announced once, without its steps", async (chat, announced) => {
  await chat.ask("Run the full deployment process");
  await eventually(async () => assert.ok((await announced()).some(({ region }) => region === "log")));
  const runs = (await announced()).filter(({ text }) => /deployment_process|Running|deployment process/.test(text) && !/completed/.test(text));
  assert.equal(runs.filter(({ region }) => region === "status").length, 1, JSON.stringify(runs));
});

speechTest("an approval is announced at once, then the call, then the answer", async (chat, announced) => {
  await chat.send("What's the weather?");
  const card = chat.card("get_weather");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await eventually(async () => assert.deepEqual((await announced()).at(-1), { region: "alert", text: "Approval needed: Look up the weather, Place: Rotterdam" }));
  await chat.approve(card);
  await chat.idle();
  await eventually(async () => assert.match((await announced()).at(-1).text, /14 °C in Rotterdam/));
  assert.deepEqual(
    (await announced()).map(({ region, text }) => `${region}: ${text}`).filter((line) => !line.includes("14 °C")),
    ["log: Assistant: Let me check…", "alert: Approval needed: Look up the weather, Place: Rotterdam", "status: Looking up the weather"],
  );
});

// An assertive announcement makes screen readers drop a polite one of the same moment.
speechTest("the text before a question is announced before the question", async (chat, announced) => {
  const urgentAtText = chat.root.evaluate(
    (root) =>
      new Promise((resolve) => {
        const text = (region) => root.querySelector(`[data-speech=${region}]`).textContent;
        const observer = new MutationObserver(() => {
          if (!text("answers")) return;
          observer.disconnect();
          resolve(text("urgent"));
        });
        observer.observe(root.querySelector(".la-announcer"), { subtree: true, childList: true });
      }),
  );
  await chat.send("Pick a data source for the berth report");
  assert.equal(await urgentAtText, "");
  await eventually(async () => assert.equal((await announced()).at(-1).text, "The assistant has a question for you."));
  const regions = (await announced()).map(({ region }) => region);
  // The card that asks is a running tool.
  assert.deepEqual(
    regions.filter((region) => region !== "status"),
    ["log", "alert"],
  );
});

speechTest("two approvals are announced together", async (chat, announced) => {
  // Both arrive within the time in which requests are collected, however slow the machine is.
  const collected = await holdTimers(chat.page, BATCH_MS);
  await chat.send("What's the weather in Oslo and Bergen?");
  await chat.card("get_weather").nth(1).getByRole("button", { name: "Approve" }).waitFor();
  await collected.release();
  await eventually(async () => assert.ok((await announced()).some(({ region }) => region === "alert")));
  const urgent = (await announced()).filter(({ region }) => region === "alert");
  assert.deepEqual(urgent.map(({ text }) => text), ["Approval needed: Look up the weather, Place: Oslo; Look up the weather, Place: Bergen"]);
});

speechTest("an error is announced once as an alert", async (chat, announced) => {
  await chat.ask("Crash the agent");
  await eventually(async () => assert.ok((await announced()).some(({ region }) => region === "alert")));
  const urgent = (await announced()).filter(({ region }) => region === "alert");
  assert.equal(urgent.length, 1, JSON.stringify(urgent));
  assert.match(urgent[0].text, /ran into a problem/);
});

speechTest("Stop is announced once", async (chat, announced) => {
  await chat.send("slow task");
  await chat.status(chat.card("deployment_process"), "executing");
  await chat.stopButton.click();
  await chat.idle();
  await eventually(async () => assert.deepEqual((await announced()).at(-1), { region: "status", text: "Stopped." }));
  assert.equal((await announced()).filter(({ text }) => /^Stopped/.test(text)).length, 1);
});

speechTest(
  "a reload announces no earlier messages",
  async (chat) => {
    await chat.ask("Where is order A-17?");
    await chat.page.reload();
    const announced = await listen(chat);
    await chat.says("A-17");
    await chat.page.waitForTimeout(500);
    assert.deepEqual(await announced(), []);
    await chat.ask("What can you do?");
    await eventually(async () => assert.ok((await announced()).length > 0));
    assert.ok(!(await announced()).some(({ text }) => /shipped/.test(text)));
  },
  "?chat=heard",
);

speechTest(
  "scrolling through 1,000 messages announces nothing",
  async (chat, announced) => {
    await chat.log.locator('[data-message-id="past-999"]').waitFor();
    for (let step = 0; step < 20; step++) {
      await chat.log.evaluate((log) => log.scrollBy(0, -1500));
      await chat.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }
    await chat.log.evaluate((log) => log.scrollTo(0, 0));
    await chat.page.waitForTimeout(300);
    assert.deepEqual(await announced(), []);
  },
  "?history=1000",
);

speechTest("each turn is one article with a heading, and the transcript itself is not live", async (chat) => {
  await chat.ask("Where is order A-17?");
  assert.equal(await chat.log.getAttribute("aria-live"), "off");
  const turns = chat.log.getByRole("article");
  assert.equal(await turns.count(), 2);
  assert.deepEqual(await chat.log.getByRole("heading", { level: 3 }).allTextContents(), ["You", "Assistant"]);
  for (const turn of await turns.all()) assert.equal(await turn.getByRole("heading", { level: 3 }).count(), 1);
});

speechTest(
  "Up, Down, Home and End move between turns",
  async (chat) => {
    await chat.log.locator('[data-message-id="past-199"]').waitFor();
    const { keyboard } = chat.page;
    const focused = () => chat.page.evaluate(() => document.activeElement.querySelector("[data-message-id]")?.dataset.messageId);
    await chat.log.focus();
    await keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await focused(), "past-199"));
    await keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await focused(), "past-198"));
    await keyboard.press("ArrowDown");
    await eventually(async () => assert.equal(await focused(), "past-199"));
    await keyboard.press("Home");
    await eventually(async () => assert.equal(await focused(), "past-0"));
    await keyboard.press("End");
    await eventually(async () => assert.equal(await focused(), "past-199"));
  },
  "?history=200",
);
