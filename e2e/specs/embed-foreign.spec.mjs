// Values that a page passes to the npm package but cannot be used: each is reported, and the chat continues.

import assert from "node:assert/strict";

import { mountIn, embedSuite } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";

/** Calls `work`, each time with a new call id. */
const tool = (answer, input) => {
  const toolCallId = `call_${input.runId}`;
  begin(answer, input);
  send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "work" });
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: '{"n":1}' });
  send(answer, { type: "TOOL_CALL_END", toolCallId });
  finish(answer, input);
};

const pageTest = embedSuite({ scenes: { tool } });

/** Handlers, by name; evaluated in the page. */
function handlers() {
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const thrower = () => {
    throw new Error("a trap of a proxy");
  };
  const hostile = () => new Proxy({}, { get: thrower, getPrototypeOf: thrower, has: thrower, ownKeys: thrower });
  const saying = (message) => Object.defineProperty(new Error(), "message", message);
  const raise = (error) => () => {
    throw error;
  };
  const circle = {};
  circle.circle = circle;
  let deep = 1;
  for (let level = 0; level < 3000; level++) deep = [deep];
  const odd = Promise.resolve(1);
  Object.defineProperty(odd, "constructor", { get: thrower });
  return {
    "throws an error whose message throws": raise(saying({ get: thrower })),
    "throws an error whose message is a symbol": raise(saying({ value: Symbol("odd") })),
    "throws an error whose message is a number": raise(saying({ value: 42 })),
    "throws an error whose message is an object": raise(saying({ value: {} })),
    "throws an error with a message of megabytes": raise(new Error("x".repeat(3_000_000))),
    "throws a proxy": raise(hostile()),
    "throws a revoked proxy": raise(revoked()),
    "throws a symbol": raise(Symbol("odd")),
    "throws null": raise(null),
    "rejects with a revoked proxy": async () => raise(revoked())(),
    "runs out of stack": function dive() {
      return dive() + 1;
    },
    "gives a revoked proxy": revoked,
    "gives a proxy": hostile,
    "gives a promise that cannot be asked": () => odd,
    "gives a circle": () => circle,
    "gives a bigint": () => 1n,
    "gives a function": () => () => 1,
    "gives a symbol": () => Symbol("odd"),
    "gives what cannot be written as JSON": () => ({ toJSON: thrower }),
    "gives what is nested too deeply": () => deep,
    "gives too much": () => "x".repeat(12_000_000),
    "gives a promise in an object": () => ({ later: Promise.resolve(1) }),
  };
}

const NO_JSON = "The handler's result is no JSON";
const FAILED = "The handler failed";
const REASONS = {
  "throws an error whose message throws": FAILED,
  "throws an error whose message is a symbol": "Symbol(odd)",
  "throws an error whose message is a number": "42",
  "throws an error whose message is an object": FAILED,
  "throws an error with a message of megabytes": "x".repeat(2000),
  "throws a proxy": FAILED,
  "throws a revoked proxy": FAILED,
  "throws a symbol": FAILED,
  "throws null": FAILED,
  "rejects with a revoked proxy": FAILED,
  "runs out of stack": "Maximum call stack size exceeded",
  "gives a promise that cannot be asked": "a trap of a proxy",
  "gives a proxy": "a trap of a proxy",
  "gives too much": "The handler's result is too large",
};

pageTest("every failing handler is answered as failed", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}tool`);
  await page.evaluate(`globalThis.handlers = (${handlers})()`);
  const names = await page.evaluate(() => Object.keys(globalThis.handlers));
  assert.ok(names.length > 20);
  for (const name of names) {
    agent.forget();
    await page.evaluate((name) => {
      globalThis.unregister?.();
      globalThis.chats.one.newConversation();
      const parameters = { type: "object", properties: { n: { type: "number" } } };
      globalThis.unregister = globalThis.chats.one.registerAction({ name: "work", parameters, handler: globalThis.handlers[name] });
    }, name);
    await chat.idle();
    await chat.ask(name);
    const requests = agent.requests("tool");
    assert.equal(requests.length, 2, `${name}: the agent receives the error`);
    const result = requests[1].body.messages.at(-1);
    const reason = REASONS[name] ?? (name === "gives a revoked proxy" ? result.error : NO_JSON);
    assert.equal(result.error, reason, name);
    assert.deepEqual(JSON.parse(result.content), { error: reason }, name);
  }
  assert.equal(await chat.root.getByText("has stopped").count(), 0);
});

pageTest("results are converted as JSON: dates, maps, sets and undefined", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}tool`);
  await page.evaluate(() => {
    const parameters = { type: "object", properties: { n: { type: "number" } } };
    const handler = () => ({
      nothing: undefined,
      list: [undefined, NaN, Infinity, -0],
      date: new Date(0),
      map: new Map([["a", new Set([1, "b"])], ["__proto__", 2]]),
      own: { toJSON: () => "by itself" },
      none: new Date(NaN),
    });
    globalThis.chats.one.registerAction({ name: "work", parameters, handler });
  });
  await chat.ask("values");
  const result = agent.requests("tool")[1].body.messages.at(-1).content;
  const map = '{"a":[1,"b"],"__proto__":2}';
  assert.equal(result, `{"list":[null,null,null,0],"date":"1970-01-01T00:00:00.000Z","map":${map},"own":"by itself","none":null}`);
});

