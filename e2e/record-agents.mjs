// Records the answers of the agents of examples/ and of e2e/agents, scene by scene, into fixtures/agui-servers/: `node
// e2e/record-agents.mjs`, or with names of servers or scenes to record only those. It implements the client itself, so that the
// recordings do not depend on ours.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { agents, start } from "./agents/agents.mjs";
import { modelServer } from "./support/model.mjs";
import { frameworkAgent, langgraphAgent, pydanticAgent, ROOT } from "./support/servers.mjs";

const FOLDER = path.join(ROOT, "fixtures/agui-servers");
const TOOLS = [
  {
    name: "web_search",
    description: "Search the web",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  },
];

/** One conversation: its messages, the agent's state, and the folder for the recordings. */
class Conversation {
  constructor(url, name) {
    Object.assign(this, { url, name, runs: 0, messages: [], state: {} });
  }

  /** One run: `text` of the user, `results` of calls by id, `resume`, `props` to forward. Returns its events. */
  async run({ text, results = {}, resume, props = {} }) {
    this.runs++;
    for (const [toolCallId, content] of Object.entries(results)) {
      this.after(toolCallId, { id: `tool-${toolCallId}`, role: "tool", content, toolCallId });
    }
    if (text) this.messages.push({ id: `user-${this.runs}`, role: "user", content: text });
    const { messages, state } = this;
    const ids = { threadId: `thread-${this.name}`, runId: `run-${this.name}-${this.runs}`, protocolVersion: "1.0" };
    const input = { ...ids, state, messages, tools: TOOLS, context: [], forwardedProps: props, ...(resume && { resume }) };
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const body = JSON.stringify(input, null, 1);
    const stream = await (await fetch(this.url, { method: "POST", headers, body })).text();
    const file = path.join(FOLDER, `${this.name}.run${this.runs}`);
    await writeFile(`${file}.request.json`, `${body}\n`);
    await writeFile(`${file}.sse`, stream);
    const frames = stream.split(/\r?\n/).filter((line) => line.startsWith("data:"));
    const events = frames.map((line) => JSON.parse(line.slice(5)));
    for (const event of events) this.apply(event);
    return events;
  }

  message(id) {
    const found = this.messages.find((message) => message.id === id && message.role === "assistant");
    if (!found) this.messages.push({ id, role: "assistant", content: "" });
    return found ?? this.messages.at(-1);
  }

  call(id) {
    return this.messages.flatMap(({ toolCalls }) => toolCalls ?? []).find((call) => call.id === id);
  }

  /** Inserts a result after the message of its call. */
  after(toolCallId, result) {
    const asked = ({ toolCalls }) => toolCalls?.some((call) => call.id === toolCallId);
    this.messages.splice(this.messages.findIndex(asked) + 1, 0, result);
  }

  apply(event) {
    const { messageId, toolCallId, toolCallName, parentMessageId, delta, content } = event;
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT":
        this.message(messageId).content += delta;
        break;
      case "TOOL_CALL_START": {
        if (this.call(toolCallId)) break;
        const call = { id: toolCallId, type: "function", function: { name: toolCallName, arguments: "" } };
        (this.message(parentMessageId ?? toolCallId).toolCalls ??= []).push(call);
        break;
      }
      case "TOOL_CALL_ARGS":
        this.call(toolCallId).function.arguments += delta;
        break;
      case "TOOL_CALL_RESULT":
        this.after(toolCallId, { id: messageId, role: "tool", content, toolCallId });
        break;
      case "STATE_SNAPSHOT":
        this.state = event.snapshot;
        break;
      case "MESSAGES_SNAPSHOT": {
        const given = new Map(event.messages.map((message) => [message.id, message]));
        const kept = this.messages.map(({ id }) => given.get(id)).filter(Boolean);
        this.messages = [...kept, ...event.messages.filter((message) => !kept.includes(message))];
      }
    }
  }
}

const interruptsOf = (events) => events.at(-1).outcome.interrupts;
const resolved = ({ id }, payload) => ({ interruptId: id, status: "resolved", payload });
const cancelled = ({ id }) => ({ interruptId: id, status: "cancelled" });
const searchOf = (events) => events.find(({ toolCallName }) => toolCallName === "web_search").toolCallId;

/** A scene: a text that leads to interrupts, a function that answers each, and texts that follow. */
const answered = (text, answer, ...then) =>
  async (talk) => {
    const events = await talk.run({ text });
    await talk.run({ resume: interruptsOf(events).map(answer) });
    for (const text of then) await talk.run({ text });
  };

/** A scene: texts only. */
const sendTexts = (...texts) =>
  async (talk) => {
    for (const text of texts) await talk.run({ text });
  };

/** A scene: a text that leads to a search on the page, whose result is sent back. */
const searched = (text) =>
  async (talk) => {
    const events = await talk.run({ text });
    await talk.run({ results: { [searchOf(events)]: '{"hits": 2}' } });
    await talk.run({ text: "Thanks" });
  };

/** A scene: the user cancels and writes something else, in one run. */
const abandoned = (text) =>
  async (talk) => {
    const events = await talk.run({ text });
    await talk.run({ text: "Hello again", resume: interruptsOf(events).map(cancelled) });
    await talk.run({ text: "And a third" });
  };

/** A scene of the older dialect. */
const commanded = (text, resume, ...then) =>
  async (talk) => {
    await talk.run({ text });
    await talk.run({ props: { command: { resume } } });
    for (const text of then) await talk.run({ text });
  };

