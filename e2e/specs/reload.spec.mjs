// Persistence when the page is reloaded, crashes, or is open twice: the conversation, the questions, and that each call
// starts once (rules "after a reload", "exactly once").

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { Chat, decide, eventually } from "../support/chat.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { Harbor, shows } from "../support/harbor.mjs";
import { storedRecords } from "../support/interruptions.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";
import { SLOW_STAGE_MS, holdTimers } from "../support/timers.mjs";

const DEPLOY = ["deployApplication", { environment: "production", version: "9.9.9" }];

/** A run that calls one tool. With `stops`, it ends in the middle of the arguments, when the test calls `proceed`. */
function calling(name, args, { stops } = {}) {
  return async (answer, input, hold) => {
    begin(answer, input);
    const toolCallId = `call_${randomUUID()}`;
    const text = JSON.stringify(args);
    send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: name });
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: stops ? text.slice(0, stops) : text });
    if (stops) return hold();
    send(answer, { type: "TOOL_CALL_END", toolCallId });
    finish(answer, input);
  };
}

/** Takes the request, and never answers. */
const silent = () => {};
/** Fails as an overloaded server does. */
const busy = (answer) => answer.writeHead(503).end();

const tabTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  const agent = await fakeAgent({
    origin: new URL(page.url).origin,
    scenes: {
      arguments: calling(...DEPLOY, { stops: 20 }),
      deploy: calling(...DEPLOY),
      process: calling("deployment_process", { environment: "staging", version: "slow" }),
      search: calling("web_search", { query: "slow boats" }),
      unsent: [calling("deployApplication", { environment: "dev", version: "9.9.9" }), busy],
      unanswered: [calling("deployApplication", { environment: "dev", version: "9.9.9" }), silent],
    },
  });
  open.push(agent);
  return { page, agent };
});

const OFFLINE = [/ERR_EMPTY_RESPONSE/, /ERR_CONNECTION/, /Failed to load resource/];
const address = (page, agent, scene) =>
  `${page.url}?${new URLSearchParams({ agent: agent.url + scene, chat: "kept" })}`;

/** A test whose page talks to the agent in one scene, and keeps its conversation. `options` go to the context. */
function sceneTest(name, scene, options, body) {
  tabTest(name, { address: ({ page, agent }) => address(page, agent, scene), ...options }, async (chat, servers) => {
    servers.agent.forget();
    await body(chat, {
      url: address(servers.page, servers.agent, scene),
      sent: () => servers.agent.requests(scene).map(({ body }) => body),
      harbor: new Harbor(chat.page),
    });
  });
}

async function reload(chat) {
  await chat.page.reload();
  await chat.composer.waitFor();
}

/** Sends a request for a deployment, and waits until its card asks, and the run that has called it is over. */
async function askToDeploy(chat) {
  await chat.send("Deploy");
  await chat.card("deployApplication").getByRole("button", { name: "Approve" }).waitFor();
  // The composer is blocked once the run is over and waits for the user.
  await chat.waiting();
}

/** Waits until the page has stored the pending approval and the end of its run. */
const approvalStored = (chat) =>
  eventually(async () => {
    const { outline, ...messages } = await storedRecords(chat.page, "kept");
    assert.equal(JSON.parse(outline).runs.at(-1).succeeded, true, "the end of the run is stored");
    const isAsked = Object.values(messages).some((text) => text.includes('"approval-requested"'));
    assert.ok(isAsked, "the pending approval is stored");
  });

/** Starts the deployment in stages, and waits for this stage, which does not end. */
async function startProcess(chat, harbor, stage = 1) {
  const stages = await holdTimers(chat.page, SLOW_STAGE_MS);
  await chat.send("Process");
  for (let ended = 1; ended < stage; ended++) await stages.next();
  await shows(harbor.lane("staging"), `step ${stage} of 5`);
}

/** Another tab of the same user at the same address. */
async function otherTab(chat, url) {
  const page = await chat.page.context().newPage();
  await page.goto(url);
  const other = new Chat(page);
  await other.messages("user").first().waitFor();
  return other;
}

