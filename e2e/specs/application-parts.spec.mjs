// An application whose module `leptos-assistant-split` has split in parts: the board. Its own tests run against it,
// too; these are about the parts.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { eventually } from "../support/chat.mjs";
import { application } from "../support/examples.mjs";
import { ROOT } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const FOLDER = path.join(ROOT, "dist/board");
const PART = /board-conversation-[0-9a-f]{16}\.wasm/;
/** The browser's and the part script's error messages. */
const REFUSED = [/Failed to load resource/, /integrity/i, /fetch/i];
const NOT_LOADED = /could not be loaded/;

const chatTest = suite(async (open) => {
  const page = await application("board");
  open.push(page);
  return page;
});
const address = ({ url }) => url;

/** The number of requests for the part so far. */
function countPartRequests(page) {
  let count = 0;
  page.on("request", (request) => (count += Number(PART.test(request.url()))));
  return () => count;
}

/** The page's files, and those that the others refer to. */
function files() {
  const names = readdirSync(FOLDER);
  const part = names.filter((name) => PART.test(name));
  const script = names.filter((name) => /^board-parts-[0-9a-f]{16}\.js$/.test(name));
  return { part, script };
}

test("an application's files refer to each other by content hash", () => {
  const { part, script } = files();
  assert.equal(part.length, 1);
  assert.equal(script.length, 1);
  const [glue, parts] = ["board.js", script[0]].map((name) => readFileSync(path.join(FOLDER, name), "utf8"));
  assert.ok(glue.includes(`from "./${script[0]}"`));
  assert.ok(parts.includes(`new URL("./${part[0]}", import.meta.url), "sha256-`));
});

chatTest("an application fetches the conversation part when the composer gets the focus", { address }, async (chat) => {
  const { page } = chat;
  const fetched = countPartRequests(page);
  await page.reload();
  await chat.composer.waitFor();
  await page.waitForTimeout(400);
  assert.equal(fetched(), 0, "it is not fetched before the focus is in the chat");
  await chat.composer.focus();
  await eventually(() => assert.equal(fetched(), 1));
  await chat.ask("List");
  await chat.says(/list_cards said .*"title":"Count the boats"/s);
  assert.equal(fetched(), 1);
});

chatTest("an application's part of another build is refused, and Retry loads the right one", { address, allow: REFUSED }, async (chat) => {
  const { page } = chat;
  // One byte of a string in it differs.
  const other = readFileSync(path.join(FOLDER, files().part[0]));
  other[other.length - 1] ^= 1;
  await page.route(PART, (route) => route.fulfill({ contentType: "application/wasm", body: other }));
  await page.reload();
  await chat.composer.focus();
  await chat.notice(NOT_LOADED).waitFor();
  await page.unroute(PART);
  await chat.notice(NOT_LOADED).getByRole("button", { name: "Retry" }).click();
  await chat.ask("List");
  await chat.says(/list_cards said .*"title":"Count the boats"/s);
});
