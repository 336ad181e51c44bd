// Bad input: each time a clear notice or an error result that the agent gets, the text so far is preserved, the
// composer usable, and the console empty except for the browser's own messages on a failed request.

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

for (const [name, words] of [
  ["http-500", /500/],
  ["http-404", /404/],
  ["http-429", /Try again in 30 s\./],
  ["http-500-endless", /500/],
]) {
  chatTest(`${name}: the notice shows the error of the server`, { ...scene(name), allow: [REFUSED] }, async (chat) => {
    await chat.ask("Hello");
    await chat.notice(words).waitFor();
    await answersAgain(chat);
  });
}

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

for (const [name, allow] of [
  ["cut", [REFUSED]],
  ["truncated", []],
  ["cut-frame", []],
  ["bad-json", []],
  ["huge-frame", [REFUSED]],
  ["run-error", []],
]) {
  chatTest(`${name}: the partial text is kept, and a notice offers Retry`, { ...scene(name), allow }, async (chat, { agent }) => {
    await chat.send("Hello");
    await chat.says("The text so far");
    if (name === "cut") agent.hangUp();
    await chat.page.getByRole("button", { name: "Retry" }).waitFor();
    if (name === "cut-frame") await chat.notice("The connection dropped before the answer was finished.").waitFor();
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

chatTest("an unknown event is ignored", scene("unknown-event"), async (chat) => {
  await chat.ask("Hello");
  await chat.says("The text around it");
  assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0);
});

for (const [name, tool, error] of [
  ["arguments-no-json", "confirmAction", /JSON/i],
  ["arguments-break-schema", "confirmAction", /\/action[^]*\/importance|\/importance[^]*\/action/],
]) {
  chatTest(`${name}: the agent gets an error result, and the run continues`, scene(name), async (chat, { agent }) => {
    await chat.ask("Hello");
    await chat.status(chat.card(tool), "failed");
    await chat.says("Results: ");
    const requests = agent.requests(name);
    assert.equal(requests.length, 2, "one continuation");
    const result = requests[1].body.messages.at(-1);
    assert.equal(result.role, "tool");
    assert.match(JSON.parse(result.content).error, error);
    assert.equal(typeof result.error, "string", "AG-UI's own error member is set too");
    await chat.picture(`bad input ${name}`);
    await answersAgain(chat);
  });
}

chatTest("unknown-tool: the error is sent with the next message", scene("unknown-tool"), async (chat, { agent }) => {
  await chat.ask("Hello");
  await chat.status(chat.card("teleport"), "failed");
  assert.equal(agent.requests("unknown-tool").length, 1, "the failed call starts no run");
  await chat.ask("Hello again");
  await chat.says("You said: Hello again");
  const { messages } = agent.requests("unknown-tool")[1].body;
  const result = messages.find(({ role }) => role === "tool");
  assert.equal(JSON.parse(result.content).error, "Action teleport not found");
});

chatTest("markup from an agent is shown as text", scene("markup"), async (chat) => {
  chat.page.on("dialog", () => assert.fail("a script of the agent ran"));
  await chat.ask("Hello");
  await chat.says('<img src="x" onerror="alert(1)">');
  assert.equal(await chat.log.locator("img, script").count(), 0);
});
