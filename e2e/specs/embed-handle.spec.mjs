// The methods of a chat in JavaScript: state and subscriptions, events, decisions of the page, branches, context, audit.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { embedSuite, mountIn } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";

/** Calls `refund` if the user asks for it, else changes the shared state; ends when there is a result. */
const shop = (answer, input) => {
  const last = input.messages.at(-1);
  begin(answer, input);
  if (last.role === "user" && last.content.includes("refund")) {
    const toolCallId = `call_${input.runId}`;
    send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "refund" });
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: '{"order":"A-17","card":"4111"}' });
    send(answer, { type: "TOOL_CALL_END", toolCallId });
  } else {
    const messageId = `m_${input.runId}`;
    send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta: `You said: ${last.content}` });
    send(answer, { type: "TEXT_MESSAGE_END", messageId });
    send(answer, { type: "STATE_SNAPSHOT", snapshot: { ...input.state, observed: last.content } });
  }
  finish(answer, input);
};

/** Answers with a text, and reports the tokens. */
const paid = (answer, input) => {
  begin(answer, input);
  const messageId = `m_${input.runId}`;
  send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "An answer" });
  send(answer, { type: "TEXT_MESSAGE_END", messageId });
  const { threadId, runId } = input;
  const usage = [{ inputTokens: 1_000, outputTokens: 200 }];
  send(answer, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" }, usage });
  answer.end();
};

const pageTest = embedSuite({ scenes: { shop: Array(100).fill(shop), paid: Array(10).fill(paid) } });

const bodies = (agent) => agent.requests("shop").map(({ body }) => body);

pageTest("state can be read, subscribed to and changed, and events are reported", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    globalThis.observed = { state: [], busy: [], events: [], loop: [] };
    globalThis.ends = [
      one.subscribe("state", (state) => globalThis.observed.state.push(state)),
      one.subscribe("activity", ({ busy }) => globalThis.observed.busy.push(busy)),
      one.onEvent((event) => globalThis.observed.events.push(event)),
      one.onLoopEvent(({ type }) => globalThis.observed.loop.push(type)),
    ];
    one.setState({ basket: [1] });
  });
  await chat.ask("Hello");
  const observed = () => page.evaluate(() => globalThis.observed);
  await eventually(async () => {
    const { events, loop } = await observed();
    assert.deepEqual([events.length, loop.length], [2, 3]);
  });
  const { state, busy, events, loop } = await observed();
  assert.deepEqual(state.at(-1), { basket: [1], observed: "Hello" });
  assert.deepEqual([...new Set(busy)], [false, true]);
  assert.deepEqual(events.map(({ type, role }) => [type, role]), [["message", "user"], ["message", "assistant"]]);
  assert.deepEqual(loop, ["userMessage", "assistantMessage", "finalResponse"]);
  assert.deepEqual(bodies(agent)[0].state, { basket: [1] });
  const messages = await page.evaluate(() => globalThis.chats.one.messages());
  assert.deepEqual(messages.map(({ role, text, calls, streaming }) => [role, text, calls, streaming]), [
    ["user", "Hello", [], false],
    ["assistant", "You said: Hello", [], false],
  ]);
  await page.evaluate(() => {
    globalThis.ends.forEach((end) => end());
    globalThis.ends.forEach((end) => end());
    globalThis.chats.one.updateState((state) => ({ ...state, basket: [2] }));
  });
  await chat.ask("Again");
  assert.deepEqual(bodies(agent)[1].state, { basket: [2], observed: "Hello" });
  assert.deepEqual(await observed(), { state, busy, events, loop }, "nothing more is reported");
});

