// A chat in a shadow root of the package's own: styles, parts, slots, focus, announcements and approvals, on a page whose
// policy allows no style sheet at all.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { Chat, eventually, read } from "../support/chat.mjs";
import { packageSuite } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";
import { plainPage, trustedTypes } from "../support/servers.mjs";

/** An agent that calls the page's action, and quotes its result. */
const opens = (answer, input) => {
  begin(answer, input);
  send(answer, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "open_page", parentMessageId: "m" });
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"page":"prices"}' });
  send(answer, { type: "TOOL_CALL_END", toolCallId: "c" });
  finish(answer, input);
};

const withoutStyles = (policy) => policy.replace(/style-src[^;]*/, "style-src 'none'");
const serve = async () => trustedTypes(await plainPage(), withoutStyles);
const pageTest = packageSuite({ scenes: { opens }, serve });

/** A test on a page that adds an element with these attributes to its body once `body` calls `add`. */
function shadowTest(name, body, options = {}) {
  pageTest(name, { address: ({ page, agent }) => `${page.url}bare.html?${new URLSearchParams({ agent: agent.url })}`, bare: true, ...options }, async ({ page }, { agent }) => {
    agent.forget();
    const add = async (attributes, inside = "") => {
      await page.evaluate(
        async ([attributes, inside]) => {
          await import("./embed/element.js");
          const element = document.createElement("leptos-assistant");
          for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
          for (const [slot, text] of inside) {
            const child = element.appendChild(document.createElement("p"));
            if (slot) child.slot = slot;
            child.textContent = text;
          }
          if (!attributes.layout) element.style.blockSize = "90vh";
          globalThis.opened = [];
          globalThis.errors = [];
          element.addEventListener("leptos-assistant-error", (event) => {
            event.preventDefault();
            globalThis.errors.push(event.detail.message);
          });
          element.registerAction({
            name: "open_page",
            parameters: { type: "object", properties: { page: { type: "string" } }, required: ["page"] },
            approval: "always",
            handler: ({ page }) => {
              globalThis.opened.push(page);
              return `opened ${page}`;
            },
          });
          document.querySelector("main").append(element);
        },
        [{ url: `${agent.url}opens`, label: "Help", shadow: "", ...attributes }, [...inside]],
      );
      return new Chat(page, page.locator("leptos-assistant"));
    };
    await body({ page, add, agent });
  });
}

const opened = (page) => page.evaluate(() => globalThis.opened);
/** Adds a sheet of the page: constructed, so that its policy allows it. */
const style = (page, css) =>
  page.evaluate((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }, css);
/** Returns computed styles of an element. */
const computed = (element, ...names) =>
  element.evaluate((node, names) => names.map((name) => getComputedStyle(node).getPropertyValue(name)), names);

shadowTest("a chat in a shadow root works under a policy without styles, and announces in the page", async ({ page, add }) => {
  const chat = await add({});
  await chat.composer.waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll(".la-chat, link[rel=stylesheet], style").length), 0);
  assert.equal((await computed(chat.composer, "resize"))[0], "none", "it has its styles");
  await chat.send("Open the prices");
  // Recorded in the page, where nothing of the shadow root can be found.
  await page.evaluate(() => {
    globalThis.announced = [];
    const note = () => globalThis.announced.push(...[...document.querySelectorAll("[aria-live] p")].map((node) => node.textContent));
    new MutationObserver(note).observe(document.querySelector("leptos-assistant"), { subtree: true, childList: true });
    note();
  });
  const card = chat.card("open_page");
  await accessible(page, "leptos-assistant");
  await chat.picture("embed shadow approval");
  await chat.approve(card);
  await chat.says('Results: "opened prices"');
  await chat.idle();
  assert.deepEqual(await opened(page), ["prices"]);
  const announced = () => page.evaluate(() => globalThis.announced);
  await eventually(async () => assert.ok((await announced()).some((text) => /opened prices/.test(text)), JSON.stringify(await announced())));
  // The regions are rendered, although they are children of the host, and not visible.
  const region = page.locator("leptos-assistant > [slot] [data-speech=answers]");
  assert.equal(await region.evaluate((node) => Boolean(node.parentNode.assignedSlot) && getComputedStyle(node).display !== "none"), true);
  const { width, height } = await region.evaluate((node) => node.parentNode.assignedSlot.parentNode.getBoundingClientRect().toJSON());
  assert.ok(width <= 1 && height <= 1, `${width} × ${height}`);
});

