// The relay of examples/relay as a process, behind a network that a test can break.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

import { ROOT } from "./servers.mjs";

// A write beyond the limit of a file's size then fails, as on a full disk, instead of ending the process.
const START = 'trap "" XFSZ; ulimit -S -f "$1"; shift; exec "$@"';

/**
 * Starts a relay to the agent at an address, which stores runs in `folder`. Pages of `origin` may call it. With
 * `isFull`, its disk is full. Pages need no credentials unless `users` is another option.
 */
export async function relay({ agent, folder, origin, users = ["--anonymous"], isFull = false }) {
  const target = process.env.CARGO_TARGET_DIR ?? path.join(ROOT, "target");
  const program = process.env.RELAY_SERVER ?? path.join(target, "debug/relay");
  assert.ok(existsSync(program), "the relay is not built: `cargo xtask examples` does it");
  const options = [`--agent=${agent}`, `--store=${path.join(folder, "runs.db")}`, "--port=0", ...users];
  if (origin) options.push(`--origin=${origin}`);
  const started = ["-c", START, "relay", isFull ? "0" : "unlimited", program, ...options];
  const child = spawn("sh", started, { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const line = await Promise.race([once(createInterface(child.stdout), "line"), once(child, "exit")]);
  const address = String(line[0]).match(/http:\S+/);
  assert.ok(address, `the relay ended:\n${log}`);
  const network = await breakable(Number(new URL(address[0]).port));
  const limit = (size) => execFileSync("prlimit", ["--pid", String(child.pid), `--fsize=${size}:unlimited`]);
  return {
    url: network.url,
    /** Breaks the connections of pages; the runs continue. */
    hangUp: network.hangUp,
    /** Fills the disk. Returns a function that frees it. */
    fillDisk() {
      limit(0);
      return () => limit("unlimited");
    },
    /** Ends the process as a crash does. */
    async close() {
      network.close();
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Forwards the connections of a free port to another one. */
async function breakable(port) {
  const open = new Set();
  const server = net.createServer((page) => {
    const behind = net.connect(port, "127.0.0.1");
    for (const [from, to] of [[page, behind], [behind, page]]) {
      open.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hangUp = () => open.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    hangUp,
    close() {
      hangUp();
      server.close();
    },
  };
}
