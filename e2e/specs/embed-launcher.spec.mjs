// The launcher of the custom element: a popup or a sidebar whose program is fetched when the user is about to open it.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { accessible } from "../support/browser.mjs";
import { Chat, eventually } from "../support/chat.mjs";
import { packageSuite } from "../support/embed.mjs";
import { ROOT } from "../support/servers.mjs";

/** The greatest size of what a page with a closed launcher loads of the package, in bytes of gzip. */
const BEFORE_INTENT = 10_240;

const pageTest = packageSuite();

/** A test on a page whose element has these attributes. */
function launcherTest(name, body, { attributes, ...options } = {}) {
  const address = ({ page, agent }) => `${page.url}launcher.html?${new URLSearchParams({ agent: `${agent.url}talk`, label: "Help", layout: "popup", ...attributes })}`;
  pageTest(name, { address, bare: true, ...options }, async ({ page }, { agent }) => {
    agent.forget();
    const fetched = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await page.reload();
    const launcher = page.getByRole("button", { name: "Help" });
    await launcher.waitFor();
    await body({ page, launcher, chat: new Chat(page, page.locator("leptos-assistant")), agent, fetched });
  });
}

const embedded = (fetched) => fetched.filter((path) => path.startsWith("/embed/")).map((path) => path.slice("/embed/".length));
const expanded = async (launcher, state) => eventually(async () => assert.equal(await launcher.getAttribute("aria-expanded"), state));
/** Asserts that an element is within the window, and that nothing scrolls to the side. */
const fits = async (page, element) => {
  const { x, y, width, height } = await element.boundingBox();
  const size = page.viewportSize();
  assert.ok(x >= 0 && y >= 0 && x + width <= size.width + 0.5 && y + height <= size.height + 0.5, JSON.stringify({ x, y, width, height, size }));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is too wide");
};

launcherTest("a closed launcher loads at most ten kilobytes until a pointer is near", async ({ page, launcher, chat, fetched }) => {
  await page.mouse.move(10, 10);
  const loaded = () => assert.deepEqual(embedded(fetched).toSorted(), ["element.js", "launcher.css"]);
  await eventually(loaded);
  await page.waitForTimeout(400);
  loaded();
  const before = embedded(fetched);
  const bytes = before.map((name) => gzipSync(readFileSync(path.join(ROOT, "dist/embed", name)), { level: 9 }).length);
  const sum = bytes.reduce((one, other) => one + other);
  assert.ok(sum <= BEFORE_INTENT, `${sum} bytes`);
  await accessible(page);
  const { x, y } = await launcher.boundingBox();
  await page.mouse.move(x - 40, y - 40);
  await eventually(async () => assert.ok(embedded(fetched).includes("assistant_embed_bg.wasm")));
  await page.waitForFunction(() => globalThis.events.length === 1);
  await expanded(launcher, "false");
  await launcher.click();
  await chat.hasFocus(chat.composer);
  await eventually(async () => assert.deepEqual(await page.evaluate(() => globalThis.events), [{ kind: "ready" }, { kind: "open", open: true }]));
  // Its styles came with the program.
  assert.ok(embedded(fetched).includes("style.css"));
  await accessible(page);
});

launcherTest("a launcher can be used with the keyboard alone", async ({ page, launcher, chat, agent }) => {
  await page.getByRole("link").focus();
  await page.keyboard.press("Tab");
  await chat.hasFocus(launcher);
  assert.equal(await launcher.getAttribute("aria-keyshortcuts"), "Alt+Shift+H");
  await page.keyboard.press("Enter");
  await chat.hasFocus(chat.composer);
  await expanded(launcher, "true");
  await chat.ask("Hello");
  assert.deepEqual(agent.requests("talk")[0].body.tools.map(({ name }) => name), ["early"]);
  await page.keyboard.press("Escape");
  await chat.hasFocus(launcher);
  await expanded(launcher, "false");
  await page.getByRole("link").focus();
  await page.keyboard.press("Alt+Shift+H");
  await chat.hasFocus(chat.composer);
  await chat.says("You said: Hello");
  await page.keyboard.press("Alt+Shift+H");
  await chat.hasFocus(launcher);
  await eventually(async () => assert.equal(await chat.composer.isVisible(), false));
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("shortcut", "Control+J"));
  await page.keyboard.press("Alt+Shift+H");
  await page.keyboard.press("Control+j");
  await expanded(launcher, "true");
}, { attributes: { shortcut: "Alt+Shift+H" } });

for (const layout of ["popup", "sidebar"]) {
  launcherTest(`a printed page has the whole conversation of an open ${layout}, and no button`, async ({ page, launcher, chat }) => {
    await page.emulateMedia({ media: "print" });
    assert.equal(await launcher.isVisible(), false);
    await page.emulateMedia({ media: "screen" });
    await launcher.click();
    await chat.composer.waitFor();
    for (const word of ["First", "Second", "Third"]) await chat.ask(`${word}\n${"A line of the message.\n".repeat(20)}`);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(`.la-${layout} > button`).isVisible(), false);
    const { page: height, boxes, messages, room } = await page.evaluate((layout) => {
      const rectangle = (element) => {
        const { top, bottom, height } = element.getBoundingClientRect();
        return { top: top + scrollY, bottom: bottom + scrollY, height };
      };
      const clipping = [...document.querySelectorAll(`.la-${layout}, .la-${layout}-body, .la-transcript, .la-transcript-scroller`)];
      return {
        page: document.documentElement.scrollHeight,
        boxes: clipping.map((element) => ({ ...rectangle(element), overflow: getComputedStyle(element).overflowY, position: getComputedStyle(element).position })),
        messages: [...document.querySelectorAll(".la-message")].map(rectangle),
        room: getComputedStyle(document.documentElement).getPropertyValue("--la-sidebar-room"),
      };
    }, layout);
    assert.equal(messages.length, 6);
    assert.equal(boxes.length, 4);
    for (const message of messages) {
      assert.ok(message.height > 0 && message.bottom <= height, JSON.stringify({ message, height }));
      for (const box of boxes) assert.ok(message.top >= box.top - 0.5 && message.bottom <= box.bottom + 0.5, JSON.stringify({ message, box }));
    }
    for (const { overflow, position } of boxes) assert.ok(overflow === "visible" && position !== "fixed", JSON.stringify({ overflow, position }));
    assert.equal(room, "", "the page makes no room beside it");
    await chat.picture(`printed ${layout}`);
  }, { attributes: { layout } });
}

