// Registered options are in force, and a handler gets what the user approved: exact integers, no misspelt option.

import assert from "node:assert/strict";

import { embedSuite, mountIn } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";

const ARGS = '{"n":9007199254740993,"list":[1,{"id":-9007199254740995}],"__proto__":{"max":18446744073709551615},"safe":9007199254740991,"share":0.5}';

const pay = (answer, input) => {
  if (input.messages.at(-1).role === "tool") {
    begin(answer, input);
    return finish(answer, input);
  }
  begin(answer, input);
  const toolCallId = `call_${input.runId}`;
  send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "pay" });
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: ARGS });
  send(answer, { type: "TOOL_CALL_END", toolCallId });
  finish(answer, input);
};

const pageTest = embedSuite({ scenes: { pay } });

/** Registers `pay` with an option `numbers`; the arguments of its handler, written by type, are `globalThis.got`. */
const register = (page, numbers, approval) =>
  page.evaluate(
    ([numbers, approval]) => {
      const write = (value) => {
        if (Array.isArray(value)) return value.map(write);
        if (value !== null && typeof value === "object") return Object.entries(value).map(([key, inner]) => [key, write(inner)]);
        return `${typeof value} ${value}`;
      };
      globalThis.got = [];
      globalThis.chats.one.registerAction({
        name: "pay",
        parameters: { type: "object" },
        approval,
        ...(numbers && { numbers }),
        handler: (args) => void globalThis.got.push(write(args)),
      });
    },
    [numbers, approval],
  );

const received = (type) => [
  ["n", `${type} 9007199254740993`],
  ["list", ["number 1", [["id", `${type} -9007199254740995`]]]],
  ["__proto__", [["max", `${type} 18446744073709551615`]]],
  ["safe", "number 9007199254740991"],
  ["share", "number 0.5"],
];

for (const numbers of ["bigint", "string"]) {
  pageTest(`a handler gets large integers exactly: ${numbers}`, {}, async (page, agent) => {
    const chat = await mountIn(page, "one", `${agent.url}pay`);
    await register(page, numbers, "always");
    await chat.send("Pay");
    const card = chat.card("pay");
    await card.getByText("9007199254740993").waitFor();
    await chat.approve(card);
    await chat.idle();
    assert.deepEqual(await page.evaluate(() => globalThis.got), [received(numbers)]);
    assert.equal(agent.requests("pay").length, 2);
  });
}

pageTest("without the option a call with an inexact integer does not run", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}pay`);
  await register(page, undefined, "never");
  await chat.ask("Pay");
  assert.deepEqual(await page.evaluate(() => globalThis.got), []);
  const answer = agent.requests("pay")[1].body.messages.at(-1);
  assert.match(answer.error, /^The number 9007199254740993 is too large to be passed on exactly/);
});

pageTest("unknown and mistyped fields and options are refused", {}, async (page, agent) => {
  await mountIn(page, "one", agent.url);
  const refused = await page.evaluate(async () => {
    const attempt = (act) => {
      try {
        act();
        return "taken";
      } catch (error) {
        return `${error.constructor.name}: ${error.message}`;
      }
    };
    const action = (fields) => attempt(() => globalThis.chats.one.registerAction(fields));
    const { mount } = await import("./embed/index.js");
    const mounted = async (options) =>
      mount(document.getElementById("two"), options).then(
        () => "taken",
        (error) => `${error.constructor.name}: ${error.message}`,
      );
    return {
      misspelt: action({ name: "pay", aproval: "always", handler: () => 1 }),
      nothing: action({}),
      absent: action(),
      text: action({ name: "pay", approval: "sometimes" }),
      words: action({ name: "pay", description: 1 }),
      schema: action({ name: "pay", parameters: "object" }),
      mode: action({ name: "pay", numbers: "float" }),
      option: await mounted({ url: "/agent", header: {} }),
      limit: await mounted({ url: "/agent", attachments: { maxBites: 1 } }),
      label: await mounted({ url: "/agent", labels: { stoped: "x" } }),
      name: await mounted({ url: "/agent", label: 5 }),
      greeting: await mounted({ url: "/agent", greeting: ["Hello"] }),
      highlight: await mounted({ url: "/agent", highlight: "js" }),
      offset: await mounted({ url: "/agent", headingOffset: 6 }),
      offsetText: await mounted({ url: "/agent", headingOffset: "1" }),
      origins: await mounted({ url: "/agent", mediaOrigins: "https://media.example.com" }),
      origin: await mounted({ url: "/agent", mediaOrigins: ["media.example.com"] }),
      files: await mounted({ url: "/agent", attachments: { maxFiles: "2" } }),
      attachments: await mounted({ url: "/agent", attachments: true }),
      getter: await mounted({ url: "/agent", get label() { throw new Error("not now"); } }),
      slot: await mounted({ url: "/agent", slots: { aside: document.createElement("p") } }),
      slotText: await mounted({ url: "/agent", slots: { header: "<b>Hello</b>" } }),
      changed: attempt(() => globalThis.chats.one.update({ label: 5 })),
    };
  });
  const start = {
    misspelt: "TypeError: registerAction: unknown option `aproval`",
    nothing: "TypeError: registerAction: `name`",
    absent: "TypeError: registerAction: an object is needed",
    text: "TypeError: registerAction: `approval`",
    words: "TypeError: registerAction: `description`",
    schema: "TypeError: registerAction: `parameters`",
    mode: "TypeError: registerAction: `numbers`",
    option: "TypeError: mount: unknown option `header`",
    limit: "TypeError: mount: `attachments`: unknown option `maxBites`",
    label: "TypeError: mount: there is no label `stoped`",
    name: "TypeError: mount: `label` must be a text",
    greeting: "TypeError: mount: `greeting` must be a text",
    highlight: "TypeError: mount: `highlight` must be a function",
    offset: "TypeError: mount: `headingOffset` must be a whole number from 0 to 5",
    offsetText: "TypeError: mount: `headingOffset` must be",
    origins: "TypeError: mount: `mediaOrigins` must be a list of origins",
    origin: "TypeError: mount: `mediaOrigins` must be a list of origins",
    files: "TypeError: mount: `attachments` must be an object with",
    attachments: "TypeError: mount: `attachments` must be an object with",
    getter: "TypeError: mount: `label` cannot be read",
    slot: "TypeError: mount: `slots`: unknown option `aside`",
    slotText: "TypeError: mount: `slots`: `header` must be an HTML element",
    changed: "TypeError: update: `label` must be a text",
  };
  assert.deepEqual(Object.keys(refused), Object.keys(start));
  for (const [name, message] of Object.entries(start)) assert.ok(refused[name].startsWith(message), `${name}: ${refused[name]}`);
});