shadowTest("styles of the page reach a shadow root only by parts, tokens and looks of the element", async ({ page, add }) => {
  await style(page, "button, p, textarea, .la-button { padding: 40px !important; background: red !important; text-transform: uppercase !important }");
  const chat = await add({});
  await chat.composer.fill("Text");
  const sends = chat.root.locator(".la-composer [type=submit]");
  assert.notEqual((await computed(sends, "background-color"))[0], "rgb(255, 0, 0)");
  await style(page, "leptos-assistant { --la-accent: rgb(1, 2, 3); inline-size: 300px } leptos-assistant::part(send) { border-radius: 3px } ::part(header) { padding-top: 33px }");
  assert.deepEqual(await computed(sends, "background-color", "border-radius"), ["rgb(1, 2, 3)", "3px"]);
  assert.deepEqual(await computed(chat.root.locator(".la-chat-header"), "padding-top"), ["33px"]);
  assert.equal((await chat.root.boundingBox()).width, 300);
  const space = () => computed(chat.root, "--la-space-4");
  assert.deepEqual(await space(), ["1rem"]);
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("data-la-density", "roomy"));
  assert.deepEqual(await space(), ["1.25rem"]);
  await chat.send("Open the prices");
  const request = chat.card("open_page");
  await request.getByRole("button", { name: "Deny" }).waitFor();
  const partsNow = () => page.evaluate(() => [...document.querySelector("leptos-assistant").shadowRoot.querySelectorAll("[part]")].flatMap((node) => [...node.part]));
  const parts = await partsNow();
  for (const part of ["window", "header", "title", "transcript", "message", "approval", "approve", "deny", "composer", "input", "send"]) assert.ok(parts.includes(part), part);
  await chat.approve(request);
  await eventually(async () => assert.ok((await partsNow()).includes("card")));
});

shadowTest("slots of a shadow root show children of the element with the styles of the page", async ({ page, add }) => {
  await style(page, "main p { color: rgb(1, 2, 3) }");
  const chat = await add({}, [["header", "Answers may be wrong"], ["empty", "Ask about prices"], ["footer", "Privacy"], ["", "A paragraph"]]);
  await chat.composer.waitFor();
  const [header, empty, footer] = ["Answers may be wrong", "Ask about prices", "Privacy"].map((text) => page.locator("leptos-assistant > p", { hasText: text }));
  const boxes = await Promise.all([chat.root.locator(".la-chat-header"), header, empty, chat.composer, footer].map((node) => node.boundingBox()));
  assert.deepEqual(boxes.map(({ y }) => y), boxes.map(({ y }) => y).toSorted((one, other) => one - other), "from top to bottom");
  assert.deepEqual(await computed(header, "color"), ["rgb(1, 2, 3)"]);
  assert.equal(await page.getByText("A paragraph").isVisible(), false);
  assert.equal(await chat.root.getByText("How can I help?").isVisible(), false, "it replaces the greeting");
  await chat.picture("embed shadow slots");
  // Another chat of the element shows them again, and has regions of its own.
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("heading-offset", "3"));
  await eventually(async () => assert.ok(await page.evaluate(() => Boolean(document.querySelector("leptos-assistant").chat))));
  for (const node of [header, empty, footer]) await node.waitFor();
  await eventually(async () => assert.equal(await page.locator("leptos-assistant > .la-announcer").count(), 1));
});

