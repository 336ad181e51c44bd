// Lists the functions that take most of the main thread in a scene, by self time: `node bench/profile.mjs SCENE [--wasm
// FILE] [--top 30]`
//
// The module of the demo for release has no names; `--wasm` replaces it by one that has them: `wasm-opt -Oz -g
// target/wasm-bindgen/release/demo_bg.wasm -o named.wasm` after `cargo xtask dist`.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { launch } from "../e2e/support/browser.mjs";
import { pacedAgent } from "./agent.mjs";
import { ask, open, pages } from "./pages.mjs";

/** The sampling interval of the profiler, in microseconds. */
const INTERVAL_US = 200;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { wasm: { type: "string" }, top: { type: "string", default: "30" } },
});

const browser = await launch();
const agent = await pacedAgent();
const { demo, close } = await pages();
try {
  const { page } = await open(browser, demo, agent, { wasm: values.wasm && readFileSync(values.wasm) });
  const session = await page.context().newCDPSession(page);
  await session.send("Profiler.enable");
  await session.send("Profiler.setSamplingInterval", { interval: INTERVAL_US });
  await session.send("Profiler.start");
  await ask(page, demo, agent, positionals[0] ?? "markdown answer");
  const { profile } = await session.send("Profiler.stop");
  report(profile, Number(values.top));
} finally {
  await browser.close();
  agent.close();
  await close();
}

function report({ nodes, samples, timeDeltas }, top) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const own = new Map();
  const total = new Map();
  const add = (sums, name, time) => sums.set(name, (sums.get(name) ?? 0) + time);
  samples.forEach((id, index) => {
    const time = timeDeltas[index] / 1000;
    add(own, named(byId.get(id)), time);
    const stack = new Set();
    for (let at = id; at !== undefined; at = parents.get(at)) stack.add(named(byId.get(at)));
    for (const name of stack) add(total, name, time);
  });
  for (const [title, sums] of [["own time", own], ["with what it calls", total]]) {
    console.log(`\n${title}, ms`);
    const rows = [...sums].sort(([, one], [, other]) => other - one).slice(0, top);
    for (const [name, time] of rows) console.log(`${time.toFixed(1).padStart(9)}  ${name}`);
  }
}

function named({ callFrame: { functionName, url } }) {
  return `${functionName || "(no name)"}${url.endsWith(".js") ? " (js)" : ""}`;
}
