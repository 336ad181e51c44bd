// The npm package as an element of a page, `<leptos-assistant>`: lazy loading, registered actions, changed attributes,
// moving and removal. Its launcher is in embed-launcher.spec.mjs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { accessible } from "../support/browser.mjs";
import { Chat, eventually } from "../support/chat.mjs";
import { packageSuite } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";

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

/** An agent whose answer is not finished until it may proceed. */
const slow = async (answer, input, hold) => {
  const text = (delta) => send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  text("The text so far");
  await hold();
  text(" and the rest");
  send(answer, { type: "TEXT_MESSAGE_END", messageId: "m" });
  finish(answer, input);
};

const pageTest = packageSuite({ scenes: { opens, again: opens, slow } });

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

const show = (page) => page.getByRole("button", { name: "Talk to us" }).press("Enter");
const events = (page) => page.evaluate(() => globalThis.events);
const kinds = async (page) => (await events(page)).map(({ kind }) => kind);
/** Counts what an element may leave behind. */
const countNodes = async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.enable").then(() => session.send("Performance.getMetrics"));
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  return { nodes: of("Nodes"), listeners: of("JSEventListeners") };
};

elementTest("an element loads its program when shown, and its actions require approval", async (page, chat, { fetched }) => {
  const loaded = () => assert.deepEqual(fetched.filter((path) => path.startsWith("/embed/")).sort(), ["/embed/element.js", "/embed/style.css"]);
  await eventually(loaded);
  await page.waitForTimeout(400);
  loaded();
  await show(page);
  await chat.composer.waitFor();
  // The second part of the program follows the composer.
  await eventually(async () => assert.deepEqual(await kinds(page), ["ready"]));
  await chat.root.getByRole("heading", { name: "Support" }).waitFor();
  await chat.root.getByRole("heading", { name: "How can I help?" }).waitFor();
  await chat.send("Open the prices");
  await chat.approve(chat.card("open_page"));
  await chat.says('Results: "opened prices"');
  assert.deepEqual(await page.evaluate(() => globalThis.opened), ["prices"]);
  await eventually(async () =>
    assert.deepEqual(
      (await events(page)).map(({ kind, role, name, phase }) => [kind, role ?? name, phase].filter(Boolean).join(" ")),
      [
        "ready",
        "message user",
        "approval open_page",
        "message assistant",
        "action open_page running",
        "action open_page output-available",
        "message assistant",
      ],
    ),
  );
  const calls = (await events(page)).filter(({ kind }) => ["approval", "action"].includes(kind));
  const ids = await page.evaluate((keys) => keys.map((key) => document.querySelector("leptos-assistant").chat.call(key).id), calls.map(({ id }) => id));
  assert.deepEqual(ids, ["c", "c", "c"]);
  await accessible(page, "leptos-assistant");
  await chat.picture("embed as an element");
  assert.ok(!fetched.some((path) => path.includes("_full")), "the small module is enough");
});

elementTest("an element keeps its chat when moved or briefly removed, and ends it after a minute", async (page, chat, { agent }) => {
  await page.clock.install();
  await page.reload();
  await show(page);
  await chat.composer.fill("Half a sent");
  // A removed element's events do not reach the document.
  await eventually(async () => assert.deepEqual(await kinds(page), ["ready"]));
  await page.evaluate(() => document.body.prepend(document.querySelector("leptos-assistant")));
  assert.equal(await chat.composer.inputValue(), "Half a sent");
  const away = (ms) =>
    page.evaluate(async () => {
      (globalThis.chat = document.querySelector("leptos-assistant")).remove();
      await Promise.resolve();
    }).then(() => page.clock.fastForward(ms));
  const back = () => page.evaluate(() => document.body.append(globalThis.chat));
  await away(30_000);
  await back();
  assert.equal(await chat.composer.inputValue(), "Half a sent", "the same chat");
  assert.deepEqual(await kinds(page), ["ready"]);
  await away(61_000);
  await page.waitForFunction(() => globalThis.chat.chat === undefined && globalThis.chat.querySelector("textarea") === null);
  await page.evaluate((url) => globalThis.chat.setAttribute("url", url), `${agent.url}again`);
  await back();
  await chat.composer.waitFor();
  assert.equal(await chat.composer.inputValue(), "", "another chat");
  // Its actions are registered with the new one.
  await chat.send("Open the prices");
  await chat.approve(chat.card("open_page"));
  await chat.says('Results: "opened prices"');
});

