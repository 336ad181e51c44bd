// Components of React and Vue in the npm package: cards, registrations and options. The pages are bundled by esbuild, with
// the files that the guide names beside the bundle.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { build } from "esbuild";

import { serve } from "../../xtask/serve.mjs";
import { Chat, eventually } from "../support/chat.mjs";
import { packageSuite } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";
import { shows } from "../support/harbor.mjs";
import { ROOT } from "../support/servers.mjs";

/** Calls `refund` for the order that the user names, and ends when there is a result. */
const shop = (answer, input) => {
  const last = input.messages.at(-1);
  begin(answer, input);
  if (last.role === "user" && input.tools.length > 0) {
    const toolCallId = `call_${input.runId}`;
    send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "refund" });
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify({ order: last.content }) });
    send(answer, { type: "TOOL_CALL_END", toolCallId });
  }
  finish(answer, input);
};

/** Bundles the page of a framework, and serves it under the policy of the demo. */
async function bundled(entry) {
  const root = await mkdtemp(path.join(tmpdir(), "components-"));
  const [pages, embed] = [path.join(ROOT, "e2e/pages/components"), path.join(ROOT, "dist/embed")];
  await build({
    entryPoints: { page: path.join(pages, entry) },
    outdir: root,
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"development"', __VUE_OPTIONS_API__: "false", __VUE_PROD_DEVTOOLS__: "false", __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false" },
  });
  for (const name of ["index.html", "page.css"]) await cp(path.join(pages, name), path.join(root, name));
  for (const name of ["assistant_embed_bg.wasm", "assistant_embed_conversation.wasm", "style.css", "launcher.css"]) {
    await cp(path.join(embed, name), path.join(root, name));
  }
  const { url, close } = await serve({ root });
  return { url, close: () => close().finally(() => rm(root, { recursive: true })) };
}

/** Opens the third chat of a page, and waits until it is mounted. */
async function beginThird(page) {
  await page.evaluate(() => document.getElementById("three").open());
  await page.waitForFunction(() => document.getElementById("three").chat);
}

const ran = (page) => page.evaluate(() => globalThis.ran ?? []);

