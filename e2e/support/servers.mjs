// The servers that the end-to-end tests talk to: the built demo, the pydantic-ai agent, and how to wait for them.
// The agent that misbehaves is in fake-agent.mjs.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { serve } from "../../xtask/serve.mjs";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const AGENT = path.join(ROOT, "examples/pydantic-ai");

/** Serves the built demo as `cargo xtask demo` does; with `agent`, its requests are passed on to that address. */
export function demo({ agent } = {}) {
  return serve({ root: path.join(ROOT, "dist/demo"), agent });
}

/** A port that nothing listens on. */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** The pydantic-ai agent. Pages of `origin` may call it; `requests()` gives what it was sent since the last `forget()`. */
export async function pydanticAgent(origin) {
  const python = path.join(AGENT, ".venv/bin/python");
  assert.ok(existsSync(python), "the agent's environment is missing: `cargo xtask test --only e2e` makes it");
  const port = await freePort();
  const child = spawn(python, ["server.py", "--port", String(port), "--cors", origin], {
    cwd: AGENT,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const url = `http://127.0.0.1:${port}/`;
  await answering(`${url}requests`, () => assert.equal(child.exitCode, null, `the agent ended:\n${log}`));
  return {
    url,
    async requests() {
      const seen = await (await fetch(`${url}requests`)).json();
      return seen.map(({ headers, body }) => ({ headers, text: body, body: JSON.parse(body) }));
    },
    forget: () => fetch(`${url}requests`, { method: "DELETE" }),
    async close() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Waits until an address answers at all. */
async function answering(url, check) {
  for (let tries = 0; tries < 300; tries++) {
    check();
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`${url} does not answer`);
}