elementTest("an element mounts its chat after a late address or an unmount", async (page, chat, { agent }) => {
  const url = await page.evaluate(() => document.querySelector("leptos-assistant").getAttribute("url"));
  await page.evaluate(() => {
    document.querySelector("leptos-assistant").remove();
    globalThis.late = document.createElement("leptos-assistant");
    globalThis.late.className = "place";
    document.body.append(globalThis.late);
  });
  await eventually(async () => assert.equal((await kinds(page)).at(-1), "error", "it has no address"));
  await page.evaluate((url) => globalThis.late.setAttribute("url", url), url);
  await eventually(async () => assert.ok(await page.evaluate(() => Boolean(globalThis.late.chat))));
  await page.evaluate(() => {
    const { late } = globalThis;
    late.chat.unmount();
    late.setAttribute("label", "Another");
  });
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => globalThis.late.querySelector("textarea")), null, "a changed attribute begins no chat");
  await page.evaluate(() => {
    globalThis.late.setAttribute("label", "Help");
    globalThis.late.remove();
  });
  assert.equal(await page.evaluate(() => globalThis.late.chat), undefined);
  await page.evaluate(() => document.body.append(globalThis.late));
  await chat.send("Open the prices");
  // More may follow at once: the action belongs to the removed element.
  await eventually(() => assert.ok(agent.requests("opens").length > 0));
  assert.deepEqual(agent.requests("opens")[0].body.messages.map(({ role }) => role), ["user"]);
}, { allow: [/`url`/] });

elementTest("attempts that fail leave one notice, and a corrected address removes it", async (page, chat, { agent }) => {
  const set = (url) => page.evaluate((url) => document.querySelector("leptos-assistant").setAttribute("url", url), url);
  await set("ftp://example.com");
  await show(page);
  const notices = page.locator("leptos-assistant").getByRole("alert");
  for (let times = 0; times < 3; times++) await notices.getByRole("button", { name: "Retry" }).press("Enter");
  assert.equal(await notices.count(), 1);
  await set(`${agent.url}opens`);
  await chat.composer.waitFor();
  assert.equal(await notices.count(), 0);
}, { allow: [/`url`/] });

elementTest("corrected options mount the chat, and an invalid change has no effect on the others", async (page, chat, { agent }) => {
  await page.evaluate(() => {
    globalThis.element = document.querySelector("leptos-assistant");
    globalThis.ends = 0;
    globalThis.element.addEventListener("leptos-assistant-end", () => globalThis.ends++);
    globalThis.element.options = { labels: { composer: 5 } };
  });
  await show(page);
  await eventually(async () => assert.equal((await kinds(page)).at(-1), "error"));
  // Corrected while the next attempt continues.
  await page.evaluate(() => {
    globalThis.element.options = { labels: { composer: 6 } };
    setTimeout(() => (globalThis.element.options = { onEvent() {}, lang: "de" }));
  });
  await eventually(async () => assert.ok(await page.evaluate(() => Boolean(globalThis.element.chat))));
  const errors = async () => (await events(page)).filter(({ kind }) => kind === "error").map(({ message }) => message);
  for (const name of ["lang", "onEvent"]) assert.ok((await errors()).includes(`<leptos-assistant>: \`${name}\` is no option of the element`), name);
  const ends = await page.evaluate(() => globalThis.ends);
  await page.evaluate(() => {
    globalThis.element.setAttribute("url", "ftp://example.com");
    globalThis.element.setAttribute("heading-offset", "2");
    globalThis.element.options = { headers: { "x-token": "of another server" } };
    globalThis.element.setAttribute("label", "Renamed");
  });
  await chat.root.getByRole("heading", { name: "Renamed" }).waitFor();
  assert.match((await errors()).at(-1), /`url` must be an address of HTTP/);
  await page.evaluate((url) => {
    globalThis.element.removeAttribute("heading-offset");
    globalThis.element.setAttribute("url", `${url}other`);
    globalThis.element.options = { headers: { "bad name": "1" } };
  }, agent.url);
  await eventually(async () => assert.match((await errors()).at(-1), /header "bad name"/));
  await chat.send("Open the prices");
  await chat.approve(chat.card("open_page"));
  await chat.says('Results: "opened prices"');
  assert.ok(agent.requests("opens").every(({ headers }) => headers["x-token"] === undefined), "no header goes to another server");
  assert.equal(agent.requests("other").length, 0, "an address without its headers is not used");
  assert.equal(await page.evaluate(() => globalThis.ends), ends, "the chat goes on");
  await page.evaluate(() => globalThis.element.chat.unmount());
  assert.equal(await page.evaluate(() => globalThis.ends), ends + 1);
}, { allow: [/`url`|`lang`|`onEvent`|label|header/] });