pageTest("half an emoji becomes a replacement character", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}tool`, { initial: [{ id: "u", role: "user", content: "cut \ud83d" }] });
  await chat.says("cut \ufffd");
  const state = await page.evaluate(() => {
    const { one } = globalThis.chats;
    one.registerAction({ name: "work", parameters: { type: "object" }, handler: () => ["cut \ud83d", "whole \ud83d\ude00"] });
    one.setState({ title: "cut \ud83d" });
    return one.state();
  });
  assert.deepEqual(state, { title: "cut \ufffd" });
  await chat.ask("Work");
  assert.equal(agent.requests("tool")[1].body.messages.at(-1).content, '["cut \ufffd","whole \u{1f600}"]');
});

pageTest("values that are no JSON are reported by name, and the previous value is used", { allow: [/leptos-assistant/] }, async (page, agent) => {
  const reports = [];
  page.on("console", (message) => message.type() === "error" && reports.push(message.text()));
  const chat = await mountIn(page, "one", `${agent.url}tool`);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    globalThis.circle = {};
    globalThis.circle.circle = globalThis.circle;
    let schema = { type: "object", properties: { n: { type: "number" } } };
    const sanitize = async (args) => args;
    one.registerAction({ name: "work", parameters: () => schema, sanitize, handler: (args) => (globalThis.ran = args) });
    one.registerContext("round", () => globalThis.circle);
    one.registerContext("late", async () => 1);
    one.listTools();
    schema = globalThis.circle;
  });
  await chat.ask("Work");
  const { tools, context } = agent.requests("tool")[0].body;
  assert.deepEqual(tools[0].parameters.properties, { n: { type: "number" } });
  assert.deepEqual(context, []);
  assert.equal(await page.evaluate(() => globalThis.ran), undefined, "the handler gets no arguments that were not sanitized");
  for (const report of [
    'action "work": `parameters`: its result is no JSON',
    'action "work": `sanitize`: it must not return a promise',
    'registerContext("round"): its result is no JSON',
    'registerContext("late"): it must not return a promise',
  ]) {
    assert.ok(reports.some((text) => text.includes(report)), `${report}: ${reports.join("; ")}`);
  }
  for (const [act, message] of [
    [() => chats.one.setState(Promise.resolve(1)), /^TypeError: setState: argument 1 must be JSON/],
    [() => chats.one.setState(() => 1), /^TypeError: setState: argument 1 must be JSON/],
    [() => chats.one.updateState(async (state) => state), /^TypeError: setState: argument 1 must be JSON/],
    [() => chats.one.setState(JSON.parse("[".repeat(200) + "]".repeat(200))), /^Error: The value is nested too deeply/],
    [() => chats.one.execute("work", JSON.parse("[".repeat(200) + "]".repeat(200))), /^Error: The value is nested too deeply/],
  ]) {
    assert.match(await thrown(page, act), message, `${act}`);
  }
});

pageTest("unreadable and invalid fields of an action are refused by name", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", agent.url);
  const circle = "const circle = {}; circle.circle = circle;";
  for (const [fields, message] of [
    ['{ get title() { throw new Error("no") } }', /`title` cannot be read/],
    ['{ get approval() { throw "no" } }', /`approval` cannot be read/],
    ["{ approval: new Proxy({}, { get() { throw 1 } }) }", /`approval` must be/],
    ["{ approval: null }", /`approval` must be/],
    ["{ approval: true }", /`approval` must be/],
    ["{ approval: Object('always') }", /taken/],
    ["{ limits: { calls: [1] } }", /`limits` must be/],
    ["{ limits: { perMonth: 1 } }", /`limits` must be/],
    ["{ limits: { perRun: 1n } }", /`limits` must be/],
    ["{ limits: { perRun: -1 } }", /`limits` must be/],
    ["{ rememberUses: 1.5 }", /`rememberUses` must be/],
    ["{ rememberLasts: Infinity }", /`rememberLasts` must be/],
    ['{ rememberUpTo: { "/euros": NaN } }', /`rememberUpTo` must be/],
    ["{ tags: [1] }", /`tags` must be/],
    ["{ tags: 'cart' }", /`tags` must be/],
    ["{ risk: 'mortal' }", /`risk` must be/],
    ["{ parameters: circle }", /`parameters` must be/],
    ["{ parameters: [] }", /`parameters` must be/],
    ["{ describe: 'text' }", /`describe` must be/],
    ["{ exclusive: 1 }", /`exclusive` must be/],
    ["{ timeoutMs: 2 ** 40 }", /`timeoutMs` must be/],
  ]) {
    const action = `Object.defineProperties({ name: "act" }, Object.getOwnPropertyDescriptors(${fields}))`;
    const thrownMessage = await thrown(page, `() => { ${circle} globalThis.chats.one.registerAction(${action})(); }`);
    if (message.source === "taken") assert.equal(thrownMessage, "", fields);
    else assert.match(thrownMessage, message, fields);
  }
  await chat.ask("Hello there");
});

/** The error that a call in the page throws, by its class and message; nothing if it does not throw. */
const thrown = (page, act) =>
  page.evaluate(`(async () => {
    try {
      await (${act})();
      return "";
    } catch (error) {
      return error.constructor.name + ": " + error.message;
    }
  })()`);

pageTest("an unmounted chat throws and sends nothing", {}, async (page, agent) => {
  await mountIn(page, "one", agent.url);
  await page.evaluate(() => {
    globalThis.unregister = globalThis.chats.one.registerAction({ name: "work", handler: () => 1 });
    globalThis.chats.one.unmount();
  });
  for (const act of [
    () => globalThis.chats.one.send("Hello"),
    () => globalThis.chats.one.registerAction({ name: "late" }),
    () => globalThis.chats.one.newConversation(),
  ]) {
    assert.match(await thrown(page, act), /^Error: The chat has been taken out of the page/);
  }
  assert.equal(await thrown(page, () => globalThis.chats.one.unmount()), "");
  assert.equal(await thrown(page, () => globalThis.unregister()), "");
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
  assert.equal(agent.requests("").length, 0);
  await (await mountIn(page, "one", agent.url)).ask("Hello there");
});

pageTest("an invalid element, address, header or action is refused by name", {}, async (page, agent) => {
  await page.evaluate(async () => {
    globalThis.mount = (await import("./embed/index.js")).mount;
    globalThis.place = document.getElementById("one");
  });
  const mounts = [
    [() => mount(null, { url: "/agent" }), /element/],
    [() => mount(undefined, { url: "/agent" }), /element/],
    [() => mount("#one", { url: "/agent" }), /element/],
    [() => mount({ nodeType: 1 }, { url: "/agent" }), /element/],
    [() => mount(document, { url: "/agent" }), /element/],
    [() => mount(document.createTextNode(""), { url: "/agent" }), /element/],
    [() => mount(document.createElementNS("http://www.w3.org/2000/svg", "svg"), { url: "/agent" }), /element/],
    [() => mount(new Proxy(place, {}), { url: "/agent" }), /element/],
    [() => mount(place), /url/],
    [() => mount(place, null), /url/],
    [() => mount(place, { url: 5 }), /url/],
    [() => mount(place, { url: "/agent", headers: { "x-name": "Łódź" } }), /header "x-name"/],
    [() => mount(place, { url: "/agent", headers: { "x-name": "two\nlines" } }), /header "x-name"/],
    [() => mount(place, { url: "/agent", headers: { "x name": "1" } }), /header "x name"/],
  ];
  for (const [act, message] of mounts) {
    const thrownMessage = await thrown(page, act);
    assert.match(thrownMessage, /^TypeError: /, `${act}`);
    assert.match(thrownMessage, message, `${act}`);
  }
  assert.equal(await page.locator("#one").innerHTML(), "", "nothing of it is in the page");
  await mountIn(page, "one", agent.url, { headers: { "x-name": "Zürich" } });
  for (const [act, message] of [
    [() => chats.one.send(5), /text/],
    [() => chats.one.send(), /text/],
    [() => chats.one.registerAction({ name: "a", handler: 5 }), /handler/],
  ]) {
    const thrownMessage = await thrown(page, act);
    assert.match(thrownMessage, /^TypeError: /, `${act}`);
    assert.match(thrownMessage, message, `${act}`);
  }
  assert.notEqual(await thrown(page, () => chats.one.registerAction({ name: "a", parameters: { n: 1n } })), "");
  assert.notEqual(await thrown(page, () => chats.one.registerAction({ name: Symbol("a") })), "");
  await page.locator("#one").getByRole("textbox", { name: "Message", exact: true }).waitFor();
});
