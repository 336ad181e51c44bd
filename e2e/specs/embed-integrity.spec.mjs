// A page with the hash of element.js in its tag: every other file of the package is checked, and a changed one is refused.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { serve } from "../../xtask/serve.mjs";
import { picture } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { packageSuite } from "../support/embed.mjs";
import { ROOT, trustedTypes } from "../support/servers.mjs";

/** Serves a page without an element, whose tag has the hash of the script, and one whose tag has none. */
async function pages() {
  const root = await mkdtemp(path.join(tmpdir(), "checked-"));
  await cp(path.join(ROOT, "dist/embed"), path.join(root, "embed"), { recursive: true });
  const hash = createHash("sha384").update(await readFile(path.join(root, "embed/element.js"))).digest("base64");
  const page = (integrity) => `<!doctype html>
<html lang="de">
  <head>
    <meta charset="utf-8" />
    <title>A page with a hash</title>
    <link rel="icon" href="data:," />
    <script type="module" src="./embed/element.js"${integrity}></script>
  </head>
  <body><main></main></body>
</html>
`;
  await writeFile(path.join(root, "checked.html"), page(` integrity="sha384-${hash}"`));
  await writeFile(path.join(root, "unchecked.html"), page(""));
  const { url, close } = await trustedTypes(await serve({ root }));
  return { url, close: () => close().finally(() => rm(root, { recursive: true })) };
}

const pageTest = packageSuite({ serve: pages });
const FAILED = "Die Unterhaltung konnte nicht geladen werden.";

/** A test on the page with the hash, or on the other one; `add` adds an element with these attributes. */
function checkedTest(name, body, { page: file = "checked.html", ...options } = {}) {
  const address = ({ page, agent }) => `${page.url}${file}?${new URLSearchParams({ agent: agent.url })}`;
  pageTest(name, { address, bare: true, ...options }, async ({ page }, { agent }) => {
    agent.forget();
    const fetched = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname.replace("/embed/", "")));
    const add = async (attributes) => {
      await page.waitForFunction(() => customElements.get("leptos-assistant"));
      await page.evaluate((attributes) => {
        const element = document.createElement("leptos-assistant");
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        document.querySelector("main").append(element);
      }, { url: `${agent.url}talk`, label: "Help", ...attributes });
    };
    let isOver = false;
    /** Sends one byte more of a file. */
    const change = (file) =>
      page.route(`**/embed/${file}`, async (route) => {
        try {
          const response = await route.fetch();
          await route.fulfill({ response, body: Buffer.concat([await response.body(), Buffer.from(" ")]) });
        } catch (error) {
          // An element requests a file that it has refused more than once: the page may be closed during a request.
          if (!isOver) throw error;
        }
      });
    try {
      await body({ page, add, change, fetched });
    } finally {
      isOver = true;
    }
  });
}

/** The composer of the program, or the one before it. */
const composer = (page) => page.locator("leptos-assistant textarea.la-composer-input");
/** The window of the program. */
const program = (page) => page.locator("leptos-assistant [data-assistant-chat]");

for (const [place, attributes] of Object.entries({ "the page": {}, "a shadow root": { shadow: "" }, "a popup": { layout: "popup", open: "" } })) {
  checkedTest(`an element in ${place} loads all files by their hashes`, async ({ page, add, fetched }) => {
    await add(attributes);
    await composer(page).fill("Hallo");
    await composer(page).press("Enter");
    await page.getByText("You said: Hallo", { exact: true }).waitFor();
    // What was checked is what runs: the script is not fetched again.
    assert.equal(fetched.filter((name) => name === "index.js").length, 1);
    for (const file of ["integrity.js", "composer.js", "index.js", "labels/de.js", "style.css"]) assert.ok(fetched.includes(file), file);
    const sheet = () => page.locator("leptos-assistant .la-chat").evaluate((node) => getComputedStyle(node).getPropertyValue("--la-sheet"));
    await eventually(async () => assert.equal(await sheet(), "loaded"));
    await eventually(async () => assert.equal(await page.locator("link[rel=modulepreload]").count(), 0, "all links are removed"));
    // Otherwise a browser refuses sheets of another origin.
    const origins = await page.locator("link[rel=stylesheet]").evaluateAll((links) => links.map((link) => link.crossOrigin));
    assert.ok(origins.every((origin) => origin === "anonymous"), origins.join());
  });
}

