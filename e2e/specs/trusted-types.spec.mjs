// Pages that let no text become markup or code (`require-trusted-types-for 'script'; trusted-types 'none'`): every part
// of the chat works there. A violation of the policy is a fault of the page, which fails its test.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { embedSuite, mountIn } from "../support/embed.mjs";
import { begin, fakeAgent, send } from "../support/fake-agent.mjs";
import { answer, change, questions } from "../support/questions.mjs";
import { ROOT, demo, plainPage, trustedTypes } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const MODULES = ["dist/embed", "dist/demo"].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(".wasm"))
    .map((name) => `${folder}/${name}`),
);
/**
 * The markup in a module: strings that a view gives the browser to parse as HTML. They lie between other strings; code
 * and tables of numbers can contain any bytes, but few readable ones in a row.
 */
function markup(module) {
  const text = readFileSync(path.join(ROOT, module), "latin1");
  const strings = text.match(/[\x20-\x7e]{8,}/g).join("\n");
  assert.match(strings, /la-chat/, "the strings of views are among them");
  return [...new Set(strings.match(/<[a-z][a-z0-9]*( [a-z-]+="[^"\n]{0,80}")*>/g))];
}

for (const module of MODULES) {
  test(`${path.basename(module)} contains no markup`, () => {
    assert.deepEqual(markup(module), []);
  });

  test(`${path.basename(module)} contains no path of the build machine`, () => {
    const bytes = readFileSync(path.join(ROOT, module), "latin1");
    assert.deepEqual(bytes.match(/[^\0"]{0,60}(registry\/src|rustup\/toolchains|\.cargo\/)[^\0"]{0,60}/g) ?? [], []);
  });
}

const FORM = {
  type: "object",
  properties: {
    berth: { type: "string", title: "Berth", enum: ["North", "South"] },
    nights: { type: "integer", title: "Nights" },
    shore: { type: "boolean", title: "Shore power" },
    extras: { type: "array", title: "Extras", items: { enum: ["Water", "Fuel"] } },
    note: { type: "string", title: "Note", maxLength: 2000 },
  },
};
const PLAIN = { type: "object", properties: { nights: { type: "integer", title: "Nights" }, note: { type: "string", title: "Note" } } };

/** A run that ends with a question with this form. */
const asking = (responseSchema) => (response, input) => {
  begin(response, input);
  const interrupts = [{ id: "q", reason: "input", message: "Which berth?", responseSchema }];
  send(response, { type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId, outcome: { type: "interrupt", interrupts } });
  response.end();
};

/** Every construct of markdown. */
const MARKDOWN = [
  "# Heading\n\nSome **bold**, *soft*, ~~gone~~, `code`, [a link](https://example.com/) and ![a picture](https://example.com/p.png).\n\n",
  "- [x] done\n- open\n\n1. one\n2. two\n\n> said\n\n> [!NOTE]\n> Mind it[^1].\n\n[^1]: A note.\n\n---\n\n",
  "| a | b |\n|:--|--:|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\n\n<b onclick=alert(1)>raw</b> $x^2$\n",
].join("");

const scenes = { form: asking(FORM), plain: asking(PLAIN), markdown: speaking(MARKDOWN) };

function speaking(delta) {
  return (response, input) => {
    begin(response, input);
    send(response, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    send(response, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
    send(response, { type: "TEXT_MESSAGE_END", messageId: "m" });
    send(response, { type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId, outcome: { type: "success" } });
    response.end();
  };
}

const embedTest = embedSuite({ scenes, serve: async () => trustedTypes(await plainPage()) });

embedTest("the policy is enforced", { allow: [/./] }, async (page) => {
  const refused = await page.evaluate(() => {
    try {
      document.createElement("template").innerHTML = "<b>x</b>";
      return "";
    } catch (error) {
      return error.name;
    }
  });
  assert.equal(refused, "TypeError");
});

for (const scene of ["everything", "markdown", "arguments-no-json", "unknown-tool", "run-error", "http-500", "truncated"]) {
  const allow = scene === "http-500" ? [/Failed to load resource/] : [];
  embedTest(`the agent sends ${scene} without a policy violation`, { allow }, async (page, agent) => {
    const chat = await mountIn(page, "one", agent.url + scene, { attachments: {}, headingOffset: 1 });
    await chat.ask("Go");
    for (const summary of await chat.root.locator("summary").all()) if (await summary.isVisible()) await summary.click();
    await page.locator("#one input[type=file]").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await chat.root.locator(".la-attachment[data-state=ready]").waitFor();
    await chat.ask("And again");
  });
}

for (const [scene, value] of [
  ["plain", { Nights: 3, Note: "late" }],
  ["form", { Berth: "South", Nights: 3, "Shore power": true, Note: "late" }],
]) {
  embedTest(`a form can be answered: ${scene}`, {}, async (page, agent) => {
    const chat = await mountIn(page, "one", agent.url + scene);
    await chat.send("Go");
    const question = questions(chat).first();
    await question.waitFor();
    await answer(question, value);
    await chat.idle();
    const [, second] = agent.requests(scene);
    const { payload } = second.body.resume[0];
    assert.equal(payload.nights, 3);
    assert.equal(payload.berth, value.Berth);
  });
}

embedTest("an approval with edited arguments", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}arguments-break-schema`);
  await page.evaluate(() => {
    const properties = { importance: { type: "string" } };
    const parameters = { type: "object", properties };
    globalThis.chats.one.registerAction({ name: "confirmAction", parameters, approval: "always", handler: () => "ok" });
  });
  await chat.send("Go");
  const card = chat.card("confirmAction");
  await change(card);
  await chat.approve(card);
  await chat.idle();
  await chat.says("Results: ");
});

const demoTest = suite(async (open) => {
  const page = await trustedTypes(await demo());
  const agent = await fakeAgent({ origin: new URL(page.url).origin });
  open.push(page, agent);
  return { page, agent };
});

demoTest("the demo and its scenes", { address: ({ page }) => page.url }, async (chat) => {
  for (const scene of ["Search for tide tables", "Show a broken card", "Check berth availability", "Where is order A-17?"]) {
    await chat.ask(scene);
  }
  await chat.send("Delete the project atlas-sandbox");
  await chat.dialog().getByRole("button", { name: "Cancel" }).waitFor();
});
