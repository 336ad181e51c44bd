// All places for an agent's text, as scenes of the fake agent. The texts are fixtures/hostile; harmless.mjs checks that
// they stayed text.

import { begin, finish, send } from "./fake-agent.mjs";

/** The number of texts that share one place where a scene for each would take too long. */
const TOGETHER = 40;

const groups = (texts) =>
  Array.from({ length: Math.ceil(texts.length / TOGETHER) }, (_, at) => texts.slice(at * TOGETHER, (at + 1) * TOGETHER));

/** A message whose text is sent in these deltas. */
function* message(id, deltas, { role = "assistant", name } = {}) {
  yield { type: "TEXT_MESSAGE_START", messageId: id, role, name };
  for (const delta of deltas) yield { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta };
  yield { type: "TEXT_MESSAGE_END", messageId: id };
}

/** A call of the agent's own tool. */
function* call(id, name, args, result = "done") {
  yield { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name };
  yield { type: "TOOL_CALL_ARGS", toolCallId: id, delta: args };
  yield { type: "TOOL_CALL_END", toolCallId: id };
  yield { type: "TOOL_CALL_RESULT", messageId: `${id} result`, toolCallId: id, content: result };
}

/** The mark before a text, by which a test sees that it arrived. */
export const mark = (number) => `№${number};`;

/** A text after its mark, in a block of its own where it is rendered as markdown. */
const marked = (text, number) => `${mark(number)}\n\n${text}`;

