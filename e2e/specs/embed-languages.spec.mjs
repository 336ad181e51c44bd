// The languages of the npm package: each a file of its own, chosen by `lang`, which may change while the chat is shown.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { packageSuite } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";
import { ROOT } from "../support/servers.mjs";

const LABELS = path.join(ROOT, "dist/embed/labels");
const CODES = ["ar", "de", "es", "fr", "ja", "pt", "zh"];

/** The labels of a language, by name. */
async function labelsOf(code) {
  const { NAMES } = await import(pathToFileURL(path.join(LABELS, "names.js")).href);
  const { texts } = await import(pathToFileURL(path.join(LABELS, `${code}.js`)).href);
  return Object.fromEntries(NAMES.map((name, at) => [name, texts[at]]));
}

/** An agent that reports two steps. */
const steps = (answer, input) => {
  begin(answer, input);
  for (const stepName of ["Read", "Sort"]) {
    send(answer, { type: "STEP_STARTED", stepName });
    send(answer, { type: "STEP_FINISHED", stepName });
  }
  finish(answer, input);
};

const pageTest = packageSuite({ scenes: { steps } });

function languageTest(name, lang, body, { scene = "talk", ...options } = {}) {
  const address = ({ page, agent }) => `${page.url}launcher.html?${new URLSearchParams({ agent: `${agent.url}${scene}`, layout: "popup", lang })}`;
  pageTest(name, { address, bare: true, ...options }, async ({ page }, { agent }) => {
    agent.forget();
    const fetched = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await page.reload();
    await body(page, fetched);
  });
}

/** Waits until the line with the steps of the agent has this text. */
const showsSteps = (page, text) => eventually(async () => assert.equal((await page.locator(".la-steps-summary").innerText()).trim(), text));
const setLang = (page, lang) => page.evaluate((lang) => document.querySelector("leptos-assistant").setAttribute("lang", lang), lang);

languageTest("a language file is loaded with the program and replaced when lang changes", "de-AT", async (page, fetched) => {
  const german = await labelsOf("de");
  const launcher = page.getByRole("button", { name: german.title });
  await launcher.waitFor();
  assert.ok(!fetched.some((name) => name.includes("/labels/")), "no language file is loaded with the launcher");
  await launcher.click();
  const composer = (labels) => page.getByRole("textbox", { name: labels.message, exact: true });
  await composer(german).fill("Hallo");
  const languages = () => fetched.filter((name) => name.includes("/labels/"));
  await eventually(() => assert.deepEqual(languages(), ["/embed/labels/de.js"]));
  // The composer of the program: a press that begins on the button of the one before it would be lost.
  await page.locator("leptos-assistant [data-assistant-chat]").waitFor();
  assert.deepEqual(languages(), ["/embed/labels/de.js"]);
  await page.getByRole("button", { name: german.send, exact: true }).click();
  await page.getByText("You said: Hallo", { exact: true }).waitFor();
  await page.getByRole("button", { name: german.newConversation }).waitFor();
  assert.equal(await page.locator(".la-place").getAttribute("lang"), "de-AT");
  const french = await labelsOf("fr");
  await composer(german).fill("La moitié");
  await setLang(page, "fr");
  assert.equal(await composer(french).inputValue(), "La moitié", "nothing is mounted again");
  await page.getByRole("button", { name: french.newConversation }).waitFor();
  await page.getByRole("button", { name: french.regenerate }).waitFor();
  // A language without labels is English, in the page's own language.
  await setLang(page, "sv");
  await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
  assert.equal(await page.locator(".la-place").getAttribute("lang"), null);
});

languageTest(
  "counts have the plural form of the language of the labels",
  "ar",
  async (page) => {
    const arabic = await labelsOf("ar");
    await page.getByRole("button", { name: arabic.title }).click();
    await page.locator("leptos-assistant [data-assistant-chat]").waitFor();
    await page.getByRole("textbox", { name: arabic.message, exact: true }).fill("مرحبا");
    await page.keyboard.press("Enter");
    await showsSteps(page, "خطوتان");
    await setLang(page, "de");
    await showsSteps(page, "2 Schritte");
    await setLang(page, "sv");
    await showsSteps(page, "2 steps");
  },
  { scene: "steps" },
);

