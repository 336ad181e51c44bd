// The definition of an action in JavaScript: each field has the effect that it has in Rust, and a function that fails
// never makes an approval unnecessary.

import assert from "node:assert/strict";

import { decide, eventually } from "../support/chat.mjs";
import { embedSuite, mountIn } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";
import { shows } from "../support/harbor.mjs";

/** Calls the tool that the user's message names, `[name, args]`, and ends when there is a result. */
const calls = (answer, input) => {
  const last = input.messages.at(-1);
  begin(answer, input);
  if (last.role === "user") {
    const toolCallId = `call_${input.runId}`;
    const [toolCallName, args] = JSON.parse(last.content);
    send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName });
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) });
    send(answer, { type: "TOOL_CALL_END", toolCallId });
  }
  finish(answer, input);
};

const pageTest = embedSuite({ scenes: { calls: Array(100).fill(calls) } });

const SCHEMA = { type: "object", properties: { order: { type: "string" }, euros: { type: "number" } } };
const REFUND = JSON.stringify(["refund", { order: "A-17", euros: 40 }]);

/**
 * Registers `refund` in the first chat, with fields made by `fields`, a function that is evaluated in the page. The
 * arguments of its handler are `globalThis.ran`.
 */
const register = (page, fields) =>
  page.evaluate(`(() => {
    globalThis.ran = [];
    const action = { name: "refund", parameters: ${JSON.stringify(SCHEMA)}, handler: (args) => void globalThis.ran.push(args) };
    globalThis.unregister?.();
    globalThis.unregister = globalThis.chats.one.registerAction({ ...action, ...(${fields})() });
  })()`);

const ran = (page) => page.evaluate(() => globalThis.ran);
const resultOf = (request) => request.body.messages.at(-1);

pageTest("an action describes its call, and its handler gets a context", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}calls`);
  await register(page, () => ({
    title: "Refund the order",
    titleWhileRunning: "Refunding the order",
    risk: "danger",
    approval: "always",
    describe: ({ order, euros }) => ({ sentence: `Pay back ${euros} euros?`, rows: [["Order number", order]] }),
    async handler({ order }, context) {
      globalThis.context = context;
      context.progress(0.25, "Asking the bank");
      context.preliminary({ paid: 10 });
      await new Promise((done) => (globalThis.proceed = done));
      return { order, call: context.callId, run: context.iteration, client: typeof context.clientId };
    },
  }));
  await chat.send(REFUND);
  const card = chat.card("refund");
  await shows(card, "Pay back 40 euros?");
  await shows(card, /Order number\s*A-17/);
  assert.equal(await card.locator("[data-risk]").first().getAttribute("data-risk"), "danger");
  await chat.approve(card);
  await chat.status(card, "executing");
  const refused = await page.evaluate(() => {
    const { progress, preliminary } = globalThis.context;
    const attempt = (act) => {
      try {
        return act();
      } catch (error) {
        return `${error.constructor.name}: ${error.message}`;
      }
    };
    return [() => progress("half"), () => progress(1, 2), () => preliminary(1n)].map(attempt);
  });
  assert.deepEqual(refused, [
    "TypeError: progress: the fraction must be a number",
    "TypeError: progress: the text must be a text",
    "TypeError: preliminary: the value must be JSON",
  ]);
  await page.evaluate(() => globalThis.proceed());
  await chat.idle();
  await shows(card, "Refund the order");
  const requests = agent.requests("calls");
  assert.equal(requests.length, 2);
  const result = JSON.parse(resultOf(requests[1]).content);
  const { toolCallId } = resultOf(requests[1]);
  assert.deepEqual(result, { order: "A-17", call: toolCallId, run: 0, client: "string" });
  assert.equal(await page.evaluate(() => globalThis.context.signal.aborted), false, "it ended by itself");
  await page.evaluate(() => globalThis.context.progress(1, "too late"));
  await chat.picture("embed action described");
});

pageTest("the signal of a handler is aborted by Stop, a timeout and unregistration", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}calls`);
  const begun = async (fields) => {
    await register(page, fields);
    await page.evaluate(() => (globalThis.aborted = 0));
    await chat.send(REFUND);
  };
  const waits = () => ({
    handler: (args, { signal }) => new Promise(() => signal.addEventListener("abort", () => globalThis.aborted++)),
  });
  const aborted = () => eventually(async () => assert.equal(await page.evaluate(() => globalThis.aborted), 1));
  await begun(waits);
  await chat.status(chat.card("refund").last(), "executing");
  await chat.stopButton.click();
  await aborted();
  await chat.idle();
  await begun(waits);
  await chat.status(chat.card("refund").last(), "executing");
  await page.evaluate(() => globalThis.unregister());
  await aborted();
  await chat.idle();
  await begun(() => ({
    timeoutMs: 50,
    handler: (args, { signal }) => new Promise(() => signal.addEventListener("abort", () => globalThis.aborted++)),
  }));
  await aborted();
  await chat.idle();
});

