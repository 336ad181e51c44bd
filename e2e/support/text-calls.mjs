// Calls and results that LlamaIndex sends to its model as text, in the form that the model's script reads.

const CALL = /<tool_call><name>([^<]*)<\/name><arguments>([^]*?)<\/arguments><\/tool_call>/g;

/** Returns the messages with calls as calls, and with the user messages that contain their results as tool messages. */
export function withCalls(messages) {
  let open = [];
  let count = 0;
  return messages.map((message) => {
    const { role, content } = message;
    const found = role === "assistant" && typeof content === "string" ? [...content.matchAll(CALL)] : [];
    if (found.length) {
      const calls = found.map(([, name, args]) => ({ id: `text-${count++}`, type: "function", function: { name, arguments: args } }));
      open = calls.map(({ id }) => id);
      return { ...message, content: content.replace(CALL, "").trim(), tool_calls: calls };
    }
    const id = role === "user" ? open.shift() : undefined;
    return id ? { role: "tool", tool_call_id: id, content } : message;
  });
}
