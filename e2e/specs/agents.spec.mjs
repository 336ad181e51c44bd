// The demo's dialog for another agent: the address that it opens, and the treatment of a key.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { modelServer } from "../support/model.mjs";
import { aiSdkAgent, demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  const agent = await aiSdkAgent(new URL(page.url).origin);
  const model = await modelServer();
  open.push(page, agent, model);
  return { page, agent, model };
});

const address = ({ page }) => page.url;
const KEY = "sk-a-secret-of-this-test";

/** Opens the dialog, and returns its elements. */
async function dialog(chat) {
  await chat.page.getByRole("button", { name: /^Agent: / }).click();
  return opened(chat);
}

async function opened({ page }) {
  const place = page.getByRole("dialog", { name: "Who answers?" });
  await place.waitFor();
  return {
    place,
    choose: (name) => place.getByRole("radio", { name }).check(),
    field: (name) => place.getByRole("textbox", { name }),
    tick: () => place.getByRole("checkbox", { name: /needs a key/ }).check(),
    key: place.getByLabel("Key, forgotten when this page closes"),
    use: () => place.getByRole("button", { name: "Use it" }).click(),
    cancel: () => place.getByRole("button", { name: "Cancel" }).click(),
  };
}

chatTest("an AI SDK backend gets the key with each request, and the key is not stored", { address }, async (chat, { agent, page }) => {
  await agent.forget();
  const first = await dialog(chat);
  await first.choose("An AI SDK backend");
  await first.field("Address").fill(agent.url);
  assert.equal(await first.key.count(), 0, "the key is entered on the page that uses it");
  await first.tick();
  await first.use();
  await chat.page.waitForURL((url) => url.searchParams.get("protocol") === "ui-stream");
  const second = await opened(chat);
  await chat.hasFocus(second.key);
  await second.key.fill(KEY);
  await chat.picture("agents key");
  await second.use();
  await second.place.waitFor({ state: "detached" });
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  const [{ headers }] = await agent.requests();
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  const written = await chat.page.evaluate(() =>
    JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML]),
  );
  assert.ok(!written.includes(KEY));
  await chat.page.goto(`${page.url}?${new URL(chat.page.url()).searchParams}`);
  await chat.ask("Hello again");
  const { headers: later } = (await agent.requests()).at(-1);
  assert.equal(later.authorization, undefined, "another page sends no key");
});

chatTest("an OpenAI-compatible endpoint gets the entered model", { address }, async (chat, { model }) => {
  model.forget();
  const { choose, field, use } = await dialog(chat);
  await choose("An OpenAI-compatible endpoint");
  await field("Base address, without /chat/completions").fill(model.url);
  await field("Model, where the endpoint has several").fill("small");
  await chat.picture("agents completions");
  await accessible(chat.page, "dialog");
  await use();
  await chat.page.waitForURL((url) => url.searchParams.get("protocol") === "completions");
  await chat.page.getByRole("button", { name: "Agent: OpenAI-compatible" }).waitFor();
  await chat.ask("Hello there");
  await chat.says("You said: Hello there");
  assert.equal(model.requests()[0].body.model, "small");
});

chatTest("a completions request without a model names none", { address: ({ page, model }) => `${page.url}?${new URLSearchParams({ agent: model.url, protocol: "completions" })}` }, async (chat, { model }) => {
  model.forget();
  await chat.ask("Hello there");
  const { body } = model.requests()[0];
  assert.ok(!("model" in body), "no model is named");
});

chatTest("the dialog requires an address, can be cancelled and returns to the script", { address: ({ page }) => `${page.url}?agent=/nowhere&protocol=ui-stream` }, async (chat, { page }) => {
  const here = chat.page.url();
  const first = await dialog(chat);
  await first.field("Address").fill("");
  await first.use();
  // The browser has refused the form once the required field has the focus again.
  await chat.hasFocus(first.field("Address"), "the field without an address has the focus");
  assert.equal(await first.place.count(), 1, "it stays open without an address");
  await first.cancel();
  await first.place.waitFor({ state: "detached" });
  const closed = await dialog(chat);
  await chat.page.keyboard.press("Escape");
  await closed.place.waitFor({ state: "detached" });
  assert.equal(chat.page.url(), here);
  const second = await dialog(chat);
  await second.choose("The script in this page");
  await chat.picture("agents script");
  await accessible(chat.page, "dialog");
  await second.use();
  await chat.page.waitForURL((url) => url.search === "" && url.href.startsWith(page.url));
  await chat.page.getByRole("button", { name: "Agent: Script" }).waitFor();
});

chatTest("an unknown protocol shows a notice, and the script is used", { address: ({ page }) => `${page.url}?agent=/agent&protocol=grpc` }, async (chat) => {
  await chat.notice(/“grpc”, and this page speaks “ag-ui”, “ui-stream” and “completions”/).waitFor();
  await chat.page.getByRole("button", { name: "Agent: Script" }).waitFor();
});
