// The agents of this folder: `<name>/agent.json` describes one, its server is beside it. README.md lists the fields.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { ROOT, freePort } from "../support/servers.mjs";

export const FOLDER = path.join(ROOT, "e2e/agents");
/** The file in an environment that tells which packages it has. */
const STAMP = "packages-of-this-install.txt";

/** The agents of these names, or all, in order of their names. */
export function agents(names = []) {
  const found = readdirSync(FOLDER).filter((name) => existsSync(path.join(FOLDER, name, "agent.json")));
  for (const name of names) assert.ok(found.includes(name), `there is no e2e/agents/${name}/agent.json`);
  return (names.length ? names : found).sort().map(read);
}

function read(name) {
  const folder = path.join(FOLDER, name);
  const described = JSON.parse(readFileSync(path.join(folder, "agent.json"), "utf8"));
  const { protocol = "ag-ui", path: at = "/", page = {}, packages = [], notes = [], limits = {}, impossible = {} } = described;
  return { ...described, name, folder, protocol, path: at, page, packages, notes, limits, impossible };
}

/** Installs the packages of an agent into an environment of its own, which git ignores, unless they are there. */
function install({ name, folder, runtime, packages }) {
  const place = path.join(folder, { python: ".venv", node: "node_modules" }[runtime]);
  const stamp = path.join(place, STAMP);
  const frozen = path.join(folder, "constraints.txt");
  const wanted = [...packages, existsSync(frozen) ? readFileSync(frozen, "utf8") : ""].join("\n");
  if (!packages.length || (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted)) return;
  console.log(`${name}: installing ${packages.join(", ")}`);
  const run = (program, ...args) => execFileSync(program, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (runtime === "python") {
    if (!existsSync(place)) run("python3", "-m", "venv", place);
    const constraints = existsSync(frozen) ? ["-c", frozen] : [];
    run(path.join(place, "bin/python"), "-m", "pip", "install", "--no-input", "--quiet", ...packages, ...constraints);
  } else {
    run("npm", "install", "--no-save", "--no-package-lock", "--silent", "--prefix", folder, ...packages);
  }
  writeFileSync(stamp, wanted);
}

/**
 * Installs and starts an agent, with `model` as the address of its model before `/chat/completions`. Returns its
 * address; `log()` returns its output, and `restart()` ends its process and starts another one at the same address.
 */
export async function start(agent, model) {
  install(agent);
  const port = await freePort();
  let log = "";
  const run = () => spawned(agent, port, model, (chunk) => (log += chunk));
  let running = await run().catch((error) => assert.fail(`${error.message}\n${log}`));
  return {
    url: `http://127.0.0.1:${port}${agent.path}`,
    log: () => log,
    close: () => running.close(),
    async restart() {
      await running.close();
      running = await run();
    },
  };
}

/** Starts the process of an agent, and waits until it answers. */
async function spawned(agent, port, model, write) {
  const fill = (text) => text.replaceAll("{port}", port).replaceAll("{model}", model);
  const programs = { python: path.join(agent.folder, ".venv/bin/python"), node: process.execPath };
  const child = spawn(programs[agent.runtime], agent.start.map(fill), {
    cwd: agent.folder,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", OPENAI_API_KEY: "none", GOOGLE_API_KEY: "none", OPENAI_BASE_URL: model },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", write);
  child.stderr.on("data", write);
  const ended = once(child, "exit");
  const close = async () => {
    child.kill();
    const late = setTimeout(() => child.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(late);
  };
  for (let tries = 0; ; tries++) {
    assert.equal(child.exitCode, null, `${agent.name} ended`);
    if (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)) return { close };
    if (tries === 1500) {
      await close();
      assert.fail(`${agent.name} does not answer`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
