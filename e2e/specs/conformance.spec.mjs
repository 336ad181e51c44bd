// The same scenes with an agent of each protocol: the script of the page, pydantic-ai (AG-UI), the AI SDK and a server
// of completions. The user does the same each time, and the stored conversation is equal up to ids and times. The
// equality of all fields is tested without a browser, in crates/assistant-core/tests/protocols; the intended
// differences are in fixtures/exceptions.json.

import assert from "node:assert/strict";
import net from "node:net";

import { decide, eventually } from "../support/chat.mjs";
import { conversationOf, pageOf, sketch } from "../support/stored-conversation.mjs";
import { modelServer } from "../support/model.mjs";
import { aiSdkAgent, demo, pydanticAgent } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  const origin = new URL(page.url).origin;
  const started = async (server) => {
    open.push(await server);
    return open.at(-1);
  };
  const agui = await started(pydanticAgent(origin));
  const sdk = await started(aiSdkAgent(origin));
  const model = await started(modelServer());
  const agents = {
    script: {},
    "ag-ui": { agent: agui.url, protocol: "ag-ui" },
    "ui-stream": { agent: sdk.url, protocol: "ui-stream" },
    completions: { agent: model.url, protocol: "completions" },
  };
  const networks = {};
  for (const [name, { agent }] of Object.entries(agents)) if (agent) networks[name] = await started(delayedEnds(agent));
  return { page, agents, networks };
});

/**
 * Forwards the connections of a free port to the server at an address. The end of a connection reaches the page with
 * `end()`, however late the page reads the text: a browser drops the unread text of a connection that breaks.
 */
