// The panel of the demo with all branches of a conversation: navigation by keyboard and pointer, deletion, editing.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { conversationOf } from "../support/stored-conversation.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const treeTest = (name, body, { query = "chat=tree", ...options } = {}) =>
  pageTest(name, { address: ({ page }) => `${page.url}?tree=open&${query}`, ...options }, body);

const tree = (chat) => chat.page.getByRole("tree", { name: "Branches" });
const rows = (chat) => tree(chat).getByRole("treeitem");
const rowTexts = async (chat) => (await rows(chat).locator(".la-tree-text").allInnerTexts()).map((text) => text.trim());

/** The active item of the tree, by `aria-activedescendant`. */
const current = (chat) =>
  tree(chat).evaluate((tree) => {
    const row = tree.getRootNode().getElementById(tree.getAttribute("aria-activedescendant"));
    return row?.querySelector(".la-tree-text").innerText.trim();
  });

const isAt = (chat, expected) => eventually(async () => assert.equal(await current(chat), expected));

async function toChat(chat) {
  const button = chat.page.getByRole("group", { name: "View" }).getByRole("button", { name: "Assistant" });
  // A narrow page begins with the button and without the chat, once it is drawn.
  await eventually(async () => assert.ok((await button.isVisible()) || (await chat.composer.isVisible()), "the page is drawn"));
  if (await button.isVisible()) await button.click();
}

async function toPage(chat) {
  const button = chat.page.getByRole("group", { name: "View" }).getByRole("button", { name: "Page" });
  if (await button.isVisible()) await button.click();
}

/** Two versions of a question, with an answer each, and one more question after the first. */
async function branched(chat) {
  await toChat(chat);
  await chat.ask("Where is order A-17?");
  await chat.ask("Search for tide tables");
  const turn = chat.messages("user").first().locator("xpath=ancestor::*[@data-block]");
  await chat.messages("user").first().hover();
  await turn.getByRole("button", { name: "Edit message" }).click();
  const box = chat.root.getByRole("textbox", { name: "Your message" });
  await box.fill("Where is order B-4?");
  await box.press("Enter");
  await eventually(async () => assert.equal(await chat.messages("user").count(), 1));
  await chat.idle();
  await toPage(chat);
}

treeTest("keys move through the tree, and Enter shows a branch and marks it", async (chat) => {
  await branched(chat);
  const all = await rowTexts(chat);
  assert.equal(all.filter((text) => text.startsWith("Where is order")).length, 2);
  const shown = tree(chat).locator("[data-shown]");
  await eventually(async () => assert.match((await shown.first().innerText()).replace(/\s+/g, " "), /order B-4/));
  await tree(chat).focus();
  await chat.page.keyboard.press("Home");
  await isAt(chat, "Where is order A-17?");
  await chat.page.keyboard.press("ArrowDown");
  await isAt(chat, all[1]);
  await chat.page.keyboard.press("s");
  await isAt(chat, "Search for tide tables");
  await accessible(chat.page);
  await chat.page.keyboard.press("Enter");
  await eventually(async () => assert.equal(await chat.messages("user").count(), 2));
  await eventually(async () => assert.match(await chat.messages("assistant").last().innerText(), /A-17/));
  const tip = tree(chat).locator('[aria-selected="true"]');
  await eventually(async () => assert.match(await tip.innerText(), /Search for tide tables/, "the branch ends where it was chosen"));
  await chat.page.keyboard.press("End");
  await isAt(chat, all.at(-1));
});

treeTest("Delete asks for confirmation and removes the branch for good", async (chat) => {
  await branched(chat);
  const before = (await rowTexts(chat)).length;
  await tree(chat).focus();
  await chat.page.keyboard.press("Home");
  await isAt(chat, "Where is order A-17?");
  await chat.page.keyboard.press("Delete");
  const dialog = chat.dialog();
  await dialog.getByText(/All that follows it goes, too: \d+ messages/).waitFor();
  await accessible(chat.page);
  await chat.hasFocus(dialog.getByRole("button", { name: "Cancel" }));
  await chat.page.keyboard.press("Escape");
  await chat.hasFocus(tree(chat));
  assert.equal((await rowTexts(chat)).length, before);
  // A closed dialog reports it later than the next one opens.
  await tree(chat).evaluate((element) => {
    const key = (name) => element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    key("Delete");
    requestAnimationFrame(() => setTimeout(() => {
      document.querySelector("dialog[open]").close();
      key("Delete");
    }));
  });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await eventually(async () => assert.equal((await rowTexts(chat))[0], "Where is order B-4?"));
  await chat.hasFocus(tree(chat));
  const left = await rowTexts(chat);
  await chat.page.reload();
  await eventually(async () => assert.deepEqual(await rowTexts(chat), left));
  const stored = await conversationOf(chat.page, "tree");
  assert.equal(stored.messages.filter(({ parent }) => parent === null).length, 1);
});

