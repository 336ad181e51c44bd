// The servers of the end-to-end tests: the built demo, the plain page, the agents of examples/, and a function that
// waits for them. The misbehaving agent is in fake-agent.mjs.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { serve } from "../../xtask/serve.mjs";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Serves the built demo as `cargo xtask demo` does; with `agent`, its requests are forwarded to that address. */
export function demo(options = {}) {
  return serve({ root: path.join(ROOT, "dist/demo"), ...options });
}

/** Serves the files of another server with its policy in report-only mode: violations happen and are reported. */
export function reporting(behind) {
  return rewriting(behind, (policy) => ({ "content-security-policy-report-only": policy }));
}

/**
 * Serves the files of another server, under its policy, changed by `change`, which lets no text become markup or code,
 * by any policy name.
 */
export function trustedTypes(behind, change = (policy) => policy) {
  return rewriting(behind, (policy) => ({
    "content-security-policy": `${change(policy)}; require-trusted-types-for 'script'; trusted-types 'none'`,
  }));
}

/** Serves the files of another server, with headers that replace its policy. */
async function rewriting(behind, change) {
  const server = http.createServer((request, answer) => {
    http.get(new URL(request.url, behind.url), (reply) => {
      const { "content-security-policy": policy, ...headers } = reply.headers;
      assert.ok(policy, "every answer has one");
      reply.pipe(answer.writeHead(reply.statusCode, { ...headers, ...change(policy) }));
    });
  });
  const { url, close } = await listening(server);
  return {
    url,
    close() {
      close();
      return behind.close();
    },
  };
}

/** Lets a server listen on a free port of this machine. Returns its address, and a function that ends it. */
export async function listening(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Serves examples/plain-html and e2e/pages, with the npm package beside them, under the same policy as the demo. */
export async function plainPage() {
  const root = await mkdtemp(path.join(tmpdir(), "plain-page-"));
  for (const [from, to] of [
    ["examples/plain-html", ""],
    ["e2e/pages", ""],
    ["dist/embed", "embed"],
    ["node_modules/@highlightjs/cdn-assets/es", "highlight"],
  ]) {
    await cp(path.join(ROOT, from), path.join(root, to), { recursive: true });
  }
  const { url, close } = await serve({ root });
  return { url, close: () => close().finally(() => rm(root, { recursive: true })) };
}

/** A port without a listener. */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** The pydantic-ai agent: AG-UI 1.0. */
export const pydanticAgent = (origin) => exampleAgent("pydantic-ai", origin);

/** The langgraph agent: interrupts as custom events at its address, as outcomes of the run at `outcome` below it. */
export const langgraphAgent = (origin) => exampleAgent("langgraph", origin);

/** The agent framework's agent: AG-UI from before 1.0. */
export const frameworkAgent = (origin) => exampleAgent("agent-framework", origin);

/** The backend on the AI SDK: its UI message stream. */
export const aiSdkAgent = (origin) => startedAgent("ai-sdk", process.execPath, "server.mjs", origin);

/** An agent of examples/ in Python. */
const exampleAgent = async (name, origin) => startedAgent(name, pythonOf(name), "server.py", origin);

/** Returns the path of Python in the environment of an example. */
export function pythonOf(name) {
  const python = path.join(ROOT, "examples", name, ".venv/bin/python");
  assert.ok(existsSync(python), `the environment of ${name} is missing: \`cargo xtask test --only e2e\` makes it`);
  return python;
}

/**
 * An agent of examples/. Pages of `origin` may call it; `requests()` returns the requests since the last `forget()`.
 */
async function startedAgent(name, program, server, origin) {
  const args = (port) => [server, "--port", port, "--cors", origin];
  const { url, close } = await startedExample(name, program, args, { probe: "requests" });
  return {
    url,
    async requests() {
      const recorded = await (await fetch(`${url}requests`)).json();
      return recorded.map(({ body, ...rest }) => ({ ...rest, text: body, body: body && JSON.parse(body) }));
    },
    forget: () => fetch(`${url}requests`, { method: "DELETE" }),
    close,
  };
}

/**
 * Starts a server of examples/ with the arguments for a free port, and variables of its environment. Waits until the
 * server answers at the path `probe`.
 */
export async function startedExample(name, program, args, { env = {}, probe = "" } = {}) {
  const port = await freePort();
  const child = spawn(program, args(String(port)), {
    cwd: path.join(ROOT, "examples", name),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  child.on("error", (error) => (log += error));
  const url = `http://127.0.0.1:${port}/`;
  await answering(`${url}${probe}`, () => assert.equal(child.exitCode, null, `the server of ${name} ended:\n${log}`));
  return {
    url,
    async close() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Waits until an address answers. */
async function answering(url, check) {
  for (let tries = 0; tries < 1200; tries++) {
    check();
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`${url} does not answer`);
}