elementTest("an element waits for its children while the page is being read", async (page, chat) => {
  await page.evaluate(async () => {
    Object.defineProperty(document, "readyState", { value: "loading", configurable: true });
    const element = document.createElement("leptos-assistant");
    element.setAttribute("url", document.querySelector("leptos-assistant").getAttribute("url"));
    document.querySelector("leptos-assistant").replaceWith(element);
    await new Promise((done) => setTimeout(done, 50));
    element.innerHTML = '<p slot="footer">Privacy</p>';
    delete document.readyState;
    document.dispatchEvent(new Event("DOMContentLoaded"));
  });
  await chat.composer.waitFor();
  await chat.root.getByText("Privacy").waitFor();
  assert.equal(await page.evaluate(() => document.querySelector("leptos-assistant > p")), null);
});

elementTest("a copy of an element keeps the children with a slot", async (page, chat) => {
  await page.evaluate(() => {
    const element = document.querySelector("leptos-assistant").cloneNode();
    element.hidden = false;
    element.setAttribute("layout", "popup");
    element.removeAttribute("loading");
    element.innerHTML = '<p slot="header">Answers may be wrong</p><a slot="footer" href="/privacy">Privacy</a>';
    document.querySelector("leptos-assistant").replaceWith(element);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("p { display: flex }");
    document.adoptedStyleSheets = [sheet];
  });
  // As a page that is stored when the user leaves it, and shown again.
  const restore = (act) => page.evaluate(`(${act})(document.querySelector("leptos-assistant"))`);
  const clone = (element) => element.replaceWith(element.cloneNode(true));
  const write = (element) => (element.outerHTML = element.outerHTML);
  for (const act of [clone, write]) {
    await page.locator("leptos-assistant .la-popup-button").waitFor();
    await restore(act);
  }
  await page.locator("leptos-assistant .la-popup-button").waitFor();
  for (const slot of ["header", "footer"]) assert.equal(await page.locator(`[slot=${slot}]`).isVisible(), false, slot);
  await page.evaluate(() => document.querySelector("leptos-assistant").open());
  for (const act of [() => {}, clone, write]) {
    await restore(act);
    await eventually(async () => assert.ok(await page.evaluate(() => document.querySelector("leptos-assistant").chat)));
    for (const words of ["Answers may be wrong", "Privacy"]) await chat.root.getByText(words, { exact: true }).waitFor();
    assert.equal(await page.locator("leptos-assistant .la-chat-header + [slot=header]").count(), 1);
    assert.equal(await page.locator("leptos-assistant [slot]").count(), 2);
  }
});

