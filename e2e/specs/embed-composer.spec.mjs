// The composer of the custom element before its program is loaded: the user types and sends at once.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { Chat } from "../support/chat.mjs";
import { heldBack, packageSuite } from "../support/embed.mjs";

const PROGRAM = "**/assistant_embed_bg.wasm";

const pageTest = packageSuite();

/**
 * A test on a page whose element has these attributes, and whose program is held back until `release` is called. `prepare`
 * prepares the page before it loads the element, and may return further fixtures.
 */
function earlyTest(name, body, { attributes, program = PROGRAM, prepare = () => {}, ...options } = {}) {
  // First a page without an element: leaving a page that loads its program interrupts requests, which the page may report.
  const address = ({ page }) => `${page.url}bare.html`;
  pageTest(name, { address, bare: true, ...options }, async ({ page }, { page: { url }, agent }) => {
    agent.forget();
    const release = await heldBack(page, program);
    // An inline element needs a height.
    await page.addInitScript(() => document.addEventListener("DOMContentLoaded", () => (document.querySelector("leptos-assistant").style.blockSize = "30rem")));
    const prepared = await prepare(page);
    await page.goto(`${url}launcher.html?${new URLSearchParams({ agent: `${agent.url}talk`, label: "Help", layout: "inline", ...attributes })}`);
    const chat = new Chat(page, page.locator("leptos-assistant"));
    const early = page.locator("leptos-assistant [data-early]");
    // The text box of the early composer, or of the program.
    const box = page.locator("leptos-assistant").getByRole("textbox", { name: "Message", exact: true });
    await body({ page, chat, early, box, agent, release, ...prepared });
  });
}

/** Records the numbers of composers that the page has had on its frames and after its tasks. */
const countComposers = (page) =>
  page.evaluate(() => {
    const counts = (globalThis.composers = new Set());
    const root = document.querySelector("leptos-assistant");
    const look = () => counts.add((root.shadowRoot ?? root).querySelectorAll("textarea").length);
    new MutationObserver(look).observe(root.shadowRoot ?? root, { childList: true, subtree: true });
    const frame = () => (look(), requestAnimationFrame(frame));
    frame();
  });
const composers = (page) => page.evaluate(() => [...globalThis.composers]);
const isReady = (page) => page.waitForFunction(() => globalThis.events.some(({ kind }) => kind === "ready"));
const selection = (composer) => composer.evaluate(({ selectionStart, selectionEnd }) => [selectionStart, selectionEnd]);
const boxOf = async (element) => {
  const { x, y, width, height } = await element.boundingBox();
  return [x, y, width, height].map(Math.round);
};

for (const [kind, attributes] of [["an inline element", {}], ["a shadow root", { shadow: "" }]]) {
  earlyTest(`in ${kind}, a message and a draft from before the program are passed to it`, async ({ page, chat, early, box, agent, release }) => {
    await box.fill("Hello");
    await countComposers(page);
    await box.press("Enter");
    await early.getByText("Hello").waitFor();
    await early.getByRole("status").getByText("Thinking").waitFor();
    await page.keyboard.type("And a draft");
    // One message is sent at a time, as during a run.
    await page.keyboard.press("Enter");
    await box.evaluate((input) => input.setSelectionRange(4, 9));
    await accessible(page);
    await chat.picture(`composer before the program, ${kind}`);
    assert.equal(agent.requests("talk").length, 0);
    assert.ok(await early.getByRole("button", { name: "Send" }).isDisabled());
    const frame = page.locator("leptos-assistant .la-composer-box");
    const before = await boxOf(frame);
    release();
    await chat.says("You said: Hello");
    await chat.idle();
    assert.deepEqual(await boxOf(frame), before);
    assert.equal(await early.count(), 0);
    assert.equal(await box.inputValue(), "And a draft");
    assert.deepEqual(await selection(box), [4, 9]);
    await chat.hasFocus(box);
    assert.deepEqual(await composers(page), [1]);
    assert.equal(await chat.messages("user").count(), 1);
    const requests = agent.requests("talk");
    assert.equal(requests.length, 1);
    assert.deepEqual(requests[0].body.tools.map(({ name }) => name), ["early"], "actions that were registered before are offered");
    // The text is that of the program's composer.
    await box.press("Enter");
    await chat.says("You said: And a draft");
  }, { attributes });
}

