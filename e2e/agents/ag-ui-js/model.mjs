// The model: an OpenAI-compatible endpoint, whose stream becomes events of AG-UI.

import { EventType } from "@ag-ui/core";

/** Streams one answer of the model as events, and adds its text and its calls to `answer`. */
export async function* completion(model, messages, tools, answer) {
  const response = await fetch(`${model}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify({
      model: "small",
      stream: true,
      messages: messages.filter(({ role }) => role !== "reasoning" && role !== "activity").map(asSent),
      tools: tools.map(({ name, description, parameters }) => ({ type: "function", function: { name, description, parameters } })),
    }),
  });
  if (!response.ok) throw new Error((await response.json()).error.message);
  const reasoning = crypto.randomUUID();
  let open = "";
  for await (const { content, reasoning_content: thought, tool_calls = [] } of deltas(response.body)) {
    const part = thought ? "reasoning" : content ? "text" : "";
    if (part && part !== open) {
      yield* ending(open, answer, reasoning);
      yield* beginning((open = part), answer, reasoning);
    }
    if (thought) yield { type: EventType.REASONING_MESSAGE_CONTENT, messageId: reasoning, delta: thought };
    if (content) yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId: answer.id, delta: content };
    if (content) answer.content += content;
    for (const { index, id, function: { name, arguments: delta } } of tool_calls) {
      if (!answer.toolCalls[index]) {
        answer.toolCalls[index] = { id, type: "function", function: { name, arguments: "" } };
        yield { type: EventType.TOOL_CALL_START, toolCallId: id, toolCallName: name, parentMessageId: answer.id };
      }
      const call = answer.toolCalls[index];
      call.function.arguments += delta;
      if (delta) yield { type: EventType.TOOL_CALL_ARGS, toolCallId: call.id, delta };
    }
  }
  yield* ending(open, answer, reasoning);
  for (const { id } of answer.toolCalls) yield { type: EventType.TOOL_CALL_END, toolCallId: id };
}

function* beginning(part, { id }, reasoning) {
  if (part === "text") yield { type: EventType.TEXT_MESSAGE_START, messageId: id, role: "assistant" };
  if (part !== "reasoning") return;
  yield { type: EventType.REASONING_START, messageId: reasoning };
  yield { type: EventType.REASONING_MESSAGE_START, messageId: reasoning, role: "reasoning" };
}

function* ending(part, { id }, reasoning) {
  if (part === "text") yield { type: EventType.TEXT_MESSAGE_END, messageId: id };
  if (part !== "reasoning") return;
  yield { type: EventType.REASONING_MESSAGE_END, messageId: reasoning };
  yield { type: EventType.REASONING_END, messageId: reasoning };
}

/** The deltas of a stream of completions. */
async function* deltas(body) {
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const data = line.replace(/^data: */, "").trim();
      if (line.startsWith("data:") && data !== "[DONE]") yield JSON.parse(data).choices[0]?.delta ?? {};
    }
  }
}

/** A message of AG-UI as one of OpenAI's. */
function asSent({ role, content, toolCalls, toolCallId, error }) {
  if (role === "tool") return { role, tool_call_id: toolCallId, content: error ? JSON.stringify({ error }) : content };
  if (!toolCalls?.length) return { role: role === "developer" ? "system" : role, content };
  return { role, content: content || null, tool_calls: toolCalls };
}
