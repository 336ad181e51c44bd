// The npm package as an element of a page, `<leptos-assistant>`: lazy loading, registered actions, moving and removal.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { accessible } from "../support/browser.mjs";
import { Chat } from "../support/chat.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { plainPage } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

/** An agent that calls the page's action, and quotes its result. */
const opens = [
  (answer, input) => {
    begin(answer, input);
    send(answer, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "open_page", parentMessageId: "m" });
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"page":"prices"}' });
    send(answer, { type: "TOOL_CALL_END", toolCallId: "c" });
    finish(answer, input);
    answer.end();
  },
];

const pageTest = suite(async (open) => {
  const page = await plainPage();
  open.push(page);
  const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes: { opens, again: opens } });
  open.push(agent);
  return { page, agent };
});

/** A test on a page whose element is hidden until a button is pressed. */
function elementTest(name, body, { scene = "opens", ...options } = {}) {
  const address = ({ page, agent }) => `${page.url}element.html?${new URLSearchParams({ agent: `${agent.url}${scene}` })}`;
  pageTest(name, { address, bare: true, ...options }, async ({ page }, { agent }) => {
    agent.forget();
    const fetched = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await page.reload();
    await page.waitForFunction(() => customElements.get("leptos-assistant"));
    await body(page, new Chat(page, page.locator("leptos-assistant")), { agent, fetched });
  });
}

const shown = (page) => page.getByRole("button", { name: "Talk to us" }).press("Enter");
const events = (page) => page.evaluate(() => globalThis.events);

elementTest("an element fetches its program when it is shown, and its actions ask", async (page, chat, { fetched }) => {
  await page.waitForTimeout(400);
  assert.deepEqual(fetched.filter((path) => path.startsWith("/embed/")).sort(), ["/embed/element.js", "/embed/style.css"]);
  await shown(page);
  await chat.composer.waitFor();
  assert.deepEqual(await events(page), ["ready"]);
  await chat.root.getByRole("heading", { name: "Support" }).waitFor();
  await chat.root.getByRole("heading", { name: "How can I help?" }).waitFor();
  await chat.send("Open the prices");
  await chat.approve(chat.card("open_page"));
  await chat.says('Results: "opened prices"');
  assert.deepEqual(await page.evaluate(() => globalThis.opened), ["prices"]);
  await accessible(page, "leptos-assistant");
  await chat.picture("embed as an element");
  assert.ok(!fetched.some((path) => path.includes("_full")), "the small module is enough");
});

elementTest("an element that is moved keeps its chat, and one that is taken away ends it", async (page, chat, { agent }) => {
  await shown(page);
  await chat.composer.fill("Half a sent");
  await page.evaluate(() => document.body.prepend(document.querySelector("leptos-assistant")));
  assert.equal(await chat.composer.inputValue(), "Half a sent");
  assert.deepEqual(await events(page), ["ready"]);
  await page.evaluate(() => (globalThis.chat = document.querySelector("leptos-assistant")).remove());
  await page.waitForFunction(() => globalThis.chat.chat === undefined && globalThis.chat.childElementCount === 0);
  await page.evaluate((url) => {
    globalThis.chat.setAttribute("url", url);
    document.body.append(globalThis.chat);
  }, `${agent.url}again`);
  await chat.composer.waitFor();
  assert.equal(await chat.composer.inputValue(), "", "another chat");
  // Its actions are registered with the new one.
  await chat.send("Open the prices");
  await chat.approve(chat.card("open_page"));
  await chat.says('Results: "opened prices"');
});

elementTest("an action is taken back, from the chat that is there and from those to come", async (page, chat, { agent }) => {
  await page.evaluate(() => {
    const element = document.querySelector("leptos-assistant");
    globalThis.undo = ["early", "late"].map((name) => element.registerAction({ name, handler: () => name }));
    globalThis.undo[0]();
  });
  await shown(page);
  await chat.composer.waitFor();
  const offered = async () => {
    await chat.ask("Hello");
    return agent.requests("talk").at(-1).body.tools.map(({ name }) => name);
  };
  assert.deepEqual(await offered(), ["open_page", "late"]);
  await page.evaluate(() => globalThis.undo[1]());
  assert.deepEqual(await offered(), ["open_page"]);
}, { scene: "talk" });

elementTest("options that are no texts are a property, also before the program knows the element", async (page, chat, { agent }) => {
  await page.evaluate(() => {
    document.querySelector("leptos-assistant").options = { headers: { "x-team": "harbor" }, label: "Not this" };
  });
  await shown(page);
  await chat.root.getByRole("heading", { name: "Support" }).waitFor();
  await chat.ask("Hello");
  assert.equal(agent.requests("talk").at(-1).headers["x-team"], "harbor");
}, { scene: "talk" });

elementTest("a store or another protocol takes the larger module", async (page, chat, { fetched }) => {
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("store", "indexeddb"));
  await shown(page);
  await chat.composer.waitFor();
  assert.ok(fetched.includes("/embed/assistant_embed_full_bg.wasm"));
  assert.ok(!fetched.includes("/embed/assistant_embed_bg.wasm"));
});

elementTest(
  "what is wrong with an element or an action is told by an event, and reported",
  async (page, chat) => {
    await page.evaluate(() => {
      const element = document.querySelector("leptos-assistant");
      element.removeAttribute("url");
      element.hidden = false;
    });
    await page.waitForFunction(() => globalThis.events.length === 1);
    assert.match((await events(page))[0], /`url`/);
    await page.evaluate(() => {
      const element = document.createElement("leptos-assistant");
      element.setAttribute("url", "/agent");
      element.registerAction({ name: "no name at all!", handler: () => 1 });
      for (const kind of ["ready", "error"]) element.addEventListener(kind, ({ type, message }) => globalThis.events.push(message ?? type));
      document.querySelector("leptos-assistant").replaceWith(element);
    });
    await chat.composer.waitFor();
    await page.waitForFunction(() => globalThis.events.includes("ready"));
    assert.match((await events(page))[1], /no name at all!/);
  },
  { allow: [/`url`/, /no name at all!/] },
);

elementTest("a copy of an element is one chat, and one that is told to wait late waits", async (page) => {
  await shown(page);
  const chats = page.locator("leptos-assistant [data-assistant-chat]");
  await chats.waitFor();
  await page.evaluate(() => {
    const copy = document.getElementById("chat").cloneNode(true);
    copy.id = "copy";
    copy.setAttribute("label", "Copy");
    document.body.append(copy);
    // Both options of this one are set after it is in the page.
    const late = document.createElement("leptos-assistant");
    late.id = "late";
    document.body.append(late);
    late.hidden = true;
    late.setAttribute("loading", "lazy");
  });
  await page.locator("#copy").getByRole("heading", { name: "Copy" }).waitFor();
  await page.waitForTimeout(400);
  assert.equal(await chats.count(), 2);
  assert.equal(await page.locator("#late").evaluate((element) => element.childElementCount), 0);
});

test("a server that draws pages may import the element", () => {
  const file = new URL("../../dist/embed/element.js", import.meta.url);
  execFileSync(process.execPath, ["--input-type=module", "-e", `await import(${JSON.stringify(file.href)})`]);
});
