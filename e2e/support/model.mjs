// A real server of OpenAI-compatible completions (the npm package @copilotkit/aimock) whose model is scripted by the
// scenes of examples/ai-sdk. Behaviour that this server lacks is under /odd: refusals, pages instead of answers, and
// the variants of other servers, from fixtures/completions.

import { readFile } from "node:fs/promises";
import path from "node:path";

import { LLMock } from "@copilotkit/aimock";

import { answer, scene } from "../../examples/ai-sdk/scenes.mjs";
import { ROOT } from "./servers.mjs";
import { withCalls } from "./text-calls.mjs";

/**
 * Starts the server. `url` is the address before `/chat/completions`; `odd(file)` is one that answers with a fixture
 * first.
 */
export async function modelServer() {
  const mock = new LLMock({ port: 0, logLevel: "silent", chunkSize: 12 });
  const says = (words) => ({ predicate: (request) => lastQuestion(request).toLowerCase().includes(words) });
  const play = (request) => response(next(request));
  // Only the first time, so that a retry works; data sent before is no longer lost when the connection breaks a little
  // later.
  mock.addFixture({ match: { ...says("cut the line"), sequenceIndex: 0 }, response: play, truncateAfterChunks: 6, latency: 60 });
  mock.addFixture({ match: says("long"), response: play, latency: 20 });
  mock.addFixture({ match: {}, response: play });
  const odd = new Odd();
  mock.mount("/odd", odd);
  await mock.start();
  return {
    url: `${mock.url}/v1`,
    odd: (file) => `${mock.url}/odd/${file}`,
    /** The requests since the last `forget()`. */
    requests: () => [...mock.getRequests().map(asSent), ...odd.recorded],
    forget() {
      mock.clearRequests();
      mock.resetMatchCounts();
      odd.recorded.length = 0;
    },
    close: () => mock.stop(),
  };
}

/** Answers each first request with a file of fixtures/completions, and the others with plain words. */
class Odd {
  recorded = [];

  async handleRequest(request, answer, pathname) {
    const name = pathname.split("/").find((part) => part.includes("."));
    if (!name) return false;
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const again = this.recorded.some((earlier) => earlier.name === name);
    this.recorded.push({ name, body: JSON.parse(text), headers: request.headers });
    const file = again ? "aimock-text.sse" : name;
    const [type, status] = { html: ["text/html", 502], json: ["application/json", file.includes("error") ? 429 : 200] }[
      file.split(".").pop()
    ] ?? ["text/event-stream", 200];
    answer.writeHead(status, { "content-type": type, "access-control-allow-origin": "*" });
    answer.end(await readFile(path.join(ROOT, "fixtures/completions", file)));
    return true;
  }
}

/** The body of a request without the fields that aimock adds. */
function asSent({ body: { _context, _endpointType, ...body }, headers }) {
  return { body, headers };
}

/** The context of the page, as Agno appends and Strands prepends it to the user's message. */
const CONTEXT = /\n\n<additional context>[^]*$|^Context provided by the application:\n(?:- .*\n)+\n/g;

/** The user's last message, without the context of the page. */
function lastQuestion({ messages }) {
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const text = typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
  return text.replace(CONTEXT, "");
}

/**
 * The results of the newest calls, with the names of their tools. Instructions of the agent may follow them, and AG2
 * sends calls that were made together as one after the other.
 */
function lastResults({ messages: all }) {
  const messages = all.filter(({ role }) => role !== "system" && role !== "developer");
  const calls = new Map(messages.flatMap(({ tool_calls = [] }) => tool_calls).map(({ id, function: { name } }) => [id, name]));
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const results = since.at(-1)?.role === "tool" ? since.filter(({ role }) => role === "tool") : [];
  return results.map(({ tool_call_id, content }) => ({ name: calls.get(tool_call_id), value: content }));
}

/** The next step of the model: its calls for each clause that ", then " separates, one after the other. */
function next(sent) {
  // AG2 sends the results of the page with an empty message of the user.
  const messages = sent.messages.filter(({ role, content }) => role !== "user" || content?.length);
  const request = { ...sent, messages: withCalls(messages) };
  const offered = (request.tools ?? []).map(({ function: { name, parameters } }) => [name, parameters]);
  const results = lastResults(request);
  const clauses = lastQuestion(request).split(", then ");
  const step = results.length ? stepsOf(request) : 0;
  const repeats = lastQuestion(request).toLowerCase().includes("keep searching");
  if (results.length && step >= clauses.length && !repeats) return answer(results);
  return scene(clauses[step] ?? clauses[0], Object.fromEntries(offered), []);
}

/** The number of messages with calls since the user's last message. */
function stepsOf({ messages }) {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  return since.filter(({ tool_calls }) => tool_calls?.length).length;
}

/** A scene in the format of aimock. */
function response({ text = "", calls = [], error, reasoning }) {
  if (error) return { error: { message: error, type: "server_error" }, status: 500 };
  const toolCalls = calls.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) }));
  if (!toolCalls.length) return { content: text, ...(reasoning && { reasoning }) };
  return text ? { content: text, toolCalls } : { toolCalls };
}