/** Rules that approve nothing by themselves; evaluated in the page. */
const RULES = {
  "returns true": () => ({ approval: () => true }),
  "depends on the arguments": () => ({ approval: ({ euros }) => euros > 10 }),
  "resolves to true": () => ({ approval: async () => true }),
  throws: () => ({ approval: () => { throw new Error("no rule today"); } }),
  "throws a text": () => ({ approval: () => { throw "no rule today"; } }),
  rejects: () => ({ approval: async () => { throw new Error("no rule today"); } }),
  "returns nothing": () => ({ approval: () => undefined }),
  "returns null": () => ({ approval: () => null }),
  "returns a zero": () => ({ approval: () => 0 }),
  "returns the text false": () => ({ approval: () => "false" }),
  "returns an object": () => ({ approval: () => ({ valueOf: () => false }) }),
  "returns a proxy": () => ({ approval: () => new Proxy({}, { get() { throw new Error("a trap"); } }) }),
  "never answers": () => ({ approval: () => new Promise(() => {}) }),
};

pageTest("an approval rule that does not return `false` requires approval", { allow: [/`approval`/] }, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}calls`);
  // The ten seconds of a rule without an answer pass at once.
  await page.evaluate(() => {
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (work, ms, ...more) => setTimeout(work, ms === 10_000 ? 10 : ms, ...more);
  });
  for (const [name, fields] of Object.entries(RULES)) {
    await page.evaluate(() => globalThis.chats.one.newConversation());
    await register(page, fields);
    await chat.send(REFUND);
    const card = chat.card("refund");
    await shows(card.and(page.locator("[data-status]")), /Deny/).catch((error) => assert.fail(`${name}: ${error.message}`));
    assert.deepEqual(await ran(page), [], name);
    await chat.deny(card);
    await chat.idle();
    assert.deepEqual(await ran(page), [], name);
  }
  for (const [name, fields] of Object.entries({
    "returns false": () => ({ approval: () => false }),
    "resolves to false": () => ({ approval: async ({ euros }) => euros > 50 }),
    never: () => ({ approval: "never" }),
    nothing: () => ({}),
  })) {
    await page.evaluate(() => globalThis.chats.one.newConversation());
    await register(page, fields);
    await chat.ask(REFUND);
    assert.deepEqual(await ran(page), [{ order: "A-17", euros: 40 }], name);
  }
});

pageTest("description, parameters and enabled are read at the start of a run", { allow: [/`(enabled|description)`/] }, async (page, agent) => {
  const chat = await mountIn(page, "one", agent.url);
  await page.evaluate(() => {
    globalThis.shop = { open: true, name: "atlas", most: 5 };
  });
  await register(page, () => ({
    description: () => `Refunds an order of ${globalThis.shop.name}`,
    enabled: () => globalThis.shop.open,
    parameters: () => ({ type: "object", properties: { euros: { type: "number", maximum: globalThis.shop.most } } }),
  }));
  const offered = async (change) => {
    agent.forget();
    await page.evaluate(change);
    await chat.ask("Hello");
    return agent.requests("")[0].body.tools.map((tool) => [tool.description, tool.parameters.properties.euros.maximum]);
  };
  assert.deepEqual(await offered(() => {}), [["Refunds an order of atlas", 5]]);
  assert.deepEqual(await offered(() => Object.assign(globalThis.shop, { name: "borealis", most: 7 })), [["Refunds an order of borealis", 7]]);
  assert.deepEqual(await offered(() => (globalThis.shop.open = false)), []);
  assert.deepEqual(await offered(() => (globalThis.shop.open = "maybe")), [], "a condition that fails is not met");
  assert.deepEqual(await offered(() => Object.assign(globalThis.shop, { open: true, name: "cygnus" })), [["Refunds an order of cygnus", 7]]);
  const last = [["Refunds an order of cygnus", 7]];
  assert.deepEqual(await offered(() => Object.defineProperty(globalThis.shop, "name", { get: () => { throw new Error("closed"); } })), last);
});

pageTest("permission, limits, sanitize, preview and denial apply to a call", { allow: [/`(permission|sanitize|denial)`/] }, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}calls`);
  const returned = async (fields, act = async () => {}) => {
    agent.forget();
    await page.evaluate(() => globalThis.chats.one.newConversation());
    await register(page, fields);
    await chat.send(REFUND);
    await act(chat.card("refund"));
    await chat.idle();
    const requests = agent.requests("calls");
    return JSON.parse(resultOf(requests.at(-1)).content);
  };
  const refused = async (fields, reason) => {
    const answer = JSON.stringify(await returned(fields));
    assert.match(answer, reason);
    assert.deepEqual(await ran(page), []);
  };
  await refused(() => ({ permission: async ({ euros }) => `The budget lacks ${euros}` }), /The budget lacks 40/);
  await refused(() => ({ permission: () => false }), /The page does not permit it/);
  await refused(() => ({ permission: () => { throw new Error("The session has expired"); } }), /The session has expired/);
  await refused(() => ({ permission: () => 1 }), /must return true/);
  await refused(() => ({ limits: { perRun: 0 } }), /limit|often|many/i);
  await refused(() => ({ sanitize: () => { throw new Error("not clean"); } }), /error/);
  assert.equal(await returned(() => ({ permission: () => true })), null);
  assert.deepEqual(await ran(page), [{ order: "A-17", euros: 40 }]);
  await returned(() => ({ sanitize: ({ order, euros }) => ({ order: order.toLowerCase(), euros }) }));
  assert.deepEqual(await ran(page), [{ order: "a-17", euros: 40 }]);
  await returned(
    () => ({ approval: "always", preview: async ({ order }) => `${order} loses its invoice` }),
    async (card) => {
      await shows(card, "A-17 loses its invoice");
      await chat.approve(card);
    },
  );
  assert.deepEqual(await ran(page), [{ order: "A-17", euros: 40 }]);
  const deny = (card) => chat.deny(card);
  assert.deepEqual(await returned(() => ({ approval: "always", denial: ({ order }) => ({ kept: order }) }), deny), { kept: "A-17" });
  assert.equal(await returned(() => ({ approval: "always", denial: () => 1n }), deny), "denied");
});