pageTest("a listener may unsubscribe itself and subscribe others, which outlive its next call", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    const log = one.startAudit();
    globalThis.counts = {};
    globalThis.ends = [];
    const subscribers = {
      onEvent: (listener) => one.onEvent(listener),
      onCallEvent: (listener) => one.onCallEvent(listener),
      onLoopEvent: (listener) => one.onLoopEvent(listener),
      onEntry: (listener) => log.onEntry(listener),
      subscribe: (listener) => one.subscribe("activity", listener),
    };
    for (const [kind, subscribe] of Object.entries(subscribers)) {
      const calls = (globalThis.counts[kind] = { first: 0, second: 0 });
      const end = subscribe(() => {
        calls.first++;
        end();
        end();
        globalThis.ends.push(subscribe(() => calls.second++));
      });
    }
    // Called again and again, it must not end what it has subscribed.
    one.subscribe("activity", () => {
      globalThis.inner ??= one.subscribe("state", (state) => (globalThis.innerState = state));
    });
    one.registerAction({ name: "refund", handler: () => "done" });
  });
  const counts = () => page.evaluate(() => structuredClone(globalThis.counts));
  await chat.ask("refund it");
  await chat.ask("refund again");
  await page.evaluate(() => globalThis.chats.one.setState({ basket: [3] }));
  await eventually(async () => assert.deepEqual(await page.evaluate(() => globalThis.innerState), { basket: [3] }));
  const before = await counts();
  for (const [kind, { first, second }] of Object.entries(before)) {
    assert.equal(first, 1, `${kind} has unsubscribed itself`);
    assert.ok(second > 0, `${kind} has subscribed another`);
  }
  await page.evaluate(() => globalThis.ends.forEach((end) => end()));
  await chat.ask("refund a third time");
  assert.deepEqual(await counts(), before, "all are unsubscribed");
});

pageTest("context values and functions are sent with each run", { allow: [/registerContext\("broken"\)/] }, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    globalThis.project = "atlas";
    one.registerContext("fixed", { list: [1] });
    globalThis.end = one.registerContext("project", () => globalThis.project);
    one.registerContext("broken", () => { throw new Error("no context"); });
  });
  await chat.ask("Hello");
  await page.evaluate(() => void (globalThis.project = "borealis"));
  await chat.ask("Hello");
  await page.evaluate(() => globalThis.end());
  await chat.ask("Hello");
  const fixed = { description: "fixed", value: '{"list":[1]}' };
  assert.deepEqual(bodies(agent).map(({ context }) => context), [
    [fixed, { description: "project", value: "atlas" }],
    [fixed, { description: "project", value: "borealis" }],
    [fixed],
  ]);
});

/** Registers `refund`, which requires approval; its arguments are `globalThis.ran`. */
const register = (page, fields = {}) =>
  page.evaluate((fields) => {
    globalThis.ran = [];
    globalThis.unregister?.();
    globalThis.unregister = globalThis.chats.one.registerAction({
      name: "refund",
      parameters: { type: "object", properties: { order: { type: "string" }, card: { type: "string" } } },
      approval: "always",
      handler: (args) => void globalThis.ran.push(args),
      ...fields,
    });
  }, fields);

pageTest("decisions of the page are recorded as the application's", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await register(page);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    globalThis.steps = [];
    one.onCallEvent(({ kind, phase }) => globalThis.steps.push([kind, phase]));
    globalThis.log = one.startAudit({ redact: (entry) => ({ ...entry, args: { ...entry.args, card: "…" }, reason: null }) });
    globalThis.received = 0;
    globalThis.log.onEntry(() => globalThis.received++);
  });
  const pending = async () => {
    await eventually(async () => assert.equal((await page.evaluate(() => globalThis.chats.one.pendingApprovals())).length, 1));
    return (await page.evaluate(() => globalThis.chats.one.pendingApprovals()))[0];
  };
  await chat.send("refund it");
  const key = await pending();
  const call = await page.evaluate((key) => globalThis.chats.one.call(key), key);
  assert.deepEqual([call.name, call.phase, call.status, call.args], ["refund", "approval-requested", "pending", { order: "A-17", card: "4111" }]);
  await page.evaluate((key) => globalThis.chats.one.approveWith(key, { order: "B-2" }), key);
  await chat.idle();
  assert.deepEqual(await page.evaluate(() => globalThis.ran), [{ order: "B-2" }]);
  await chat.send("refund again");
  await page.evaluate((key) => globalThis.chats.one.deny(key, "not today"), await pending());
  await chat.idle();
  assert.deepEqual(JSON.parse(bodies(agent).at(-1).messages.at(-1).content), { status: "denied", reason: "not today" });
  const { entries, received, exported } = await page.evaluate(() => ({
    entries: globalThis.log.entries(),
    received: globalThis.received,
    exported: globalThis.log.export(),
  }));
  assert.equal(received, entries.length);
  assert.ok(entries.length >= 6);
  for (const secret of ["4111", "not today"]) assert.ok(!JSON.stringify([entries, exported]).includes(secret), `${secret} is redacted`);
  assert.match(JSON.stringify(entries), /application/);
  const steps = await page.evaluate(() => globalThis.steps);
  assert.deepEqual(steps.map(([, phase]) => phase), ["approval-requested", "running", "output-available", "approval-requested", "output-denied"]);
  const history = await page.evaluate(() => globalThis.chats.one.toolHistory());
  assert.deepEqual([history.total, history.counts, history.records[0].args], [2, { refund: 2 }, { order: "B-2" }]);
});

