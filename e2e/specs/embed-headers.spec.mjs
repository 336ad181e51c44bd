// Headers that a page computes: for each request, and once more when the agent refuses them.

import assert from "node:assert/strict";

import { embedSuite, mountIn } from "../support/embed.mjs";
import { begin, finish } from "../support/fake-agent.mjs";

/** Refuses a request. */
const guarded = (answer) => {
  answer.writeHead(401, { "content-type": "text/plain" }).end("expired");
};
const open = (answer, input) => {
  begin(answer, input);
  finish(answer, input);
};

const pageTest = embedSuite({ scenes: { guarded: [guarded, open, guarded, guarded], open: [open, open, open] } });

/** Mounts the first chat with options made by a function that is evaluated in the page. */
async function mountWith(page, agent, scene, options) {
  await page.evaluate(`globalThis.makeOptions = ${options}`);
  await page.evaluate(
    async ([url, label]) => {
      const { mount } = await import("./embed/index.js");
      globalThis.asked = [];
      (globalThis.chats ??= {}).one = await mount(document.getElementById("one"), { url, label, ...globalThis.makeOptions() });
    },
    [`${agent.url}${scene}`, "Chat one"],
  );
  const { Chat } = await import("../support/chat.mjs");
  const chat = new Chat(page, page.locator("#one"));
  await chat.composer.waitFor();
  return chat;
}

const tokens = (agent, scene) => agent.requests(scene).map(({ headers }) => headers["x-token"]);

pageTest("headers are computed for each request", {}, async (page, agent) => {
  const chat = await mountWith(page, agent, "open", () => {
    let count = 0;
    return { headers: () => ({ "x-token": `number ${++count}` }) };
  });
  await chat.ask("Hello");
  await chat.ask("Hello again");
  assert.deepEqual(tokens(agent, "open"), ["number 1", "number 2"]);
});

for (const [name, options] of Object.entries({
  "an instance of Headers": () => ({ headers: new Headers({ "x-token": "kept" }) }),
  "a map": () => ({ headers: new Map([["x-token", "kept"]]) }),
  "a list of pairs": () => ({ headers: async () => [["x-token", "kept"]] }),
  "an object with a missing value": () => ({ headers: { "x-token": "kept", authorization: undefined } }),
})) {
  pageTest(`headers can be ${name}`, {}, async (page, agent) => {
    const chat = await mountWith(page, agent, "open", options);
    await chat.ask("Hello");
    const [{ headers }] = agent.requests("open");
    assert.equal(headers["x-token"], "kept");
    assert.equal(headers.authorization, undefined);
    assert.equal(headers["0"], undefined);
  });
}

pageTest("headers are computed once more after an HTTP 401", { allow: [/401/] }, async (page, agent) => {
  const chat = await mountWith(page, agent, "guarded", () => ({
    headers: async ({ refused }) => {
      globalThis.asked.push(refused);
      return { "x-token": refused ? "new" : "old" };
    },
  }));
  await chat.ask("Hello");
  assert.deepEqual(tokens(agent, "guarded"), ["old", "new"]);
  assert.equal(await chat.notice(/401/).count(), 0);
  await chat.ask("Hello again");
  assert.deepEqual(tokens(agent, "guarded"), ["old", "new", "old", "new"]);
  await chat.notice(/401/).first().waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.asked), [false, true, false, true]);
});

for (const [name, options] of Object.entries({
  throws: () => ({ headers: () => { throw new Error("not logged in"); } }),
  "rejects with a text": () => ({ headers: () => Promise.reject("not logged in") }),
  "returns nothing": () => ({ headers: () => undefined }),
  "returns a text": () => ({ headers: () => "x-token: 1" }),
  "returns a name that cannot be sent": () => ({ headers: () => ({ "x token": "1" }) }),
  "returns a proxy that throws": () => ({ headers: () => new Proxy({}, { ownKeys() { throw new Error("a trap"); } }) }),
  "never answers": () => ({ headers: () => new Promise(() => {}) }),
})) {
  pageTest(`a headers function that ${name}: nothing is sent, and a notice is shown`, { allow: [/`headers`/] }, async (page, agent) => {
    // The ten seconds without an answer pass at once.
    await page.evaluate(() => {
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (work, ms, ...more) => setTimeout(work, ms === 10_000 ? 10 : ms, ...more);
    });
    const chat = await mountWith(page, agent, "open", options);
    await chat.ask("Hello");
    await chat.notice(/not logged in|must return an object|cannot be sent|a trap|has not answered/).first().waitFor();
    assert.equal(agent.requests("open").length, 0);
    assert.equal(await chat.root.getByText("has stopped").count(), 0);
  });
}

pageTest("credentials are passed to fetch", {}, async (page, agent) => {
  await page.evaluate(() => {
    const { fetch } = globalThis;
    globalThis.sent = [];
    globalThis.fetch = (request, ...more) => {
      if (request instanceof Request) globalThis.sent.push(request.credentials);
      return fetch(request, ...more);
    };
  });
  for (const options of [{}, { credentials: "omit" }]) {
    const chat = await mountIn(page, "one", `${agent.url}open`, options);
    await chat.ask("Hello");
    await page.evaluate(() => globalThis.chats.one.unmount());
  }
  assert.deepEqual(await page.evaluate(() => globalThis.sent), ["same-origin", "omit"]);
  const refused = await page.evaluate(async () => {
    const { mount } = await import("./embed/index.js");
    return mount(document.getElementById("one"), { url: "/agent", credentials: "always" }).catch((error) => `${error}`);
  });
  assert.match(refused, /^TypeError: mount: the option `credentials`/);
});