for (const [name, entry] of Object.entries({ React: "react.jsx", Vue: "vue.js" })) {
  const pageTest = packageSuite({ serve: () => bundled(entry), scenes: { shop: Array(100).fill(shop) } });
  const address = ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: `${agent.url}shop` })}`;
  const componentTest = (what, options, body) =>
    pageTest(`${name}: ${what}`, { address, bare: true, ...options }, async ({ page }, { agent }) => {
      agent.forget();
      const chat = new Chat(page, page.locator("#one"));
      await chat.composer.waitFor();
      await body(chat, agent);
    });

  componentTest("an approval that is a component counts once visible, within the user's event", { allow: [/Only the user can decide/, /Unhandled error/] }, async (chat, agent) => {
    const { page } = chat;
    await page.evaluate(() => {
      globalThis.attempt = (act) => {
        try {
          act();
        } catch (error) {
          globalThis.refused = error.message;
        }
      };
    });
    await chat.send("A-17");
    const card = chat.card("refund");
    await shows(card, "Refund A-17?");
    // It has a state of its own, and follows that of the call.
    await card.getByRole("button", { name: "Counted 0" }).click();
    await card.getByRole("button", { name: "Counted 1" }).waitFor();
    await card.getByRole("button", { name: "Do it", exact: true }).and(page.locator("[aria-disabled=false]")).waitFor();
    await card.getByRole("button", { name: "Do it later" }).click();
    await eventually(async () => assert.match(await page.evaluate(() => globalThis.refused ?? ""), /./));
    await card.getByRole("button", { name: "Do it", exact: true }).evaluate((button) => button.click());
    assert.deepEqual(await ran(page), []);
    await card.getByRole("button", { name: "Do it", exact: true }).click();
    await chat.idle();
    await shows(card, "Refund of A-17: output-available");
    assert.deepEqual(await ran(page), [{ order: "A-17" }]);
    assert.deepEqual(agent.requests("shop")[0].body.context, [{ description: "The page", value: "/" }]);
    await chat.picture(`components ${name}`);
  });

  componentTest("a component that throws leaves the page and the built-in approval", { allow: [/no card today/, /no approval today/, /error boundary/, /Unhandled error/] }, async (chat) => {
    const { page } = chat;
    await chat.send("undrawn");
    const undrawn = chat.card("refund").last();
    await chat.approve(undrawn);
    await chat.idle();
    await shows(undrawn, "Refund of undrawn: output-available");
    await chat.send("broken");
    await chat.card("refund").last().getByRole("button", { name: "Do it", exact: true }).and(page.locator("[aria-disabled=false]")).click();
    await chat.idle();
    await chat.send("A-17");
    await shows(chat.card("refund").last(), "Refund A-17?");
    assert.deepEqual(await ran(page), [{ order: "undrawn" }, { order: "broken" }]);
  });

  componentTest("registrations live as long as their component, in their scope", {}, async (chat, agent) => {
    const { page } = chat;
    const toggle = page.getByRole("button", { name: "Toggle actions" });
    const offered = async (chat) => {
      agent.forget();
      await chat.send("A-17");
      await eventually(() => assert.ok(agent.requests("shop").length > 0));
      const { tools, context } = agent.requests("shop")[0].body;
      return [tools.map(({ name }) => name), context.length];
    };
    await toggle.click();
    assert.deepEqual(await offered(chat), [[], 0]);
    await chat.idle();
    for (let times = 0; times < 5; times++) await toggle.click();
    assert.deepEqual(await offered(chat), [["refund"], 1]);
    await shows(chat.card("refund"), "Refund A-17?");
    await toggle.click();
    await eventually(async () => assert.equal(await page.getByRole("button", { name: "Do it", exact: true }).count(), 0));
    const second = new Chat(page, page.locator("#two"));
    await toggle.click();
    assert.deepEqual(await offered(second), [[], 0]);
  });

  componentTest("the state is that of the chat mounted last", {}, async (chat) => {
    const { page } = chat;
    const followed = page.getByText(/^State: /);
    const set = (id, of) => page.evaluate(([id, of]) => document.getElementById(id).chat.setState({ of }), [id, of]);
    const third = page.getByRole("button", { name: "Toggle third" });
    await page.waitForFunction(() => document.getElementById("one").chat && document.getElementById("two").chat);
    await set("one", "one");
    await shows(followed, "State: one");
    await set("two", "two, of another scope");
    await third.click();
    await beginThird(page);
    await shows(followed, "State: none");
    await set("three", "three");
    await shows(followed, "State: three");
    await set("one", "one again");
    await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
    await shows(followed, "State: three");
    await third.click();
    await shows(followed, "State: one again");
    await set("one", "one, once more");
    await shows(followed, "State: one, once more");
  });

  componentTest("content of the page is drawn in the window, and follows the component", {}, async (chat) => {
    const introduction = chat.root.getByRole("heading", { name: /^About/ });
    await shows(introduction, "About First");
    await chat.root.getByRole("button", { name: "Privacy" }).click();
    await shows(introduction, "About Pressed");
    await shows(chat.root.getByRole("heading").first(), "Pressed");
    await chat.send("A-17");
    await eventually(async () => assert.equal(await introduction.count(), 0));
    await chat.page.getByRole("button", { name: "Lower headings" }).click();
    await shows(introduction, "About Pressed");
  });

  componentTest("options change the chat that is shown, or begin another one", {}, async (chat, agent) => {
    const { page } = chat;
    const heading = chat.root.getByRole("heading").first();
    await shows(heading, "First");
    await chat.send("A-17");
    await page.getByRole("button", { name: "Rename" }).click();
    await shows(heading, "Renamed");
    await page.getByRole("button", { name: "Do it", exact: true }).and(page.locator("[aria-disabled=false]")).click();
    await chat.idle();
    // The functions of the newest rendering are called, and the conversation is the same.
    const [first, second] = agent.requests("shop");
    assert.deepEqual([first.headers["x-label"], second.headers["x-label"]], ["First", "Renamed"]);
    await chat.send("B-4");
    assert.equal(await page.evaluate(() => globalThis.ready), 1);
    const observed = () => page.evaluate(() => globalThis.observedMessages.filter((line) => line.endsWith("user")));
    await eventually(async () => assert.deepEqual(await observed(), ["First user", "Renamed user"]));
    await page.getByRole("button", { name: "Lower headings" }).click();
    await eventually(async () => assert.equal(await page.evaluate(() => globalThis.ready), 2));
    await eventually(async () => assert.equal(await chat.messages("user").count(), 0));
    await chat.send("A-17");
    await shows(chat.card("refund"), "Refund A-17?");
  });

  componentTest("attributes of the page are those of the element", {}, async ({ page }) => {
    await page.locator("#two textarea").waitFor();
    assert.deepEqual(
      await page.locator("#two").evaluate(({ dataset, ariaDescription }) => [dataset.laTheme, ariaDescription]),
      ["dark", "The second chat"],
    );
  });

  if (name !== "React") continue;

  componentTest("an action continues while a boundary around the chat shows its fallback", {}, async (chat, agent) => {
    const { page } = chat;
    await chat.send("slow");
    await page.getByRole("button", { name: "Do it", exact: true }).and(page.locator("[aria-disabled=false]")).click();
    await page.waitForFunction(() => globalThis.finish);
    await page.getByRole("button", { name: "Open a route" }).click();
    await page.getByText("Loading the route").waitFor();
    assert.equal(await chat.composer.isVisible(), false);
    await page.evaluate(() => globalThis.arrive());
    await page.getByText("The route", { exact: true }).waitFor();
    await page.evaluate(() => globalThis.finish());
    await chat.idle();
    await shows(chat.card("refund"), "Refund of slow: output-available");
    const { messages } = agent.requests("shop").at(-1).body;
    assert.deepEqual(messages.filter(({ role }) => role === "tool").map(({ content }) => content), ['"paid"']);
  });

  componentTest("a chat that becomes ready while React hides it is reported once it is shown", {}, async (chat) => {
    const { page } = chat;
    const count = () => page.evaluate(() => globalThis.thirdReady ?? 0);
    const hideOrShow = page.getByRole("button", { name: "Hide or show third" });
    await hideOrShow.click();
    await page.locator("#three").getByRole("button", { name: "Third" }).waitFor();
    await hideOrShow.click();
    await page.locator("#three").waitFor({ state: "hidden" });
    await beginThird(page);
    assert.equal(await count(), 0);
    for (let times = 0; times < 3; times++) {
      await hideOrShow.click();
      await eventually(async () => assert.equal(await count(), 1));
    }
  });
}