treeTest("the tree drawing zooms and fits, and a deletion can be undone", async (chat) => {
  await branched(chat);
  const before = await rowTexts(chat);
  const button = (name) => chat.page.locator(".la-tree").getByRole("button", { name });
  await button("Draw as a tree").click();
  await chat.page.locator(".la-tree-way").first().waitFor();
  await eventually(async () => assert.deepEqual((await rowTexts(chat)).sort(), [...before].sort(), "the same messages"));
  await button("Fit").click();
  const room = await tree(chat).boundingBox();
  await eventually(async () => {
    for (const row of await rows(chat).all()) {
      const box = await row.boundingBox();
      assert.ok(box.x >= room.x && box.x + box.width <= room.x + room.width + 1, "all of it is in view");
    }
  });
  const width = async () => (await rows(chat).first().boundingBox()).width;
  const fitted = await width();
  await chat.picture("tree drawn");
  await chat.page.mouse.move(room.x + room.width / 2, room.y + room.height / 2);
  await chat.page.keyboard.down("Control");
  await chat.page.mouse.wheel(0, -100);
  await chat.page.keyboard.up("Control");
  await eventually(async () => assert.ok((await width()) > fitted * 1.1));
  assert.equal(await chat.page.evaluate(() => globalThis.visualViewport.scale), 1);
  await accessible(chat.page);
  await tree(chat).focus();
  await chat.page.keyboard.press("Home");
  await isAt(chat, "Where is order A-17?");
  await chat.page.keyboard.press("Delete");
  await chat.dialog().getByRole("button", { name: "Delete" }).click();
  await chat.page.locator(".la-tree [aria-live=polite]").getByText(/messages deleted/).waitFor();
  await chat.picture("tree deleted");
  await accessible(chat.page);
  await button("Undo").click();
  await chat.hasFocus(tree(chat));
  await isAt(chat, "Where is order A-17?");
  await button("Draw as a tree").click();
  await eventually(async () => assert.deepEqual(await rowTexts(chat), before));
  await chat.page.reload();
  await eventually(async () => assert.deepEqual(await rowTexts(chat), before));
});

treeTest("branches fold, and a message can be edited from the tree", async (chat) => {
  await branched(chat);
  await tree(chat).focus();
  await chat.page.keyboard.press("Home");
  const edit = chat.page.locator(".la-tree-bar").getByRole("button", { name: "Edit message" });
  await edit.click();
  const box = chat.page.getByRole("textbox", { name: "Your message" });
  await eventually(async () => assert.equal(await box.inputValue(), "Where is order A-17?"));
  await accessible(chat.page);
  await box.fill("Where is order C-9?");
  await chat.page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
  await eventually(async () => assert.ok((await rowTexts(chat)).includes("Where is order C-9?")));
  await chat.idle();
  await chat.ask("Search for tide tables");
  // A second version of the previous answer: there is something to collapse.
  const asked = chat.messages("user").last();
  const turn = asked.locator("xpath=ancestor::*[@data-block]");
  await asked.hover();
  await turn.getByRole("button", { name: "Edit message" }).click();
  await chat.root.getByRole("textbox", { name: "Your message" }).fill("Search for crabs");
  await chat.page.keyboard.press("Enter");
  await eventually(async () => assert.ok((await rowTexts(chat)).includes("Search for crabs")));
  await chat.idle();
  const open = tree(chat).locator('[aria-expanded="true"]');
  await open.first().waitFor();
  const before = (await rowTexts(chat)).length;
  await open.first().locator(".la-tree-fold").click();
  await eventually(async () => assert.ok((await rowTexts(chat)).length < before));
  await tree(chat).focus();
  await chat.page.keyboard.press("ArrowRight");
  await eventually(async () => assert.equal((await rowTexts(chat)).length, before));
});

treeTest(
  "a long conversation mounts only the rows in view",
  async (chat) => {
    await eventually(async () => assert.ok((await rows(chat).count()) > 5));
    await eventually(async () => assert.ok((await rows(chat).count()) < 60, "few are in the page"));
    await tree(chat).focus();
    await chat.page.keyboard.press("Home");
    await eventually(async () => assert.equal(await rows(chat).first().getAttribute("aria-posinset"), "1"));
    await eventually(async () => assert.equal(await rows(chat).first().getAttribute("aria-setsize"), "20000"));
    await chat.page.keyboard.press("End");
    await eventually(async () => assert.equal(await rows(chat).last().getAttribute("aria-posinset"), "20000"));
    await eventually(async () => assert.ok((await rows(chat).count()) < 60));
    const isInView = () =>
      tree(chat).evaluate((tree) => {
        const { top, bottom } = tree.querySelector("[data-cursor]").getBoundingClientRect();
        const view = tree.getBoundingClientRect();
        return top >= view.top - 1 && bottom <= view.bottom + 1;
      });
    await eventually(async () => assert.ok(await isInView(), "the current row is in view"));
  },
  { query: "history=20000" },
);

for (const [name, viewport] of Object.entries({ wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } })) {
  for (const colorScheme of ["light", "dark"]) {
    treeTest(
      `the tree passes accessibility checks: ${name} ${colorScheme}`,
      async (chat) => {
        await branched(chat);
        await tree(chat).scrollIntoViewIfNeeded();
        await tree(chat).focus();
        await chat.page.keyboard.press("ArrowUp");
        await accessible(chat.page);
        await tree(chat).evaluate((tree) => tree.closest(".la-tree").scrollIntoView({ block: "center" }));
        await chat.picture(`tree ${name} ${colorScheme}`);
        await chat.page.keyboard.press("Delete");
        await chat.dialog().waitFor();
        await chat.picture(`tree delete ${name} ${colorScheme}`);
      },
      { viewport, colorScheme, hasTouch: name === "narrow", bare: name === "narrow" },
    );
  }
}