const KEPT = { store: "indexeddb", "store-name": "drafts", loading: "eager" };

earlyTest("with a store, a sent message and a text from before the program are restored after a reload", async ({ page, chat, early, box, agent, release }) => {
  const send = async () => {
    await box.fill("First");
    await box.press("Enter");
    await early.getByText("First").waitFor();
    await page.keyboard.type("Second");
  };
  await send();
  await page.reload();
  await early.waitFor();
  assert.equal(await box.inputValue(), "First\n\nSecond");
  assert.equal(agent.requests("talk").length, 0, "nothing is sent again without the user");
  await send();
  // The program sends the message, and has the text.
  release();
  await chat.says("You said: First");
  assert.equal(await early.count(), 0);
  assert.equal(await box.inputValue(), "Second");
  await page.reload();
  await isReady(page);
  assert.equal(await box.inputValue(), "Second");
  await chat.idle();
  await box.press("Enter");
  await chat.says("You said: Second");
  await page.reload();
  await isReady(page);
  assert.equal(await box.inputValue(), "", "the text was sent");
  assert.equal(agent.requests("talk").length, 2);
}, { attributes: KEPT, program: "**/assistant_embed_full_bg.wasm" });

earlyTest("without a store, no text is kept", async ({ page, early, box }) => {
  await box.fill("First");
  await page.reload();
  await early.waitFor();
  assert.equal(await box.inputValue(), "");
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

earlyTest("typing continues without a lost character while the program replaces the composer", async ({ page, chat, early, box, release }) => {
  const text = "The quick brown fox jumps over the lazy dog. ".repeat(4);
  await page.getByRole("button", { name: "Help" }).press("Enter");
  await chat.hasFocus(early.getByRole("textbox", { name: "Message" }));
  await countComposers(page);
  const typing = page.keyboard.type(text, { delay: 10 });
  release();
  await Promise.all([typing, isReady(page)]);
  assert.equal(await early.count(), 0);
  assert.equal(await box.inputValue(), text);
  assert.deepEqual(await composers(page), [1]);
}, { attributes: { layout: "popup" } });

/** Records the requests for the script of the program. */
function recordPrograms(page) {
  const programs = [];
  page.on("request", (request) => request.url().includes("index.js") && programs.push(request.url()));
  return { programs };
}

earlyTest("with loading on intent, the composer is there before the program is fetched", async ({ page, chat, early, box, release, programs }) => {
  await early.waitFor();
  await page.waitForTimeout(300);
  assert.deepEqual(programs, []);
  release();
  await box.fill("Hello");
  await box.press("Enter");
  await chat.says("You said: Hello");
  assert.equal(programs.length, 1);
  assert.equal(await chat.messages("user").count(), 1);
}, { attributes: { loading: "intent" }, prepare: recordPrograms });

earlyTest("options that change while a message waits keep the message", async ({ page, chat, box, agent, release }) => {
  await box.fill("Hello");
  await box.press("Enter");
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("heading-offset", "2"));
  release();
  await chat.says("You said: Hello");
  await chat.idle();
  assert.equal(agent.requests("talk").length, 1);
  assert.equal(await chat.messages("user").count(), 1);
});

/** Adds a child for the slot below the header to each element that the page creates. */
async function addHeader(page) {
  await page.addInitScript(() => {
    const create = document.createElement.bind(document);
    document.createElement = (name, options) => {
      const element = create(name, options);
      if (name === "leptos-assistant") element.append(Object.assign(create("a"), { slot: "header", href: "#terms", textContent: "Terms" }));
      return element;
    };
  });
}

earlyTest("a node of a slot keeps the focus when it is moved into the program's window", async ({ page, chat, early, release }) => {
  await early.getByRole("link", { name: "Terms" }).focus();
  release();
  await isReady(page);
  assert.equal(await early.count(), 0);
  await chat.hasFocus(chat.root.getByRole("link", { name: "Terms" }));
}, { prepare: addHeader });

earlyTest("a transcript that has the focus keeps it", async ({ page, chat, early, release }) => {
  const scroller = ".la-transcript-scroller";
  await early.locator(scroller).focus();
  release();
  await isReady(page);
  assert.equal(await early.count(), 0);
  await chat.hasFocus(chat.root.locator(scroller));
});

earlyTest("the program waits for the end of an input method's composition", async ({ page, chat, early, box, release }) => {
  const session = await page.context().newCDPSession(page);
  await box.focus();
  await session.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
  const compiled = page.waitForRequest("**/assistant_embed_conversation.wasm");
  release();
  // The second part is requested once the first is compiled.
  await compiled;
  await page.waitForTimeout(300);
  await session.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
  assert.equal(await early.count(), 1);
  await session.send("Input.insertText", { text: "日本" });
  await isReady(page);
  assert.equal(await early.count(), 0);
  assert.equal(await box.inputValue(), "日本");
  await chat.hasFocus(box);
});

/** Holds requests for the program back until `fail` is called, and aborts them until `repair` is called. */
async function breakProgram(page) {
  let broken = true;
  let fail;
  const failure = new Promise((resolve) => (fail = resolve));
  await page.route(PROGRAM, async (route) => {
    await failure;
    await (broken ? route.abort() : route.continue());
  });
  return { fail, repair: () => (broken = false) };
}

earlyTest("a message whose program fails to load returns to the composer", async ({ page, chat, early, box, agent, fail, repair }) => {
  await box.fill("Hello");
  await box.press("Enter");
  fail();
  await early.getByRole("alert").getByText("could not be loaded").waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.events.map(({ kind }) => kind)), ["error"]);
  assert.equal(await box.inputValue(), "Hello");
  await accessible(page);
  await chat.picture("composer without a program");
  repair();
  await early.getByRole("button", { name: "Retry" }).press("Enter");
  await isReady(page);
  await chat.hasFocus(box);
  assert.equal(await box.inputValue(), "Hello");
  assert.equal(agent.requests("talk").length, 0, "it is not sent without the user");
  await box.press("Enter");
  await chat.says("You said: Hello");
}, { allow: [/Failed to load resource/, /Failed to fetch|could not be loaded/], prepare: breakProgram });