pageTest("an action with onlyUserApproves refuses approvals of the page", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await register(page, { onlyUserApproves: true });
  await chat.send("refund it");
  const card = chat.card("refund");
  await card.getByRole("button", { name: /^Deny/ }).waitFor();
  const refused = await page.evaluate(() => {
    const { one } = globalThis.chats;
    const [key] = one.pendingApprovals();
    const attempts = [() => one.approve(key), () => one.approveWith(key, {}), () => one.approveAndRemember(key, null, { scope: "session" })];
    return attempts.map((attempt) => {
      try {
        return attempt();
      } catch (error) {
        return `${error.constructor.name}: ${error.message}`;
      }
    });
  });
  for (const message of refused) assert.match(message, /^Error: .*user/i);
  assert.deepEqual(await page.evaluate(() => globalThis.ran), []);
  await chat.approve(card);
  await chat.idle();
  assert.equal((await page.evaluate(() => globalThis.ran)).length, 1);
});

/** Asks for a refund, and allows it and a later one, with any arguments. */
async function allowTwice(chat, scope) {
  await chat.send("refund it");
  await chat.card("refund").getByRole("button", { name: /^Deny/ }).waitFor();
  await chat.page.evaluate((scope) => {
    const { one } = globalThis.chats;
    one.approveAndRemember(one.pendingApprovals()[0], null, { scope, anyArgs: true, uses: 2 });
  }, scope);
  await chat.idle();
}

pageTest("remembered approvals are listed and revoked", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await register(page, { rememberUses: 3 });
  await allowTwice(chat, "conversation");
  await chat.ask("refund another");
  assert.equal((await page.evaluate(() => globalThis.ran)).length, 2);
  const remembered = await page.evaluate(() => globalThis.chats.one.rememberedApprovals());
  assert.equal(remembered.length, 1);
  await page.evaluate((id) => globalThis.chats.one.forgetApproval(id), remembered[0].id);
  await eventually(async () => assert.deepEqual(await page.evaluate(() => globalThis.chats.one.rememberedApprovals()), []));
  await chat.send("refund a third");
  await chat.deny(chat.card("refund").last());
  await chat.idle();
  assert.equal((await page.evaluate(() => globalThis.ran)).length, 2);
});

/** Persists approvals of the chat in `globalThis.stored`, by an instance of a class. */
const persistApprovals = (page) =>
  page.evaluate(() => {
    class Approvals {
      constructor() {
        Object.assign(globalThis, { stored: globalThis.stored ?? [], listeners: new Set() });
      }
      async load() {
        return globalThis.stored;
      }
      change(added, removed) {
        globalThis.stored = [...globalThis.stored, ...added].filter(({ id }) => !removed.includes(id));
      }
      async swap(before, after) {
        const at = globalThis.stored.findIndex(({ id }) => id === before.id);
        if (JSON.stringify(globalThis.stored[at]) !== JSON.stringify(before)) return globalThis.stored[at] ?? null;
        globalThis.stored[at] = after;
        return true;
      }
      onChange(changed) {
        globalThis.listeners.add(changed);
        return () => globalThis.listeners.delete(changed);
      }
    }
    globalThis.chats.one.persistApprovals(new Approvals());
  });