for (const file of ["integrity.js", "index.js", "assistant_embed_bg.wasm"]) {
  for (const layout of ["inline", "popup"]) {
    checkedTest(
      `a changed ${file} is refused, and the ${layout} element says so`,
      async ({ page, add, change }) => {
        await change(file);
        const errors = [];
        page.on("pageerror", (error) => errors.push(error.message));
        await add({ layout, open: "" });
        await page.locator("leptos-assistant").getByText(FAILED).waitFor();
        await page.getByRole("button", { name: "Erneut versuchen" }).waitFor();
        await picture(page, `embed refused ${file} ${layout}`);
        assert.equal(await program(page).count(), 0);
        const stem = file.replace(/\..*/, "");
        await eventually(() => assert.ok(errors.some((text) => text.includes(stem) || /could not be loaded/.test(text)), errors.join("\n")));
      },
      { allow: [/integrity|could not be loaded|Failed to (fetch|load)|digest/i] },
    );
  }
}

checkedTest(
  "Retry loads a file that was changed in transit only once",
  async ({ page, add, change }) => {
    await change("assistant_embed_bg.wasm");
    await add({});
    const retry = page.getByRole("button", { name: "Erneut versuchen" });
    await retry.waitFor();
    await page.unroute("**/embed/assistant_embed_bg.wasm");
    await retry.click();
    await program(page).waitFor();
    assert.equal(await page.getByText(FAILED).count(), 0);
  },
  { allow: [/integrity|could not be loaded|Failed to (fetch|load)|digest/i] },
);

checkedTest(
  "a changed composer.js is refused, and the chat has the composer of the program",
  async ({ page, add, change, fetched }) => {
    await change("composer.js");
    await page.evaluate(() => {
      globalThis.early = 0;
      new MutationObserver(() => (globalThis.early += document.querySelectorAll("[data-early]").length)).observe(document, { childList: true, subtree: true });
    });
    await add({});
    await composer(page).fill("Hallo");
    await composer(page).press("Enter");
    await page.getByText("You said: Hallo", { exact: true }).waitFor();
    assert.ok(fetched.includes("composer.js"));
    assert.equal(await page.evaluate(() => globalThis.early), 0);
  },
  { allow: [/integrity|could not be loaded|digest/i] },
);

checkedTest(
  "changed labels are refused, and the chat is English",
  async ({ page, add, change }) => {
    await change("labels/de.js");
    await add({});
    await program(page).waitFor();
    await page.getByText("How can I help?").waitFor();
  },
  { allow: [/integrity|could not be loaded|digest/i] },
);

checkedTest(
  "a changed style sheet is not applied",
  async ({ page, add, change }) => {
    await change("style.css");
    await add({});
    await program(page).waitFor();
    assert.equal(await page.locator("leptos-assistant .la-chat").evaluate((node) => getComputedStyle(node).getPropertyValue("--la-sheet")), "");
  },
  { allow: [/integrity|digest/i] },
);

checkedTest(
  "a changed style sheet of a shadow root is refused, and the element says so",
  async ({ page, add, change }) => {
    await change("style.css");
    await add({ shadow: "" });
    await page.locator("leptos-assistant").getByText(FAILED).waitFor();
  },
  { allow: [/integrity|could not be loaded|Failed to fetch|digest/i] },
);

checkedTest(
  "a tag that the page has removed demands the checks, too",
  async ({ page, add, change }) => {
    await change("index.js");
    await page.waitForFunction(() => customElements.get("leptos-assistant"));
    await page.evaluate(() => document.querySelector("script").remove());
    await add({});
    await page.locator("leptos-assistant").getByText(FAILED).waitFor();
  },
  { allow: [/integrity|could not be loaded|Failed to (fetch|load)|digest/i] },
);

checkedTest("a tag without a hash fetches no hashes", async ({ page, add, change, fetched }) => {
  await change("index.js");
  await add({});
  await program(page).waitFor();
  assert.ok(!fetched.includes("integrity.js"));
}, { page: "unchecked.html" });
