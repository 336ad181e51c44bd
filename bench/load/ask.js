// The least that a page needs for an AG-UI agent with one tool: sends a message, reads the events, runs the tool, and
// sends its result. For the pages that are compared, whose own code has no such agent.

const agent = new URLSearchParams(location.search).get("agent");

/** Sends a message; `show` gets each piece of the answer. */
export async function ask(content, tool, show) {
  const messages = [{ id: crypto.randomUUID(), role: "user", content }];
  for (;;) {
    const calls = await run(messages, tool, show);
    if (calls.length === 0) return;
    messages.push({ id: crypto.randomUUID(), role: "assistant", toolCalls: calls });
    for (const { id, function: { arguments: args } } of calls) {
      const content = JSON.stringify(await tool.handler(JSON.parse(args)));
      messages.push({ id: crypto.randomUUID(), role: "tool", toolCallId: id, content });
    }
  }
}

async function run(messages, { name, description, parameters }, show) {
  const tools = [{ name, description, parameters }];
  const input = { threadId: "thread", runId: crypto.randomUUID(), state: {}, messages, tools, context: [], forwardedProps: {} };
  const answer = await fetch(agent, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(input),
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const calls = [];
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return calls;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const event = JSON.parse(frame.slice("data: ".length));
      if (event.type === "TOOL_CALL_START") calls.push({ id: event.toolCallId, type: "function", function: { name: event.toolCallName, arguments: "" } });
      else if (event.type === "TOOL_CALL_ARGS") calls.at(-1).function.arguments += event.delta;
      else if (event.type === "TEXT_MESSAGE_CONTENT") show(event.delta);
    }
  }
}