elementTest("an element in a shadow root of the page gets its styles there", async (page) => {
  await page.evaluate(() => {
    const url = document.querySelector("leptos-assistant").getAttribute("url");
    for (const layout of ["inline", "popup"]) {
      const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
      const element = document.createElement("leptos-assistant");
      for (const [name, value] of Object.entries({ url, layout, id: layout, label: layout })) element.setAttribute(name, value);
      root.append(element);
    }
  });
  const launcher = page.locator("#popup .la-popup-button");
  await launcher.waitFor();
  assert.equal(await launcher.evaluate((node) => getComputedStyle(node.parentNode).position), "fixed");
  const composers = [page.locator("#inline textarea"), page.locator("#popup textarea")];
  await launcher.click();
  for (const composer of composers) {
    await composer.waitFor();
    await eventually(async () => assert.equal(await composer.evaluate((node) => getComputedStyle(node).resize), "none"));
  }
});

elementTest("a framework can assign the property `open`, and the method stays", async (page) => {
  const states = await page.evaluate(() => {
    const element = document.createElement("leptos-assistant");
    return [true, false, "", undefined].map((value) => {
      element.open = value;
      return element.hasAttribute("open");
    }).concat(element.open() ?? element.hasAttribute("open"));
  });
  assert.deepEqual(states, [true, false, true, false, true]);
});

elementTest("children with a slot are moved into the window, also of another conversation or layout", async (page, chat, { agent }) => {
  await page.evaluate(() => {
    const old = document.querySelector("leptos-assistant");
    const other = old.cloneNode();
    other.hidden = false;
    for (const [slot, text] of [["header", "Answers may be wrong"], ["empty", "Ask about prices"], ["footer", "Privacy"], ["", "A paragraph"]]) {
      const child = other.appendChild(document.createElement("p"));
      if (slot) child.slot = slot;
      child.textContent = text;
    }
    old.replaceWith(other);
  });
  const [header, empty, footer] = ["Answers may be wrong", "Ask about prices", "Privacy"].map((text) => chat.root.getByText(text, { exact: true }));
  await chat.composer.waitFor();
  for (const node of [header, empty, footer]) await node.waitFor();
  assert.equal(await page.getByText("A paragraph").count(), 0);
  assert.equal(await chat.root.getByText("How can I help?").isVisible(), false, "it replaces the greeting");
  const boxes = await Promise.all([chat.root.locator(".la-chat-header"), header, empty, chat.composer, footer].map((node) => node.boundingBox()));
  assert.deepEqual(boxes.map(({ y }) => y), boxes.map(({ y }) => y).toSorted((one, other) => one - other), "from top to bottom");
  await accessible(page, "leptos-assistant");
  await chat.picture("embed slots");
  await chat.send("Hello");
  await eventually(() => assert.ok(agent.requests("opens").length > 0));
  await chat.idle();
  await eventually(async () => assert.equal(await empty.count(), 0));
  await chat.root.getByRole("button", { name: "New conversation" }).click();
  await empty.waitFor();
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("layout", "popup"));
  await page.evaluate(() => document.querySelector("leptos-assistant").open());
  for (const node of [header, empty, footer]) await node.waitFor();
  // Another chat of the element gets the same nodes.
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("heading-offset", "3"));
  await eventually(async () => assert.equal((await kinds(page)).filter((kind) => kind === "ready").length, 2));
  for (const node of [header, empty, footer]) assert.equal(await node.count(), 1);
});

elementTest("a thousand removals during a run leak no nodes or listeners", async (page, chat, { agent }) => {
  await show(page);
  await chat.composer.waitFor();
  await chat.send("Hello");
  await chat.running();
  const around = (count) =>
    page.evaluate(async (count) => {
      const element = document.querySelector("leptos-assistant");
      for (let turn = 0; turn < count; turn++) {
        const parent = element.parentNode;
        element.remove();
        await new Promise((done) => setTimeout(done));
        parent.append(element);
        await Promise.resolve();
      }
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }, count);
  await around(10);
  const before = await countNodes(page);
  await around(1_000);
  // One garbage collection may not free everything.
  await eventually(async () => {
    const after = await countNodes(page);
    assert.ok(after.listeners <= before.listeners + 5, JSON.stringify({ before, after }));
    assert.ok(after.nodes <= before.nodes + 50, JSON.stringify({ before, after }));
  });
  assert.equal(await chat.messages("user").count(), 1);
  agent.proceed();
  await chat.says("The text so far and the rest");
  await chat.idle();
}, { scene: "slow" });

