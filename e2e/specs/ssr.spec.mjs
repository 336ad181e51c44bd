// examples/leptos-ssr: a server renders the pages, the browser hydrates them, and then the chat is mounted.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { consoleMessages, library } from "../support/examples.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const server = await library();
  open.push(server);
  return server;
});
const at = (path) => (server) => new URL(path, server.url).href;

chatTest("a server-rendered page is readable without JavaScript", { address: at("/"), bare: true, javaScriptEnabled: false }, async ({ page }) => {
  await page.getByText("A Pattern Language").waitFor();
  const chat = page.getByRole("region", { name: "Librarian" });
  assert.equal((await chat.innerText()).trim(), "", "the window is its shell");
});

for (const path of ["/", "/loans"]) {
  chatTest(`the browser hydrates ${path} without warnings`, { address: () => "about:blank", bare: true }, async (chat, server) => {
    const { page } = chat;
    const lines = consoleMessages(page);
    // The window that the server sent, as it was before the script ran.
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        const shell = document.querySelector("[data-assistant-chat]");
        if (!shell) return;
        globalThis.sent = { shell, text: shell.innerText };
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(at(path)(server));
    await chat.composer.waitFor();
    const [same, text] = await chat.root.evaluate((window) => [window === globalThis.sent.shell, globalThis.sent.text]);
    assert.ok(same, "it is the element that the server sent");
    assert.equal(text, "");
    assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
    await accessible(page);
    assert.deepEqual(lines, [], "no warning of a mismatch");
  });
}

/** The browser's own console message on a response with an error status. */
const REFUSED = /status of 500/;

chatTest("handlers can call server functions", { address: at("/"), allow: [REFUSED] }, async (chat, server) => {
  const lines = consoleMessages(chat.page);
  await chat.ask("Find rust");
  await chat.says(/“?find_books”? said .*Rust for Rustaceans/s);
  await chat.says("I may use: find_books, open_loans, lend_book.");

  await chat.send("Lend 2");
  await chat.approve(chat.card("lend_book"));
  await chat.idle();
  await chat.says("Lent: Rust for Rustaceans");
  const row = chat.page.getByRole("listitem").filter({ hasText: "Rust for Rustaceans" });
  await eventually(async () => assert.match(await row.innerText(), /lent/));
  await chat.picture("ssr books");

  // The server's refusal is the handler's error, by `?`.
  await chat.send("Lend 2");
  await chat.approve(chat.card("lend_book").last());
  await chat.idle();
  await chat.says(/lend_book said .*“Rust for Rustaceans” is lent already/s);

  // A handler that navigates: the next run is offered the actions of the new page. Cards of the previous page stay.
  await chat.ask("Loans");
  await eventually(async () => assert.equal(new URL(chat.page.url()).pathname, "/loans"));
  await chat.says("The page: /loans. I may use: find_books, open_loans, return_book.");
  await chat.says("Lent: Rust for Rustaceans");
  await chat.picture("ssr loans");

  await chat.ask("Return 2");
  await eventually(async () => assert.equal(await row.count(), 0));
  assert.deepEqual(lines.filter((line) => !REFUSED.test(line)), []);
  assert.equal(server.log(), "", "the server logs nothing about handlers that it never runs");
});

chatTest("a hundred concurrent requests render the same shell", { address: at("/loans") }, async (chat, server) => {
  const ask = async (_, number) => {
    const answer = await fetch(at(number % 2 ? "/" : "/loans")(server));
    assert.equal(answer.status, 200);
    return (await answer.text()).match(/<section [^]*?<\/section>/)[0];
  };
  const shells = await Promise.all(Array.from({ length: 100 }, ask));
  assert.equal(new Set(shells).size, 1, "each is the same shell");
  assert.ok(server.lives());
  assert.equal(server.log(), "");
  await chat.ask("Hello");
  await chat.says("The page: /loans.");
});