async function delayedEnds(address) {
  const { hostname, port, pathname } = new URL(address);
  const open = new Set();
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const server = net.createServer((page) => {
    const behind = net.connect(Number(port), hostname);
    for (const socket of [page, behind]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => open.delete(socket));
    }
    page.pipe(behind);
    page.on("close", () => behind.destroy());
    behind.on("data", (data) => page.write(data));
    behind.on("close", () => {
      // The browser sends a further request over a new connection then.
      page.on("data", () => page.destroy());
      ended.then(() => page.end());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${pathname}`,
    end,
    close() {
      end();
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

const ALL = ["script", "ag-ui", "ui-stream", "completions"];
/** A model endpoint runs no tools of its own, and the script of the page has others. */
const ASKING = ["ag-ui", "ui-stream"];
/** Tools of the servers that require the user's approval. */
const ASKED = ["refund_order"];
const SERVERS = ["ag-ui", "ui-stream", "completions"];

/**
 * Plays a scene with each agent, and compares the stored conversations. `says` is false where the length of a text
 * depends on time. With `breaks`, the end of the agent's connection reaches the page once `play` calls its second
 * argument.
 */
function scene(name, { agents = ALL, says = true, breaks = false, allow = [] }, play) {
  chatTest(name, { address: ({ page }) => page.url, allow }, async (chat, servers) => {
    const ends = {};
    for (const agent of agents) {
      const network = breaks ? servers.networks[agent] : undefined;
      const address = { ...servers.agents[agent], ...(network && { agent: network.url }) };
      await chat.page.goto(pageOf(servers.page, { ...address, chat: agent }));
      await chat.composer.waitFor();
      await play(chat, () => network?.end());
      await chat.idle();
      await chat.picture(`conformance ${name} ${agent}`);
      ends[agent] = plain(sketch(await conversationOf(chat.page, agent)));
    }
    const [first, ...rest] = agents;
    for (const agent of rest) assert.deepEqual(shape(ends[agent]), shape(ends[first]), `${agent} as ${first}`);
    // The script has texts of its own; the servers share theirs.
    const [server, ...others] = agents.filter((agent) => agent !== "script");
    if (says) for (const agent of others) assert.deepEqual(ends[agent], ends[server], `${agent} as ${server}`);
  });
}

/**
 * A sketch without times of day, without the spaces that Python writes into JSON, and without the empty texts that some
 * servers send before a call.
 */
function plain(sketch) {
  const text = JSON.stringify(sketch).replaceAll(/\b\d\d:\d\d\b/g, "00:00");
  const messages = JSON.parse(text.replaceAll(/(\\"[:,]) (?=\\"|\d|\{)/g, "$1"));
  return messages.map((parts) => parts.filter((part) => part !== "text: "));
}

/** The same without words: texts, their presence beside a call, and a server's wording of a denial of its own. */
function shape(messages) {
  return messages.map(([role, ...parts]) => {
    const calls = parts.filter((part) => part.name);
    return [role, ...(calls.length ? calls : parts).map(wordless)];
  });
}

function wordless(part) {
  if (typeof part === "string") return part.split(":")[0];
  return part.state === "output-denied" && ASKED.includes(part.name) ? { ...part, output: "denied" } : part;
}

scene("a text answer", {}, (chat) => chat.ask("Hello there"));

scene("an approved call of the page", {}, async (chat) => {
  await chat.send("What's the weather in Oslo?");
  await chat.approve(chat.card("get_weather"));
});

scene("a denied call of the page", {}, async (chat) => {
  await chat.send("What's the weather in Oslo?");
  await chat.deny(chat.card("get_weather"));
});

scene("two calls decided in reverse order", {}, async (chat) => {
  await chat.send("What's the weather in Oslo and Bergen?");
  const cards = chat.card("get_weather");
  await cards.nth(1).getByRole("button", { name: "Approve" }).waitFor();
  await chat.approve(cards.nth(1));
  await chat.status(cards.nth(1), "complete");
  await chat.deny(cards.nth(0));
});

scene("a failed handler", {}, async (chat) => {
  await chat.ask("Search for pier failure reports");
  await chat.status(chat.card("web_search"), "failed");
});

scene("a server tool", { agents: ASKING }, (chat) => chat.ask("Where is order A-17?"));

scene("an approved interrupt", { agents: ASKING }, async (chat) => {
  await chat.send("Refund order A-17");
  await chat.approve(chat.card("refund_order"));
  await chat.status(chat.card("refund_order"), "complete");
});

scene("a denied interrupt", { agents: ASKING, says: false }, async (chat) => {
  await chat.send("Refund order A-17");
  await chat.deny(chat.card("refund_order"));
  await chat.status(chat.card("refund_order"), "failed");
});

scene("an interrupt approved after a reload", { agents: ASKING }, async (chat) => {
  await chat.send("Refund order A-17");
  await chat.card("refund_order").getByRole("button", { name: "Approve" }).waitFor();
  await chat.page.reload();
  await chat.composer.waitFor();
  await chat.approve(chat.card("refund_order"));
  await chat.status(chat.card("refund_order"), "complete");
});

scene("Stop during an answer", { says: false }, async (chat) => {
  await chat.send("Tell me a long story");
  await eventually(async () => assert.ok((await chat.messages("assistant").first().innerText()).length > 40));
  await chat.stopButton.click();
});

const CUT = [/ERR_INCOMPLETE_CHUNKED_ENCODING|Failed to load resource/];

scene("a truncated stream", { says: false, breaks: true, allow: CUT }, async (chat, end) => {
  await chat.send("Cut the line");
  await eventually(async () => assert.match(await chat.messages("assistant").first().innerText(), /This answer/));
  end();
  await chat.page.getByRole("button", { name: "Retry" }).waitFor();
});

// The server of completions reports it as a status, before any text.
scene("an error of the agent", { agents: ["script", ...ASKING], says: false }, async (chat) => {
  await chat.ask("Crash");
  await chat.notice(/the model exploded/).waitFor();
});

scene("a reload with a pending approval", {}, async (chat) => {
  await chat.send("What's the weather in Oslo?");
  await chat.card("get_weather").getByRole("button", { name: "Approve" }).waitFor();
  await chat.waiting();
  await chat.page.reload();
  await chat.composer.waitFor();
  await chat.approve(chat.card("get_weather"));
  await chat.status(chat.card("get_weather"), "complete");
});

// The script asks for other kinds of data.
scene("a reload while a handler asks the user", { agents: SERVERS }, async (chat) => {
  await chat.send("Pick a data source");
  await chat.card("selectDataSource").getByRole("button", { name: "Berth telemetry" }).waitFor();
  await chat.page.reload();
  await chat.composer.waitFor();
  // The outcome is unknown: the user has it run again, and answers this time.
  const card = chat.card("selectDataSource");
  await decide(card, /^Run again/);
  await card.getByRole("button", { name: "Berth telemetry" }).click();
});
