// The npm package in pages without a framework, under the strict policy, against the pydantic-ai agent.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";

import { accessible } from "../support/browser.mjs";
import { Chat, eventually } from "../support/chat.mjs";
import { shows } from "../support/harbor.mjs";
import { ROOT, plainPage, pydanticAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { call, checkEnvelopes, exactly, messagesOf, tool, user } from "../support/wire.mjs";

const pageTest = suite(async (open) => {
  const page = await plainPage();
  open.push(page);
  const agent = await pydanticAgent(new URL(page.url).origin);
  open.push(agent);
  return { page, agent };
});

const at = (file) => ({
  address: ({ page, agent }) => `${page.url}${file}?${new URLSearchParams({ agent: agent.url })}`,
});

/** A test on the example's page. */
function exampleTest(name, body) {
  pageTest(name, at(""), async (chat, { agent }) => {
    await agent.forget();
    await body(chat, agent);
  });
}

/** A test on a page with two empty elements; it gets a function that mounts a chat in one of them. */
function hostTest(name, body, options = {}) {
  pageTest(name, { ...at("host.html"), bare: true, ...options }, async ({ page }, { agent }) => {
    await agent.forget();
    const mount = async (place) => {
      await page.evaluate(
        async ([place, url]) => {
          const { mount } = await import("./embed/index.js");
          (globalThis.chats ??= {})[place] = await mount(document.getElementById(place), {
            url,
            label: `Chat ${place}`,
            headers: { "x-place": place },
          });
        },
        [place, agent.url],
      );
      const chat = new Chat(page, page.locator(`#${place}`));
      await chat.composer.waitFor();
      return chat;
    };
    await body(mount, agent, page);
  });
}

/** Registers `web_search` with a handler that is chosen by name, because functions do not cross into the page. */
const register = (page, place, handler = "plain") =>
  page.evaluate(
    ([place, handler]) => {
      const handlers = {
        plain: ({ query }) => [`about ${query}`],
        nothing: () => undefined,
        promise: async ({ query }) => ({ query }),
        throws: () => {
          throw new Error("thrown on the spot");
        },
        rejects: () => Promise.reject(new TypeError("rejected later")),
        "rejects with a text": () => Promise.reject("only a text"),
        "rejects with nothing": () => Promise.reject(),
        "gives a circle": () => {
          const circle = {};
          circle.circle = circle;
          return circle;
        },
        never: () => new Promise(() => {}),
      };
      globalThis.unregister?.[place]?.();
      (globalThis.unregister ??= {})[place] = globalThis.chats[place].registerAction({
        name: "web_search",
        description: `Search for ${place}`,
        parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
        handler: handlers[handler],
      });
    },
    [place, handler],
  );

exampleTest("the example: an approved handler runs once, and its result is sent", async (chat, agent) => {
  const count = chat.page.locator("#count");
  await chat.send("Please confirm the restart");
  const card = chat.card("confirmAction");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await shows(count, "0");
  await accessible(chat.page);
  await chat.picture("embed example");
  await chat.approve(card);
  await chat.idle();
  await chat.status(card, "complete");
  await chat.says("confirmAction returned");
  await shows(count, "1");
  const requests = await agent.requests();
  checkEnvelopes(requests);
  exactly(requests[0].body.tools, [
    {
      name: "confirmAction",
      description: "Ask the user to confirm an action before proceeding",
      parameters: {
        type: "object",
        properties: {
          action: { type: "string", description: "The action that needs confirmation" },
          importance: { type: "string", enum: ["low", "medium", "high", "critical"] },
        },
        required: ["action"],
      },
    },
  ]);
  exactly(messagesOf(requests), [
    [user(1, "Please confirm the restart")],
    [
      user(1, "Please confirm the restart"),
      {
        id: "assistant-1",
        role: "assistant",
        content: "",
        toolCalls: [call(1, "confirmAction", '{"action": "the restart", "importance": "high"}')],
      },
      tool(1, '"approved"'),
    ],
  ]);
});

exampleTest("the example: a denied handler does not run", async (chat, agent) => {
  await chat.send("Please confirm the restart");
  await chat.deny(chat.card("confirmAction"));
  await chat.idle();
  await chat.says("confirmAction was denied, so I leave it.");
  await shows(chat.page.locator("#count"), "0");
  assert.deepEqual(messagesOf(await agent.requests())[1].at(-1), tool(1, '"denied"'));
});

exampleTest("unmounting the chat empties its element and aborts the run", async (chat) => {
  const aborted = chat.page.waitForEvent("requestfailed");
  await chat.send("Tell me a long story");
  await chat.says("word5 ");
  await chat.page.getByRole("button", { name: "Take the chat away" }).click();
  assert.match((await aborted).failure().errorText, /ABORTED/);
  assert.equal(await chat.page.locator("#chat").innerHTML(), "");
  await chat.page.getByRole("button", { name: "Take the chat away" }).click();
});

hostTest("the result of each handler is sent to the agent", async (mount, agent, page) => {
  const chat = await mount("one");
  for (const [handler, result] of [
    ["plain", ["about crabs"]],
    ["nothing", null],
    ["promise", { query: "crabs" }],
    ["throws", { error: "thrown on the spot" }],
    ["rejects", { error: "rejected later" }],
    ["rejects with a text", { error: "only a text" }],
    ["rejects with nothing", { error: "The handler failed" }],
    ["gives a circle", { error: "The handler's result is no JSON" }],
  ]) {
    await page.evaluate(() => globalThis.chats.one.newConversation());
    await chat.idle();
    await agent.forget();
    await register(page, "one", handler);
    await chat.ask("Search for crabs");
    await chat.says(result?.error ? `web_search failed: ${result.error}.` : "web_search returned");
    await chat.status(chat.card("web_search"), result?.error ? "failed" : "complete");
    const requests = await agent.requests();
    assert.equal(requests.length, 2, handler);
    const answer = requests[1].body.messages.at(-1);
    assert.equal(answer.content, JSON.stringify(result), handler);
    assert.equal(answer.error, result?.error, handler);
  }
});

hostTest("headers are sent with every request", async (mount, agent) => {
  const chat = await mount("one");
  await chat.ask("Hello there");
  assert.equal((await agent.requests())[0].headers["x-place"], "one");
});

hostTest("an unregistered action is no longer offered", async (mount, agent, page) => {
  const chat = await mount("one");
  await register(page, "one");
  await chat.ask("Search for crabs");
  await chat.says("web_search returned");
  await page.evaluate(() => {
    globalThis.unregister.one();
    globalThis.unregister.one();
  });
  await chat.ask("Search for crabs");
  await chat.says("The page does not offer web_search.");
  const requests = await agent.requests();
  assert.deepEqual(requests.at(-1).body.tools, []);
});

hostTest("a call is cancelled when its action is unregistered", async (mount, agent, page) => {
  const chat = await mount("one");
  await register(page, "one", "never");
  await chat.send("Search for crabs");
  await chat.status(chat.card("web_search"), "executing");
  await page.evaluate(() => globalThis.unregister.one());
  await chat.idle();
  await chat.status(chat.card("web_search"), "failed");
  const result = (await agent.requests())[1].body.messages.at(-1);
  assert.deepEqual(JSON.parse(result.content), { error: "cancelled", reason: "unmounted" });
});

hostTest("two chats on a page are isolated", async (mount, agent, page) => {
  const one = await mount("one");
  const two = await mount("two");
  for (const name of ["Chat one", "Chat two"]) await page.getByRole("region", { name, exact: true }).waitFor();
  await register(page, "one");
  await one.ask("Search for crabs");
  await one.says("web_search returned");
  await two.ask("Search for crabs");
  await two.says("The page does not offer web_search.");
  assert.equal(await two.card("web_search").count(), 0);
  await register(page, "two");
  await two.ask("Search for pilots");
  await two.says("about pilots");
  assert.ok(!(await one.log.innerText()).includes("pilots"));
  const requests = await agent.requests();
  const threads = requests.map(({ body }) => body.threadId);
  assert.equal(new Set(threads).size, 2);
  assert.equal(requests.at(-1).body.tools[0].description, "Search for two");
  await page.evaluate(() => globalThis.chats.one.unmount());
  assert.equal(await page.locator("#one").innerHTML(), "");
  await two.ask("Search for locks");
  await two.says("about locks");
});

hostTest("an unmounted chat can be mounted again as a new one", async (mount, agent, page) => {
  const first = await mount("one");
  await register(page, "one", "never");
  await first.send("Search for crabs");
  await first.status(first.card("web_search"), "executing");
  await page.evaluate(() => globalThis.chats.one.unmount());
  assert.equal(await page.locator("#one").innerHTML(), "");
  await page.evaluate(() => globalThis.unregister.one());
  const second = await mount("one");
  await second.ask("Hello there");
  const requests = await agent.requests();
  assert.equal(requests.length, 2, "the call of the first chat was never answered");
  assert.deepEqual(requests[1].body.tools, []);
  exactly(messagesOf(requests)[1], [{ ...user(1, "Hello there"), id: "user-2" }]);
});

hostTest("chat and action survive garbage collection of their handles", async (mount, agent, page) => {
  const chat = await mount("one");
  await register(page, "one");
  await page.evaluate(() => {
    delete globalThis.chats;
    delete globalThis.unregister;
  });
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  // Finalizers of collected objects run in a separate task.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
  await chat.ask("Search for crabs");
  await chat.says("about crabs");
}, { only: "chromium" });

hostTest("the handle sends messages, starts conversations and throws on misuse", async (mount, agent, page) => {
  const chat = await mount("one");
  await page.evaluate(() => globalThis.chats.one.send("Tell me a long story"));
  await chat.says("word5 ");
  const thrown = await page.evaluate(() => {
    const attempt = (act) => {
      try {
        act();
        return "";
      } catch (error) {
        return error instanceof Error && error.message;
      }
    };
    const { one } = globalThis.chats;
    return [attempt(() => one.send("too early")), attempt(() => one.registerAction({ name: "no good name" }))];
  });
  for (const message of thrown) assert.match(message, /\w/);
  await page.evaluate(() => globalThis.chats.one.newConversation());
  await chat.idle();
  assert.equal(await chat.messages("user").count(), 0);
  await page.evaluate(() => globalThis.chats.one.send("Hello there"));
  await chat.says("You said: Hello there");
  await eventually(async () => assert.equal((await agent.requests()).length, 2));
});

hostTest(
  "a stopped program shows a notice with Reload in every chat",
  async (mount, agent, page) => {
    const chats = [await mount("one"), await mount("two")];
    await chats[1].ask("Hello there");
    await chats[0].composer.fill("Hello there");
    // A script of the page breaks a function that the chat draws with: once, so that the chat can still report it.
    await page.evaluate(() => {
      document.createElement = () => {
        delete document.createElement;
        throw new Error("broken by the page");
      };
    });
    await page.keyboard.press("Enter");
    for (const chat of chats) {
      const stopped = chat.root.getByRole("alert");
      await shows(stopped, /The chat has stopped/);
      await shows(chat.root.locator(".la-chat-status"), "The chat has stopped");
      assert.equal(await chat.root.getByRole("textbox").count(), 0, "no text box can be used");
      await stopped.getByRole("link", { name: "Reload the page" }).waitFor();
    }
    assert.ok((await chats[1].log.innerText()).includes("You said: Hello there"), "the messages remain");
    await accessible(page, "#one");
    await chats[0].picture("embed stopped");
    const refused = await page.evaluate(() => {
      const { two } = globalThis.chats;
      const calls = [() => two.send("Search for crabs"), () => two.registerAction({ name: "late" }), () => two.newConversation()];
      return calls.map((call) => {
        try {
          return call();
        } catch (error) {
          return error.message;
        }
      });
    });
    for (const message of refused) assert.match(message, /stopped/, "the stopped program accepts no call");
    await chats[0].root.getByRole("link", { name: "Reload the page" }).click();
    await page.waitForFunction(() => globalThis.chats === undefined && document.readyState === "complete");
    await (await mount("one")).ask("Hello there");
  },
  { allow: [/panicked at/, /unreachable/] },
);

test("the type declarations accept the documented usage", () => {
  const compiler = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"];
  execFileSync(process.execPath, [compiler, ...options, path.join(ROOT, "e2e/types/embed.ts")], { stdio: "pipe", encoding: "utf8" });
});
