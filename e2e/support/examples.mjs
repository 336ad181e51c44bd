// The applications of examples/, built by `cargo xtask examples`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

import { serve } from "../../xtask/serve.mjs";
import { ROOT } from "./servers.mjs";

/** Serves the page of an application under the same policy as the demo. */
export function application(name) {
  const root = path.join(ROOT, "dist", name);
  assert.ok(existsSync(root), `${name} is not built: \`cargo xtask examples\` does it`);
  return serve({ root });
}

/** Starts the server of examples/leptos-ssr. `log()` returns its output, which should be empty. */
export async function library() {
  const target = process.env.CARGO_TARGET_DIR ?? path.join(ROOT, "target");
  const program = process.env.LIBRARY_SERVER ?? path.join(target, "debug/leptos-ssr");
  assert.ok(existsSync(program), "the library is not built: `cargo xtask examples` does it");
  const child = spawn(program, ["127.0.0.1:0"], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const [line] = await once(createInterface(child.stdout), "line");
  return {
    url: line.match(/http:\S+/)[0],
    log: () => log,
    lives: () => child.exitCode === null && child.signalCode === null,
    async close() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Collects the console messages of a page from now on, of any type. */
export function consoleMessages(page) {
  const lines = [];
  page.on("console", (message) => lines.push(`${message.type()}: ${message.text()}`));
  return lines;
}
