// The npm package as it is packed, in pages that Django, PHP and Rails render under a strict policy: one journey on each
// of them, with an endpoint that refuses requests without the token of the page and streams the agent's answers.

import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

import { policy } from "../../xtask/serve.mjs";

import { eventually } from "../support/chat.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { shows } from "../support/harbor.mjs";
import { ROOT, pythonOf, startedExample } from "../support/servers.mjs";
import { journey, row, shop } from "../support/shop.mjs";
import { suite } from "../support/suite.mjs";

const FILES = path.join(ROOT, "dist/static");

/** The servers, each with the path of its endpoint. */
const SERVERS = {
  Django: {
    endpoint: "agent",
    start: async (env) => startedExample("django", pythonOf("django"), (port) => ["server.py", "--port", port], { env }),
  },
  PHP: {
    endpoint: "agent.php",
    start: (env) => startedExample("php", "php", (port) => ["-S", `127.0.0.1:${port}`, "-t", FILES, "router.php"], { env }),
  },
  Rails: {
    endpoint: "agent",
    start: (env) => startedExample("rails", "puma", (port) => ["-b", `tcp://127.0.0.1:${port}`], { env }),
  },
};

/** The responses of the agent that are open. */
const responses = new Set();

/** Answers like the shop, with a text whose second half follows when the test proceeds, or with one that does not end. */
const answers = async (answer, input, hold) => {
  responses.add(answer);
  answer.on("close", () => responses.delete(answer));
  const { content } = input.messages.at(-1);
  if (content !== "In two pieces" && content !== "Without end") return shop(answer, input);
  const messageId = "pieces";
  const piece = (delta) => send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  piece("The first piece");
  while (content === "Without end" && !answer.closed) {
    await setTimeout(50);
    piece(" and another");
  }
  await hold();
  piece(" and the second");
  send(answer, { type: "TEXT_MESSAGE_END", messageId });
  finish(answer, input);
};

for (const [name, { endpoint, start }] of Object.entries(SERVERS)) {
  const withServer = suite(async (open) => {
    const agent = await fakeAgent({ scenes: { shop: Array(100).fill(answers) } });
    open.push(agent);
    const server = await start({ AGENT: `${agent.url}shop` });
    open.push(server);
    return { agent, server };
  });
  const pageTest = (what, options, body) =>
    withServer(`${name}: ${what}`, { address: ({ server }) => server.url, ...options }, (chat, servers) => {
      servers.agent.forget();
      return body(chat, servers);
    });

  pageTest("a journey", {}, (chat, { agent }) => journey(name)(chat, agent));

  pageTest("the page has the strict policy of the demo, and no inline script", {}, async (chat, { server }) => {
    const answer = await fetch(server.url);
    const directives = (policy) => policy.split(";").map((directive) => directive.trim()).filter(Boolean).sort();
    assert.deepEqual(directives(answer.headers.get("content-security-policy")), directives(policy()));
    const inline = chat.page.locator("script:not([src]), style, [style]:not([data-assistant-chat] *), [onclick]");
    assert.equal(await inline.count(), 0);
    assert.match(await answer.text(), /<script type="module" src="\S+element\.js" integrity="sha384-\S{64}">/);
  });

  pageTest("the program is sent with its media type", {}, async (chat) => {
    const script = await chat.page.locator("script[src$='element.js']").evaluate(({ src }) => src);
    const { headers } = await fetch(new URL("assistant_embed_bg.wasm", script), { method: "HEAD" });
    assert.equal(headers.get("content-type"), "application/wasm");
  });

  pageTest("an answer arrives in pieces", {}, async (chat, { agent }) => {
    await chat.send("In two pieces");
    await chat.says("The first piece");
    await chat.running();
    agent.proceed();
    await chat.says("The first piece and the second");
    await chat.idle();
  });

  pageTest("a stopped answer ends the request to the agent", {}, async (chat) => {
    await chat.send("Without end");
    await chat.says("The first piece");
    assert.equal(responses.size, 1);
    await chat.stopButton.click();
    await chat.idle();
    await eventually(() => assert.equal(responses.size, 0));
  });

  pageTest("values of the server are escaped", {}, async (chat, { agent }) => {
    const order = '"><b>&quot;';
    await chat.page.getByRole("button", { name: order }).click();
    await chat.ask(`${order} 5`);
    await shows(row(chat, order), "refunded: 5 €");
    assert.deepEqual(agent.requests("shop")[0].body.context, [{ description: "The selected order", value: order }]);
  });

  pageTest("an agent that cannot be reached is a notice with a status", { allow: [/502/] }, async (chat) => {
    const away = await start({ AGENT: "http://127.0.0.1:9/" });
    try {
      await chat.page.goto(away.url);
      await chat.ask("A-17 5");
      await chat.notice(/502/).first().waitFor();
    } finally {
      await away.close();
    }
  });

  pageTest("a request without the token is refused, and the token is read for each request", { allow: [/403/] }, async (chat, { agent, server }) => {
    const body = JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "A-17 5" }] });
    const headers = { "content-type": "application/json" };
    assert.equal((await fetch(`${server.url}${endpoint}`, { method: "POST", headers, body })).status, 403);
    const token = chat.page.locator("meta[name=csrf-token]");
    const valid = await token.getAttribute("content");
    await token.evaluate((meta) => (meta.content = "another"));
    await chat.ask("A-17 5");
    await chat.notice(/403/).first().waitFor();
    assert.equal(agent.requests("shop").length, 0);
    // As a visit of Turbo, which replaces the element.
    await token.evaluate((meta, valid) => {
      meta.replaceWith(Object.assign(meta.cloneNode(), { content: valid }));
    }, valid);
    await chat.page.getByRole("button", { name: "Retry" }).click();
    await eventually(() => assert.equal(agent.requests("shop").length, 2));
    await chat.idle();
    await shows(row(chat, "A-17"), "refunded: 5 €");
  });
}