/** The events of each place. */
const PLACES = {
  *"text, whole"(texts) {
    for (const [at, text] of texts.entries()) yield* message(`m${at}`, [marked(text, at)]);
  },
  *"text, one character a delta"(texts) {
    for (const [at, text] of texts.entries()) yield* message(`m${at}`, marked(text, at));
  },
  *"text, all in one message"(texts) {
    yield* message("m", [texts.map(marked).join("\n\n")]);
  },
  *reasoning(texts) {
    for (const [at, text] of texts.entries()) {
      const messageId = `m${at}`;
      yield { type: "REASONING_START", messageId };
      yield { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" };
      yield { type: "REASONING_MESSAGE_CONTENT", messageId, delta: marked(text, at) };
      yield { type: "REASONING_MESSAGE_END", messageId };
      yield { type: "REASONING_END", messageId };
    }
    // Reasoning without an answer would add a notice.
    yield* message("m", ["That is all."]);
  },
  *"tool names"(texts) {
    for (const [at, text] of texts.entries()) yield* call(`c${at}`, text, "{}");
  },
  *"tool arguments"(texts) {
    for (const [at, text] of texts.entries()) {
      yield* call(`c${at}`, "look", JSON.stringify({ [text]: marked(text, at), list: [text] }));
    }
    for (const [at, group] of groups(texts).entries()) yield* call(`d${at}`, "look", group.join("\n"));
  },
  *"tool results"(texts) {
    for (const [at, text] of texts.entries()) {
      yield* call(`c${at}`, "look", "{}", marked(text, at));
    }
    for (const [at, group] of groups(texts).entries()) {
      const fields = Object.fromEntries(group.map((text) => [text, text]));
      yield* call(`d${at}`, "look", "{}", JSON.stringify({ ...fields, error: group.join("\n") }));
    }
  },
  *"activities, custom and raw events"(texts) {
    for (const [at, text] of texts.entries()) {
      yield { type: "ACTIVITY_SNAPSHOT", messageId: `m${at}`, activityType: text, content: { [text]: text, list: [text] } };
      yield { type: "CUSTOM", name: text, value: { [text]: text } };
      yield { type: "RAW", event: { [text]: text }, source: text };
    }
  },
  *"ids, names, steps and state"(texts) {
    for (const [at, text] of texts.entries()) {
      yield* message(`${text} ${at}`, [marked(text, at)], { name: text });
      yield { type: "STEP_STARTED", stepName: `${text} ${at}` };
      yield { type: "STEP_FINISHED", stepName: `${text} ${at}` };
      yield* call(`call ${text} ${at}`, "look", "{}");
    }
    yield { type: "STATE_SNAPSHOT", snapshot: Object.fromEntries(texts.map((text) => [text, text])) };
    yield { type: "STATE_DELTA", delta: texts.map((value) => ({ op: "add", path: "/last", value })) };
  },
  *snapshot(texts) {
    const all = groups(texts.map(marked));
    yield { type: "MESSAGES_SNAPSHOT", messages: all.flatMap((group, at) => thread(group.join("\n\n"), at)) };
  },
  *"files with real addresses"(texts) {
    const urls = texts.filter((text) => /pwned\.invalid/.test(text) && !/[\s<]/.test(text));
    const kinds = ["image", "audio", "video", "document"];
    const parts = urls.flatMap((value) => kinds.map((type) => ({ type, source: { type: "url", value, mimeType: `${type}/x` } })));
    yield { type: "MESSAGES_SNAPSHOT", messages: groups(parts).map((content, at) => ({ id: `f${at}`, role: "user", content })) };
  },
};

/** Messages of every role with a text in every member. */
function thread(text, at) {
  const source = { type: "url", value: text, mimeType: text };
  const content = [
    { type: "text", text },
    { type: "image", source, metadata: { filename: text, title: text } },
    { type: "document", source, metadata: { filename: text } },
    { type: "image", source: { type: "data", value: text, mimeType: text } },
    { type: "audio", source: { type: "file", value: text, provider: text } },
  ];
  const toolCalls = [{ id: `c${at}`, type: "function", function: { name: text, arguments: text } }];
  return [
    { id: `u${at}`, role: "user", name: text, content: text },
    { id: `a${at}`, role: "assistant", name: text, content: text, toolCalls },
    { id: `t${at}`, role: "tool", toolCallId: `c${at}`, content: text, error: text },
    { id: `r${at}`, role: "reasoning", content: text },
    { id: `s${at}`, role: "system", content: text },
    { id: `v${at}`, role: "activity", activityType: text, content: { text } },
    { id: `f${at}`, role: "user", content },
  ];
}

export const places = Object.keys(PLACES);
/** The scene of a place, as part of an address. */
export const slug = (place) => place.replace(/[^a-z]+/g, "-");

/** Places without a mark: texts are in members that are not shown as they are. */
export const UNMARKED = ["activities, custom and raw events", "files with real addresses"];

/** The texts in portions that a user could send. */
export const portions = (texts) => groups(texts).map((group) => group.join("\n\n"));

/** One scene for each place, and for inputs other than the events of a run. */
export function hostileScenes(texts) {
  const all = texts.join("\n");
  const streams = Object.entries(PLACES).map(([place, events]) => [
    slug(place),
    (answer, input) => {
      begin(answer, input);
      for (const event of events(texts)) send(answer, event);
      finish(answer, input);
    },
  ]);
  return {
    ...Object.fromEntries(streams),
    "run-error"(answer, input) {
      begin(answer, input);
      send(answer, { type: "RUN_ERROR", message: all, code: all });
      answer.end();
    },
    "http-error": (answer) => answer.writeHead(500, { "content-type": "text/html" }).end(all),
    "not-a-stream": (answer) => answer.writeHead(200, { "content-type": `text/x"><script>__pwned=1</script>` }).end(all),
    questions(answer, { threadId, runId }) {
      begin(answer, { threadId, runId });
      const interrupts = groups(texts).map(question);
      send(answer, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } });
      answer.end();
    },
    approvals(answer, input) {
      begin(answer, input);
      for (const [at, group] of groups(texts).entries()) {
        const toolCallId = `c${at}`;
        send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "get_weather" });
        send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify({ location: group.join("\n") }) });
        send(answer, { type: "TOOL_CALL_END", toolCallId });
      }
      finish(answer, input);
    },
  };
}

/** A question with a form, its fields of every kind. */
function question(texts, at) {
  const kinds = [{ type: "string" }, { type: "boolean" }, { type: "number" }, { enum: texts }, { type: "object" }];
  const words = (text) => ({ title: text, description: text, default: text, pattern: text, format: text });
  const fields = texts.map((text, place) => [text, { ...kinds[place % kinds.length], ...words(text) }]);
  const all = texts.join("\n");
  const responseSchema = { type: "object", title: all, description: all, properties: Object.fromEntries(fields) };
  return { id: `q${at} ${texts[0]}`, reason: all, message: all, responseSchema };
}