shadowTest("a launcher in a shadow root moves the focus in and back", async ({ page, add }) => {
  const chat = await add({ layout: "popup", shortcut: "Alt+Shift+H" });
  const launcher = page.getByRole("button", { name: "Help" });
  await launcher.focus();
  await page.keyboard.press("Enter");
  await chat.hasFocus(chat.composer);
  await chat.picture("embed shadow popup");
  await accessible(page, "leptos-assistant");
  await page.keyboard.press("Escape");
  await chat.hasFocus(launcher);
  await page.getByRole("button", { name: "The page" }).focus();
  await page.keyboard.press("Alt+Shift+H");
  await chat.hasFocus(chat.composer);
  await chat.send("Open the prices");
  const card = chat.card("open_page");
  await chat.deny(card);
  await eventually(async () => assert.equal(await card.getAttribute("data-status"), "failed"));
  const within = () => page.evaluate(() => document.querySelector("leptos-assistant").shadowRoot.activeElement?.className ?? null);
  await eventually(async () => assert.notEqual(await within(), null, "the focus stays in the chat"));
});

shadowTest("a cover above a chat in a shadow root blocks its approval", async ({ page, add }) => {
  const chat = await add({});
  await chat.send("Open the prices");
  const card = chat.card("open_page");
  await (await read(card, /^Approve(:|$)/)).waitForElementState("enabled");
  const cover = (css) =>
    page.evaluate((css) => {
      const node = document.createElement("div");
      node.id = "cover";
      node.style.cssText = `position: fixed; inset: 0; background: white; z-index: 9; ${css}`;
      document.body.append(node);
    }, css);
  const button = card.getByRole("button", { name: /^Approve(:|$)/ });
  const press = async () => {
    const { x, y, width, height } = await button.boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.waitForTimeout(300);
  };
  await cover("pointer-events: none");
  await press();
  assert.deepEqual(await opened(page), [], "a layer that takes no clicks");
  await page.evaluate(() => document.getElementById("cover").remove());
  // A layer inside of the same root.
  await page.evaluate(() => {
    const node = document.createElement("div");
    node.id = "inside";
    node.style.cssText = "position: fixed; inset: 0; background: white; z-index: 9; pointer-events: none";
    document.querySelector("leptos-assistant").shadowRoot.append(node);
  });
  await press();
  assert.deepEqual(await opened(page), [], "a layer in the root");
  await page.evaluate(() => document.querySelector("leptos-assistant").shadowRoot.getElementById("inside").remove());
  await page.evaluate(() => document.querySelector("leptos-assistant").shadowRoot.querySelector(".la-approval-approve").click());
  await page.waitForTimeout(300);
  assert.deepEqual(await opened(page), [], "a click by a script");
  await chat.approve(card);
  await eventually(async () => assert.deepEqual(await opened(page), ["prices"]));
});

shadowTest("a copy of an element with a shadow root has a chat of its own", async ({ page, add }) => {
  const chat = await add({});
  await chat.composer.fill("Half a sent");
  await page.evaluate(() => {
    const copy = document.querySelector("leptos-assistant").cloneNode(true);
    copy.setAttribute("label", "Copy");
    document.querySelector("main").append(copy);
  });
  const copy = page.locator("leptos-assistant").nth(1);
  await copy.getByRole("heading", { name: "Copy" }).waitFor();
  assert.equal(await copy.locator("textarea").inputValue(), "");
  await eventually(async () => assert.equal(await copy.locator("> .la-announcer").count(), 1));
  assert.equal(await chat.composer.first().inputValue(), "Half a sent");
});

shadowTest(
  "styles of a shadow root that cannot be fetched are reported, and Retry loads them",
  async ({ page, add }) => {
    await page.route("**/embed/style.css", (route) => route.abort());
    const chat = await add({ layout: "popup", open: "" });
    const retry = page.getByRole("button", { name: "Retry" });
    await retry.waitFor();
    await eventually(async () => assert.match((await page.evaluate(() => globalThis.errors)).at(-1) ?? "", /style\.css could not be loaded/));
    await page.unroute("**/embed/style.css");
    await retry.click();
    await chat.composer.waitFor();
  },
  { allow: [/style\.css|ERR_FAILED/] },
);