pageTest("a handler can ask, confirm and execute another action", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}calls`);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    one.registerAction({ name: "stamp", parameters: { type: "object" }, approval: "always", handler: ({ on }) => `stamped ${on}` });
  });
  await register(page, () => ({
    async handler({ order }, context) {
      const colour = await context.askWith("Which ink?", { type: "string", title: "Ink", enum: ["red", "blue"] });
      const sure = await context.confirm({ title: "Use it?", text: "It does not wash off." });
      const stamp = await context.execute("stamp", { on: order });
      const missing = await context.execute("no_such", {}).catch((error) => error.constructor.name);
      return { colour, sure, stamp, missing };
    },
  }));
  await chat.send(REFUND);
  const form = chat.card("refund");
  await form.getByText("Which ink?").waitFor();
  await form.getByRole("radio", { name: "blue" }).or(form.getByRole("combobox")).first().waitFor();
  if (await form.getByRole("combobox").count()) await form.getByRole("combobox").selectOption({ label: "blue" });
  else await form.getByRole("radio", { name: "blue" }).check();
  await form.getByRole("button", { name: /^(Send|Submit|Answer)/ }).click();
  await chat.dialog().getByText("It does not wash off.").waitFor();
  await decide(chat.dialog(), "Confirm");
  await chat.approve(chat.card("stamp"));
  await chat.idle();
  const result = JSON.parse(resultOf(agent.requests("calls").at(-1)).content);
  assert.deepEqual(result, { colour: "blue", sure: true, stamp: "stamped A-17", missing: "Error" });
});