pageTest("a store of the page persists approvals, counts their uses and reports that they were removed", {}, async (page, agent) => {
  let chat = await mountIn(page, "one", `${agent.url}shop`);
  await register(page, { rememberUses: 3 });
  await persistApprovals(page);
  await allowTwice(chat, "always");
  const stored = () => page.evaluate(() => globalThis.stored);
  await eventually(async () => assert.equal((await stored()).length, 1));
  const [first] = await stored();
  await page.evaluate(() => globalThis.chats.one.unmount());
  assert.equal(await page.evaluate(() => globalThis.listeners.size), 0, "an unmounted chat has ended its subscription");

  chat = await mountIn(page, "one", `${agent.url}shop`);
  await page.evaluate(() => delete globalThis.unregister);
  await register(page, { rememberUses: 3 });
  await persistApprovals(page);
  await eventually(async () => assert.equal((await page.evaluate(() => globalThis.chats.one.rememberedApprovals())).length, 1));
  await chat.ask("refund another");
  assert.equal((await page.evaluate(() => globalThis.ran)).length, 1, "the stored approval applies");
  const [used] = await stored();
  assert.equal(used.id, first.id);
  assert.notDeepEqual(used, first, "the use was counted");

  await page.evaluate(() => {
    globalThis.stored = [];
    globalThis.listeners.forEach((changed) => changed());
  });
  await eventually(async () => assert.deepEqual(await page.evaluate(() => globalThis.chats.one.rememberedApprovals()), []));
  await chat.send("refund a third");
  await chat.deny(chat.card("refund").last());
  await chat.idle();
  assert.equal((await page.evaluate(() => globalThis.ran)).length, 1);
});

pageTest("a store of approvals that fails is reported, and the user is asked", { allow: [/persistApprovals|Approvals cannot be read/] }, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await register(page);
  const refused = await page.evaluate(() => {
    const attempt = (store) => {
      try {
        return globalThis.chats.one.persistApprovals(store);
      } catch (error) {
        return `${error.name}: ${error.message}`;
      }
    };
    return [undefined, {}, { load: 1, change() {} }].map(attempt);
  });
  for (const message of refused) assert.match(message, /^TypeError: persistApprovals/);
  await page.evaluate(() => {
    const fails = () => {
      throw "no space";
    };
    globalThis.chats.one.persistApprovals({ load: () => "nothing", change: async () => fails(), swap: fails, onChange: fails });
  });
  await allowTwice(chat, "always");
  await chat.send("refund another");
  await chat.deny(chat.card("refund").last());
  await chat.idle();
  assert.equal((await page.evaluate(() => globalThis.ran)).length, 1, "uses that cannot be counted allow nothing");
});