const approved = (interrupt) => resolved(interrupt, { approved: true });
const denied = (interrupt) => resolved(interrupt, { approved: false });
const deniedWithReason = (interrupt) => resolved(interrupt, { approved: false, reason: "too expensive" });
const approvedWithEdit = (interrupt) => resolved(interrupt, { approved: true, editedArgs: { order_id: "A-17", amount: 15 } });
const REFUND = "Refund order A-17";
const REFUNDS = "Refund orders A-17 and B-2";
const approvals = { approve: answered(REFUND, approved), edit: answered(REFUND, approvedWithEdit), cancel: answered(REFUND, cancelled) };

const PYDANTIC = {
  ...approvals,
  deny: answered(REFUND, deniedWithReason),
  "edit-wrong": answered(REFUND, (one) => resolved(one, { approved: true, editedArgs: { amount: "lots" } })),
  two: answered(REFUNDS, (one, index) => (index ? deniedWithReason(one) : approved(one))),
  "with-backend": answered("Look up and refund order A-17", approved),
  abandon: abandoned(REFUND),
  "bad-payload": answered(REFUND, (one) => resolved(one, { approved: "yes" })),
  async "with-frontend"(talk) {
    const events = await talk.run({ text: "Refund order A-17 and search the policy" });
    await talk.run({ resume: interruptsOf(events).map(approved), results: { [searchOf(events)]: '{"hits": 2}' } });
  },
};

const LANGGRAPH = {
  text: sendTexts("Hello there", "And again"),
  frontend: searched("Search, please"),
  backend: sendTexts("Where is order A-17?", "Thanks"),
  mixed: searched("Where is order A-17, and search"),
  ...approvals,
  deny: answered(REFUND, deniedWithReason),
  two: answered(REFUNDS, (one, index) => (index ? deniedWithReason(one) : approved(one))),
  question: answered("Book a table", (one) => resolved(one, { day: "Friday", guests: 2 }), "Thanks"),
  "question-cancel": answered("Book a table", cancelled, "Thanks"),
  questions: answered("Book a table under my name", (one, index) => resolved(one, index ? "Ada" : { day: "Friday", guests: 2 })),
  ignored: sendTexts("Use my name", "Never mind"),
  abandon: abandoned("Use my name"),
  crash: sendTexts("Crash", "Are you back?"),
};

const LEGACY = {
  "legacy-name": commanded("Use my name", "Ada"),
  "legacy-question": commanded("Book a table", { day: "Friday", guests: 2 }),
  "legacy-approve": commanded(REFUND, { approved: true }),
};

const FRAMEWORK = {
  text: sendTexts("Hello there", "And again"),
  frontend: searched("Search, please"),
  backend: sendTexts("Where are orders A-17 and B-2?", "Thanks"),
  mixed: searched("Where is order A-17, and search"),
  approve: answered(REFUND, approved, "Thanks"),
  edit: answered(REFUND, approvedWithEdit),
  deny: answered(REFUND, denied, "Thanks"),
  cancel: answered(REFUND, cancelled, "Thanks"),
  "two-approve": answered(REFUNDS, approved),
  async two(talk) {
    const events = await talk.run({ text: REFUNDS });
    const [first, second] = interruptsOf(events);
    const again = await talk.run({ resume: [approved(first), denied(second)] });
    // The agent asks about the second again, and then expects an answer to the first as well.
    await talk.run({ resume: interruptsOf(again).map(denied) });
    await talk.run({ resume: [denied(first), denied(second)] });
  },
  abandon: abandoned(REFUND),
  crash: sendTexts("Crash", "Are you back?"),
  async "deny-with-reason"(talk) {
    const events = await talk.run({ text: REFUND });
    await talk.run({ resume: interruptsOf(events).map(deniedWithReason) });
    await talk.run({ resume: interruptsOf(events).map(denied) });
  },
};

const ADK = {
  backend: sendTexts("Where is order A-17?", "Thanks"),
  frontend: searched("Search, please"),
  approve: answered(REFUND, approved, "Thanks"),
  deny: answered(REFUND, denied, "Thanks"),
  cancel: answered(REFUND, cancelled, "Thanks"),
};

const only = process.argv.slice(2);

/** Plays the scenes of one server. */
async function record(start, name, ...endpoints) {
  const chosen = (scene) => !only.length || only.includes(name) || only.includes(scene);
  if (!endpoints.some(([, scenes]) => Object.keys(scenes).some(chosen))) return;
  const agent = await start("http://localhost");
  try {
    for (const [at, scenes] of endpoints) {
      for (const [scene, play] of Object.entries(scenes)) {
        if (!chosen(scene)) continue;
        const talk = new Conversation(`${agent.url}${at}`, `${name}-${scene}`);
        await play(talk);
        console.log(talk.name, talk.runs, "runs");
      }
    }
  } finally {
    await agent.close();
  }
}

await mkdir(FOLDER, { recursive: true });
await record(pydanticAgent, "pydantic-ai", ["", PYDANTIC]);
await record(langgraphAgent, "langgraph", ["outcome", LANGGRAPH], ["", LEGACY]);
await record(frameworkAgent, "agent-framework", ["", FRAMEWORK]);

/** Starts an agent of e2e/agents with a model of its own. */
async function withModel(name) {
  const model = await modelServer();
  const { url, close } = await start(agents([name])[0], model.url);
  return { url, close: () => close().finally(model.close) };
}

await record(() => withModel("google-adk"), "google-adk", ["", ADK]);
