// The agent that the attacks script: a list of runs, each a list of steps. Its protocol is AG-UI.

import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";

/** A call of one tool, its arguments as a value or as the text that the agent writes. */
export const call = (name, args, id = "c") => (answer) => {
  start(name, id)(answer);
  more(args, id)(answer);
  end(id)(answer);
};
export const start = (toolCallName, toolCallId = "c") => (answer) => send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName });
export const more = (args, toolCallId = "c") => (answer) =>
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: typeof args === "string" ? args : JSON.stringify(args) });
export const end = (toolCallId = "c") => (answer) => send(answer, { type: "TOOL_CALL_END", toolCallId });

/** A result from the agent for a call. */
export const result = (content, toolCallId = "c") => (answer) =>
  send(answer, { type: "TOOL_CALL_RESULT", messageId: `${toolCallId}-result`, toolCallId, content });

/** A message of the assistant. */
export const text = (delta, messageId = "m") => (answer) => {
  send(answer, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  send(answer, { type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  send(answer, { type: "TEXT_MESSAGE_END", messageId });
};

/** A list of messages that replaces the history: the user's messages, and these. */
export const list = (...messages) => (answer, input) =>
  send(answer, { type: "MESSAGES_SNAPSHOT", messages: [...input.messages.filter(({ role }) => role === "user"), ...messages] });

/** A message with calls, by id, name and arguments, in the format of such a list. */
export const listed = (...calls) => ({
  id: "listed",
  role: "assistant",
  toolCalls: calls.map(([id, name, args]) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } })),
});

/** Waits until the test calls `proceed`. */
export const wait = (answer, input, hold) => hold();

/** Ends the run with a question about a call. */
export const interrupt = (message, toolCallId = "c") => (answer, { threadId, runId }) => {
  const properties = { approved: { type: "boolean" }, reason: { type: "string" } };
  const responseSchema = { type: "object", properties, required: ["approved"] };
  const interrupts = [{ id: "question", reason: "tool_call", toolCallId, message, responseSchema }];
  send(answer, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } });
  answer.end();
};

async function play(steps, answer, input, hold) {
  begin(answer, input);
  for (const step of steps) {
    await step(answer, input, hold);
    if (answer.writableEnded || answer.destroyed) return;
  }
  finish(answer, input);
}

/**
 * Starts the agent for pages of `origin`. `script(runs)` sets what it plays next; after that it ends each run at once.
 */
export async function scriptedAgent(origin) {
  let left = [];
  const agent = await fakeAgent({ origin, scenes: { script: (...given) => void play(left.shift() ?? [], ...given) } });
  const { url, proceed, close } = agent;
  return {
    url: `${url}script`,
    proceed,
    close,
    script(runs) {
      agent.forget();
      left = [...runs];
    },
    /** The bodies of the requests since then. */
    sent: () => agent.requests("script").map(({ body }) => body),
  };
}