elementTest("changed attributes apply to the mounted chat or mount another one", async (page, chat, { agent }) => {
  await show(page);
  await chat.ask("Hello");
  const set = (changes) =>
    page.evaluate((changes) => {
      const element = document.querySelector("leptos-assistant");
      for (const [name, value] of Object.entries(changes)) element.setAttribute(name, value);
    }, changes);
  await set({ label: "Harbour", greeting: "Ahoy", url: `${agent.url}other` });
  await chat.root.getByRole("heading", { name: "Harbour" }).waitFor();
  assert.equal(await chat.messages("user").count(), 1, "the conversation continues");
  await page.evaluate(() => {
    document.querySelector("leptos-assistant").options = { headers: { "x-team": "harbor" } };
  });
  await chat.ask("Hello again");
  const [request] = agent.requests("other");
  assert.equal(request.headers["x-team"], "harbor");
  assert.equal(request.body.messages.filter(({ role }) => role === "user").length, 2);
  await page.evaluate(() => document.querySelector("leptos-assistant").chat.newConversation());
  await chat.root.getByRole("heading", { name: "Ahoy" }).waitFor();
  await chat.composer.fill("Half a sent");
  await set({ "heading-offset": "3" });
  await page.waitForFunction(() => globalThis.events.filter(({ kind }) => kind === "ready").length === 2);
  assert.equal(await chat.composer.inputValue(), "", "another chat");
}, { scene: "talk" });

elementTest("an action can be unregistered before and after its chat is mounted", async (page, chat, { agent }) => {
  await page.evaluate(() => {
    const element = document.querySelector("leptos-assistant");
    globalThis.undo = ["early", "late"].map((name) => element.registerAction({ name, handler: () => name }));
    globalThis.undo[0]();
  });
  await show(page);
  await chat.composer.waitFor();
  const offered = async () => {
    await chat.ask("Hello");
    return agent.requests("talk").at(-1).body.tools.map(({ name }) => name);
  };
  assert.deepEqual(await offered(), ["open_page", "late"]);
  await page.evaluate(() => globalThis.undo[1]());
  assert.deepEqual(await offered(), ["open_page"]);
}, { scene: "talk" });

elementTest("options that are not strings can be set as a property before loading", async (page, chat, { agent }) => {
  await page.evaluate(() => {
    document.querySelector("leptos-assistant").options = { headers: { "x-team": "harbor" }, label: "Not this" };
  });
  await show(page);
  await chat.root.getByRole("heading", { name: "Support" }).waitFor();
  await chat.ask("Hello");
  assert.equal(agent.requests("talk").at(-1).headers["x-team"], "harbor");
}, { scene: "talk" });

elementTest("an element with a store loads the larger module", async (page, chat, { fetched }) => {
  await page.evaluate(() => document.querySelector("leptos-assistant").setAttribute("store", "indexeddb"));
  await show(page);
  await chat.composer.waitFor();
  await eventually(() => assert.ok(fetched.includes("/embed/assistant_embed_full_bg.wasm")));
  assert.ok(!fetched.includes("/embed/assistant_embed_bg.wasm"));
});

