// Every kind of part that an agent can send, and files that a user sends: nothing is fetched from other origins,
// everything works by keyboard, axe finds nothing.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { DESKTOP, accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { PIXEL, fakeAgent } from "../support/fake-agent.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const partsTest = suite(async (open) => {
  const page = await demo();
  const agent = await fakeAgent({ origin: new URL(page.url).origin });
  open.push(page, agent);
  return { page, agent };
});

/** The demo with the agent of one scene. */
const at = (scene) => ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: agent.url + scene, protocol: "ag-ui" })}`;

/** A test that starts with an agent that has not answered yet. */
function test(name, options, body) {
  partsTest(name, { address: at("everything"), ...options }, async (chat, { page, agent }) => {
    agent.forget();
    const origins = new Set();
    chat.page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith("http")) origins.add(url.origin);
    });
    await body(chat, agent);
    const known = [new URL(page.url).origin, new URL(agent.url).origin];
    assert.deepEqual([...origins].filter((origin) => !known.includes(origin)), [], "nothing is fetched from elsewhere");
  });
}

const png = { name: "pixel.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") };
const plan = { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("Berth 14") };
const attached = (chat) => chat.root.getByRole("list", { name: "Attached files" }).getByRole("listitem");

test("each kind of part is rendered", { address: at("everything-slowly") }, async (chat, agent) => {
  await chat.send("Show me everything");
  await chat.root.locator(".la-reasoning-latest", { hasText: "Then that" }).waitFor();
  agent.proceed();
  await chat.root.getByText("Asking").waitFor();
  agent.proceed();
  await chat.idle();
  const log = chat.log;
  await log.getByText(/^Thought for/).waitFor();
  await eventually(async () => assert.ok(!(await log.getByText("First this.").isVisible()), "the thought is folded"));
  await log.getByText("Gauge readings").waitFor();
  await log.getByText("All read").waitFor();
  assert.equal(await log.getByRole("img", { name: "pixel.png" }).count(), 1);
  assert.equal(await log.locator("img, video, audio").count(), 1, "only the file in the message is shown");
  await log.getByText("drawing.svg").waitFor();
  const links = await log.getByRole("link").evaluateAll((list) => list.map((link) => link.href));
  assert.deepEqual(links, [
    "https://elsewhere.example/spy.png",
    "https://elsewhere.example/spy.mp4",
    "https://tides.example/today",
  ]);
  await log.getByText("From the future").click();
  await chat.says("<img src=x onerror=alert(1)>");
  await log.getByText(/^\d+ steps?$/).waitFor();
});

// Firefox does not report files that the page itself created to its driver.
test("an inline file is saved unchanged", { only: "chromium" }, async (chat) => {
  await chat.ask("Show me everything");
  const [download] = await Promise.all([
    chat.page.waitForEvent("download"),
    chat.log.getByRole("button", { name: "Save hello.txt" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "hello.txt");
  assert.equal(await readFile(await download.path(), "utf8"), "Hello");
});

test("all parts open by keyboard, and answers do not take the focus", {}, async (chat) => {
  await chat.ask("Show me everything");
  await chat.hasFocus(chat.composer, "an answer leaves the focus where it is");
  for (const text of [/^Thought for/, "Gauge readings", /\d+ steps?/]) {
    const summary = chat.log.locator("summary").filter({ hasText: text });
    await chat.reach(summary, "Shift+Tab");
    await chat.page.keyboard.press("Enter");
    await eventually(async () => assert.ok(await summary.evaluate((node) => node.parentElement.open), `${text} is open`));
    await chat.composer.focus();
  }
});

test("files can be sent with the keyboard alone", {}, async (chat, agent) => {
  const [chooser] = await Promise.all([
    chat.page.waitForEvent("filechooser"),
    (async () => {
      await chat.composer.focus();
      await chat.reach(chat.root.getByRole("button", { name: "Attach files" }), "Shift+Tab");
      await chat.page.keyboard.press("Enter");
    })(),
  ]);
  await chooser.setFiles([png, plan]);
  await eventually(async () => assert.equal(await attached(chat).count(), 2));
  await chat.page.locator(".la-attachment[data-state=ready]").nth(1).waitFor();
  await chat.picture("attachments");
  await chat.send("Look at this");
  await chat.idle();
  const [{ body }] = agent.requests("everything");
  const { content } = body.messages.at(-1);
  assert.deepEqual(content, [
    { type: "text", text: "Look at this" },
    { type: "image", source: { type: "data", value: PIXEL, mimeType: "image/png" }, metadata: { filename: "pixel.png" } },
    {
      type: "document",
      source: { type: "data", value: plan.buffer.toString("base64"), mimeType: "text/plain" },
      metadata: { filename: "plan.txt" },
    },
  ]);
  assert.equal(await attached(chat).count(), 0);
  await eventually(async () => assert.equal(await chat.messages("user").getByRole("img", { name: "pixel.png" }).count(), 1));
  await chat.messages("user").getByText("plan.txt").waitFor();
});

test("an attached file can be removed by keyboard", {}, async (chat) => {
  await chat.root.locator("input[type=file]").setInputFiles([png, plan]);
  await eventually(async () => assert.equal(await attached(chat).count(), 2));
  await chat.root.getByRole("button", { name: "Remove pixel.png" }).press("Enter");
  await chat.hasFocus(chat.root.getByRole("button", { name: "Remove plan.txt" }));
  await chat.page.keyboard.press("Enter");
  await chat.hasFocus(chat.composer);
});

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries({ wide: DESKTOP, narrow: { width: 360, height: 740 } })) {
    test(`axe finds nothing in parts and attachments: ${colorScheme}, ${size}`, { colorScheme, viewport }, async (chat) => {
      await showEverything(chat);
      await chat.picture(`parts ${colorScheme} ${size}`);
      await accessible(chat.page);
      await fits(chat);
    });
  }
}

test("parts and attachments do not overflow sideways on a narrow screen with wide fonts", { fonts: "wide", viewport: { width: 360, height: 740 } }, async (chat) => {
  await showEverything(chat);
  await chat.picture("parts narrow wide fonts");
  await fits(chat);
});

/** Shows every kind of part, opened, and attachments in the composer. */
async function showEverything(chat) {
  await chat.ask("Show me everything");
  for (const summary of await chat.log.locator("summary").all()) await summary.click();
  await chat.root.locator("input[type=file]").setInputFiles([png, plan, { ...plan, name: "tool.exe", mimeType: "" }]);
  await chat.page.locator(".la-attachment[data-state=ready]").nth(1).waitFor();
}

async function fits({ page }) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.ok(!wide, "nothing overflows sideways");
}
