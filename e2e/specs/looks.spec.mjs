// The looks of the guide: palettes, schemes, densities, corners and fonts. With BLESS=1 the pictures of the guide are written.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Chat, eventually } from "../support/chat.mjs";
import { packageSuite } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";
import { ROOT, plainPage } from "../support/servers.mjs";

/** The folder of the pictures, and the greatest size of one in bytes. */
const PICTURES = path.join(ROOT, "docs/guide/src/looks");
const LARGEST = 60_000;

/** The looks: attributes of the root element, custom properties, and the styles of the Send button that they change. */
const LOOKS = [
  { name: "teal", attributes: {}, shows: { "background-color": "rgb(11, 95, 107)" } },
  { name: "teal-dark", attributes: { theme: "dark" }, shows: { "background-color": "rgb(102, 199, 204)" } },
  { name: "violet", attributes: { palette: "violet" }, shows: { "background-color": "rgb(91, 52, 168)" } },
  { name: "sand", attributes: { palette: "sand" }, shows: { "background-color": "rgb(138, 75, 18)" } },
  { name: "graphite-dark", attributes: { palette: "graphite", theme: "dark" }, shows: { "background-color": "rgb(213, 221, 226)" } },
  { name: "compact", attributes: { density: "compact" }, shows: { "font-size": "14px" } },
  { name: "roomy", attributes: { density: "roomy" }, shows: { "font-size": "16px" } },
  {
    name: "corners-and-font",
    attributes: {},
    properties: "--la-radius-s: 0; --la-radius-m: 0; --la-radius-l: 0; --la-font: 'Liberation Serif', serif",
    shows: { "border-top-left-radius": "0px", "font-family": '"Liberation Serif", serif' },
  },
];

/** An answer with text, and a request. */
const refund = (answer, input) => {
  begin(answer, input);
  send(answer, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Order **A-17** arrived broken. I can refund it:" });
  send(answer, { type: "TEXT_MESSAGE_END", messageId: "m" });
  send(answer, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "refund", parentMessageId: "m" });
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"order":"A-17","euros":30}' });
  send(answer, { type: "TOOL_CALL_END", toolCallId: "c" });
  finish(answer, input);
};

const pageTest = packageSuite({ serve: plainPage, scenes: { refund } });
const address = ({ page, agent }) => `${page.url}bare.html?${new URLSearchParams({ agent: agent.url })}`;
const options = { address, bare: true, viewport: { width: 400, height: 560 }, colorScheme: "light", reducedMotion: "reduce" };

for (const { name, attributes, properties = "", shows } of LOOKS) {
  pageTest(`the look ${name} changes the chat, and its picture is in the guide`, options, async ({ page }, { agent }) => {
    agent.forget();
    await page.evaluate(
      async ([attributes, properties, url]) => {
        for (const [name, value] of Object.entries(attributes)) document.documentElement.setAttribute(`data-la-${name}`, value);
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(`body { margin: 0; ${properties} } leptos-assistant { block-size: 100vh }`);
        document.adoptedStyleSheets = [sheet];
        await import("./embed/element.js");
        const element = Object.assign(document.createElement("leptos-assistant"), { id: "chat" });
        element.setAttribute("url", url);
        element.setAttribute("label", "Harbor");
        element.registerAction({
          name: "refund",
          title: "Refund the order",
          parameters: { type: "object", properties: { order: { type: "string" }, euros: { type: "number" } } },
          approval: "always",
          describe: ({ order, euros }) => ({ sentence: "Refund the order?", rows: [["Order", order], ["Euros", String(euros)]] }),
          handler: () => "paid",
        });
        document.body.replaceChildren(element);
      },
      [attributes, properties, `${agent.url}refund`],
    );
    const chat = new Chat(page, page.locator("#chat"));
    const send = chat.root.locator(".la-composer [type=submit]");
    await send.waitFor({ state: "attached" });
    await eventually(async () => {
      const computed = await send.evaluate((node, names) => Object.fromEntries(names.map((name) => [name, getComputedStyle(node).getPropertyValue(name)])), Object.keys(shows));
      assert.deepEqual(computed, shows);
    });
    await chat.send("My parcel is broken");
    const card = chat.card("refund");
    await card.locator("button:not([aria-disabled])", { hasText: /^Approve/ }).waitFor();
    // Times are those of the run.
    await page.evaluate(() => document.querySelectorAll(".la-message-time").forEach((time) => (time.hidden = true)));
    const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
    assert.ok(picture.length <= LARGEST, `${picture.length} bytes`);
    await chat.picture(`look ${name}`);
    const file = path.join(PICTURES, `${name}.png`);
    if (process.env.BLESS) {
      mkdirSync(PICTURES, { recursive: true });
      writeFileSync(file, picture);
    }
    const kept = readFileSync(file);
    assert.ok(kept.length <= LARGEST, `${file} has ${kept.length} bytes`);
    assert.ok(readFileSync(path.join(ROOT, "docs/guide/src/looks.md"), "utf8").includes(`looks/${name}.png`), "the guide shows it");
  });
}
