// The npm package's second module in a plain page: the AI SDK's UI message stream and chat completions, each with a
// real server.

import assert from "node:assert/strict";

import { Chat, eventually } from "../support/chat.mjs";
import { modelServer } from "../support/model.mjs";
import { aiSdkAgent, plainPage } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const pageTest = suite(async (open) => {
  const page = await plainPage();
  open.push(page);
  const agent = await aiSdkAgent(new URL(page.url).origin);
  open.push(agent);
  const model = await modelServer();
  open.push(model);
  return { page, agent, model };
});

/** A test on a page with a chat whose options `options` derives from the servers. */
function chatTest(name, options, body) {
  // The page's policy lets it connect to the agent in its address.
  const address = (servers) => `${servers.page.url}host.html?${new URLSearchParams({ agent: options(servers).url })}`;
  pageTest(name, { address, bare: true }, async ({ page }, servers) => {
    await servers.agent.forget();
    servers.model.forget();
    await page.evaluate(async (options) => {
      const { mount } = await import("./embed/full.js");
      const chat = await mount(document.getElementById("one"), { label: "Chat", ...options });
      globalThis.runs = [];
      chat.registerAction({
        name: "get_weather",
        description: "The weather of a place.",
        parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
        approval: "always",
        handler: ({ location }) => {
          globalThis.runs.push(location);
          return { location, sky: "clear" };
        },
      });
    }, options(servers));
    const chat = new Chat(page, page.locator("#one"));
    await chat.composer.waitFor();
    await body(chat, servers);
  });
}

/** The user approves a call of the page, which runs once; the agent continues with its result. */
async function approved(chat) {
  await chat.send("What's the weather in Oslo?");
  const card = chat.card("get_weather");
  await chat.approve(card);
  await chat.status(card, "complete");
  await chat.idle();
  await chat.says("get_weather returned");
  assert.deepEqual(await chat.page.evaluate(() => globalThis.runs), ["Oslo"]);
}

chatTest(
  "an AI SDK backend gets the output of an approved page tool",
  ({ agent }) => ({ url: agent.url, protocol: "ui-stream", headers: { "x-place": "one" } }),
  async (chat, { agent }) => {
    await approved(chat);
    const posts = (await agent.requests()).filter(({ method }) => method === "POST");
    assert.equal(posts.length, 2);
    assert.equal(posts[0].headers["x-place"], "one");
    const { type, state, output } = posts[1].body.messages.at(-1).parts.find(({ type }) => type.startsWith("tool-"));
    assert.deepEqual([type, state, output], ["tool-get_weather", "output-available", { location: "Oslo", sky: "clear" }]);
  },
);

chatTest(
  "a model endpoint gets the result of a page tool as a tool message",
  ({ model }) => ({ url: model.url, protocol: "completions", model: "small" }),
  async (chat, { model }) => {
    await approved(chat);
    const requests = model.requests();
    assert.equal(requests.length, 2);
    assert.ok(requests.every(({ body }) => body.model === "small" && body.stream === true));
    const { role, content } = requests[1].body.messages.at(-1);
    assert.deepEqual([role, JSON.parse(content)], ["tool", { location: "Oslo", sky: "clear" }]);
  },
);

pageTest(
  "records of messages and calls are reported, and applied from a server that runs the loop",
  { address: ({ page }) => `${page.url}host.html`, bare: true },
  async ({ page }) => {
    await page.evaluate(async () => {
      const { mount } = await import("./embed/full.js");
      globalThis.chat = await mount(document.getElementById("one"), { url: "/agent", label: "Chat" });
      globalThis.updates = [];
      globalThis.end = globalThis.chat.onUpdate((update) => globalThis.updates.push(update));
      const applied = { messageId: "m1", source: "assistant", contentBlocks: [{ contentType: "text", content: "Packed yesterday" }] };
      globalThis.chat.applyUpdate(applied);
    });
    const chat = new Chat(page, page.locator("#one"));
    await chat.says("Packed yesterday");
    const updates = await page.evaluate(() => globalThis.updates);
    assert.ok(updates.some((update) => JSON.stringify(update).includes("Packed yesterday")), JSON.stringify(updates));
    const refused = await page.evaluate(() => {
      globalThis.end();
      const attempt = (update) => {
        try {
          return globalThis.chat.applyUpdate(update);
        } catch (error) {
          return `${error.name}: ${error.message}`;
        }
      };
      return [attempt("text"), attempt({ any: 1 })];
    });
    assert.match(refused[0], /^TypeError: applyUpdate: argument 1 must be an object/);
    assert.match(refused[1], /^Error: The update is neither/);
  },
);

pageTest(
  "an unsupported protocol is refused by name",
  { address: ({ page }) => `${page.url}host.html`, bare: true },
  async ({ page }) => {
    const thrown = await page.evaluate(async () => {
      const place = document.getElementById("one");
      const why = async (file, protocol) => {
        const { mount } = await import(file);
        return mount(place, { url: "/agent", protocol }).then(String, (error) => `${error.name}: ${error.message}`);
      };
      return [await why("./embed/index.js", "ui-stream"), await why("./embed/full.js", "telegraph")];
    });
    assert.match(thrown[0], /^TypeError: .*`protocol` must be "ag-ui"; `leptos-assistant\/full` takes every protocol/);
    assert.match(thrown[1], /^TypeError: .*must be "ag-ui", "ui-stream", "completions";/);
    await eventually(async () => assert.equal(await page.locator("#one > *").count(), 0));
  },
);
