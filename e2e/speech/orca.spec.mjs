// Compares the utterances of the screen reader Orca in five scenes of the demo, by keyboard only, with the transcripts in
// expected/. BLESS=1 rewrites them. They are those of Orca 43 and Chromium: other versions use other words.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Chat } from "../support/chat.mjs";
import { fakeAgent } from "../support/fake-agent.mjs";
import { demo } from "../support/servers.mjs";
import { Scene, screenReader } from "./screen-reader.mjs";

let page;
let agent;
before(async () => {
  page = await demo();
  agent = await fakeAgent({ origin: new URL(page.url).origin });
});
after(async () => {
  await page?.close();
  await agent?.close();
});

/** A scene that begins in the text box of an empty conversation, and its transcript in `expected/NAME.txt`. */
function scene(name, title, body, query = () => "") {
  test(title, async () => {
    const reader = await screenReader(`${page.url}?${new URLSearchParams({ store: "none", ...query() })}`);
    try {
      const chat = new Chat(reader.page);
      await chat.composer.waitFor();
      const steps = new Scene(reader);
      await steps.begin();
      await steps.reach(chat.composer, "Shift+Tab");
      await body(steps, chat);
      compare(name, steps.transcript());
    } finally {
      await reader.close();
    }
  });
}

function compare(name, transcript) {
  const file = fileURLToPath(new URL(`expected/${name}.txt`, import.meta.url));
  if (process.env.BLESS) return writeFileSync(file, transcript);
  const expected = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (transcript !== expected) assert.fail(`the transcript differs from ${file}\n--- expected\n${expected}\n--- now\n${transcript}`);
}

scene("answer", "a message, and an answer that streams", async (steps, chat) => {
  await steps.send("What can you do?", () => chat.idle());
  await steps.reach(chat.log, "Shift+Tab");
  await steps.repeat("ArrowDown", 5);
});

scene("approval", "an approval card is read, and approved", async (steps, chat) => {
  const approve = chat.card("get_weather").getByRole("button", { name: /^Approve/ });
  await steps.send("What's the weather?", () => approve.waitFor());
  await steps.reach(approve, "Shift+Tab");
  await steps.repeat("ArrowUp", 4);
  await steps.reach(approve);
  await steps.press("Enter", () => chat.idle());
});

scene(
  "retry",
  "an error, and Retry",
  async (steps, chat) => {
    const retry = chat.page.getByRole("button", { name: "Retry" });
    await steps.type("Is berth 9 free?");
    await steps.alerted("Enter", () => retry.waitFor());
    await steps.reach(retry, "Shift+Tab");
    await steps.press("Enter", () => chat.idle());
    await chat.hasFocus(chat.composer);
  },
  () => ({ agent: `${agent.url}run-error`, protocol: "ag-ui" }),
);

scene("undo", "New conversation, and Undo", async (steps, chat) => {
  await steps.send("What can you do?", () => chat.idle());
  await steps.reach(chat.root.getByRole("button", { name: "New conversation" }), "Shift+Tab");
  await steps.press("Enter");
  await steps.reach(chat.root.getByRole("button", { name: "Undo" }), "Shift+Tab", 30);
  await steps.press("Enter");
});

scene("choice", "a choice in a card, and Stop", async (steps, chat) => {
  const option = chat.card("selectDataSource").getByRole("button", { name: "Berth telemetry" });
  await steps.send("Pick a data source for the berth report", () => option.waitFor());
  await steps.reach(option, "Shift+Tab");
  await steps.press("Enter", () => chat.idle());
  await chat.hasFocus(chat.composer);
  await steps.send("slow task", () => chat.status(chat.card("deployment_process"), "executing"));
  await steps.reach(chat.stopButton);
  await steps.press("Enter", () => chat.idle());
  await chat.hasFocus(chat.composer);
});
