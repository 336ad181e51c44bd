// Plays the scenes with each agent, and writes the results beside it and the table in docs/agents-table.md:
// `node e2e/agents/run.mjs [NAME]... [--scene NAME]... [--record FOLDER] [--show]`. With --scene the results of other
// scenes are kept; --record writes the requests and responses of each scene, --show prints the output of the agent.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";

import { launch, watchedPage } from "../support/browser.mjs";
import { Chat } from "../support/chat.mjs";
import { modelServer } from "../support/model.mjs";
import { demo } from "../support/servers.mjs";
import { agents, start } from "./agents.mjs";
import { recorder } from "./recorder.mjs";
import { SCENES, play } from "./scenes.mjs";
import { resultsOf, writeTable } from "./table.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scene: { type: "string", multiple: true },
    record: { type: "string" },
    show: { type: "boolean" },
  },
});
const SCENE_NAMES = options.scene ?? Object.keys(SCENES);

/** Plays one scene on a fresh page. Returns nothing, or the reason of its failure. */
async function tried(name, { agent, server, page, model, between, browser }) {
  const scene = SCENES[name];
  model.forget();
  between.forget();
  const { page: tab, faults, close } = await watchedPage(browser, { allow: scene.allow });
  const chat = new Chat(tab);
  // The name of the chat is the id of its thread, which agents remember.
  const query = { ...agent.page, agent: "/agent", protocol: agent.protocol, chat: randomUUID() };
  try {
    await tab.goto(`${page.url}?${new URLSearchParams(query)}`);
    await chat.composer.waitFor();
    const { restart } = server;
    await play(scene, chat, { recorder: between, restart, assertReceived: (...texts) => assertReceived(model, texts) });
    assert.deepEqual(faults, [], "the page is without faults");
  } catch (error) {
    await chat.picture(`agents ${agent.name} ${name}`).catch(() => {});
    return [error.message, ...faults].join("\n");
  } finally {
    await close();
    if (options.record) await record(`${agent.name}-${name}`, between.runs());
  }
}

/** Asserts that the user's messages in the newest request to the model are these. */
function assertReceived(model, texts) {
  const { messages } = model.requests().at(-1).body;
  const text = ({ content }) => (typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""));
  const received = messages.filter(({ role }) => role === "user").map(text);
  const same = received.length === texts.length && texts.every((text, index) => received[index].includes(text));
  assert.ok(same, `the model receives ${JSON.stringify(texts)}, not ${JSON.stringify(received)}`);
}

async function record(name, runs) {
  await mkdir(options.record, { recursive: true });
  for (const [index, { body, answer }] of runs.entries()) {
    const file = path.join(options.record, `${name}.run${index + 1}`);
    await writeFile(`${file}.request.json`, `${JSON.stringify(JSON.parse(body), null, 1)}\n`);
    await writeFile(`${file}.sse`, answer);
  }
}

/** The result of a scene: `works`, `limit`, `impossible` or `fails`, with the reason. */
async function result(name, fixtures) {
  const { agent } = fixtures;
  const impossible = agent.impossible[name];
  if (impossible) return { result: "impossible", reason: impossible };
  let failure = await tried(name, fixtures);
  const limit = agent.limits[name];
  if (limit && failure) return { result: "limit", reason: limit };
  if (limit) return { result: "fails", reason: `the scene works now, contrary to its limit: ${limit}` };
  // Retried once, as in the end-to-end tests: a page on a busy machine can wait longer than a test does.
  if (failure) failure = await tried(name, fixtures);
  return failure ? { result: "fails", reason: failure } : { result: "works" };
}

/** Plays the scenes with one agent. Returns the number of failures. */
async function run(agent, model, browser) {
  let server;
  try {
    server = await start(agent, model.url);
  } catch (error) {
    console.log(`${agent.name} was not started: ${error.message}`);
    return SCENE_NAMES.length;
  }
  const between = await recorder(server.url);
  const page = await demo({ agent: between.url, protocol: agent.protocol });
  const results = {};
  try {
    for (const name of SCENE_NAMES) {
      results[name] = await result(name, { agent, server, page, model, between, browser });
      const { result: outcome, reason = "" } = results[name];
      console.log(`${agent.name}: ${SCENES[name].title}: ${outcome}${outcome === "fails" ? `\n${reason}` : ""}`);
    }
  } finally {
    if (options.show) console.log(server.log());
    await page.close();
    between.close();
    await server.close();
  }
  const known = options.scene ? resultsOf(agent) : {};
  const all = Object.keys(SCENES).map((name) => [name, results[name]?.result ?? known?.[name]]);
  await writeFile(path.join(agent.folder, "results.json"), `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  return Object.values(results).filter(({ result }) => result === "fails").length;
}

const model = await modelServer();
const browser = await launch();
let failed = 0;
try {
  for (const agent of agents(positionals)) failed += await run(agent, model, browser);
} finally {
  await browser.close();
  await model.close();
}
await writeTable();
process.exitCode = failed ? 1 : 0;