pageTest("answers show their price by a rule of the page", { allow: [/setPrices/] }, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}paid`);
  await page.evaluate(() => {
    globalThis.chats.one.setPrices("EUR", ({ inputTokens, outputTokens }) => inputTokens * 3 + outputTokens * 15);
  });
  await chat.ask("Hello");
  assert.equal((await page.evaluate(() => globalThis.chats.one.cost())).priceMicros, 1_000 * 3 + 200 * 15);
  await chat.root.getByRole("button", { name: "Details" }).last().click();
  await chat.root.getByText(/€0\.006/).waitFor();
  await page.evaluate(() => globalThis.chats.one.setPrices("EUR", () => "much"));
  await chat.ask("Again");
  assert.equal((await page.evaluate(() => globalThis.chats.one.cost())).priceMicros, 6_000, "a rule that fails sets no price");
  const refused = await page.evaluate(() => {
    try {
      globalThis.chats.one.setPrices("euros", () => 1);
    } catch (error) {
      return `${error.name}: ${error.message}`;
    }
  });
  assert.match(refused, /^TypeError: setPrices: the currency must be a code/);
});

pageTest("branches can be edited, regenerated, switched, exported and imported", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  const one = (act) => page.evaluate(`(${act})(globalThis.chats.one)`);
  await chat.ask("First");
  await one((chat) => chat.edit(chat.messages()[0].id, "Second"));
  await chat.idle();
  await chat.says("You said: Second");
  assert.deepEqual(await one((chat) => chat.version(chat.messages()[0].id)), [2, 2]);
  await one((chat) => chat.showVersion(chat.messages()[0].id, "previous"));
  await chat.says("You said: First");
  assert.deepEqual(await one((chat) => chat.messages().map(({ text }) => text)), ["First", "You said: First"]);
  await one((chat) => chat.regenerate(chat.messages()[1].id));
  await chat.idle();
  assert.deepEqual(await one((chat) => chat.version(chat.messages()[1].id)), [2, 2]);
  await one((chat) => void (globalThis.saved = chat.export()));
  const thread = await one((chat) => chat.threadId());
  await one((chat) => chat.newConversation());
  assert.notEqual(await one((chat) => chat.threadId()), thread);
  assert.deepEqual(await one((chat) => chat.messages()), []);
  await one((chat) => chat.import(globalThis.saved));
  await eventually(async () => assert.equal(await one((chat) => chat.threadId()), thread));
  assert.deepEqual(await one((chat) => chat.messages().map(({ text }) => text)), ["First", "You said: First"]);
  await one((chat) => chat.import([{ id: "1", role: "user", content: "From elsewhere" }]));
  await chat.says("From elsewhere");
});

pageTest("the page controls composer and suggestions, and executes actions", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    one.composer.setText("Half a sentence");
    one.composer.focus();
    one.setSuggestions(["What is new?", { text: "Show me everything", label: "Everything" }]);
    one.registerAction({ name: "add", parameters: { type: "object" }, handler: ({ a, b }) => a + b });
  });
  await chat.hasFocus(chat.composer);
  assert.equal(await chat.composer.inputValue(), "Half a sentence");
  assert.equal(await page.evaluate(() => globalThis.chats.one.composer.text()), "Half a sentence");
  await chat.root.getByRole("button", { name: "What is new?" }).waitFor();
  await chat.root.getByRole("button", { name: "Everything" }).click();
  await chat.says("You said: Show me everything");
  await page.evaluate(() => globalThis.chats.one.setFollowUps(["And then?"]));
  await chat.root.getByRole("button", { name: "And then?" }).waitFor();
  assert.equal(await page.evaluate(() => globalThis.chats.one.execute("add", { a: 1, b: 2 })), 3);
  await page.evaluate(() => globalThis.chats.one.setPermission((name, { a }) => (name === "add" && a > 5 ? "Too much" : true)));
  const refused = await page.evaluate(() => globalThis.chats.one.execute("add", { a: 6, b: 2 }).catch((error) => error.message));
  assert.match(refused, /Too much/);
  assert.equal(await page.evaluate(() => globalThis.chats.one.execute("add", { a: 2, b: 2 })), 4);
});

pageTest("session options set an initial conversation, limits and a stop rule", {}, async (page, agent) => {
  const initial = [{ id: "1", role: "user", content: "From before" }, { id: "2", role: "assistant", content: "An answer" }];
  const options = { stopWhen: { any: [{ runCount: 5 }, { rule: "budget" }] } };
  const chat = await mountIn(page, "one", `${agent.url}shop`, { initial, options, limits: { messageBytes: 1_000 } });
  await chat.says("An answer");
  await register(page, { approval: "never" });
  await page.evaluate(() => {
    globalThis.summaries = [];
    globalThis.chats.one.setStopRule("budget", (summary) => globalThis.summaries.push(summary) > 0);
  });
  await chat.ask("refund it");
  assert.equal(bodies(agent).length, 1, "the loop has ended before the result was sent");
  assert.deepEqual(bodies(agent)[0].messages.map(({ content }) => content), ["From before", "An answer", "refund it"]);
  const summaries = await page.evaluate(() => globalThis.summaries);
  assert.deepEqual(summaries[0].runs.map(({ tools }) => tools), [["refund"]]);
  await chat.ask("x".repeat(2_000));
  await chat.notice(/limit|large|long|many/i).first().waitFor();
  const refused = await page.evaluate(async () => {
    const { mount } = await import("./embed/index.js");
    const attempt = (options) => mount(document.getElementById("two"), { url: "/agent", ...options }).catch((error) => `${error}`);
    return Promise.all([
      attempt({ options: { stopWhen: { runCount: 1, rule: "both" } } }),
      attempt({ options: { stopWhen: { any: [] } } }),
      attempt({ options: { sequentially: true } }),
      attempt({ options: { questions: { perRun: -1 } } }),
      attempt({ options: { questions: { perRun: NaN } } }),
      attempt({ limits: { messages: -1 } }),
      attempt({ limits: { mesages: 1 } }),
      attempt({ initial: "text" }),
    ]);
  });
  refused.forEach((message, at) => assert.match(message, /^TypeError: mount: `(options|limits|initial)` must be/, String(at)));
});

pageTest("invalid arguments throw, and failed listeners do not stop the chat", { allow: [/`(onEvent|subscribe)/] }, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  const thrown = await page.evaluate(() => {
    const { one } = globalThis.chats;
    const circle = {};
    circle.circle = circle;
    const attempts = {
      send: () => one.send(5),
      "send nothing": () => one.send(),
      edit: () => one.edit("m", 5),
      call: () => one.call("1"),
      "call a negative": () => one.call(-1),
      setState: () => one.setState(1n),
      circle: () => one.setState(circle),
      showVersion: () => one.showVersion("m", "up"),
      approveAndRemember: () => one.approveAndRemember(1, null, { scope: "forever" }),
      changeTree: () => one.changeTree({ remove: "m" }),
      offerOnly: () => one.offerOnly({ named: [] }),
      setSuggestions: () => one.setSuggestions([1]),
      subscribe: () => one.subscribe("weather", () => {}),
      "subscribe nothing": () => one.subscribe("state"),
      onEvent: () => one.onEvent({}),
      registerContext: () => one.registerContext(1, 2),
      "no JSON": () => one.registerContext("x", circle),
      startAudit: () => one.startAudit({ redacts: 1 }),
      updateState: () => one.updateState(() => undefined),
      proxy: () => one.setState(new Proxy({}, { ownKeys() { throw new Error("a trap"); } })),
      unknown: () => one.approve(77),
      message: () => one.edit("no such message", "x"),
    };
    return Object.entries(attempts).map(([name, attempt]) => {
      try {
        return [name, attempt() ?? "taken"];
      } catch (error) {
        return [name, `${error.constructor.name}: ${error.message}`];
      }
    });
  });
  for (const [name, message] of thrown) assert.match(message, ["unknown", "message"].includes(name) ? /^Error: / : /^TypeError: /, name);
  assert.equal(await page.evaluate(() => globalThis.chats.one.call(77)), null);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    globalThis.received = 0;
    one.onEvent(() => { throw new Error("a listener"); });
    one.onEvent(async () => { throw "a text"; });
    one.onEvent(() => globalThis.received++);
    one.subscribe("messages", () => { throw new Error("another"); });
    // A listener may call back into the chat.
    one.onEvent(({ role }) => role === "user" && one.setState({ from: "a listener" }));
  });
  await chat.ask("Hello");
  await eventually(async () => assert.equal(await page.evaluate(() => globalThis.received), 2));
  assert.equal(await chat.root.getByText("has stopped").count(), 0);
  await page.evaluate(() => globalThis.chats.one.unmount());
  const errors = await page.evaluate(() => {
    const { one } = globalThis.chats;
    return [() => one.messages(), () => one.stop(), () => one.onEvent(() => {}), () => one.composer.text()].map((attempt) => {
      try {
        return attempt();
      } catch (error) {
        return error.message;
      }
    });
  });
  assert.deepEqual([...new Set(errors)], ["The chat has been taken out of the page"]);
});
