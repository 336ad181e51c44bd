// The relay of examples/relay without a page: requests before the agent has answered, restarts, and refused requests.

import assert from "node:assert/strict";
import { mkdtemp, rm, stat, truncate } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { relay } from "../support/relay.mjs";

const JSON_TYPE = { "content-type": "application/json" };
const line = (event) => `data: ${JSON.stringify(event)}\n\n`;
const typesOf = (text) => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data).type);

/** A test of a relay in front of an agent that answers each request by `behave`. */
function relayTest(name, behave, body) {
  test(name, async () => {
    let requests = 0;
    let arrive;
    let proceed;
    const arrived = new Promise((resolve) => (arrive = resolve));
    const held = new Promise((resolve) => (proceed = resolve));
    const agent = http.createServer((request, answer) => {
      requests++;
      arrive();
      request.resume();
      behave(answer, held);
    });
    await new Promise((resolve) => agent.listen(0, "127.0.0.1", resolve));
    const folder = await mkdtemp(path.join(tmpdir(), "relay-"));
    const open = (options) => relay({ agent: `http://127.0.0.1:${agent.address().port}/`, folder, ...options });
    let server = await open();
    const run = () => `${server.url}runs/t/r`;
    try {
      await body({
        folder,
        arrived,
        proceed,
        fillDisk: () => server.fillDisk(),
        requests: () => requests,
        start: (headers = JSON_TYPE) => fetch(server.url, { method: "POST", headers, body: JSON.stringify({ threadId: "t", runId: "r" }) }),
        read: (headers = {}) => fetch(run(), { headers }),
        stop: () => fetch(run(), { method: "DELETE" }),
        async restart({ before, ...options } = {}) {
          await server.close();
          await before?.();
          server = await open(options);
        },
      });
    } finally {
      await server.close();
      agent.closeAllConnections();
      agent.close();
      await rm(folder, { recursive: true });
    }
  });
}

const finishes = (answer) => {
  answer.writeHead(200, { "content-type": "text/event-stream" });
  answer.end(line({ type: "RUN_STARTED" }) + line({ type: "RUN_FINISHED" }));
};

relayTest("a run that is stopped before its agent has answered ends for all readers", () => {}, async ({ start, read, stop, arrived, restart }) => {
  const started = start();
  await arrived;
  const reading = await read();
  assert.equal((await stop()).status, 204);
  assert.deepEqual(typesOf(await reading.text()), ["RUN_ERROR"]);
  assert.deepEqual(typesOf(await (await started).text()), ["RUN_ERROR"]);
  await restart();
  assert.deepEqual(typesOf(await (await read()).text()), ["RUN_ERROR"]);
});

relayTest("a run that its agent refuses is not stored", (answer) => answer.writeHead(503).end("busy"), async ({ start, read, restart }) => {
  const refused = await start();
  assert.deepEqual([refused.status, await refused.text()], [503, "busy"]);
  assert.equal((await read()).status, 404);
  await restart();
  assert.equal((await read()).status, 404);
});

relayTest("a finished run is read from its file, also after a restart", finishes, async ({ start, read, restart }) => {
  assert.deepEqual(typesOf(await (await start()).text()), ["RUN_STARTED", "RUN_FINISHED"]);
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(typesOf(await (await read()).text()), ["RUN_STARTED", "RUN_FINISHED"]);
    assert.deepEqual(typesOf(await (await read({ "last-event-id": "0" })).text()), ["RUN_FINISHED"]);
    assert.equal((await read({ "last-event-id": "1" })).status, 204);
    assert.equal((await read({ "last-event-id": "2" })).status, 400);
    await restart();
  }
});

relayTest("a run whose last write a crash cut off fails once, and stays readable", finishes, async ({ start, read, folder, restart }) => {
  await (await start()).text();
  const log = path.join(folder, "runs.db-wal");
  await restart({ before: async () => truncate(log, (await stat(log)).size - 5) });
  for (let times = 0; times < 2; times++) {
    await restart();
    assert.deepEqual(typesOf(await (await read()).text()), ["RUN_STARTED", "RUN_ERROR"]);
  }
});

relayTest("a relay whose disk is full refuses a run, and starts it once there is room", finishes, async ({ start, read, requests, fillDisk }) => {
  const free = fillDisk();
  const refused = await start();
  assert.deepEqual([refused.status, /disk/.test(await refused.text())], [507, true]);
  assert.deepEqual([(await read()).status, requests()], [404, 0]);
  free();
  assert.deepEqual(typesOf(await (await start()).text()), ["RUN_STARTED", "RUN_FINISHED"]);
});

const says = async (answer, held) => {
  answer.writeHead(200, { "content-type": "text/event-stream" });
  answer.write(line({ type: "RUN_STARTED" }));
  await held;
  answer.write(line({ type: "STEP_STARTED", stepName: "one" }) + line({ type: "RUN_FINISHED" }));
};

relayTest("a run during which the disk becomes full ends with an error for all readers", says, async ({ start, read, restart, proceed, fillDisk }) => {
  const pieces = (await start()).body.pipeThrough(new TextDecoderStream());
  let text = "";
  let free;
  for await (const piece of pieces) {
    text += piece;
    if (free || !text.includes("RUN_STARTED")) continue;
    // The first event is stored.
    free = fillDisk();
    proceed();
  }
  assert.deepEqual(typesOf(text), ["RUN_STARTED", "RUN_ERROR"]);
  assert.match(text, /cannot store the run/);
  assert.deepEqual(typesOf(await (await read()).text()), ["RUN_STARTED", "RUN_ERROR"], "also later");
  free();
  await restart({ isFull: true });
  assert.deepEqual(typesOf(await (await read()).text()), ["RUN_STARTED", "RUN_ERROR"], "and after a restart");
  await restart();
  assert.deepEqual(typesOf(await (await read({ "last-event-id": "0" })).text()), ["RUN_ERROR"], "and once there is room");
});

relayTest("a run is stopped although the disk is full", () => {}, async ({ start, stop, arrived, fillDisk }) => {
  const started = start();
  await arrived;
  const free = fillDisk();
  assert.equal((await stop()).status, 204);
  assert.deepEqual(typesOf(await (await started).text()), ["RUN_ERROR"]);
  free();
});

relayTest("a body that a page of another origin may send without a preflight starts no run", finishes, async ({ start, requests }) => {
  assert.equal((await start({ "content-type": "text/plain" })).status, 415);
  assert.equal(requests(), 0);
});

relayTest("requests without credentials are refused unless the relay admits anonymous ones", finishes, async ({ start, read, restart }) => {
  await restart({ users: [] });
  assert.deepEqual([(await start()).status, (await read()).status], [401, 401]);
  await restart({ users: ["--user-header=x-user"] });
  assert.equal((await start({ ...JSON_TYPE, "x-user": "me" })).status, 200);
  assert.deepEqual([(await read({ "x-user": "me" })).status, (await read({ "x-user": "you" })).status], [200, 404]);
});

test("a preflight of the admitted origin allows the headers that it names", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "relay-"));
  const server = await relay({ agent: "http://127.0.0.1:9/", folder, origin: "https://page.example" });
  const allowed = async (origin) => {
    const headers = { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type, x-tenant" };
    const answer = await fetch(server.url, { method: "OPTIONS", headers });
    return ["allow-headers", "expose-headers"].map((name) => answer.headers.get(`access-control-${name}`));
  };
  try {
    assert.deepEqual(await allowed("https://page.example"), ["content-type, x-tenant", "retry-after"]);
    assert.deepEqual(await allowed("https://other.example"), [null, null]);
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});
