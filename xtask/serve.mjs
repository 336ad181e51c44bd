// Serves the built demo on this machine, under the strict policy that the library promises to work with.
//
// Never a public server: it listens on 127.0.0.1 and answers only to that name. With an agent it passes POST /agent on
// to it, and what its protocol asks for below that, so that the page may talk to any agent while its policy stays
// `connect-src 'self'`.
// `cargo xtask demo` runs it as a program; e2e/support/servers.mjs calls `serve`.

import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** The media types of files. */
export const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The policy of every page; `origin` is one more origin that it may connect to. */
export function policy(origin) {
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    `connect-src 'self'${origin ? ` ${origin}` : ""}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The origin of an `?agent=` address, or nothing if it is not an http address of another host. */
export function agentOrigin(address) {
  if (!address || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const plain = /^https?:\/\/[a-z0-9.[\]:-]+$/.test(url.origin);
  return plain ? url.origin : undefined;
}

/** Starts the server. Gives its address (with the slash) and a function that closes it. */
export async function serve({ root, port = 0, agent, protocol = "ag-ui", model }) {
  const top = await realpath(root);
  const server = http.createServer((request, response) => {
    answer({ top, agent, protocol, model, server }, request, response).catch((error) => fail(response, 500, error.message));
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

async function answer({ top, agent, protocol, model, server }, request, response) {
  const own = [`127.0.0.1:${server.address().port}`, `localhost:${server.address().port}`];
  // Another name that resolves to this server would let a foreign page use what only this page may use.
  if (!own.includes(request.headers.host)) return fail(response, 421, "not a name of this server");
  const url = new URL(request.url, `http://${request.headers.host}`);
  if (url.pathname === "/agent" || url.pathname.startsWith("/agent/")) {
    if (!agent) return fail(response, 404, "this server was started without --agent");
    const to = passedOn(agent, protocol, url.pathname.slice("/agent".length));
    if (!to) return fail(response, 404, `nothing of the protocol ${protocol}`);
    if (request.method !== to.method) return fail(response, 405, `${to.method} only`, { allow: to.method });
    const from = request.headers.origin;
    if (from && !own.includes(from.replace("http://", ""))) return fail(response, 403, "not from this page");
    return forward(to, request, response);
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return fail(response, 405, "GET only", { allow: "GET, HEAD" });
  }
  if (agent && url.pathname === "/" && !url.searchParams.has("agent")) {
    url.searchParams.set("agent", "/agent");
    url.searchParams.set("protocol", protocol);
    if (model && !url.searchParams.has("model")) url.searchParams.set("model", model);
    response.writeHead(302, { location: `/${url.search}`, "cache-control": "no-store" });
    return response.end();
  }
  return file(top, url, request, response);
}

/** The method and address of a request under /agent; undefined for one that the protocol does not define. */
function passedOn(agent, protocol, path) {
  const below = () => {
    const url = new URL(agent);
    url.pathname = url.pathname.replace(/\/*$/, "") + path;
    return url.href;
  };
  if (protocol === "completions") return path === "/chat/completions" ? { method: "POST", url: below() } : undefined;
  if (path === "") return { method: "POST", url: agent };
  const resumes = protocol === "ui-stream" && /^\/[^/]+\/stream$/.test(path);
  return resumes ? { method: "GET", url: below() } : undefined;
}

async function file(top, url, request, response) {
  let name;
  try {
    name = decodeURIComponent(url.pathname);
  } catch {
    return fail(response, 400, "not a path");
  }
  if (name.endsWith("/")) name += "index.html";
  const full = await realpath(path.join(top, name)).catch(() => undefined);
  const info = full?.startsWith(top + path.sep) ? await stat(full) : undefined;
  if (!info?.isFile()) return fail(response, 404, "no such file");
  response.writeHead(200, {
    ...common(agentOrigin(url.searchParams.get("agent"))),
    "content-type": TYPES[path.extname(full)] ?? "application/octet-stream",
    "content-length": info.size,
  });
  if (request.method === "HEAD") return response.end();
  createReadStream(full).on("error", () => response.destroy()).pipe(response);
}

function common(origin) {
  return {
    "cache-control": "no-store",
    "content-security-policy": policy(origin),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

/** Passes a request on and streams the answer back as it comes; when one side hangs up, so does the other. */
function forward({ method, url }, request, response) {
  const headers = {};
  for (const name of ["accept", "authorization", "content-type", "content-length"]) {
    if (request.headers[name]) headers[name] = request.headers[name];
  }
  const client = url.startsWith("https:") ? https : http;
  const upstream = client.request(url, { method, headers }, (reply) => {
    const kept = {};
    for (const name of ["content-type", "retry-after"]) {
      if (reply.headers[name]) kept[name] = reply.headers[name];
    }
    response.writeHead(reply.statusCode, { ...common(), "content-type": "application/octet-stream", ...kept });
    response.flushHeaders();
    reply.on("error", () => response.destroy()).pipe(response);
    reply.on("close", () => reply.complete || response.destroy());
  });
  upstream.setNoDelay(true);
  upstream.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else fail(response, 502, `the agent at ${url} cannot be reached: ${error.message}`);
  });
  response.on("close", () => upstream.destroy());
  request.pipe(upstream);
}

function fail(response, status, text, headers = {}) {
  if (response.headersSent) return response.destroy();
  response.writeHead(status, { ...common(), "content-type": "text/plain; charset=utf-8", ...headers });
  response.end(`${text}\n`);
}

async function main() {
  const { values } = parseArgs({
    options: {
      root: { type: "string" },
      port: { type: "string" },
      agent: { type: "string" },
      protocol: { type: "string" },
      model: { type: "string" },
    },
  });
  const port = values.port === undefined ? undefined : Number(values.port);
  const options = { root: values.root, agent: values.agent, protocol: values.protocol, model: values.model };
  let started;
  try {
    started = await serve({ ...options, port: port ?? 8080 });
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    if (port !== undefined) {
      console.error(`Port ${port} is in use; name another one with --port.`);
      process.exit(1);
    }
    started = await serve(options);
  }
  console.log(`The demo is served at ${started.url} (Ctrl+C ends it)`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