earlyTest("a message of an element that is away for a minute is a draft when it returns", async ({ page, box, agent, release }) => {
  await box.fill("Hello");
  await box.press("Enter");
  await page.evaluate(() => (globalThis.away = document.querySelector("leptos-assistant")).remove());
  await page.clock.fastForward(61_000);
  await page.evaluate(() => document.body.append(globalThis.away));
  assert.equal(await box.inputValue(), "Hello");
  release();
  await isReady(page);
  assert.equal(await box.inputValue(), "Hello");
  assert.equal(agent.requests("talk").length, 0);
}, { prepare: (page) => page.clock.install() });

for (const [width, height] of [[1280, 800], [360, 740], [320, 256]]) {
  earlyTest(`at ${width} × ${height}, the program's composer is where the early one was`, async ({ page, chat, early, box, release }) => {
    await page.getByRole("button", { name: "Help" }).click();
    await early.getByRole("textbox").waitFor();
    await page.keyboard.type("Two\nlines".replace("\n", " "));
    const place = page.locator("leptos-assistant");
    const send = place.getByRole("button", { name: "Send" });
    const elements = [box, send, place.locator(".la-composer-box"), place.locator(".la-chat-header")];
    const before = await Promise.all(elements.map(boxOf));
    await chat.picture(`composer before the program ${width}x${height}`);
    release();
    await isReady(page);
    assert.equal(await early.count(), 0);
    assert.deepEqual(await Promise.all(elements.map(boxOf)), before);
  }, { attributes: { layout: "popup" }, viewport: { width, height } });
}

for (const [lang, message, options] of [["ar", "الرسالة", { colorScheme: "dark" }], ["de", "Nachricht", { forcedColors: "active" }]]) {
  earlyTest(`the early composer has the language ${lang}`, async ({ page, chat, early }) => {
    const composer = early.getByRole("textbox", { name: message, exact: true });
    await composer.waitFor();
    assert.equal(await composer.evaluate((input) => getComputedStyle(input).direction), lang === "ar" ? "rtl" : "ltr");
    await page.evaluate(() => (document.querySelector("leptos-assistant").options = { labels: { message: "Ask" } }));
    await early.getByRole("textbox", { name: "Ask", exact: true }).waitFor();
    await accessible(page);
    await chat.picture(`composer before the program, ${lang}`);
  }, { attributes: { lang }, ...options });
}
