// The server of the demo: its policy, the requests that it refuses, and that it streams an agent's answer without
// buffering.

import assert from "node:assert/strict";
import http from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";

import { agentOrigin, policy } from "../../xtask/serve.mjs";
import { demo } from "../support/servers.mjs";

let agent;
let page;
let received;

before(async () => {
  agent = http.createServer(async (request, answer) => {
    received = { headers: request.headers, answer, closed: once(answer, "close") };
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.write("data: 1\n\n");
  });
  agent.listen(0, "127.0.0.1");
  await once(agent, "listening");
  page = await demo({ agent: `http://127.0.0.1:${agent.address().port}/run` });
});

after(async () => {
  await page.close();
  agent.closeAllConnections();
  agent.close();
});

/** A request with headers that `fetch` does not allow. */
async function raw(path, { method = "GET", headers = {} } = {}) {
  const request = http.request(page.url + path, { method, headers }).end();
  const [answer] = await once(request, "response");
  answer.resume();
  return answer;
}

test("pages are served with the strict policy and without caching", async () => {
  const { headers } = await raw("index.html");
  assert.equal(
    headers["content-security-policy"],
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  assert.equal(headers["cache-control"], "no-store");
});

test("the module is served as application/wasm", async () => {
  assert.equal((await raw("demo_bg.wasm")).headers["content-type"], "application/wasm");
});

test("an agent on another origin widens connect-src by that origin only", async () => {
  const { headers } = await raw(`?agent=${encodeURIComponent("http://127.0.0.1:9999/a/b;script-src *?c")}`);
  assert.equal(headers["content-security-policy"], policy("http://127.0.0.1:9999"));
});

test("an invalid agent address does not widen the policy", () => {
  for (const address of ["", "/agent", "javascript:alert(1)", "data:text/html,x", "http://*/", "http://a b/", "file:///etc"]) {
    assert.equal(agentOrigin(address), undefined, address);
  }
  assert.equal(agentOrigin("https://agent.example:8443/x"), "https://agent.example:8443");
});

test("the bare address redirects to the page with the configured agent", async () => {
  const answer = await raw("");
  assert.equal(answer.statusCode, 302);
  assert.equal(answer.headers.location, "/?agent=%2Fagent&protocol=ag-ui");
});

test("the agent's stream is forwarded unbuffered, and a disconnect is propagated", async () => {
  const leave = new AbortController();
  const answer = await fetch(`${page.url}agent`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", cookie: "a=b", "x-other": "1" },
    body: "{}",
    signal: leave.signal,
  });
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  const reader = answer.body.getReader();
  const first = await reader.read();
  assert.equal(new TextDecoder().decode(first.value), "data: 1\n\n");
  assert.equal(received.headers.accept, "text/event-stream");
  for (const name of ["cookie", "x-other", "origin"]) assert.equal(received.headers[name], undefined, name);
  leave.abort();
  await received.closed;
});

test("a stream aborted by the agent is aborted for the page", async () => {
  const answer = await fetch(`${page.url}agent`, { method: "POST", body: "{}" });
  const reader = answer.body.getReader();
  await reader.read();
  received.answer.destroy();
  await assert.rejects(reader.read());
});

test("an unreachable agent is answered with 502 and a reason", async () => {
  const lonely = await demo({ agent: "http://127.0.0.1:1/" });
  const answer = await fetch(`${lonely.url}agent`, { method: "POST", body: "{}" });
  assert.equal(answer.status, 502);
  assert.match(await answer.text(), /cannot be reached/);
  await lonely.close();
});

test("only the paths of a protocol are forwarded below its address", async () => {
  const received = [];
  const behind = http.createServer((request, answer) => {
    received.push(`${request.method} ${request.url}`);
    answer.writeHead(request.method === "GET" ? 204 : 429, { "retry-after": "3" }).end();
  });
  behind.listen(0, "127.0.0.1");
  await once(behind, "listening");
  const url = `http://127.0.0.1:${behind.address().port}`;
  for (const [protocol, address, requests] of [
    ["completions", "/v1/?a=b", { "POST /chat/completions": 429, "POST ": 404, "GET /chat/completions": 405 }],
    ["ui-stream", "/api/chat", { "POST ": 429, "GET /th%2F1/stream": 204, "GET /th/1/stream": 404, "POST /x/stream": 405 }],
    ["ag-ui", "/run", { "POST ": 429, "GET /x/stream": 404 }],
  ]) {
    const front = await demo({ agent: url + address, protocol, model: "small" });
    const page = await fetch(front.url, { redirect: "manual" });
    assert.equal(page.headers.get("location"), `/?agent=%2Fagent&protocol=${protocol}&model=small`);
    for (const [request, status] of Object.entries(requests)) {
      const [method, path] = request.split(" ");
      const answer = await fetch(`${front.url}agent${path}`, { method });
      assert.equal(answer.status, status, `${protocol}: ${request}`);
      if (status === 429) assert.equal(answer.headers.get("retry-after"), "3");
    }
    await front.close();
  }
  assert.deepEqual(received, [
    "POST /v1/chat/completions?a=b",
    "POST /api/chat",
    "GET /api/chat/th%2F1/stream",
    "POST /run",
  ]);
  behind.closeAllConnections();
  behind.close();
});

test("foreign hosts, origins, methods and paths are refused", async () => {
  assert.equal((await raw("", { headers: { host: "evil.example" } })).statusCode, 421);
  const foreign = { method: "POST", headers: { origin: "http://evil.example" } };
  assert.equal((await raw("agent", foreign)).statusCode, 403);
  assert.equal((await raw("agent")).statusCode, 405);
  assert.equal((await raw("index.html", { method: "DELETE" })).statusCode, 405);
  for (const path of ["..%2fCargo.toml", "%2e%2e/%2e%2e/Cargo.toml", "%00", "%", "no-such-file"]) {
    assert.ok([400, 404].includes((await raw(path)).statusCode), path);
  }
});
