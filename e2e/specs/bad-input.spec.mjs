// Bad input from a network or a server: each time a clear notice, the text so far is preserved, the composer usable, and
// the console empty except for the browser's own messages on a failed request. Other responses are tested in
// tests/web/http.rs, invalid calls in cards.rs.

import assert from "node:assert/strict";

import { fakeAgent } from "../support/fake-agent.mjs";
import { demo, freePort } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const REFUSED = /Failed to load resource|ERR_|blocked by CORS policy/;

const pageTest = suite(async (open) => {
  const page = await demo();
  const agent = await fakeAgent({ origin: new URL(page.url).origin });
  const foreign = await fakeAgent();
  open.push(page, agent, foreign);
  return { page, agent, foreign, nowhere: `http://127.0.0.1:${await freePort()}/` };
});

const at = (page, agent) => `${page.url}?${new URLSearchParams({ agent, protocol: "ag-ui" })}`;
const scene = (name) => ({ address: ({ page, agent }) => at(page, agent.url + name) });

/** A test whose scenes have not been played yet. */
function chatTest(name, options, body) {
  pageTest(name, options, async (chat, servers) => {
    servers.agent.forget();
    await body(chat, servers);
  });
}

/** Checks that the composer works and the agent answers again. */
async function answersAgain(chat) {
  await chat.ask("Are you back?");
  await chat.says("You said: Are you back?");
}

chatTest(
  "an unreachable address shows a notice with Retry and keeps the message",
  { address: ({ page, nowhere }) => at(page, nowhere), allow: [REFUSED] },
  async (chat) => {
    await chat.ask("Hello");
    await chat.page.getByRole("button", { name: "Retry" }).waitFor();
    await chat.picture("bad input wrong address");
    await chat.says("Hello");
    assert.ok(await chat.composer.isEditable());
  },
);

chatTest(
  "an agent without CORS for this page shows a notice",
  { address: ({ page, foreign }) => at(page, foreign.url), allow: [REFUSED] },
  async (chat) => {
    await chat.ask("Hello");
    await chat.page.getByRole("button", { name: "Retry" }).waitFor();
    assert.ok(await chat.composer.isEditable());
  },
);

chatTest(
  "an invalid address shows a notice",
  { address: ({ page }) => at(page, "not an address"), allow: [REFUSED] },
  async (chat) => {
    await chat.composer.fill("Hello");
    await chat.composer.press("Enter");
    await chat.idle();
    await chat.notice(/\S/).first().waitFor();
    assert.ok(await chat.composer.isEditable());
  },
);

chatTest("an endless error: the notice shows the status", { ...scene("http-500-endless"), allow: [REFUSED] }, async (chat) => {
  await chat.ask("Hello");
  await chat.notice(/500/).waitFor();
  await answersAgain(chat);
});

chatTest("an HTML response with status 200 shows a notice", scene("html"), async (chat) => {
  await chat.ask("Hello");
  await chat.notice(/\S/).and(chat.page.getByRole("alert")).waitFor();
  assert.ok(!(await chat.log.innerText()).includes("Log in"));
  await answersAgain(chat);
});

chatTest("an empty body shows a notice with Retry", scene("empty"), async (chat) => {
  await chat.ask("Hello");
  await chat.page.getByRole("button", { name: "Retry" }).waitFor();
  await answersAgain(chat);
});

for (const name of ["cut", "huge-frame"]) {
  chatTest(`${name}: the partial text is kept, and a notice offers Retry`, { ...scene(name), allow: [REFUSED] }, async (chat, { agent }) => {
    await chat.send("Hello");
    await chat.says("The text so far");
    if (name === "cut") agent.hangUp();
    await chat.page.getByRole("button", { name: "Retry" }).waitFor();
    await chat.picture(`bad input ${name}`);
    await answersAgain(chat);
    await chat.says("The text so far");
  });
}

chatTest("Retry sends the same messages in a new run", { ...scene("http-500"), allow: [REFUSED] }, async (chat, { agent }) => {
  await chat.ask("Hello");
  await chat.page.getByRole("button", { name: "Retry" }).click();
  await chat.says("You said: Hello");
  await chat.idle();
  const [first, second, ...more] = agent.requests("http-500").map(({ body }) => body);
  assert.deepEqual(more, []);
  assert.deepEqual(second.messages, first.messages);
  assert.notEqual(second.runId, first.runId);
  assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0, "the notice is gone");
  assert.equal(await chat.messages("user").count(), 1);
});
