// The browser part of `cargo xtask bench`: compares the built demo with a bare page, both answered by the same streams.
// `node bench/run.mjs [--runs 3] [--only SCENE] [--json FILE]`; docs/benchmarks.md explains the figures.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { launch } from "../e2e/support/browser.mjs";
import { pacedAgent } from "./agent.mjs";
import { NAMES, firstLoad, loadPages } from "./load.mjs";
import { median } from "./measure.mjs";
import { pages } from "./pages.mjs";
import { SCENES } from "./scenes.mjs";
import * as table from "./table.mjs";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "3" }, only: { type: "string" }, json: { type: "string" } },
});
const LOAD = "first load";
const runs = Number(values.runs);
if (!(Number.isInteger(runs) && runs > 0)) throw new Error(`--runs takes a whole number, not ${values.runs}`);
const names = Object.keys(SCENES).filter((name) => !values.only || name.includes(values.only));

const browser = await launch();
const agent = await pacedAgent();
const { bare, demo, close } = await pages();
try {
  const report = { chromium: browser.version(), runs, scenes: [] };
  const conditions = `\`cargo xtask bench --only browser --runs ${runs}\`, Chromium ${report.chromium}, medians`;
  const print = (name, rows) => console.log(`table ${name}: ${conditions}\n\n${rows}\n`);
  for (const name of names) report.scenes.push(await scene(name));
  if (names.length) {
    print("scenes", table.scenes(report.scenes));
    print("times", table.times(report.scenes));
  }
  const keys = report.scenes.filter(({ demo }) => demo.keyCpu !== undefined);
  if (keys.length) print("keys", table.keys(keys));
  if (!values.only || LOAD.includes(values.only)) {
    report.load = await load();
    print("loads", table.loads(report.load));
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
} finally {
  await browser.close();
  agent.close();
  await close();
}

/** Plays a scene in both pages: several times for the sums, and once more with each task traced. */
async function scene(name) {
  console.error(`bench: ${name}`);
  const play = (kind, traced) => SCENES[name]({ browser, kind, agent, traced });
  const result = await middle([bare, demo], (kind) => play(kind, false));
  for (const kind of [bare, demo]) Object.assign(result[kind.name], await play(kind, true));
  return { name, ...result };
}

async function load() {
  console.error(`bench: ${LOAD}`);
  const served = await loadPages();
  try {
    // One load of each, so that the files are compressed.
    for (const name of NAMES) await firstLoad(browser, name, served);
    const kinds = NAMES.map((name) => ({ name }));
    return await middle(kinds, ({ name }) => firstLoad(browser, name, served));
  } finally {
    served.close();
  }
}

/** Measures the pages alternately, as often as requested, and returns the medians of their figures. */
async function middle(kinds, measure) {
  const measured = kinds.map(() => []);
  for (let run = 0; run < runs; run++) {
    for (const [index, kind] of kinds.entries()) measured[index].push(await measure(kind));
  }
  const medians = (list) => Object.keys(list[0]).map((figure) => [figure, median(list.map((one) => one[figure]))]);
  return Object.fromEntries(kinds.map(({ name }, index) => [name, Object.fromEntries(medians(measured[index]))]));
}