/** The number of deployments to production that the panels of these tabs show. */
async function deployments(...chats) {
  const counts = chats.map((chat) => new Harbor(chat.page).activity.getByText("Deployment of 9.9.9 to production started").count());
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** The results of tools that a request carries. */
const results = (request) => request.messages.filter(({ role }) => role === "tool").map(({ content }) => content);

/** Waits until a tab is in the queue for the conversation of the other one. */
const queued = ({ page }) =>
  eventually(async () => {
    const waiting = await page.evaluate(async () => (await navigator.locks.query()).pending.length);
    assert.equal(waiting, 1, "one tab waits for the conversation");
  });

const elsewhere = (chat) => chat.notice("This conversation is open in another tab.");
const here = (chat) => chat.root.getByRole("button", { name: "Use here" });

sceneTest("a reload during streaming arguments runs nothing and offers Retry", "arguments", {}, async (chat, { sent }) => {
  await chat.send("Deploy");
  await chat.card("deployApplication").waitFor();
  await reload(chat);
  await chat.messages("user").filter({ hasText: "Deploy" }).waitFor();
  await chat.root.getByRole("button", { name: "Retry" }).waitFor();
  assert.equal(await chat.card("deployApplication").getByRole("button").count(), 0, "no question is shown");
  await chat.picture("reload arguments");
  await chat.root.getByRole("button", { name: "Retry" }).click();
  await chat.says("You said: Deploy");
  assert.equal(sent().length, 2);
  assert.equal(await deployments(chat), 0);
});

sceneTest("a reload restores a pending approval, which applies once", "deploy", {}, async (chat, { sent }) => {
  await askToDeploy(chat);
  const card = chat.card("deployApplication");
  await reload(chat);
  await chat.approve(card);
  await chat.says("Results:");
  await chat.idle();
  assert.equal(await deployments(chat), 1);
  assert.equal(sent().length, 2);
  await reload(chat);
  await chat.says("Results:");
  assert.equal(await card.getByRole("button", { name: "Approve" }).count(), 0);
  await chat.idle();
  assert.equal(sent().length, 2, "nothing is sent a second time");
});

/** Occupies the database of the demo from another page, so that writes wait. Returns a function that ends it. */
async function occupyDatabase(chat, url) {
  const page = await chat.page.context().newPage();
  await page.goto(new URL("icon.svg", url).href);
  await page.evaluate(async () => {
    const { result: database } = await new Promise((done) => (indexedDB.open("harbor").onsuccess = ({ target }) => done(target)));
    const records = database.transaction("records", "readwrite").objectStore("records");
    const next = () => (globalThis.ends ? database.close() : (records.get("none").onsuccess = next));
    next();
  });
  return () => page.evaluate(() => (globalThis.ends = true));
}

sceneTest("a reload while the database is busy restores a pending approval", "deploy", {}, async (chat, { sent, url }) => {
  const release = await occupyDatabase(chat, url);
  await askToDeploy(chat);
  await reload(chat);
  await release();
  await chat.approve(chat.card("deployApplication"));
  await chat.says("Results:");
  assert.equal(await deployments(chat), 1);
  assert.equal(sent().length, 2);
});

sceneTest("a reload during a handler asks the user before running it again", "process", {}, async (chat, { harbor }) => {
  await startProcess(chat, harbor, 2);
  await reload(chat);
  const card = chat.card("deployment_process");
  await card.getByText("It may already have run.").waitFor();
  await chat.picture("reload handler");
  await shows(harbor.lane("staging"), "Healthy");
  await holdTimers(chat.page, SLOW_STAGE_MS);
  await decide(card, /^Run again/);
  await shows(harbor.lane("staging"), "step 1 of 5");
});

sceneTest("skipping a call with unknown outcome is reported to the agent", "process", {}, async (chat, { harbor, sent }) => {
  await startProcess(chat, harbor);
  const card = chat.card("deployment_process");
  await reload(chat);
  await card.getByRole("button", { name: "Skip" }).click();
  await chat.idle();
  assert.equal(sent().length, 2);
  assert.match(results(sent()[1])[0], /"status":"unknown".*Its outcome is unknown/);
});

sceneTest("a reload during an idempotent handler runs it again automatically", "search", {}, async (chat, { sent }) => {
  await chat.send("Search");
  await chat.status(chat.card("web_search"), "executing");
  await reload(chat);
  await chat.status(chat.card("web_search"), "executing");
  assert.equal(await chat.card("web_search").getByRole("button").count(), 0, "no question is shown");
  assert.equal(sent().length, 1);
});

sceneTest("unsent results are sent once after a reload", "unsent", { allow: OFFLINE }, async (chat, { sent }) => {
  await chat.send("Deploy");
  await eventually(() => assert.equal(sent().length, 2));
  await chat.idle();
  await reload(chat);
  await chat.root.getByRole("button", { name: /Retry|Continue/ }).click();
  await chat.says("Results:");
  assert.equal(sent().length, 3);
  assert.equal(results(sent()[2]).length, 1);
  assert.deepEqual(results(sent()[2]), results(sent()[1]), "the same result, not one of a second run");
});

sceneTest("a reload after a result sends it again without running the handler", "unanswered", {}, async (chat, { sent }) => {
  await chat.send("Deploy");
  await eventually(() => assert.equal(sent().length, 2));
  await reload(chat);
  await chat.root.getByRole("button", { name: "Retry" }).click();
  await chat.says("Results:");
  assert.deepEqual(results(sent()[2]), results(sent()[1]));
});

sceneTest("a message sent offline is kept after a reload", "deploy", { allow: OFFLINE }, async (chat, { sent, url }) => {
  await chat.page.route(new URL(url).searchParams.get("agent"), (route) => route.abort("internetdisconnected"));
  await chat.send("Deploy");
  await chat.root.getByRole("button", { name: "Retry" }).waitFor();
  await reload(chat);
  await chat.messages("user").filter({ hasText: "Deploy" }).waitFor();
  await chat.page.unroute(new URL(url).searchParams.get("agent"));
  await chat.root.getByRole("button", { name: "Retry" }).click();
  await chat.approve(chat.card("deployApplication"));
  await chat.says("Results:");
  assert.equal(sent().length, 2);
});

sceneTest("a second tab follows and takes over on Use here", "deploy", {}, async (chat, { sent, url }) => {
  await askToDeploy(chat);
  const other = await otherTab(chat, url);
  await elsewhere(other).waitFor();
  await other.card("deployApplication").waitFor();
  assert.equal(await other.composer.isVisible(), false, "it is read-only");
  assert.equal(await other.card("deployApplication").getByRole("button", { name: "Approve" }).isVisible(), false);
  await other.picture("reload follower");
  await here(other).click();
  await elsewhere(chat).waitFor();
  assert.equal(await chat.composer.isVisible(), false, "the first tab is read-only now");
  await other.approve(other.card("deployApplication"));
  await other.says("Results:");
  await chat.says("Results:");
  assert.equal(await deployments(chat, other), 1);
  assert.equal(sent().length, 2);
});

sceneTest("a follower tab takes over when the owner tab is closed", "deploy", {}, async (chat, { sent, url }) => {
  await askToDeploy(chat);
  const other = await otherTab(chat, url);
  await elsewhere(other).waitFor();
  await chat.page.close();
  await other.composer.waitFor();
  await elsewhere(other).waitFor({ state: "detached" });
  await other.approve(other.card("deployApplication"));
  await other.says("Results:");
  assert.equal(await deployments(other), 1);
  assert.equal(sent().length, 2);
});

sceneTest("a reloaded tab keeps its conversation despite a hidden follower", "deploy", {}, async (chat, { url }) => {
  await askToDeploy(chat);
  // Pages of a headless browser are never hidden.
  await chat.page.context().addInitScript(() => {
    if (new URL(location.href).hash === "#hidden") Object.defineProperty(document, "hidden", { value: true });
  });
  const other = await otherTab(chat, `${url}#hidden`);
  await elsewhere(other).waitFor();
  await reload(chat);
  await chat.card("deployApplication").getByRole("button", { name: "Approve" }).waitFor();
  assert.equal(await elsewhere(chat).count(), 0);
  assert.ok(await elsewhere(other).isVisible());
  await chat.approve(chat.card("deployApplication"));
  await chat.says("Results:");
});

/** Makes pages report no focus: in a headless browser all of them have it. */
const unfocused = (context) =>
  context.addInitScript(() => {
    if (new URL(location.href).hash === "#unfocused") document.hasFocus = () => false;
  });

sceneTest("of two visible windows the reloaded one reclaims its conversation", "deploy", {}, async (chat, { sent, url }) => {
  await askToDeploy(chat);
  const other = await otherTab(chat, url);
  await elsewhere(other).waitFor();
  await queued(other);
  await chat.page.bringToFront();
  await reload(chat);
  await chat.card("deployApplication").getByRole("button", { name: "Approve" }).waitFor();
  await elsewhere(other).waitFor();
  assert.equal(await elsewhere(chat).count(), 0);
  await chat.approve(chat.card("deployApplication"));
  await chat.says("Results:");
  await other.says("Results:");
  assert.equal(await deployments(chat, other), 1);
  assert.equal(sent().length, 2);
});

sceneTest("a window reloaded without focus hands its conversation to the other", "deploy", {}, async (chat, { url }) => {
  await unfocused(chat.page.context());
  await chat.page.goto(`${url}#unfocused`);
  await reload(chat);
  await askToDeploy(chat);
  const other = await otherTab(chat, url);
  await elsewhere(other).waitFor();
  await queued(other);
  await chat.page.reload();
  await elsewhere(chat).waitFor();
  await other.approve(other.card("deployApplication"));
  await other.says("Results:");
  assert.equal(await deployments(chat, other), 1);
});

sceneTest("a window that reclaims its conversation during a handler runs nothing automatically", "process", {}, async (chat, { harbor, url }) => {
  await startProcess(chat, harbor);
  const other = await otherTab(chat, url);
  await elsewhere(other).waitFor();
  await queued(other);
  await chat.page.bringToFront();
  await reload(chat);
  await chat.card("deployment_process").getByText("It may already have run.").waitFor();
  await elsewhere(other).waitFor();
  for (const page of [chat.page, other.page]) {
    await shows(new Harbor(page).lane("staging"), "Healthy");
  }
});

sceneTest("two tabs can exchange a conversation repeatedly, and the last one keeps it", "deploy", {}, async (chat, { url }) => {
  await askToDeploy(chat);
  const other = await otherTab(chat, url);
  for (const [taker, giver] of [[other, chat], [chat, other], [other, chat]]) {
    await here(taker).click();
    await elsewhere(giver).waitFor();
    await taker.composer.waitFor();
  }
  await queued(other);
  // Several intervals at which a waiting tab looks for the owner.
  await other.page.waitForTimeout(1_500);
  assert.ok(await elsewhere(chat).isVisible(), "a waiting tab does not take the conversation");
  await other.page.close();
  await chat.composer.waitFor();
  await chat.approve(chat.card("deployApplication"));
  await chat.says("Results:");
  assert.equal(await deployments(chat), 1);
});

sceneTest("a takeover during a handler stops it, and the new owner asks the user", "process", {}, async (chat, { harbor, url }) => {
  await startProcess(chat, harbor);
  const other = await otherTab(chat, url);
  await here(other).click();
  await other.card("deployment_process").getByText("It may already have run.").waitFor();
  await elsewhere(chat).waitFor();
  await shows(harbor.lane("staging"), "Healthy");
});

// Without locks and without a channel, tabs do not know of each other: only the journal protects the call.
const blind = () => {
  Object.defineProperty(navigator, "locks", { value: undefined });
  delete globalThis.BroadcastChannel;
};

sceneTest("two isolated tabs that both approve start a call once", "deploy", {}, async (chat, { url }) => {
  await chat.page.context().addInitScript(blind);
  await reload(chat);
  await askToDeploy(chat);
  await approvalStored(chat);
  const card = chat.card("deployApplication");
  const other = await otherTab(chat, url);
  await other.card("deployApplication").getByRole("button", { name: "Approve" }).waitFor();
  await Promise.allSettled([chat.approve(card), other.approve(other.card("deployApplication"))]);
  await other.says("Results:");
  await elsewhere(chat).waitFor();
  assert.equal(await deployments(chat, other), 1);
});

/** Kills the renderer process of the page, and opens the page again. */
async function crash(chat, url) {
  const context = chat.page.context();
  const devtools = await context.newCDPSession(chat.page);
  const crashed = chat.page.waitForEvent("crash");
  devtools.send("Page.crash").catch(() => {});
  await crashed;
  const page = await context.newPage();
  await page.goto(url);
  const next = new Chat(page);
  await next.messages("user").first().waitFor();
  return next;
}
const CRASH = { allow: [/the page crashed/], only: "chromium" };

sceneTest("a crash during a handler asks the user before running it again", "process", CRASH, async (chat, { harbor, url }) => {
  await startProcess(chat, harbor, 2);
  const next = await crash(chat, url);
  const card = next.card("deployment_process");
  await card.getByText("It may already have run.").waitFor();
  await card.getByRole("button", { name: "Skip" }).click();
  await next.says("unknown");
});

sceneTest("a crash restores a pending approval", "deploy", CRASH, async (chat, { url }) => {
  await askToDeploy(chat);
  await approvalStored(chat);
  const next = await crash(chat, url);
  await next.approve(next.card("deployApplication"));
  await next.says("Results:");
  assert.equal(await deployments(next), 1);
});
