// What the demo's page knows of its conversation, in a form that can be compared between agents and protocols.

/** The address of the demo that talks to an agent and keeps the conversation `id` over reloads. */
export function pageOf(page, { agent, protocol, model, chat }) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ agent, protocol, model, chat })) if (value) query.set(name, value);
  return `${page.url}?${query}`;
}

/** The conversation of a page whose address names it, as it would be kept if the page were left now. */
export async function conversationOf(page, id) {
  const text = await page.evaluate((id) => {
    globalThis.dispatchEvent(new Event("pagehide"));
    return globalThis.sessionStorage.getItem(`harbor:${id}`);
  }, id);
  return JSON.parse(text);
}

/**
 * The path of a conversation without its ids, times and usage: one entry for each message, `[role, ...parts]`. Texts are
 * `text: …`, calls are objects.
 */
export function sketch({ messages, tip }) {
  const byId = new Map(messages.map(({ parent, message }) => [message.id, { parent, message }]));
  const path = [];
  for (let entry = byId.get(tip); entry; entry = byId.get(entry.parent)) path.unshift(entry.message);
  return path.map(({ role, parts }) => [role, ...parts.map(part)]);
}

function part(part) {
  if (part.type === "text") return `text: ${part.text}`;
  if (part.type !== "tool-call") return part.type;
  // Arguments stand there as the agent wrote them, if that is more than their value.
  const { toolName: name, input = parsed(part.argsText), state, output, error } = part;
  return { name, input, state, ...(output !== undefined && { output }), ...(error && { error: error.message }) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