for (const file of ["shadow.js", "launcher.css"]) {
  shadowTest(
    `a shadow root whose ${file} could not be fetched is attached later`,
    async ({ page, add }) => {
      let requests = 0;
      await page.route(`**/embed/${file}*`, (route) => (++requests < 3 ? route.abort() : route.continue()));
      const chat = await add({});
      await chat.composer.waitFor();
      assert.equal(await page.evaluate(() => document.querySelectorAll("textarea").length), 0, "it is in a shadow root");
      assert.equal(await page.evaluate(() => globalThis.errors.length), 1, "the reason is reported once");
    },
    { allow: [/shadow\.js|launcher\.css|ERR_FAILED/] },
  );
}

shadowTest("mount attaches a shadow root, and returns the nodes of the page when unmounted", async ({ page, agent }) => {
  const mounted = () =>
    page.evaluate(async (url) => {
      const { mount } = await import("./embed/index.js");
      const place = document.querySelector("main").appendChild(document.createElement("div"));
      place.id = "place";
      const footer = (globalThis.footer = document.createElement("p"));
      footer.textContent = "Privacy";
      globalThis.mounted = await mount(place, { url, shadow: true, slots: { footer } });
    }, `${agent.url}opens`);
  await mounted();
  const chat = new Chat(page, page.locator("#place"));
  await chat.send("Open the prices");
  await chat.card("open_page").first().waitFor({ state: "attached" });
  await page.getByText("Privacy").waitFor();
  const state = () =>
    page.evaluate(() => {
      const place = document.getElementById("place");
      return { inside: place.shadowRoot.childElementCount, children: place.childElementCount, footer: globalThis.footer.isConnected };
    });
  assert.deepEqual(await state(), { inside: 1, children: 2, footer: true });
  await page.evaluate(() => globalThis.mounted.unmount());
  assert.deepEqual(await state(), { inside: 0, children: 0, footer: false });
  await page.evaluate(async (url) => {
    const { mount } = await import("./embed/index.js");
    await mount(document.getElementById("place"), { url, shadow: true });
  }, `${agent.url}opens`);
  await chat.composer.waitFor();
  const wrong = await page.evaluate(async () => {
    const { mount } = await import("./embed/index.js");
    return mount(document.createElement("div"), { url: "/", shadow: "yes" }).catch(String);
  });
  assert.match(wrong, /`shadow`/);
  const plain = await page.evaluate(async (url) => {
    const { mount } = await import("./embed/index.js");
    const place = document.querySelector("main").appendChild(document.createElement("div"));
    const chat = await mount(place, { url, shadow: false });
    const chats = place.querySelectorAll(".la-chat").length;
    chat.unmount();
    return { chats, attached: place.shadowRoot !== null };
  }, `${agent.url}opens`);
  assert.deepEqual(plain, { chats: 1, attached: false });
});

shadowTest(
  "an element whose program cannot be loaded gets no shadow root",
  async ({ page, agent }) => {
    await page.route("**/embed/assistant_embed_bg.wasm", (route) => route.abort());
    const left = await page.evaluate(async (url) => {
      const { mount } = await import("./embed/index.js");
      const place = document.querySelector("main").appendChild(document.createElement("div"));
      const failed = await mount(place, { url, shadow: true }).then(() => false, () => true);
      return { failed, attached: place.shadowRoot !== null };
    }, `${agent.url}opens`);
    assert.deepEqual(left, { failed: true, attached: false });
  },
  { allow: [/assistant_embed|ERR_FAILED|Failed to (fetch|load)/] },
);

shadowTest("components of frameworks pass on the option", async ({ page, agent }) => {
  await page.evaluate(async (url) => {
    const [{ createApply }] = await Promise.all([import("./embed/scope.js"), import("./embed/element.js")]);
    const element = document.querySelector("main").appendChild(document.createElement("leptos-assistant"));
    createApply()(element, { url, label: "Help", shadow: true });
  }, `${agent.url}opens`);
  const chat = new Chat(page, page.locator("leptos-assistant"));
  await chat.composer.waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll("textarea").length), 0, "it is in a shadow root");
});
