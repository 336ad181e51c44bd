// Writes docs/agents-table.md from the descriptions and results of the agents: `node e2e/agents/table.mjs`.

import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { ROOT } from "../support/servers.mjs";
import { agents } from "./agents.mjs";
import { SCENES } from "./scenes.mjs";

const WORDS = { works: "works", limit: "limit", impossible: "not possible", fails: "**fails**" };

/** The result of each scene of an agent by name, or nothing if it was never run. */
export function resultsOf({ folder }) {
  const file = path.join(folder, "results.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

function row({ title, results }) {
  return `| ${title} | ${Object.keys(SCENES).map((name) => WORDS[results[name]] ?? "not run").join(" | ")} |`;
}

/** The reasons with the titles of their scenes, in the order of the table. */
function byReason(reasons) {
  const scenes = new Map();
  for (const name of Object.keys(SCENES)) {
    if (name in reasons) scenes.set(reasons[name], [...(scenes.get(reasons[name]) ?? []), SCENES[name].title]);
  }
  return [...scenes].map(([reason, titles]) => `- ${titles.join("; ")}: ${reason}`);
}

function section({ name, title, packages, notes, limits, impossible }) {
  const reasons = byReason({ ...limits, ...impossible });
  return [
    `## ${title}`,
    "",
    `${packages.map((one) => `\`${one}\``).join(", ")}; the server is [e2e/agents/${name}](../e2e/agents/${name}).`,
    ...(notes.length ? ["", "Notes:", "", ...notes.map((note) => `- ${note}`)] : []),
    ...(reasons.length ? ["", "Limits:", ""] : []),
    ...reasons,
  ].join("\n");
}

/** Writes the page. */
export async function writeTable() {
  const rows = agents().map((agent) => ({ ...agent, results: resultsOf(agent) })).filter(({ results }) => results);
  const titles = Object.values(SCENES).map(({ title }) => title);
  const text = [
    "# Agents that were tested",
    "",
    "Written by `cargo xtask test --only agents`: each agent is a real server of its framework, started with the given packages and a model that",
    "answers from a script, and the scenes are played with the built demo in Chromium. Two more turns follow each scene. *Limit* is a property of",
    "the framework or its adapter, with the reason below, and the place in its packages; a limit that no longer holds fails the run. *Not",
    "possible* is a scene that the framework has no means for, and *not run* one that has no result yet.",
    "",
    `| agent | ${titles.join(" | ")} |`,
    `| --- | ${titles.map(() => "---").join(" | ")} |`,
    ...rows.map(row),
    "",
    rows.map(section).join("\n\n"),
  ].join("\n");
  await writeFile(path.join(ROOT, "docs/agents-table.md"), `${text}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await writeTable();
