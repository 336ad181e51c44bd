// The npm package when its program is cut off without a panic: the stack runs out, or an exception passes through it.
// Every chat shows that it has stopped, its messages remain, and no request is sent any more.

import assert from "node:assert/strict";

import { Chat } from "../support/chat.mjs";
import { mountIn, embedSuite } from "../support/embed.mjs";
import { shows } from "../support/harbor.mjs";

const pageTest = embedSuite();

/** The errors of a program that is cut off: the browser reports the exception that passed through it. */
const CUT_OFF = { allow: [/broken by the page/, /call stack|too much recursion/, /panicked at.*src\/runtime/s, /unreachable/] };

/** A page with two chats, of which the second has a transcript. */
async function twoChats(page, agent) {
  const chats = [await mountIn(page, "one", agent.url), await mountIn(page, "two", agent.url)];
  await chats[1].ask("Hello there");
  // The program also reads the time once the page is idle: that call would fail instead of the event.
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
  return chats;
}

async function assertStopped(page, chats) {
  for (const chat of chats) {
    const notice = chat.root.getByRole("alert");
    await shows(notice, /The chat has stopped/);
    await shows(notice, /Reload the page to continue/);
    await shows(chat.root.locator(".la-chat-status"), "The chat has stopped");
    assert.equal(await chat.root.getByRole("textbox").count(), 0, "no text box can be used");
    await notice.getByRole("link", { name: "Reload the page" }).waitFor();
  }
  assert.match(await chats[1].log.innerText(), /You said: Hello there/, "the messages remain");
  const refused = await page.evaluate(async () => {
    const { two } = globalThis.chats;
    const { mount } = await import("./embed/index.js");
    const place = document.getElementById("one");
    const calls = [
      () => two.send("Search for crabs"),
      () => two.registerAction({ name: "late" }),
      () => two.newConversation(),
      () => mount(place, { url: "/agent" }),
    ];
    const messages = [];
    for (const call of calls) {
      try {
        messages.push(await call());
      } catch (error) {
        messages.push(error.message);
      }
    }
    return messages;
  });
  for (const message of refused) assert.match(message, /stopped/, "the stopped program accepts no call");
}

/** Makes the next request of the program for the time fail, once: in a way that cannot be caught in between. */
function breakInside(page, kind) {
  return page.evaluate((kind) => {
    const { now } = Date;
    const dive = () => dive() + 1;
    const ways = {
      // A module with one function, which is `unreachable`.
      trap: () => {
        const code = "0061736d0100000001040160000003020100070501016600000a05010300000b";
        const bytes = Uint8Array.from(code.match(/../g), (byte) => Number.parseInt(byte, 16));
        new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f();
      },
      stack: dive,
      exception: () => {
        throw new Error("broken by the page");
      },
    };
    Date.now = () => {
      if (!/wasm/.test(new Error().stack)) return now();
      Date.now = now;
      return ways[kind]();
    };
  }, kind);
}

for (const kind of ["trap", "stack", "exception"]) {
  pageTest(`a fault during a key event stops every chat: ${kind}`, CUT_OFF, async (page, agent) => {
    const chats = await twoChats(page, agent);
    await chats[0].composer.fill("Hello there");
    await breakInside(page, kind);
    await page.keyboard.press("Enter");
    await assertStopped(page, chats);
    await page.evaluate(() => globalThis.chats.one.unmount());
    assert.equal(await page.locator("#one").innerHTML(), "", "the chat can still be unmounted");
    assert.equal(await new Chat(page, page.locator("#two")).root.count(), 1);
  });

  pageTest(`a fault during a method call stops every chat: ${kind}`, CUT_OFF, async (page, agent) => {
    const chats = await twoChats(page, agent);
    await breakInside(page, kind);
    const message = await page.evaluate(() => {
      try {
        return globalThis.chats.one.send("Hello there");
      } catch (error) {
        return error.message;
      }
    });
    assert.equal(message, "The chat has stopped");
    await assertStopped(page, chats);
    await chats[0].root.getByRole("link", { name: "Reload the page" }).click();
    await page.waitForFunction(() => globalThis.chats === undefined && document.readyState === "complete");
    await (await mountIn(page, "one", agent.url)).ask("Hello there");
  });
}

pageTest("the result of a handler is not sent after the chat has stopped", CUT_OFF, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}unknown-tool`);
  await page.evaluate(() => {
    const handler = () => new Promise((done) => (globalThis.finish = done));
    globalThis.chats.one.registerAction({ name: "teleport", parameters: { type: "object" }, handler });
  });
  await chat.send("Go");
  await page.waitForFunction(() => globalThis.finish);
  await breakInside(page, "trap");
  await page.evaluate(() => {
    try {
      globalThis.chats.one.newConversation();
    } catch {
      globalThis.finish("done");
    }
  });
  await shows(chat.root.getByRole("alert"), /The chat has stopped/);
  await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
  assert.equal(agent.requests("unknown-tool").length, 1, "no further request is sent");
});

pageTest("a stopped chat uses the labels of the page", CUT_OFF, async (page, agent) => {
  const labels = { stopped: "Der Chat steht", stoppedText: "Bitte die Seite neu laden.", reload: "Neu laden" };
  const named = await mountIn(page, "one", agent.url, { labels });
  const partly = await mountIn(page, "two", agent.url, { labels: { reload: "Encore", stopped: null } });
  await breakInside(page, "trap");
  const message = await page.evaluate(() => {
    try {
      return globalThis.chats.one.send("Hello there");
    } catch (error) {
      return error.message;
    }
  });
  assert.equal(message, "The chat has stopped", "errors for programs have one language");
  await shows(named.root.getByRole("alert"), /^Der Chat steht\s+Bitte die Seite neu laden.\s+Neu laden$/);
  await shows(named.root.locator(".la-chat-status"), "Der Chat steht");
  await shows(partly.root.getByRole("alert"), /^The chat has stopped\s+Something went wrong.*\s+Encore$/);
});
