// The npm package as it is packed, in applications of React and Vue built by Vite, and in a page without tools: one
// journey on each of them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { serve } from "../../xtask/serve.mjs";

import { eventually } from "../support/chat.mjs";
import { packageSuite } from "../support/embed.mjs";
import { application } from "../support/examples.mjs";
import { shows } from "../support/harbor.mjs";
import { ROOT, trustedTypes } from "../support/servers.mjs";
import { journey, shop, toolsOf } from "../support/shop.mjs";

/** Prepares the tests of a page. */
const pageSuite = (name, serve) => {
  const pageTest = packageSuite({ serve, scenes: { shop: Array(100).fill(shop) } });
  const address = ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: `${agent.url}shop` })}`;
  return (what, body) =>
    pageTest(`${name}: ${what}`, { address }, (chat, { agent }) => {
      agent.forget();
      return body(chat, agent);
    });
};

/** Serves the static page with the hash of the element in its tag, under a policy without inline scripts. */
async function staticPage() {
  const root = await mkdtemp(path.join(tmpdir(), "static-"));
  await cp(path.join(ROOT, "dist/static"), root, { recursive: true });
  const hash = createHash("sha384").update(await readFile(path.join(root, "assistant/element.js"))).digest("base64");
  const [page, tag] = [path.join(root, "index.html"), 'src="./assistant/element.js"'];
  const text = await readFile(page, "utf8");
  assert.ok(text.includes(tag), "the page has the tag");
  await writeFile(page, text.replace(tag, `${tag} integrity="sha384-${hash}"`));
  const { url, close } = await trustedTypes(await serve({ root }));
  return { url, close: () => close().finally(() => rm(root, { recursive: true })) };
}

/** The chat is removed and added again, also while it is being mounted and while a call waits. */
async function comesAndGoes(chat, agent) {
  const { page } = chat;
  const toggle = page.getByRole("button", { name: /^(Remove|Show) the chat$/ });
  await chat.ask("A-17 5");
  await chat.send("B-4 30");
  await shows(chat.card("refund_order").last(), "Pay back 30 €?");
  await chat.waiting();
  await toggle.click();
  const left = page.locator("leptos-assistant, [class^=la-], body > :not(#app, .page, script)");
  await eventually(async () => assert.equal(await left.count(), 0, "nothing is left behind"));
  for (let times = 0; times < 10; times++) await toggle.click();
  await toggle.click();
  await chat.composer.waitFor();
  // The conversation is the stored one.
  await shows(chat.card("refund_order").last(), "Pay back 30 €?");
  await chat.approve(chat.card("refund_order").last());
  await chat.idle();
  await shows(chat.card("refund_order").last(), "Refunded €30.00 of B-4, 35 in total");
  const last = agent.requests("shop").at(-1);
  assert.deepEqual(toolsOf(last), ["refund_order"]);
  assert.deepEqual(last.body.context, [{ description: "The selected order", value: "A-17" }]);
}

for (const [name, serve] of Object.entries({
  React: () => application("react"),
  "React in development, in its strict mode": () => application("react-development"),
  Vue: () => application("vue"),
  "a page without tools, under Trusted Types": staticPage,
})) {
  const pageTest = pageSuite(name, serve);
  pageTest("a journey", journey(name));
  pageTest("the chat is removed and added", comesAndGoes);
}

const manifest = (folder) => JSON.parse(readFileSync(path.join(ROOT, folder, "package.json"), "utf8"));

for (const [example, compiler] of Object.entries({ react: "typescript/bin/tsc", vue: "vue-tsc/bin/vue-tsc.js" })) {
  const folder = `examples/${example}`;

  test(`${folder} is valid in strict mode, with the types of the package`, () => {
    execFileSync(process.execPath, [path.join(ROOT, "node_modules", compiler)], { cwd: path.join(ROOT, folder), stdio: "pipe", encoding: "utf8" });
  });

  test(`${folder} states the versions that it is built with`, () => {
    const { dependencies, devDependencies } = manifest(folder);
    const { "leptos-assistant": version, ...others } = { ...dependencies, ...devDependencies };
    assert.equal(version, manifest("crates/assistant-embed/npm").version);
    const tools = manifest("").devDependencies;
    assert.deepEqual(others, Object.fromEntries(Object.keys(others).map((name) => [name, tools[name]])));
  });
}

test("the types of the components say what one may write", () => {
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"];
  const compiler = path.join(ROOT, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, ...options, path.join(ROOT, "e2e/types/frameworks.ts")], { stdio: "pipe", encoding: "utf8" });
});

/** Renders a component with an action and a chat on a server. */
const SERVERS = {
  React: `
    import { createElement as h } from "react";
    import { renderToString } from "react-dom/server";
    import { Assistant, useAssistant, useAssistantAction, useAssistantContext, useAssistantState } from "leptos-assistant/react";
    function Page() {
      useAssistantContext("The page", "/");
      useAssistantAction({ name: "open", handler: () => 1 });
      return h("main", null, String(useAssistant()), String(useAssistantState("state")), h(Assistant, { url: "/agent", empty: "Hello" }));
    }
    process.stdout.write(renderToString(h(Page)));`,
  Vue: `
    import { createSSRApp, h } from "vue";
    import { renderToString } from "vue/server-renderer";
    import { Assistant, useAssistant, useAssistantAction, useAssistantContext, useAssistantState } from "leptos-assistant/vue";
    const setup = () => {
      useAssistantContext("The page", "/");
      useAssistantAction({ name: "open", handler: () => 1 });
      const [chat, state] = [useAssistant(), useAssistantState("state")];
      return () => h("main", [String(chat.value), String(state.value), h(Assistant, { url: "/agent" }, { empty: () => "Hello" })]);
    };
    process.stdout.write(await renderToString(createSSRApp({ setup })));`,
};

for (const [name, script] of Object.entries(SERVERS)) {
  test(`${name}: nothing of the chat is rendered on a server`, () => {
    const html = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: ROOT, encoding: "utf8" });
    assert.equal(html.replace(/<!--.*?-->/g, ""), "<main>undefinedundefined</main>");
  });
}
