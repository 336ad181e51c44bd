// The requests of the page to an agent in a comparable form: each random id is replaced by its kind and number.

import assert from "node:assert/strict";

const KEYS = ["threadId", "runId", "protocolVersion", "state", "messages", "tools", "context", "forwardedProps"];

/**
 * The messages of requests with their ids numbered in order of appearance, over all requests: `user-1`, `assistant-1`,
 * `tool-1`, `call-1`. The same id is the same name everywhere.
 */
export function messagesOf(requests) {
  const names = new Map();
  const counts = {};
  const name = (kind, id) => {
    assert.equal(typeof id, "string");
    if (!names.has(id)) names.set(id, `${kind}-${(counts[kind] = (counts[kind] ?? 0) + 1)}`);
    return names.get(id);
  };
  return requests.map(({ body }) =>
    body.messages.map((message) => {
      const plain = { ...message, id: name(message.role, message.id) };
      if (message.toolCalls) {
        plain.toolCalls = message.toolCalls.map((call) => ({ ...call, id: name("call", call.id) }));
      }
      if (message.toolCallId) plain.toolCallId = name("call", message.toolCallId);
      return plain;
    }),
  );
}

/** Compares values, including the order of their members. */
export function exactly(actual, expected) {
  assert.deepEqual(actual, expected);
  assert.equal(JSON.stringify(actual), JSON.stringify(expected), "members in AG-UI's order");
}

/**
 * Checks the requests of one thread except their messages and answers: AG-UI 1.0's members in its order, fresh run ids.
 * `state` and `props` exclude the state and the forwarded props, for agents that use them.
 */
export function checkEnvelopes(requests, { state = false, props = false } = {}) {
  for (const { body, headers } of requests) {
    assert.deepEqual(Object.keys(body), body.resume ? [...KEYS, "resume"] : KEYS);
    assert.equal(body.protocolVersion, "1.0");
    if (!state) assert.deepEqual(body.state, {});
    if (!props) assert.deepEqual(body.forwardedProps, {});
    assert.equal(body.threadId, requests[0].body.threadId);
    for (const item of body.context) assert.deepEqual(Object.keys(item), ["description", "value"]);
    for (const tool of body.tools) assert.deepEqual(Object.keys(tool), ["name", "description", "parameters"]);
    assert.equal(headers.accept, "text/event-stream");
    assert.equal(headers["content-type"], "application/json");
  }
  const runs = requests.map(({ body }) => body.runId);
  assert.equal(new Set(runs).size, runs.length, "each run has an id of its own");
}

/** A user's message as it is sent. */
export const user = (number, content) => ({ id: `user-${number}`, role: "user", content });

/** A tool's message as it is sent. */
export const tool = (number, content) => ({ id: `tool-${number}`, role: "tool", content, toolCallId: `call-${number}` });

/** A call inside an assistant's message, with its arguments as the agent streamed them. */
export const call = (number, name, args) => ({ id: `call-${number}`, type: "function", function: { name, arguments: args } });
