// A relay in front of an AG-UI agent: it stores the events of each run in a file, and serves them again after an event,
// so that a run outlives its connection and its page. No dependencies; the contract is in README.md.

import { createHash, randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The limits, in bytes and milliseconds. */
export const LIMITS = {
  request: 32 * 1024 * 1024,
  id: 200,
  event: 4 * 1024 * 1024,
  run: 64 * 1024 * 1024,
  openRuns: 200,
  runTime: 60 * 60 * 1000,
  keptFor: 24 * 60 * 60 * 1000,
};

/** Request headers that the agent receives. */
const FORWARDED = ["authorization", "cookie", "accept-language"];
const ENDS = new Set(["RUN_FINISHED", "RUN_ERROR"]);
const NOT_STORED = "The relay cannot store the run. Its disk may be full.";
const STREAM = { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" };

/**
 * Starts a relay to the agent at an address. `folder` holds the files of runs, `origin` is the one origin whose pages
 * may call it, if they come from another than its own.
 */
export async function relay({ agent, folder, origin, port = 0, limits: given = {} }) {
  const limits = { ...LIMITS, ...given };
  mkdirSync(folder, { recursive: true });
  const runs = storedRuns(folder);

  async function start(request, answer) {
    const body = await readBody(request, limits.request);
    if (body === undefined) return plain(answer, 413, "The request is too large.");
    const ids = idsOf(body, limits.id);
    if (!ids) return plain(answer, 400, "The request has no valid threadId and runId.");
    const key = keyOf(...ids);
    // A repeated request must not start a run twice.
    if (runs.has(key)) return plain(answer, 409, "There is a run with this id.");
    if ([...runs.values()].filter(({ isOpen }) => isOpen).length >= limits.openRuns) {
      return plain(answer.setHeader("retry-after", "10"), 503, "Too many runs are open.");
    }
    const run = new Run(path.join(folder, `${key}.jsonl`), ownerOf(request), limits);
    if (!run.begin()) return plain(answer, 507, NOT_STORED);
    runs.set(key, run);
    const reply = await requestAgent(agent, request, body, run.abort.signal).catch(() => undefined);
    // Stopped before the agent has answered.
    if (!run.isOpen) return run.serve(answer, 0);
    if (!reply?.ok || !reply.body || !/^text\/event-stream\b/i.test(reply.headers.get("content-type") ?? "")) {
      runs.delete(key);
      run.discard();
      const message = reply ? (await reply.text().catch(() => "")).slice(0, 4096) : "The agent cannot be reached.";
      return plain(answer, reply ? (reply.ok ? 502 : reply.status) : 502, message);
    }
    const timer = setTimeout(() => run.fail("The run took too long."), limits.runTime);
    void run.read(reply.body).finally(() => clearTimeout(timer));
    run.serve(answer, 0);
  }

  async function resume(run, request, answer) {
    const { events } = run;
    const last = request.headers["last-event-id"];
    const from = last === undefined ? 0 : Number(last) + 1;
    if (!Number.isSafeInteger(from) || from < 0 || from > events.length) {
      return plain(answer, 400, "There is no event with this id.");
    }
    if (!run.isOpen && from === events.length) return answer.writeHead(204).end();
    run.serve(answer, from, events);
  }

  const server = http.createServer((request, answer) => {
    if (origin && request.headers.origin === origin) {
      answer.setHeader("access-control-allow-origin", origin);
      answer.setHeader("access-control-allow-credentials", "true");
      answer.setHeader("access-control-allow-methods", "GET, POST, DELETE");
      // Pages send headers of their own, too.
      const headers = request.headers["access-control-request-headers"];
      if (headers) answer.setHeader("access-control-allow-headers", headers);
      answer.setHeader("vary", "origin, access-control-request-headers");
    }
    const place = request.url.split("?")[0].match(/^\/runs\/([^/]+)\/([^/]+)$/);
    const run = place && runs.get(keyOf(...place.slice(1).map(decoded)));
    // A preflight.
    if (request.method === "OPTIONS") return answer.writeHead(204).end();
    if (request.method === "POST" && !place) {
      // Pages of another origin send other types without a preflight.
      const type = request.headers["content-type"] ?? "";
      if (!/^application\/json\b/i.test(type)) return plain(answer, 415, "The request must be JSON.");
      return void start(request, answer).catch(() => answer.destroy());
    }
    // Runs of other users are reported as missing.
    if (!run || run.owner !== ownerOf(request)) return plain(answer, 404, "There is no such run.");
    if (request.method === "GET") return void resume(run, request, answer).catch(() => answer.destroy());
    if (request.method !== "DELETE") return plain(answer, 405, "Only GET and DELETE.");
    run.fail("The run was stopped.");
    answer.writeHead(204).end();
  });
  const sweep = setInterval(() => {
    for (const [key, run] of runs) {
      if (run.isOpen || Date.now() - run.endedAt < limits.keptFor) continue;
      runs.delete(key);
      rmSync(run.file, { force: true });
    }
  }, 60_000).unref();
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** Breaks the connections of pages; the runs continue. */
    hangUp: () => server.closeAllConnections(),
    close() {
      clearInterval(sweep);
      for (const run of runs.values()) run.abort.abort();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A run: its events in a file, while it is open also in memory, and the responses that wait for more of them. */
class Run {
  isOpen = true;
  endedAt = 0;
  abort = new AbortController();
  #events;
  #readers = new Set();
  #bytes = 0;
  /** The end of a run whose file cannot be written. */
  #unstored = [];
  #limits;

  constructor(file, owner, limits, events = []) {
    Object.assign(this, { file, owner });
    this.#limits = limits;
    this.#events = events;
  }

  get events() {
    return this.isOpen ? this.#events : [...readRun(this.file).events, ...this.#unstored];
  }

  /** Creates the file. Returns false if that is not possible. */
  begin() {
    const isWritten = this.#write({ owner: this.owner });
    if (!isWritten) rmSync(this.file, { force: true });
    return isWritten;
  }

  #write(value) {
    try {
      appendFileSync(this.file, `${JSON.stringify(value)}\n`);
      return true;
    } catch ({ message }) {
      console.error(`${NOT_STORED} ${message}`);
      return false;
    }
  }

  /** Ends a run that the agent has refused, and removes its file. */
  discard() {
    this.end();
    rmSync(this.file, { force: true });
  }

  /** Reads the agent's response; adds an error if it stops before the run has ended. */
  async read(body) {
    let rest = "";
    try {
      const decoder = new TextDecoder();
      for await (const bytes of body) {
        rest += decoder.decode(bytes, { stream: true });
        const frames = rest.split(/\r\n\r\n|\n\n|\r\r/);
        rest = frames.pop();
        if (rest.length > this.#limits.event) return this.fail("An event of the agent is too large.");
        for (const frame of frames) this.#add(frame);
      }
    } catch {
      // The connection to the agent broke off, or the run was stopped.
    }
    if (this.isOpen && !isEnd(this.#events.at(-1))) return this.fail("The agent ended its response early.");
    this.end();
  }

  /** Stores the data of an event of the response. */
  #add(frame) {
    const lines = frame.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
    const data = lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
    if (!this.isOpen || !lines.length) return;
    this.#bytes += data.length;
    if (this.#bytes > this.#limits.run) return this.fail("The response of the agent is too large.");
    this.#store(data);
  }

  /**
   * Writes an event to the file before any page receives it, so that it survives a restart. If that is not possible, the
   * run ends: a page must not act on an event that is lost with the relay.
   */
  #store(data) {
    if (this.#write(data)) return this.#send(data);
    const message = JSON.stringify({ type: "RUN_ERROR", message: NOT_STORED });
    this.#unstored = [message];
    this.#send(message);
    this.end();
    this.abort.abort();
  }

  #send(data) {
    this.#events.push(data);
    for (const answer of this.#readers) answer.write(frameOf(this.#events.length - 1, data));
  }

  /** Ends an open run with an error. */
  fail(message) {
    if (!this.isOpen) return;
    this.#store(JSON.stringify({ type: "RUN_ERROR", message }));
    this.end();
    this.abort.abort();
  }

  /** Ends the responses, and keeps the events in the file alone. */
  end() {
    if (!this.isOpen) return;
    Object.assign(this, { isOpen: false, endedAt: Date.now() });
    this.#events = [];
    for (const answer of this.#readers) answer.end();
    this.#readers.clear();
  }

  /** Sends the events from a position on, and those that follow. */
  serve(answer, from, events = this.events) {
    answer.writeHead(200, STREAM);
    const stored = events.slice(from).map((data, at) => frameOf(from + at, data));
    answer.write(stored.join("") || ": \n\n");
    if (!this.isOpen) return answer.end();
    this.#readers.add(answer);
    answer.on("close", () => this.#readers.delete(answer));
  }
}

/** Reads the runs in the files of a folder; those that were open when the relay ended fail. */
function storedRuns(folder) {
  const runs = new Map();
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
    const file = path.join(folder, name);
    let stored;
    try {
      stored = readRun(file);
    } catch {
      renameSync(file, `${file}.broken-${randomUUID()}`);
      continue;
    }
    const run = new Run(file, stored.owner, LIMITS, stored.events);
    if (isEnd(stored.events.at(-1))) run.end();
    else run.fail("The relay was restarted.");
    runs.set(name.slice(0, -".jsonl".length), run);
  }
  return runs;
}

/** Reads the owner and the events of a run from its file. */
function readRun(file) {
  const text = readFileSync(file, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  // A crash in the middle of a write: the next event would be appended to the rest of the line.
  if (whole !== text) truncateSync(file, Buffer.byteLength(whole));
  const [{ owner }, ...events] = whole.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  return { owner, events };
}

const frameOf = (at, data) => `id: ${at}\n${data.replaceAll(/^/gm, "data: ")}\n\n`;

function typeOf(data) {
  try {
    return JSON.parse(data).type;
  } catch {
    return undefined;
  }
}

const isEnd = (data) => ENDS.has(typeOf(data));

/** Returns the ids of a run's input, if their length is within the limit. */
function idsOf(body, max) {
  try {
    const { threadId, runId } = JSON.parse(body);
    const ids = [threadId, runId];
    return ids.every((id) => typeof id === "string" && id && id.length <= max) ? ids : undefined;
  } catch {
    return undefined;
  }
}

const hash = (text) => createHash("sha256").update(text).digest("hex");
const keyOf = (thread, run) => hash(JSON.stringify([thread, run]));
/** The owner of a run, by the credentials of the request: only they read and end it. */
const ownerOf = ({ headers }) => hash(JSON.stringify([headers.authorization ?? "", headers.cookie ?? ""]));

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

function requestAgent(agent, request, body, signal) {
  const kept = FORWARDED.filter((name) => request.headers[name]).map((name) => [name, request.headers[name]]);
  const headers = { ...Object.fromEntries(kept), "content-type": "application/json", accept: "text/event-stream" };
  return fetch(agent, { method: "POST", headers, body, signal });
}

async function readBody(request, max) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > max) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

const plain = (answer, status, message) => answer.writeHead(status, { "content-type": "text/plain" }).end(message);

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const given = Object.fromEntries(process.argv.slice(2).map((pair) => pair.replace(/^--/, "").split(/=(.*)/s)));
  if (!given.agent) {
    console.error("node server.mjs --agent=URL [--folder=runs] [--port=8090] [--origin=https://the-page.example]");
    process.exit(2);
  }
  const { url } = await relay({ folder: "runs", ...given, port: Number(given.port ?? 8090) });
  console.log(`POST ${url}, GET and DELETE ${url}runs/{thread}/{run}`);
}
