// A server between the page and an agent: it records requests and responses byte for byte, and can break a connection.

import http from "node:http";

import { listening } from "../support/servers.mjs";

/**
 * Passes requests on to `agent`. `runs()` returns the exchanges since the last `forget()`; `cutAt(pattern)` breaks the
 * connection of the next response as soon as its text matches.
 */
export async function recorder(agent) {
  const runs = [];
  let cut;
  const server = http.createServer(async (request, answer) => {
    const exchange = { method: request.method, body: "", status: 0, answer: "" };
    for await (const chunk of request.setEncoding("utf8")) exchange.body += chunk;
    runs.push(exchange);
    const { host: _, ...headers } = request.headers;
    const to = new URL(agent);
    to.pathname += request.url.replace(/^\/(\?.*)?$/, "");
    const passed = http.request(to, { method: request.method, headers }, (reply) => {
      exchange.status = reply.statusCode;
      answer.writeHead(reply.statusCode, reply.headers);
      const pattern = cut;
      cut = undefined;
      reply.on("data", (chunk) => {
        exchange.answer += chunk;
        answer.write(chunk);
        if (!pattern?.test(exchange.answer)) return;
        // A browser discards what it has not read when a connection breaks.
        reply.pause();
        setTimeout(() => passed.destroy(), 300);
        setTimeout(() => answer.destroy(), 300);
      });
      reply.on("end", () => answer.end());
      reply.on("error", () => answer.destroy());
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    passed.end(exchange.body);
  });
  const { url, close } = await listening(server);
  return {
    url,
    close,
    runs: () => runs,
    forget: () => runs.splice(0),
    cutAt: (pattern) => (cut = pattern),
  };
}