languageTest(
  "labels of the page have the plural forms of their language",
  "sl",
  async (page) => {
    await page.evaluate(() => {
      const assistant = document.querySelector("leptos-assistant");
      assistant.options = { labels: { toolCalls: "{count, plural, one {# kaplja} two {# kaplji} other {# kapelj}}" } };
      assistant.open();
    });
    await page.locator("leptos-assistant [data-assistant-chat]").waitFor();
    await page.getByRole("textbox", { name: "Message", exact: true }).fill("Go");
    await page.keyboard.press("Enter");
    await showsSteps(page, "2 kaplji");
    // No language: the forms are those of English.
    await setLang(page, "en_US");
    await showsSteps(page, "2 kapelj");
  },
  { scene: "steps" },
);

languageTest("the language of the page is followed, and single labels can be replaced", "", async (page) => {
  await page.evaluate(() => {
    document.querySelector("leptos-assistant").removeAttribute("lang");
    document.documentElement.lang = "es";
    document.querySelector("leptos-assistant").options = { labels: { send: "Vamos" } };
  });
  const spanish = await labelsOf("es");
  await page.getByRole("button", { name: spanish.title }).click();
  await page.getByRole("textbox", { name: spanish.message, exact: true }).fill("Hola");
  await page.getByRole("button", { name: "Vamos" }).waitFor();
  await page.evaluate(() => (document.documentElement.lang = "pt-BR"));
  const portuguese = await labelsOf("pt");
  await page.getByRole("textbox", { name: portuguese.message, exact: true }).waitFor();
  await page.getByRole("button", { name: "Vamos" }).waitFor();
});

languageTest("unknown and invalid labels are refused by name", "de", async (page) => {
  await page.locator(".la-popup-button").waitFor();
  const messages = await page.evaluate(async () => {
    const { mount } = await import("./embed/index.js");
    const tries = [{ labels: { sned: "x" } }, { labels: { send: 1 } }, { lang: 3 }, { labels: "x" }];
    return Promise.all(tries.map((options) => mount(document.createElement("div"), { url: "/agent", ...options }).then(() => "", (error) => error.message)));
  });
  assert.match(messages[0], /no label `sned`/);
  assert.match(messages[1], /label `send` must be a text/);
  assert.match(messages[2], /`lang`/);
  assert.match(messages[3], /`labels`/);
});

languageTest("a change of the language applies after an invalid one", "", async (page) => {
  const refused = await page.evaluate(async () => {
    const { mount } = await import("./embed/index.js");
    const place = document.body.appendChild(document.createElement("div"));
    const chat = await mount(place, { url: "/agent" });
    const attempts = [{ labels: { send: 1 } }, { lang: 3 }].map((changes) => {
      try {
        return chat.update(changes);
      } catch (error) {
        return `${error}`;
      }
    });
    chat.update({ labels: { sned: "x" } });
    chat.update({ lang: "de" });
    return attempts;
  });
  assert.match(refused[0], /^TypeError: update: the label `send`/);
  assert.match(refused[1], /^TypeError: update: the option `lang`/);
  const german = await labelsOf("de");
  await page.getByRole("textbox", { name: german.message, exact: true }).waitFor();
}, { allow: [/`sned`/] });

for (const [width, height] of [[1280, 800], [360, 740]]) {
  languageTest(`Arabic is laid out from right to left at ${width} × ${height}`, "ar", async (page) => {
    const arabic = await labelsOf("ar");
    const launcher = page.getByRole("button", { name: arabic.title });
    await launcher.click();
    const composer = page.getByRole("textbox", { name: arabic.message, exact: true });
    await composer.fill("مرحبا");
    await composer.press("Enter");
    await page.getByText("You said: مرحبا", { exact: true }).waitFor();
    await page.getByRole("button", { name: arabic.regenerate }).waitFor();
    assert.equal(await page.locator("[data-assistant-chat]").evaluate((chat) => getComputedStyle(chat).direction), "rtl");
    const send = await page.getByRole("button", { name: arabic.send, exact: true }).boundingBox();
    const box = await composer.boundingBox();
    assert.ok(send.x + send.width / 2 < box.x + box.width / 2, "Send is at the left");
    await page.screenshot({ path: path.join(ROOT, `e2e/out/arabic-${width}.png`) });
    await accessible(page);
  }, { viewport: { width, height } });
}

test("each language has a file, and the package lists them", () => {
  const files = readdirSync(LABELS);
  for (const code of CODES) assert.ok(files.includes(`${code}.js`), code);
  assert.ok(JSON.parse(readFileSync(path.join(ROOT, "dist/embed/package.json"), "utf8")).files.includes("labels"));
});