launcherTest("an answer in a closed launcher marks it unread", async ({ page, launcher, chat }) => {
  await launcher.click();
  await chat.composer.waitFor();
  await chat.ask("Hello");
  await page.evaluate(() => {
    const element = document.querySelector("leptos-assistant");
    element.close();
    element.chat.send("Another");
  });
  const shell = page.locator(".la-popup");
  await eventually(async () => assert.equal(await shell.getAttribute("data-unread"), ""));
  await eventually(async () => assert.equal(await shell.locator("> [role=status]").innerText(), "New message"));
  await page.evaluate(() => document.querySelector("leptos-assistant").toggle());
  await chat.says("You said: Another");
  await eventually(async () => assert.equal(await shell.getAttribute("data-unread"), null));
  await eventually(async () => assert.equal(await shell.locator("> [role=status]").innerText(), ""));
});

launcherTest("a program that fails to load shows a notice with Retry", async ({ page, launcher, chat }) => {
  let broken = true;
  for (const file of ["index.js", "style.css"]) await page.route(`**/${file}*`, (route) => (broken ? route.abort() : route.continue()));
  await launcher.press("Enter");
  const retry = page.getByRole("button", { name: "Retry" });
  await retry.waitFor();
  await page.getByText("could not be loaded").waitFor();
  await accessible(page);
  const failure = () => page.evaluate(() => globalThis.events.find(({ kind }) => kind === "error")?.message ?? "");
  await eventually(async () => assert.match(await failure(), /the program could not be loaded/));
  broken = false;
  await retry.press("Enter");
  await chat.hasFocus(chat.composer);
}, { allow: [/Failed to load resource/, /the program could not be loaded/] });

for (const layout of ["popup", "sidebar"]) {
  for (const [width, height] of [[1280, 800], [768, 1024], [360, 740], [320, 256]]) {
    launcherTest(`a ${layout} fits ${width} × ${height}`, async ({ page, launcher, chat }) => {
      await fits(page, launcher);
      await launcher.click();
      await chat.composer.waitFor();
      await chat.ask("Hello");
      await fits(page, chat.root);
      await fits(page, launcher);
      // The button covers nothing of the chat.
      for (const element of [chat.composer, chat.root.getByRole("button", { name: "Send" })]) await element.click({ trial: true });
      await chat.picture(`launcher ${layout} ${width}x${height}`);
      await accessible(page);
      await launcher.click();
      await expanded(launcher, "false");
    }, { attributes: { layout }, viewport: { width, height } });
  }
}

launcherTest("a changed layout keeps the conversation", async ({ page, launcher, chat }) => {
  const room = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--la-sidebar-room"));
  await launcher.click();
  await chat.composer.waitFor();
  await chat.ask("Hello");
  for (const layout of ["sidebar", "inline", "popup"]) {
    await page.evaluate((layout) => document.querySelector("leptos-assistant").setAttribute("layout", layout), layout);
    await page.locator(layout === "inline" ? "leptos-assistant > .la-place" : `.la-${layout}[data-open]`).waitFor();
    assert.equal(await room(), layout === "sidebar" ? "26rem" : "", "the page can make room for a sidebar");
    assert.equal(await chat.messages("user").count(), 1);
  }
  await chat.ask("Hello again");
});

launcherTest("the root element counts open sidebars", async ({ page, launcher }) => {
  const counted = (count) => eventually(async () => assert.equal(await page.locator("html").getAttribute("data-la-sidebars"), count));
  const change = (act) => page.evaluate(act);
  await counted(null);
  await launcher.click();
  await counted("1");
  await change(() => (globalThis.removed = document.querySelector("leptos-assistant")).remove());
  await counted(null);
  await change(() => document.body.append(globalThis.removed));
  await counted("1");
  await change(() => globalThis.removed.close());
  await counted(null);
}, { attributes: { layout: "sidebar" } });

launcherTest("a closed inline chat that becomes a popup shows its launcher", async ({ page, launcher, chat }) => {
  const set = (name, value) => page.evaluate(([name, value]) => document.querySelector("leptos-assistant").setAttribute(name, value), [name, value]);
  await set("layout", "inline");
  await page.evaluate(() => document.querySelector("leptos-assistant").open());
  await chat.composer.waitFor();
  await page.evaluate(() => document.querySelector("leptos-assistant").close());
  await chat.composer.waitFor({ state: "hidden" });
  await set("layout", "popup");
  await launcher.click();
  await chat.composer.waitFor();
});

test("every file of the package is listed", () => {
  const package_ = path.join(ROOT, "dist/embed");
  const { files } = JSON.parse(readFileSync(path.join(package_, "package.json"), "utf8"));
  const published = readdirSync(package_).filter((name) => !/^(package\.json|README\.md|LICENSE-\w+)$/.test(name));
  assert.deepEqual(published.filter((name) => !files.includes(name)), []);
});
