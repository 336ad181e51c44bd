// Storage of the npm package: conversations are stored in the browser if the page opts in.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { beginIn, embedSuite, heldBack, mountIn, stored } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";

const hello = (answer, input) => {
  const messageId = `answer_${input.runId}`;
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Hello yourself." });
  send(answer, { type: "TEXT_MESSAGE_END", messageId });
  finish(answer, input);
};

const pageTest = embedSuite({ scenes: { hello } });
const KEPT = { store: "indexeddb", storeName: "shop" };

async function again(page, place, url, options) {
  await page.reload();
  return mountIn(page, place, url, options, "full");
}

const texts = (chat) => chat.messages("user").allInnerTexts();

pageTest("store: a conversation is restored after a reload and continues", {}, async (page, agent) => {
  const url = `${agent.url}hello`;
  const chat = await mountIn(page, "one", url, KEPT, "full");
  await chat.ask("Do you remember me?");
  await chat.says("Hello yourself.");
  await stored(page);
  const back = await again(page, "one", url, KEPT);
  await back.says("Hello yourself.");
  assert.equal(await back.messages("user").count(), 1);
  assert.match((await texts(back)).join(" "), /Do you remember me\?/);
  await back.send("And now?");
  await eventually(async () => assert.equal(await back.messages("assistant").count(), 2));
  const sent = agent.requests("hello").at(-1).body.messages;
  assert.deepEqual(
    sent.map(({ role }) => role),
    ["user", "assistant", "user"],
  );
});

pageTest("store: a message sent before the conversation is loaded is sent once it is", {}, async (page, agent) => {
  const url = `${agent.url}hello`;
  const chat = await mountIn(page, "one", url, KEPT, "full");
  await chat.ask("Do you remember me?");
  await stored(page);
  await page.reload();
  const release = await heldBack(page, /assistant_embed_full_conversation\.wasm/);
  const back = await beginIn(page, "one", url, [], KEPT, "full");
  await back.composer.fill("And now?");
  await back.composer.press("Enter");
  await back.root.locator('[data-role="user"]', { hasText: "And now?" }).waitFor();
  release();
  await eventually(async () => assert.equal(await back.messages("assistant").count(), 2));
  assert.equal(await back.messages("user").count(), 2);
  assert.equal(await back.composer.inputValue(), "");
  const sent = agent.requests("hello").slice(1);
  assert.deepEqual(
    sent.map(({ body }) => body.messages.length),
    [3],
    "once, with the stored messages",
  );
});

pageTest("store: conversations are separate by name and by database", {}, async (page, agent) => {
  const url = `${agent.url}hello`;
  const chat = await mountIn(page, "one", url, { ...KEPT, threadId: "order-17" }, "full");
  await chat.ask("About order 17");
  await chat.says("Hello yourself.");
  await stored(page);
  // The conversation has been read from the store.
  const opened = () => page.waitForFunction(() => globalThis.chats.one.ownership() === "thisTab");
  const other = await again(page, "one", url, { ...KEPT, threadId: "order-18" });
  await opened();
  assert.equal(await other.messages("user").count(), 0);
  const elsewhere = await again(page, "one", url, { ...KEPT, storeName: "blog", threadId: "order-17" });
  await opened();
  assert.equal(await elsewhere.messages("user").count(), 0);
  const back = await again(page, "one", url, { ...KEPT, threadId: "order-17" });
  await back.messages("user").first().waitFor();
  assert.match((await texts(back)).join(" "), /About order 17/);
});

pageTest("store: nothing is stored without the option, and invalid options are refused", {}, async (page, agent) => {
  const url = `${agent.url}hello`;
  const chat = await mountIn(page, "one", url, {}, "full");
  await chat.ask("Forget me");
  await chat.says("Hello yourself.");
  const back = await again(page, "one", url);
  assert.equal(await back.messages("user").count(), 0);
  await back.ask("Do you remember me?");
  assert.deepEqual(agent.requests("hello").at(-1).body.messages.map(({ content }) => content), ["Do you remember me?"]);
  assert.deepEqual(await page.evaluate(() => indexedDB.databases()), []);
  await assert.rejects(mountIn(page, "two", url, KEPT), /the option `store` must be left out; `leptos-assistant\/full` takes/);
  await assert.rejects(mountIn(page, "two", url, { store: "cloud" }, "full"), /the option `store` must be "indexeddb"/);
});

pageTest("store: conversations are listed, searched, renamed, deleted and opened by methods", {}, async (page, agent) => {
  const url = `${agent.url}hello`;
  const chat = await mountIn(page, "one", url, { ...KEPT, threadId: "order-17" }, "full");
  const one = (act) => page.evaluate(`(${act})(globalThis.chats.one)`);
  await chat.ask("About order 17");
  await one((chat) => chat.newConversation());
  await chat.ask("About late tea");
  const listed = (check) =>
    eventually(async () => {
      await one((chat) => chat.listConversations());
      check(await one((chat) => chat.conversations()));
    });
  await listed((list) => assert.deepEqual(list.filter(({ deletedAt }) => !deletedAt).length, 2));
  await one((chat) => {
    globalThis.found = [];
    chat.searchConversations("order 17", (id) => globalThis.found.push(id));
  });
  await eventually(async () => assert.deepEqual(await page.evaluate(() => globalThis.found), ["order-17", null]));
  await one((chat) => chat.renameConversation("order-17", "The order"));
  await listed((list) => assert.deepEqual(list.find(({ id }) => id === "order-17").title, "The order"));
  await one((chat) => chat.openConversation("order-17"));
  await eventually(async () => assert.equal(await one((chat) => chat.threadId()), "order-17"));
  await chat.says("About order 17");
  await one((chat) => chat.newConversation());
  await one((chat) => chat.deleteConversation("order-17"));
  await listed((list) => assert.ok(list.find(({ id }) => id === "order-17").deletedAt > 0));
  await one((chat) => chat.restoreConversation("order-17"));
  await listed((list) => assert.equal(list.find(({ id }) => id === "order-17").deletedAt, null));
});