elementTest("a removed element gives up its stored conversation to a new element", async (page, chat) => {
  const ofElement = (act, ...args) => page.evaluate(`(${act})(document.querySelector("leptos-assistant"), ...${JSON.stringify(args)})`);
  await ofElement((element) => element.setAttribute("store", "indexeddb"));
  await show(page);
  await chat.ask("Do you remember me?");
  await chat.composer.fill("Half a sent");
  await ofElement((element) => (globalThis.first = element));
  /** Replaces the body as a visit of Turbo does, with an element that has one more attribute. */
  const visit = async (name, value) => {
    await ofElement(
      (element, name, value) => {
        const body = document.createElement("body");
        const next = body.appendChild(element.cloneNode());
        next.removeAttribute("thread-id");
        if (name) next.setAttribute(name, value);
        document.body.replaceWith(body);
      },
      name,
      value,
    );
    await page.waitForFunction(() => ["thisTab", "otherTab"].includes(document.querySelector("leptos-assistant").chat?.ownership()));
    return ofElement((element) => element.chat.ownership());
  };
  assert.equal(await visit("thread-id", "another"), "thisTab");
  assert.ok(await page.evaluate(() => globalThis.first.chat), "it keeps another conversation");
  assert.equal(await visit(), "thisTab");
  assert.equal(await page.evaluate(() => globalThis.first.chat), undefined);
  await chat.says("Do you remember me?");
  assert.equal(await chat.composer.inputValue(), "Half a sent");
  const threadId = await ofElement((element) => element.chat.threadId());
  assert.equal(await visit("thread-id", threadId), "thisTab", "the name of the same conversation");
  await chat.ask("And now?");
}, { scene: "talk" });

elementTest(
  "mistakes in an element or an action fire an error event and are logged",
  async (page, chat, { agent }) => {
    const warnings = async (count) => {
      await page.waitForFunction((count) => globalThis.events.filter(({ kind }) => kind === "error").length === count, count);
      return (await events(page)).filter(({ kind }) => kind === "error").map(({ message }) => message);
    };
    const set = (changes) =>
      page.evaluate((changes) => {
        const element = document.querySelector("leptos-assistant");
        for (const [name, value] of Object.entries(changes)) value === null ? element.removeAttribute(name) : element.setAttribute(name, value);
        element.hidden = false;
      }, changes);
    await set({ url: null });
    assert.match((await warnings(1))[0], /`url` is missing/);
    await set({ url: "http://[", layout: "tower", "heading-offset": "many", shortcut: "a" });
    const [, ...wrong] = await warnings(4);
    assert.match(wrong[0], /`layout` must be one of inline, popup, sidebar, not "tower"/);
    assert.match(wrong[1], /`heading-offset`/);
    assert.match(wrong[2], /`shortcut`/);
    await page.evaluate(() => {
      const element = document.createElement("leptos-assistant");
      element.setAttribute("url", "ftp://agent");
      document.querySelector("leptos-assistant").replaceWith(element);
    });
    assert.match((await warnings(5)).at(-1), /`url` must be an address of HTTP, not "ftp:/);
    await page.evaluate((url) => {
      const element = document.createElement("leptos-assistant");
      element.setAttribute("url", url);
      element.setAttribute("loading", "sometimes");
      element.registerAction({ name: "no name at all!", handler: () => 1 });
      document.querySelector("leptos-assistant").replaceWith(element);
    }, `${agent.url}talk`);
    assert.match((await warnings(7)).at(-2), /`loading`/);
    assert.match((await warnings(7)).at(-1), /no name at all!/);
    // The page is usable.
    await chat.ask("Hello");
  },
  { allow: [/`(url|layout|heading-offset|shortcut|loading)`/, /no name at all!/] },
);

elementTest("a copied element has its own chat, and a lazy one waits to be visible", async (page) => {
  await show(page);
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
    late.setAttribute("loading", "visible");
  });
  // The composer before the program has the same heading.
  await page.locator("#copy [data-assistant-chat]").getByRole("heading", { name: "Copy" }).waitFor();
  await page.waitForTimeout(400);
  assert.equal(await chats.count(), 2);
  assert.equal(await page.locator("#late").locator("textarea").count(), 0);
});

test("the element module can be imported on a server", () => {
  const file = new URL("../../dist/embed/element.js", import.meta.url);
  execFileSync(process.execPath, ["--input-type=module", "-e", `await import(${JSON.stringify(file.href)})`]);
});
